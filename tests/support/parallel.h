// SPDX-License-Identifier: MIT
// Networks and options for tests of plans that are safe in any order of the operators.
#pragma once

#include "tests/support/random_graph.h"

#include <arenascope/study.h>

#include <array>

namespace arenascope::test {

inline StudyOptions optionsOf(AliasMode alias, Concurrency concurrency = Concurrency::Parallel)
{
    StudyOptions options;
    options.alias = alias;
    options.problem.alignment = 1;
    options.problem.concurrency = concurrency;
    return options;
}

/// Small networks with a little of everything.
inline RandomGraphOptions broadGraph(std::uint64_t seed)
{
    RandomGraphOptions options;
    options.operators = 3 + static_cast<int>(seed % 29);
    options.inputs = 1 + static_cast<int>(seed % 3);
    options.nearness = 2 + static_cast<int>(seed % 9);
    options.workspaceChance = seed % 4 == 0 ? 0.3 : 0.0;
    options.maxBytes = seed % 2 == 0 ? 100 : 5;
    return options;
}

inline StudyOptions optionsFor(std::uint64_t seed, Concurrency concurrency)
{
    StudyOptions options = optionsOf(std::array{AliasMode::None, AliasMode::Views, AliasMode::InPlace}[seed % 3], concurrency);
    options.schedule = seed % 2 == 0 ? ScheduleKind::File : ScheduleKind::DepthFirst;
    options.problem.alignment = std::array<Bytes, 2>{1, 16}[seed / 3 % 2];
    options.problem.countWorkspace = seed % 4 == 0;
    options.problem.io.inputsInArena = seed % 5 != 0;
    options.problem.io.outputsInArena = seed % 7 != 0;
    return options;
}

/// Strategies that keep apart what may meet in some order.
inline constexpr std::array kHonouring = {"naive", "pingpong", "pingpong-tight", "pingpong-arena", "pingpong-pooled", "pingpong-escape",
                                   "greedy-by-size", "greedy-by-breadth", "greedy-by-conflicts", "best-fit", "hill-climb", "auto"};

} // namespace arenascope::test
