// SPDX-License-Identifier: MIT
#include "ui/document.h"
#include "ui/matches.h"
#include "ui/views/network_view_p.h"

#include <QtConcurrent>

#include <algorithm>
#include <utility>

namespace arenascope::ui {

void NetworkView::Private::takeFromDocument()
{
    if (!document)
        return;
    adopt({document->graph(), document->drawnGraph(), document->layout(), document->outcome(), document->matches(),
           document->run()});
}

/// Snapshots come in any order: what does not belong to the graph, or to each other, is left out until it does.
void NetworkView::Private::adopt(const NetworkSnapshot& fresh)
{
    NetworkSnapshot next = fresh;
    if (next.outcome && next.outcome->study->graph != next.graph)
        next.outcome = nullptr;
    if (!next.drawn || !next.layout || next.layout->nodes.size() != next.drawn->nodes.size()
        || next.layout->edges.size() != next.drawn->edges.size()) {
        next.drawn = nullptr;
        next.layout = nullptr;
    }
    if (next.matches && next.matches->graph != next.graph)
        next.matches = nullptr;
    if (next.run && next.run->outcome != next.outcome)
        next.run = nullptr;
    const bool otherTimes = colourBy == ColourBy::Time && next.run != shown.run;
    const bool otherGraph = next.graph != shown.graph;
    const bool otherLayout = next.layout != shown.layout || next.drawn != shown.drawn;
    const bool otherOutcome = next.outcome != shown.outcome;
    const bool otherMatches = next.matches != shown.matches;
    if (!otherGraph && !otherLayout && !otherOutcome && !otherTimes) {
        shown = std::move(next);
        if (otherMatches) {
            minimap.invalidate();
            light(blend);
        }
        return;
    }
    const bool firstLayout = next.layout && (otherGraph || !shown.layout);
    shown = std::move(next);
    if (otherGraph) {
        playheadIsActive = false;
        userMoved = false;
        state = stateBefore = {};
    }
    if (otherOutcome || otherGraph)
        rebuildColours();
    startsView = shown.layout && (firstLayout || startsView || (otherLayout && !userMoved));
    if (otherGraph || !shown.layout) {
        install(std::make_shared<const Built>()); // nothing of another network stays in sight
        base = {};
        minimap = {};
        BackgroundPainter::discard(std::exchange(lit, std::make_shared<Lit>()));
    }
    rebuildScene();
}

void NetworkView::Private::rebuildColours()
{
    ranges.clear();
    if (!shown.outcome) {
        state = stateBefore = {};
        return;
    }
    const Study& study = *shown.outcome->study;
    ranges = tensorLiveRanges(*study.graph, study.schedule);
    colours = keeper->coloursOf(shown.outcome);
    state = playheadIsActive ? stepStateAt(study, ranges, selection->playhead()) : StepState{};
    stateBefore = {};
}

std::shared_ptr<const NetworkView::Private::Built> NetworkView::Private::build(
    const NetworkSnapshot& snapshot, const BufferColours* colours, ColourBy by, const Theme& theme)
{
    auto result = std::make_shared<Built>();
    if (!snapshot.graph || !snapshot.drawn || !snapshot.layout)
        return result;
    Built& built = *result;
    NetworkInput in{snapshot.graph.get(), snapshot.drawn.get(), snapshot.layout.get(), snapshot.outcome.get(), colours, by,
                    snapshot.run.get()};
    built.network = networkScene(in, theme);
    built.index = SceneIndex(built.network.scene);
    built.nodeOfOp.assign(snapshot.graph->operators().size(), -1);
    built.edgesOfTensor.assign(snapshot.graph->tensors().size(), {});
    for (std::size_t i = 0; i < snapshot.drawn->nodes.size(); ++i) {
        if (snapshot.drawn->nodes[i].kind == LayoutNode::Kind::Operator)
            built.nodeOfOp[snapshot.drawn->nodes[i].op.index()] = static_cast<std::int32_t>(i);
    }
    for (std::size_t i = 0; i < snapshot.drawn->edges.size(); ++i)
        built.edgesOfTensor[snapshot.drawn->edges[i].tensor.index()].push_back(static_cast<std::int32_t>(i));
    return result;
}

void NetworkView::Private::rebuildScene()
{
    constexpr std::size_t kMostAtOnce = 1000; // nodes; a few milliseconds
    fade.stop();
    if (building.isRunning()) {
        buildAgain = true; // from what is shown then
        return;
    }
    if (!shown.drawn || shown.drawn->nodes.size() <= kMostAtOnce) {
        install(build(shown, shown.outcome ? colours.get() : nullptr, colourBy, theme));
        return;
    }
    startBuild();
}

void NetworkView::Private::startBuild()
{
    buildAgain = false;
    building.setFuture(QtConcurrent::run([snapshot = shown, keys = shown.outcome ? colours : nullptr, by = colourBy, look = theme] {
        return build(snapshot, keys.get(), by, look);
    }));
}

void NetworkView::Private::install(std::shared_ptr<const Built> fresh)
{
    fade.stop();
    BackgroundPainter::discard(std::exchange(built, std::move(fresh)));
    minimap.invalidate();
    updateHighlights();
    light(1.0);
    if (startsView && !scene().bounds.isEmpty()) {
        startsView = false;
        startView();
    }
    syncScrollBars();
}

void NetworkView::Private::light(double newBlend)
{
    blend = newBlend;
    ++lightSerial;
    baseIsStale = true;
    q->viewport()->update();
}

void NetworkView::Private::movePlayhead(Step step)
{
    if (!shown.outcome)
        return;
    playheadIsActive = true;
    fade.stop();
    stateBefore = std::move(state);
    state = stepStateAt(*shown.outcome->study, ranges, step);
    // At high speeds a fade would never arrive: the colours then simply change.
    constexpr qint64 kFadeMs = 150;
    const bool slow = !sincePlayhead.isValid() || sincePlayhead.elapsed() > kFadeMs;
    sincePlayhead.start();
    if (glides() && slow && stateBefore.isActive()) {
        fade.setDuration(static_cast<int>(kFadeMs));
        fade.setStartValue(0.0);
        fade.setEndValue(1.0);
        fade.start();
    } else {
        light(1.0);
    }
    follow();
}

std::int32_t NetworkView::Private::nodeOf(Item item) const
{
    if (!isCurrent())
        return -1;
    const auto& nodes = shown.drawn->nodes;
    if (item.kind == Item::Kind::Operator)
        return static_cast<std::size_t>(item.id) < built->nodeOfOp.size() ? built->nodeOfOp[static_cast<std::size_t>(item.id)] : -1;
    if (item.kind != Item::Kind::Tensor)
        return -1;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].kind != LayoutNode::Kind::Operator && nodes[i].tensor.value() == item.id)
            return static_cast<std::int32_t>(i);
    }
    return -1;
}

