// SPDX-License-Identifier: MIT
// The network as geometry: boxes, edges and words, apart from any widget.
#pragma once

#include "ui/buffer_colours.h"
#include "ui/theme.h"
#include "ui/views/scene.h"

#include <arenascope/layout.h>
#include <arenascope/study.h>

#include <QString>

#include <span>
#include <vector>

namespace arenascope::ui {

struct Matches;

/// Size of the box of a node, from its words, within limits. May be called off the GUI thread (needs a QGuiApplication).
Size nodeSizeFor(const LayoutNode& node, const Graph& graph);

/// What the tensors do at the playhead.
struct StepState {
    Step step = -1;                ///< -1: no playhead, everything in full colour
    OpId running;
    std::vector<char> alive;       ///< by TensorId
    std::vector<TensorId> read;    ///< sorted, distinct
    std::vector<TensorId> written; ///< sorted, distinct
    bool isActive() const { return step >= 0; }
    bool reads(TensorId id) const;
    bool writes(TensorId id) const;
};
/// O(tensors). `ranges` are tensorLiveRanges() of the outcome's study. A step outside the schedule gives the inactive state.
StepState stepStateAt(const Study& study, std::span<const LiveRange> ranges, Step step);

struct RunRecord;

struct NetworkInput {
    const Graph* graph = nullptr;
    const DrawnGraph* drawn = nullptr;
    const GraphLayout* layout = nullptr;
    const PlanOutcome* outcome = nullptr;     ///< null: everything neutral
    const BufferColours* colours = nullptr;   ///< of `outcome`
    ColourBy colourBy = ColourBy::Buffer;
    const RunRecord* run = nullptr;           ///< of `outcome`, for ColourBy::Time; null: no colours then
    const Matches* matches = nullptr;         ///< of `graph`; used for lighting only
};

/// A network's scene, and where in it the playhead changes something.
struct NetworkScene {
    enum Layer : std::uint8_t { Edges, Boxes, Marks, LayerCount };

    struct Node {
        std::int32_t box = -1;  ///< into the rects of Boxes; -1: not laid out yet
        std::int32_t text = -1; ///< first of `texts` words in Boxes
        std::int32_t texts = 0;
        QColor colour;          ///< in full
    };
    struct Edge {
        std::int32_t path = -1; ///< into the paths of Edges; -1: not laid out yet
        double width = 1.0;
        QColor colour;          ///< in full
    };
    Scene scene;
    std::vector<Node> nodes; ///< by DrawnGraph node
    std::vector<Edge> edges; ///< by DrawnGraph edge
};

/// Nodes and edges without a place yet (layouts arrive piece by piece) are left out. O(nodes + edges).
NetworkScene networkScene(const NetworkInput& input, const Theme& theme);

/// Recolours in place for a playhead: alive in full colour, the rest a quarter of it, what is written with a thick warm
/// outline, what is read with a thick cool one. While something is searched for, what is found is in full colour instead,
/// whatever is alive. Geometry and words stay. `blend` in [0, 1] shows the way from `before` (1: arrived).
/// O(nodes + edges).
void lightNetwork(NetworkScene& scene, const NetworkInput& input, const StepState& state, const Theme& theme,
                  const StepState* before = nullptr, double blend = 1.0);

/// "1x32x112x112" and "1.53 MiB" of what an operator writes: first output, with " +1" for each further one; all bytes.
struct OutputWords {
    QString shape;
    QString bytes;
};
OutputWords outputWords(const Graph& graph, const LayoutNode& node);

} // namespace arenascope::ui
