// SPDX-License-Identifier: MIT
// All formats that a plan can be written in: a new one is one file and one line here.
#include <arenascope/plan_export.h>

#include <arenascope/plan_io.h>
#include <arenascope/problem_io.h>
#include <arenascope/tflite_export.h>

#include "core/src/io/plan_facts.h"

#include <algorithm>
#include <array>

namespace arenascope {

namespace {

/// For formats that do not say how the model was read.
template <Result<std::string> (*Write)(const PlanOutcome&)>
Result<std::string> written(const PlanOutcome& outcome, const ImportOptions&)
{
    return Write(outcome);
}

Result<std::string> ownCsv(const PlanOutcome& outcome, const ImportOptions&)
{
    return planToCsv(outcome);
}

Result<std::string> ownJson(const PlanOutcome& outcome, const ImportOptions& imported)
{
    return planToJson(outcome, imported);
}

Result<std::string> dot(const PlanOutcome& outcome, const ImportOptions&)
{
    return planToDot(outcome);
}

constexpr auto kRuntime = ExportGroup::Runtime;
constexpr auto kTool = ExportGroup::Tool;
constexpr std::array kExports = {
    PlanExport{"c-header", "C header", "arena size, and offset and size of each tensor, for any runtime", ".h", kRuntime, written<planToCHeader>},
    PlanExport{"tflite", "TensorFlow Lite with an offline plan", "a copy of the .tflite that TensorFlow Lite Micro follows", ".tflite", kRuntime, written<tfliteWithPlan>},
    PlanExport{"tflm-c", "TensorFlow Lite Micro, C", "struct BufferPlan with an entry a tensor", ".tflm.c", kRuntime, written<planToTflmC>},
    PlanExport{"json", "JSON plan", "everything; `check`, `run` and the window read it", ".json", kTool, ownJson},
    PlanExport{"csv", "CSV table of buffers", "one row a buffer, with MiniMalloc's columns", ".csv", kTool, ownCsv},
    PlanExport{"minimalloc", "MiniMalloc CSV", "problem and offsets, for MiniMalloc and `solve`", ".minimalloc.csv", kTool, written<planToMiniMalloc>},
    PlanExport{"vela", "Vela allocation table", "as Vela prints it with --verbose-allocation", ".vela.txt", kTool, written<planToVela>},
    PlanExport{"tflm-text", "TensorFlow Lite Micro, text", "as its planners print it: a line a buffer, a row a step", ".tflm.txt", kTool, written<planToTflmText>},
    PlanExport{"trace", "Trace for Perfetto", "buffers over time, counters of live bytes and arena top", ".trace.json", kTool, written<planToTrace>},
    PlanExport{"address-trace", "Trace by address", "as ExecuTorch draws it: addresses along x, a row a step", ".address.trace.json", kTool, written<planToAddressTrace>},
    PlanExport{"netron", "Netron attachment", "drop it on the model in Netron 9: offsets, bytes and steps there", ".netron.json", kTool, written<planToNetron>},
    PlanExport{"dot", "Graphviz DOT", "network, coloured by buffer", ".dot", kTool, dot},
};

} // namespace

std::span<const PlanExport> planExports()
{
    return kExports;
}

const PlanExport* findPlanExport(std::string_view id)
{
    const auto found = std::find_if(kExports.begin(), kExports.end(), [id](const PlanExport& format) { return format.id == id; });
    return found == kExports.end() ? nullptr : &*found;
}

const PlanExport* planExportFor(const std::filesystem::path& path)
{
    std::string name = path.filename().string();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    const PlanExport* best = nullptr;
    for (const PlanExport& format : kExports) {
        // A name of nothing but the suffix is a hidden file without one.
        const bool isIt = name.size() > format.suffix.size() && name.ends_with(format.suffix);
        if (isIt && (!best || format.suffix.size() > best->suffix.size()))
            best = &format;
    }
    return best;
}

Result<std::string> planToMiniMalloc(const PlanOutcome& outcome)
{
    if (io::hasSeveralRegions(outcome))
        return io::severalMemories("a MiniMalloc CSV");
    return problemToCsv(outcome.study->problem, &outcome.plan);
}

} // namespace arenascope
