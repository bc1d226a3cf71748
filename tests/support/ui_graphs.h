// SPDX-License-Identifier: MIT
// Small networks for tests of the window.
#pragma once

#include <arenascope/graph_builder.h>
#include <arenascope/study.h>

#include <cassert>
#include <memory>
#include <string>

namespace arenascope::test {

/// A residual block, sizes in bytes:
///
///     x(100) -> Conv -> a(1000) -> Relu -> b(500) -> Conv -> c(1000) -> Add -> d(1000) -> out
///                         '-----------------------------------------------^
///
/// With alignment 1, live bytes by step: 1100, 1500, 2500, 3000; naive 3600; the peak is at the Add.
inline std::shared_ptr<const Graph> residualGraph()
{
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Int8, Shape::of({ 100 }));
    const TensorId a = builder.addSimple("Conv", { x }, "a", 1000);
    const TensorId b = builder.addSimple("Relu", { a }, "b", 500);
    const TensorId c = builder.addSimple("Conv", { b }, "c", 1000);
    const TensorId d = builder.addSimple("Add", { a, c }, "d", 1000);
    builder.addOutput(d);
    auto graph = std::move(builder).build();
    assert(graph);
    return *graph;
}

/// A chain of `length` operators with outputs of 64, 128, 192, 256, 64, ... bytes.
inline std::shared_ptr<const Graph> chainGraph(int length)
{
    GraphBuilder builder;
    TensorId last = builder.addInput("input", ElementType::Int8, Shape::of({ 64 }));
    for (int i = 0; i < length; ++i)
        last = builder.addSimple(i % 3 == 0 ? "Conv" : "Relu", { last }, "t" + std::to_string(i), 64 * (1 + i % 4));
    builder.addOutput(last);
    auto graph = std::move(builder).build();
    assert(graph);
    return *graph;
}

inline StudyOptions unaligned()
{
    StudyOptions options;
    options.problem.alignment = 1;
    return options;
}

inline std::shared_ptr<const PlanOutcome> planned(std::shared_ptr<const Graph> graph, const StudyOptions& options = unaligned(),
    std::string_view strategy = "greedy-by-size")
{
    const auto study = makeStudy(std::move(graph), options);
    assert(study);
    const auto outcome = planStudy(*study, strategy);
    assert(outcome);
    return *outcome;
}

} // namespace arenascope::test
