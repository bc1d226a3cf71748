// SPDX-License-Identifier: MIT
// The network as geometry: boxes, edges and words, apart from any widget.
#pragma once

#include "ui/buffer_colours.h"
#include "ui/theme.h"
#include "ui/views/scene.h"

#include <arenascope/layout.h>
#include <arenascope/study.h>

namespace arenascope::ui {

/// Size of the box of a node, from its words, within limits. May be called off the GUI thread (needs a QGuiApplication).
Size nodeSizeFor(const LayoutNode& node, const Graph& graph);

/// What an operator or tensor does at the playhead.
struct StepState {
    Step step = -1;             ///< -1: no playhead, everything in full colour
    OpId running;
    std::vector<char> alive;    ///< by TensorId
    std::vector<TensorId> read;    ///< sorted
    std::vector<TensorId> written; ///< sorted
    bool isActive() const { return step >= 0; }
};
/// O(tensors). `step` -1 or outside the schedule gives the inactive state.
StepState stepStateAt(const PlanOutcome& outcome, Step step);

struct NetworkInput {
    const Graph& graph;
    const DrawnGraph& drawn;
    const GraphLayout& layout;
    const PlanOutcome* outcome = nullptr;     ///< null: everything neutral
    const BufferColours* colours = nullptr;   ///< of `outcome`
    ColourBy colourBy = ColourBy::Buffer;
};

/// A network's scene, and where in it the playhead changes something.
struct NetworkScene {
    Scene scene;
    std::vector<std::int32_t> boxOfNode;   ///< by DrawnGraph node: index into the rects of the box layer; -1 not laid out
    std::vector<std::int32_t> pathOfEdge;  ///< by DrawnGraph edge: index into the paths of the edge layer; -1 not laid out
};

/// Nodes and edges without a place yet (layouts arrive piece by piece) are left out.
NetworkScene networkScene(const NetworkInput& input, const Theme& theme);

/// Recolours in place for a playhead: alive in full colour, the rest a quarter of it, what is written with a thick warm
/// outline, what is read with a thick cool one. O(nodes + edges), no text is touched.
void lightNetwork(NetworkScene& scene, const NetworkInput& input, const StepState& state, const Theme& theme);

} // namespace arenascope::ui