void NetworkView::Private::relate(Item item, std::vector<std::int32_t>& nodes, std::vector<std::int32_t>& edges) const
{
    nodes.clear();
    edges.clear();
    if (item.isNone() || !shown.graph || !isCurrent())
        return; // no scene, or still that of the drawing before
    const Related related = relatedTo(*shown.graph, shown.outcome.get(), item);
    for (const OpId op : related.operators) {
        if (built->nodeOfOp[op.index()] >= 0)
            nodes.push_back(built->nodeOfOp[op.index()]);
    }
    for (const TensorId tensor : related.tensors) {
        const auto& own = built->edgesOfTensor[tensor.index()];
        edges.insert(edges.end(), own.begin(), own.end());
    }
    if (const std::int32_t node = nodeOf(item); node >= 0)
        nodes.push_back(node);
    // A network input has no operator: its node stands for it, also when its buffer is meant.
    for (const TensorId tensor : related.tensors) {
        if (shown.graph->tensor(tensor).role != TensorRole::Input)
            continue;
        if (const std::int32_t node = nodeOf(Item::of(tensor)); node >= 0)
            nodes.push_back(node);
    }
}

void NetworkView::Private::updateHighlights()
{
    relate(selection->selected(), selectedNodes, selectedEdges);
    relate(selection->hovered(), hoveredNodes, hoveredEdges);
    q->viewport()->update();
}

QRectF NetworkView::Private::rectOfItem(Item item) const
{
    std::vector<std::int32_t> nodes, edges;
    relate(item, nodes, edges);
    QRectF all;
    const NetworkScene& network = built->network;
    const auto& layers = network.scene.layers;
    for (const std::int32_t node : nodes) {
        const std::int32_t box = network.nodes[static_cast<std::size_t>(node)].box;
        if (box >= 0)
            all |= layers[NetworkScene::Boxes].rects[static_cast<std::size_t>(box)].rect;
    }
    if (!all.isEmpty())
        return all;
    for (const std::int32_t edge : edges) {
        const std::int32_t path = network.edges[static_cast<std::size_t>(edge)].path;
        if (path < 0)
            continue;
        for (const QPointF& p : layers[NetworkScene::Edges].paths[static_cast<std::size_t>(path)].points)
            all |= QRectF(p, QSizeF(0, 0)).adjusted(-1, -1, 1, 1);
    }
    return all;
}

} // namespace arenascope::ui
