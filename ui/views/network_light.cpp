// SPDX-License-Identifier: MIT
// What changes in a network's scene while the playhead moves or something is searched for: colours, never geometry.
#include "ui/matches.h"
#include "ui/views/network_scene.h"

#include <algorithm>
#include <map>

namespace arenascope::ui {

namespace {

QColor mixed(const QColor& from, const QColor& to, double share)
{
    return share >= 1.0 ? to : faded(to, from, share);
}

/// Colours at a playhead; ink is remembered by fill, because contrast costs more than looking it up.
class Lighter {
public:
    Lighter(NetworkScene& scene, const NetworkInput& input, const StepState& state, const Theme& theme,
            const StepState* before, double blend)
        : m_scene(scene), m_in(input), m_state(state), m_theme(theme), m_before(blend < 1.0 ? before : nullptr), m_blend(blend)
    {
    }
    void run();

private:
    struct Look {
        QColor fill, stroke;
        double strokeWidth = 1.0;
    };
    void lightNode(std::size_t index);
    void lightEdge(std::size_t index);
    bool isAlive(const LayoutNode& node, const StepState& state) const;
    Look lookOf(const LayoutNode& node, const QColor& full, const StepState& state) const;
    QColor inkOn(const QColor& fill);
    template <class Test>
    bool anyOutput(const LayoutNode& node, Test test) const;

    NetworkScene& m_scene;
    const NetworkInput& m_in;
    const StepState& m_state;
    const Theme& m_theme;
    const StepState* m_before;
    double m_blend;
    std::map<QRgb, QColor> m_inks;
};

template <class Test>
bool Lighter::anyOutput(const LayoutNode& node, Test test) const
{
    if (node.kind != LayoutNode::Kind::Operator)
        return test(node.tensor);
    const auto& outputs = m_in.graph->op(node.op).outputs;
    return std::any_of(outputs.begin(), outputs.end(), [&](TensorId id) { return id.isValid() && test(id); });
}

bool Lighter::isAlive(const LayoutNode& node, const StepState& state) const
{
    const bool isOperator = node.kind == LayoutNode::Kind::Operator;
    if (m_in.matches && m_in.matches->isActive)
        return isOperator ? m_in.matches->isLit(node.op) : m_in.matches->isLit(node.tensor);
    if (!state.isActive() || (isOperator && node.op == state.running))
        return true;
    return anyOutput(node, [&](TensorId id) { return state.alive[id.index()] != 0; });
}

Lighter::Look Lighter::lookOf(const LayoutNode& node, const QColor& full, const StepState& state) const
{
    Look look{full, m_theme.border, 1.0};
    if (!isAlive(node, state)) {
        look.fill = faded(full, m_theme.canvas);
        look.stroke = faded(m_theme.border, m_theme.canvas, 0.6);
    }
    if (!state.isActive())
        return look;
    const bool runs = node.kind == LayoutNode::Kind::Operator && node.op == state.running;
    if (runs)
        return {look.fill, m_theme.writing, 4.0};
    if (node.kind != LayoutNode::Kind::Output && anyOutput(node, [&](TensorId id) { return state.reads(id); }))
        return {look.fill, m_theme.reading, 4.0};
    return look;
}

QColor Lighter::inkOn(const QColor& fill)
{
    const auto [at, isNew] = m_inks.try_emplace(fill.rgb());
    if (isNew)
        at->second = textOn(fill);
    return at->second;
}

void Lighter::lightNode(std::size_t index)
{
    const NetworkScene::Node& entry = m_scene.nodes[index];
    if (entry.box < 0)
        return;
    const LayoutNode& node = m_in.drawn->nodes[index];
    Look look = lookOf(node, entry.colour, m_state);
    if (m_before) {
        const Look old = lookOf(node, entry.colour, *m_before);
        look.fill = mixed(old.fill, look.fill, m_blend);
        look.stroke = mixed(old.stroke, look.stroke, m_blend);
        look.strokeWidth = old.strokeWidth + (look.strokeWidth - old.strokeWidth) * m_blend;
    }
    auto& layer = m_scene.scene.layers[NetworkScene::Boxes];
    SceneRect& box = layer.rects[static_cast<std::size_t>(entry.box)];
    box.fill = look.fill;
    box.stroke = look.stroke;
    box.strokeWidth = look.strokeWidth;
    const QColor ink = inkOn(look.fill);
    for (std::int32_t t = entry.text; t < entry.text + entry.texts; ++t)
        layer.texts[static_cast<std::size_t>(t)].colour = ink;
}

void Lighter::lightEdge(std::size_t index)
{
    const NetworkScene::Edge& entry = m_scene.edges[index];
    if (entry.path < 0)
        return;
    const LayoutEdge& edge = m_in.drawn->edges[index];
    ScenePath& path = m_scene.scene.layers[NetworkScene::Edges].paths[static_cast<std::size_t>(entry.path)];
    path.stroke = entry.colour;
    path.width = entry.width;
    const LayoutNode& target = m_in.drawn->nodes[static_cast<std::size_t>(edge.to)];
    const bool isRead = m_state.isActive() && target.kind == LayoutNode::Kind::Operator && target.op == m_state.running;
    const bool isSearched = m_in.matches && m_in.matches->isActive;
    const bool isAlive = isSearched ? m_in.matches->isLit(edge.tensor) : !m_state.isActive() || m_state.alive[edge.tensor.index()];
    if (isRead) {
        path.stroke = m_theme.reading;
        path.width = std::max(entry.width, 3.0);
    } else if (!isAlive) {
        path.stroke = faded(entry.colour, m_theme.canvas, 0.35);
    }
}

void Lighter::run()
{
    for (std::size_t i = 0; i < m_scene.edges.size(); ++i)
        lightEdge(i);
    for (std::size_t i = 0; i < m_scene.nodes.size(); ++i)
        lightNode(i);
}

} // namespace

bool StepState::reads(TensorId id) const
{
    return std::binary_search(read.begin(), read.end(), id);
}

bool StepState::writes(TensorId id) const
{
    return std::binary_search(written.begin(), written.end(), id);
}

StepState stepStateAt(const Study& study, std::span<const LiveRange> ranges, Step step)
{
    StepState state;
    if (step < 0 || step >= study.schedule.stepCount())
        return state;
    state.step = step;
    state.running = study.schedule.order[static_cast<std::size_t>(step)];
    state.alive.resize(ranges.size());
    std::transform(ranges.begin(), ranges.end(), state.alive.begin(),
                   [step](LiveRange range) { return static_cast<char>(range.contains(step)); });
    const Operator& op = study.graph->op(state.running);
    const auto take = [&](const std::vector<TensorId>& from, std::vector<TensorId>& to) {
        for (const TensorId id : from) {
            if (id.isValid() && study.graph->tensor(id).isActivation())
                to.push_back(id);
        }
        std::sort(to.begin(), to.end());
        to.erase(std::unique(to.begin(), to.end()), to.end());
    };
    std::vector<TensorId> reads = op.inputs;
    reads.insert(reads.end(), op.captures.begin(), op.captures.end());
    take(reads, state.read);
    take(op.outputs, state.written);
    return state;
}

void lightNetwork(NetworkScene& scene, const NetworkInput& input, const StepState& state, const Theme& theme,
                  const StepState* before, double blend)
{
    if (!input.graph || !input.drawn)
        return;
    Lighter(scene, input, state, theme, before, blend).run();
}

} // namespace arenascope::ui
