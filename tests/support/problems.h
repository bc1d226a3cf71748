// SPDX-License-Identifier: MIT
// Placement problems by hand and by chance.
#pragma once

#include <arenascope/planner.h>
#include <arenascope/problem.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace arenascope::test {

struct Record {
    Step begin;
    Step end; ///< exclusive
    Bytes size;
};

inline PlacementProblem problemOf(const std::vector<Record>& records, Bytes alignment = 1)
{
    PlacementProblem problem;
    problem.name = "records";
    problem.alignment = alignment;
    for (std::size_t i = 0; i < records.size(); ++i) {
        Buffer buffer;
        buffer.name = "b" + std::to_string(i);
        buffer.size = records[i].size;
        buffer.live = {records[i].begin, records[i].end};
        problem.buffers.push_back(buffer);
        problem.stepCount = std::max(problem.stepCount, records[i].end);
    }
    return problem;
}

/// One branch: unit i is written at step i and read at step i + 1, the last one lives to the end.
inline PlacementProblem chainProblem(const std::vector<Bytes>& sizes, Bytes alignment = 1)
{
    std::vector<Record> records;
    const auto steps = static_cast<Step>(sizes.size());
    for (Step i = 0; i < steps; ++i)
        records.push_back({i, std::min(i + 2, steps), sizes[static_cast<std::size_t>(i)]});
    PlacementProblem problem = problemOf(records, alignment);
    ProblemBranch branch;
    branch.id = BranchId(0);
    for (std::size_t i = 0; i < sizes.size(); ++i)
        branch.units.push_back({{BufferId::fromIndex(i)}, PingPongSide::None});
    problem.branches.push_back(branch);
    return problem;
}

/// Random records: mostly short lives, some long ones, some empty sizes; the same for the same seed on every machine.
inline PlacementProblem randomProblem(std::uint32_t seed, int maxBuffers = 40, Bytes alignment = 1)
{
    std::mt19937 random(seed);
    const auto below = [&random](std::uint32_t bound) { return static_cast<std::int64_t>(random() % bound); };
    const auto count = below(static_cast<std::uint32_t>(maxBuffers)) + 1;
    const Step steps = below(30) + 2;
    std::vector<Record> records;
    for (std::int64_t i = 0; i < count; ++i) {
        const Step begin = below(static_cast<std::uint32_t>(steps));
        const Step longest = below(4) == 0 ? steps : 4;
        const Step end = std::min(steps, begin + 1 + below(static_cast<std::uint32_t>(longest)));
        records.push_back({begin, end, below(10) == 0 ? 0 : below(1000) + 1});
    }
    return problemOf(records, alignment);
}

/// Searches end soon, and always with the same plan.
inline PlannerOptions shortSearch(std::int64_t nodes = 2000)
{
    PlannerOptions options;
    options.nodeBudget = nodes;
    return options;
}

/// The plan of a strategy by id; the test fails by an assert if there is none.
inline Result<Plan> planWith(std::string_view id, const PlacementProblem& problem, const PlannerOptions& options = {})
{
    const Planner* planner = findPlanner(id);
    assert(planner && "unknown strategy");
    return planner->plan(problem, options, {}, {});
}

} // namespace arenascope::test
