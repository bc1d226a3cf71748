// SPDX-License-Identifier: MIT
// The table that Vela prints with --verbose-allocation, with the same columns and widths. Source: print_allocation() of
// ethos-u-vela's tensor_allocation.py.
#include <arenascope/plan_export.h>

#include "core/src/io/names.h"
#include "core/src/io/plan_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace arenascope {

namespace {

struct Row {
    Step first = 0;
    Step last = 0; ///< closed
    Bytes size = 0;
    Offset begin = 0;
    std::string_view purpose;
    std::string name;
    Bytes usage = 0;
};

bool hasParts(const Buffer& buffer)
{
    return !buffer.gaps.empty()
        || std::any_of(buffer.tensors.begin(), buffer.tensors.end(), [](const AliasMember& member) { return member.offset != 0; });
}

/// Names of the rows of a buffer. Vela gives each tensor of one live range a row with the same times and addresses; tensors
/// that are parts of a buffer, and buffers of no bytes (which could not be told apart), stand as one.
std::vector<std::string> rowNames(const Graph& graph, const Buffer& buffer)
{
    if (buffer.tensors.size() < 2 || hasParts(buffer) || buffer.size <= 0)
        return {buffer.tensors.size() == 1 ? graph.tensor(buffer.tensors.front().tensor).name : buffer.name};
    std::vector<std::string> names;
    for (const AliasMember& member : buffer.tensors)
        names.push_back(graph.tensor(member.tensor).name);
    return names;
}

/// Live bytes by step of what is in one region.
std::vector<Bytes> usageOf(const PlanOutcome& outcome, RegionId region)
{
    const PlacementProblem& problem = outcome.study->problem;
    std::vector<Bytes> usage(static_cast<std::size_t>(problem.stepCount) + 1);
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        const LiveRange live = problem.buffers[i].live;
        if (io::regionOf(outcome, id) != region || live.length() <= 0)
            continue;
        usage[static_cast<std::size_t>(live.begin)] += problem.reserved(id);
        usage[static_cast<std::size_t>(live.end)] -= problem.reserved(id);
    }
    for (std::size_t step = 1; step < usage.size(); ++step)
        usage[step] += usage[step - 1];
    return usage;
}

std::vector<Row> rowsOf(const PlanOutcome& outcome, RegionId region, const std::vector<Bytes>& usage)
{
    const Study& study = *outcome.study;
    std::vector<Row> rows;
    for (const BufferId id : io::buffersInFileOrder(outcome)) {
        const Buffer& buffer = study.problem.buffer(id);
        if (io::regionOf(outcome, id) != region)
            continue;
        for (const std::string& name : rowNames(*study.graph, buffer)) {
            const std::string_view purpose = buffer.kind == BufferKind::Workspace ? "Scratch" : "FeatureMap";
            rows.push_back({buffer.live.begin, buffer.live.end - 1, study.problem.reserved(id), io::offsetOf(outcome, id), purpose,
                            io::percentEncoded(name), usage[static_cast<std::size_t>(buffer.live.begin)]});
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        return std::tie(a.first, a.last, a.size, a.begin) < std::tie(b.first, b.last, b.size, b.begin);
    });
    return rows;
}

std::string sizeLine(std::string_view title, Bytes bytes)
{
    return fmt::format("{:<30}{:9} ({:#10x}) Bytes {:8.2f} KiB\n", title, bytes, bytes, static_cast<double>(bytes) / 1024.0);
}

std::string tableOf(const PlanOutcome& outcome, RegionId region)
{
    const std::vector<Bytes> usage = usageOf(outcome, region);
    const Bytes least = *std::max_element(usage.begin(), usage.end());
    const Bytes actual = io::regionBytes(outcome, region);
    std::string text = fmt::format("{:#<80}\n", "");
    text += fmt::format("Tensor Allocation for mem_area {}, of mem_type_set (Scratch), using allocator {}, in NPU subgraph:\n",
                        io::percentEncoded(outcome.study->problem.regions[region.index()].name, ","),
                        outcome.plan.chosen.empty() ? outcome.plan.strategy : outcome.plan.chosen);
    text += fmt::format("{:>10} - {:>10}: {:>10} - {:>10}: {:>11}: {:>12}: {:<12}: Name\n", "Start Time", "End Time", "Start Addr",
                        "End Addr", "Tensor Size", "Memory Usage", "Purpose");
    for (const Row& row : rowsOf(outcome, region, usage))
        text += fmt::format("{:10} - {:10}: {:#10x} - {:#10x}: {:11}: {:12}: {:<12}: {}\n", row.first, row.last, row.begin,
                            row.begin + row.size, row.size, row.usage, row.purpose, row.name);
    text += sizeLine("Allocation Peak Tensor Size:", least) + sizeLine("Allocation Peak Memory Usage:", actual);
    const double overhead = least > 0 ? 100.0 * static_cast<double>(actual - least) / static_cast<double>(least) : 0.0;
    return text + fmt::format("{:<30}{:9} Bytes ({:.2f} %)\n", "Allocation Overhead:", actual - least, overhead);
}

} // namespace

Result<std::string> planToVela(const PlanOutcome& outcome)
{
    std::string text;
    for (std::size_t i = 0; i < outcome.study->problem.regions.size(); ++i)
        text += (i > 0 ? "\n" : "") + tableOf(outcome, RegionId::fromIndex(i));
    return text;
}

} // namespace arenascope
