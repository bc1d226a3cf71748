// SPDX-License-Identifier: MIT
// Plans out to runtimes and tools: one registry for the command line, the window and `formats`.
#pragma once

#include <arenascope/importer.h>
#include <arenascope/study.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace arenascope {

enum class ExportGroup {
    Runtime, ///< code or data that a program on the device takes
    Tool,    ///< for planners, viewers and scripts
};

/// One format that a plan can be written in.
struct PlanExport {
    std::string_view id;      ///< as users type it: "c-header"
    std::string_view title;   ///< "C header"
    std::string_view summary; ///< what it is good for, one line
    std::string_view suffix;  ///< of file names, lower case with the dot: ".h", ".trace.json"
    ExportGroup group = ExportGroup::Tool;
    /// The whole file: the same bytes for the same plan. `imported` is how the model was read. Errors: Unsupported (what the
    /// format cannot say, and the remedy), TooLarge.
    Result<std::string> (*write)(const PlanOutcome& outcome, const ImportOptions& imported) = nullptr;
};

/// All of them, grouped, in the order in which they are listed.
std::span<const PlanExport> planExports();
/// The format of that id, or null.
const PlanExport* findPlanExport(std::string_view id);
/// The format of the longest suffix that the file's name ends in (in either case), or null.
const PlanExport* planExportFor(const std::filesystem::path& path);

/// C99, C11 and C++: the arena's size and alignment, the offset and size of each tensor, and assertions that they fit.
/// Errors: InvalidPlan.
Result<std::string> planToCHeader(const PlanOutcome& outcome);
/// TensorFlow Lite Micro's `struct BufferPlan`, filled in: one entry an allocated tensor, in the order of the file.
/// Errors: InvalidPlan, Unsupported (several memories, tensors outside of the arena), TooLarge (offsets above 31 bits).
Result<std::string> planToTflmC(const PlanOutcome& outcome);
/// What TensorFlow Lite Micro's planners print: a line a buffer, then 80 columns of the arena a step.
/// Errors: TooLarge (more than 100,000 steps), Unsupported (several memories).
Result<std::string> planToTflmText(const PlanOutcome& outcome);
/// Vela's table of tensor allocations, one a memory: closed times, addresses, sizes.
Result<std::string> planToVela(const PlanOutcome& outcome);
/// MiniMalloc's CSV with offsets. Errors: Unsupported (several memories).
Result<std::string> planToMiniMalloc(const PlanOutcome& outcome);
/// Trace events for Perfetto: a process a memory, a bar a buffer, counters of live bytes and of the arena's top; a step is a
/// microsecond.
Result<std::string> planToTrace(const PlanOutcome& outcome);
/// As ExecuTorch draws it: addresses along x (a byte is a microsecond), a row a step. Errors: TooLarge (more than four
/// million bars).
Result<std::string> planToAddressTrace(const PlanOutcome& outcome);
/// Metrics that Netron 9 and later show beside an open model: drop the file on it.
Result<std::string> planToNetron(const PlanOutcome& outcome);

} // namespace arenascope
