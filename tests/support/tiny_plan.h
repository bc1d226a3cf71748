// SPDX-License-Identifier: MIT
// A network and a plan so small that every figure of their drawings can be worked out by hand.
#pragma once

#include "tests/support/text_graph.h"

#include <arenascope/layout.h>
#include <arenascope/study.h>

#include <QtGlobal>

#include <memory>
#include <vector>

namespace arenascope::test {

/// x 64 -> Conv -> a 128 -> Relu -> b 128 -> Gemm -> y 64, placed by hand in 320 bytes:
///
///     offset
///      320 +-----------+
///      192 |    bbbbbbb|    b lives in steps 1 and 2
///       64 |aaaaaaa    |    a in steps 0 and 1
///        0 |xxx    yyyy|    x in step 0, y in step 2: it takes over what x has left
///          +-----------+
///           0   1   2  -> step         live bytes 192, 256, 192
inline std::shared_ptr<const PlanOutcome> tinyOutcome()
{
    const auto graph = TextGraph::parse(R"(
        in:  x 64
        x -> Conv first -> a 128
        a -> Relu       -> b 128
        b -> Gemm last  -> y 64
        out: y
    )");
    Q_ASSERT(graph.hasValue());
    const auto study = makeStudy(*graph, StudyOptions{});
    Q_ASSERT(study.hasValue());
    auto outcome = std::make_shared<PlanOutcome>();
    outcome->study = *study;
    outcome->plan.strategy = "by-hand";
    for (const Buffer& buffer : (*study)->problem.buffers) {
        Placement placement;
        placement.offset = buffer.name == "a" ? 64 : buffer.name == "b" ? 192 : 0;
        outcome->plan.placements.push_back(placement);
    }
    outcome->plan.arenaSize = 320;
    return outcome;
}

inline BufferId bufferNamed(const PlanOutcome& outcome, std::string_view name)
{
    const auto& buffers = outcome.study->problem.buffers;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (buffers[i].name == name)
            return BufferId::fromIndex(i);
    }
    return {};
}

/// Drawn by hand: one column, boxes 120 x 60, 40 apart.
struct TinyDrawing {
    std::shared_ptr<const DrawnGraph> drawn;
    std::shared_ptr<const GraphLayout> layout;
};
inline TinyDrawing columnOf(const Study& study)
{
    auto drawn = std::make_shared<DrawnGraph>(drawnGraph(*study.graph, study.schedule, [](const LayoutNode&) { return Size{120, 60}; }));
    auto layout = std::make_shared<GraphLayout>();
    for (std::size_t i = 0; i < drawn->nodes.size(); ++i)
        layout->nodes.push_back({0, 100.0 * static_cast<double>(i), 120, 60});
    for (const LayoutEdge& edge : drawn->edges) {
        const Rect from = layout->nodes[static_cast<std::size_t>(edge.from)], to = layout->nodes[static_cast<std::size_t>(edge.to)];
        layout->edges.push_back({{60, from.bottom()}, {60, to.y}});
    }
    layout->bounds = {0, 0, 120, 100.0 * static_cast<double>(drawn->nodes.size()) - 40};
    return {drawn, layout};
}

} // namespace arenascope::test
