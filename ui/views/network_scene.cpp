// SPDX-License-Identifier: MIT
#include "ui/views/network_scene.h"

#include "ui/network_run.h"
#include "ui/text.h"

#include <arenascope/report.h>

#include <QFontMetricsF>
#include <QGuiApplication>
#include <QHash>

#include <algorithm>
#include <cmath>
#include <map>

namespace arenascope::ui {

namespace {

constexpr double kPadding = 10.0;
constexpr double kLeastWidth = 92.0;
constexpr double kMostWidth = 236.0;
constexpr double kKindSize = 13.0;
constexpr double kNameSize = 11.0;
constexpr double kKindHeight = 18.0;
constexpr double kNameHeight = 15.0;
constexpr double kFootHeight = 16.0;
constexpr double kTop = 6.0;
constexpr double kBottom = 5.0;
constexpr double kRadius = 6.0;
constexpr double kBadge = 17.0;
constexpr double kColumnGap = 12.0; // between shape and bytes
// Below these zooms words are noise.
constexpr double kKindScale = 0.45;
constexpr double kNameScale = 0.55;

QFont fontOf(double pixelSize, bool bold)
{
    QFont font = QGuiApplication::font();
    font.setPixelSize(static_cast<int>(pixelSize));
    font.setBold(bold);
    return font;
}

QString text(std::string_view words)
{
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

QString kindOf(const Graph& graph, const LayoutNode& node)
{
    switch (node.kind) {
    case LayoutNode::Kind::Input:
        return roleTitle(TensorRole::Input);
    case LayoutNode::Kind::Output:
        return roleTitle(TensorRole::Output);
    case LayoutNode::Kind::Operator:
        break;
    }
    const Operator& op = graph.op(node.op);
    return op.fusedActivation.empty() ? text(op.kind) : text(op.kind) + QStringLiteral(" + ") + text(op.fusedActivation);
}

QString nameOf(const Graph& graph, const LayoutNode& node)
{
    return text(node.kind == LayoutNode::Kind::Operator ? graph.op(node.op).name : graph.tensor(node.tensor).name);
}

Item itemOf(const LayoutNode& node)
{
    return node.kind == LayoutNode::Kind::Operator ? Item::of(node.op) : Item::of(node.tensor);
}

double ruleOfThumbWidth(Bytes bytes)
{
    // Thin up to 4 KiB, then a third of a pixel for each doubling: 4 MiB is 4.5 wide.
    const double doublings = bytes > 4096 ? std::log2(static_cast<double>(bytes) / 4096.0) : 0.0;
    return std::min(1.3 + doublings * 0.32, 6.0);
}

/// Light tones vanish on a light canvas: lines are moved towards the text colour until they can be seen.
QColor visibleLine(QColor colour, const Theme& theme)
{
    for (int i = 0; i < 8 && contrastRatio(colour, theme.canvas) < 1.9; ++i)
        colour = faded(theme.text, colour, 0.15);
    return colour;
}

class Builder {
public:
    Builder(const NetworkInput& input, const Theme& theme)
        : m_in(input), m_theme(theme), m_longest(input.run ? input.run->longest() : 0.0)
    {
    }
    NetworkScene build();

private:
    void addEdge(std::size_t index);
    void addForkMarks();
    void addNode(std::size_t index);
    void addBadge(const LayoutNode& node, const QRectF& box);
    ColourKey keyOf(const LayoutNode& node) const;
    ColourKey timeKeyOf(const LayoutNode& node) const;
    double bytesWidthOf(const QString& words);
    bool hasColours() const { return m_in.outcome && m_in.colours; }

    const NetworkInput& m_in;
    const Theme& m_theme;
    const double m_longest; ///< seconds of the operator that took most time
    QFontMetricsF m_metrics{fontOf(kNameSize, false)};
    QHash<QString, double> m_widths; ///< sizes are few, and measuring words is what takes time
    NetworkScene m_result;
};

double Builder::bytesWidthOf(const QString& words)
{
    const auto known = m_widths.constFind(words);
    if (known != m_widths.constEnd())
        return *known;
    return *m_widths.insert(words, m_metrics.horizontalAdvance(words));
}

ColourKey Builder::keyOf(const LayoutNode& node) const
{
    if (!hasColours())
        return {};
    if (m_in.colourBy == ColourBy::Time)
        return timeKeyOf(node);
    if (node.kind == LayoutNode::Kind::Operator)
        return operatorColour(*m_in.outcome, *m_in.colours, node.op, m_in.colourBy);
    return tensorColour(*m_in.outcome, *m_in.colours, node.tensor, m_in.colourBy);
}

/// Tensors take no time.
ColourKey Builder::timeKeyOf(const LayoutNode& node) const
{
    if (!m_in.run || node.kind != LayoutNode::Kind::Operator)
        return {};
    const double seconds = m_in.run->operators[node.op.index()].arena;
    return seconds < 0.0 || m_longest <= 0.0 ? ColourKey{} : heatKey(seconds / m_longest);
}

void Builder::addEdge(std::size_t index)
{
    const LayoutEdge& edge = m_in.drawn->edges[index];
    const std::vector<Point>& points = m_in.layout->edges[index];
    if (points.size() < 2)
        return;
    ScenePath path;
    path.points.reserve(points.size());
    for (const Point& p : points)
        path.points.emplace_back(p.x, p.y);
    const ColourKey key
        = hasColours() && m_in.colourBy != ColourBy::Time ? tensorColour(*m_in.outcome, *m_in.colours, edge.tensor, m_in.colourBy) : ColourKey{};
    NetworkScene::Edge& entry = m_result.edges[index];
    entry.colour = key.hue < 0 ? m_theme.edge : visibleLine(colourOf(key, m_theme), m_theme);
    entry.width = ruleOfThumbWidth(m_in.graph->tensor(edge.tensor).bytes);
    path.stroke = entry.colour;
    path.width = entry.width;
    path.arrow = true;
    path.item = Item::of(edge.tensor);
    auto& paths = m_result.scene.layers[NetworkScene::Edges].paths;
    entry.path = static_cast<std::int32_t>(paths.size());
    paths.push_back(std::move(path));
}

/// A dot where an output goes to several readers.
void Builder::addForkMarks()
{
    constexpr double kRadiusOfDot = 4.5;
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> bySource; // node, tensor -> edges
    for (std::size_t i = 0; i < m_result.edges.size(); ++i) {
        if (m_result.edges[i].path >= 0)
            bySource[{m_in.drawn->edges[i].from, m_in.drawn->edges[i].tensor.value()}].push_back(i);
    }
    auto& layer = m_result.scene.layers[NetworkScene::Marks];
    for (const auto& [source, edges] : bySource) {
        if (edges.size() < 2)
            continue;
        QPointF last;
        for (const std::size_t edge : edges) {
            const Point& start = m_in.layout->edges[edge].front();
            const QPointF at(start.x, start.y);
            if (edge != edges.front() && (at - last).manhattanLength() < 2 * kRadiusOfDot)
                continue;
            last = at;
            SceneRect dot;
            dot.rect = QRectF(at.x() - kRadiusOfDot, at.y() - kRadiusOfDot, 2 * kRadiusOfDot, 2 * kRadiusOfDot);
            dot.radius = kRadiusOfDot;
            dot.fill = m_theme.text;
            dot.stroke = m_theme.canvas;
            dot.strokeWidth = 1.5;
            dot.minimumScale = kDetailScale;
            dot.item = Item::of(TensorId(source.second));
            layer.rects.push_back(dot);
        }
    }
}

void Builder::addNode(std::size_t index)
{
    const LayoutNode& node = m_in.drawn->nodes[index];
    const Rect& place = m_in.layout->nodes[index];
    if (!(place.width > 0) || !(place.height > 0))
        return;
    auto& layer = m_result.scene.layers[NetworkScene::Boxes];
    NetworkScene::Node& entry = m_result.nodes[index];
    entry.colour = colourOf(keyOf(node), m_theme);
    entry.box = static_cast<std::int32_t>(layer.rects.size());
    entry.text = static_cast<std::int32_t>(layer.texts.size());

    SceneRect box;
    box.rect = QRectF(place.x, place.y, place.width, place.height);
    box.radius = node.kind == LayoutNode::Kind::Operator ? kRadius : place.height / 2;
    box.fill = entry.colour;
    box.stroke = m_theme.border;
    box.item = itemOf(node);
    layer.rects.push_back(box);

    const QColor ink = textOn(entry.colour);
    const double inset = node.kind == LayoutNode::Kind::Operator ? kPadding : 1.8 * kPadding;
    const QRectF inner = box.rect.adjusted(inset, 0, -inset, 0);
    const auto add = [&](const QRectF& slot, const QString& words, double size, bool bold, Qt::Alignment alignment,
                         double scale) {
        if (!words.isEmpty())
            layer.texts.push_back({slot, words, ink, size, bold, alignment | Qt::AlignVCenter, scale, box.item});
    };
    double y = inner.top() + kTop;
    const double badgeRoom = kBadge / 2;
    add(QRectF(inner.left() + badgeRoom, y, inner.width() - 2 * badgeRoom, kKindHeight), kindOf(*m_in.graph, node),
        kKindSize, true, Qt::AlignHCenter, kKindScale);
    y += kKindHeight;
    add(QRectF(inner.left(), y, inner.width(), kNameHeight), nameOf(*m_in.graph, node), kNameSize, false,
        Qt::AlignHCenter, kNameScale);
    y += kNameHeight;
    const OutputWords words = outputWords(*m_in.graph, node);
    const double bytesWidth = bytesWidthOf(words.bytes);
    const double foot = box.rect.bottom() - kBottom - kFootHeight;
    add(QRectF(inner.left(), foot, inner.width() - bytesWidth - kColumnGap / 2, kFootHeight), words.shape, kNameSize,
        false, Qt::AlignLeft, kNameScale);
    add(QRectF(inner.right() - bytesWidth - 1, foot, bytesWidth + 1, kFootHeight), words.bytes, kNameSize, false,
        Qt::AlignRight, kNameScale);
    entry.texts = static_cast<std::int32_t>(layer.texts.size()) - entry.text;
    addBadge(node, box.rect);
}

/// "1" or "2" at the corner: which of its branch's memories the operator writes; a ring marks the designated unit.
void Builder::addBadge(const LayoutNode& node, const QRectF& box)
{
    if (!hasColours() || node.kind != LayoutNode::Kind::Operator)
        return;
    const Study& study = *m_in.outcome->study;
    PingPongSide side = PingPongSide::None;
    if (m_in.colours->isPingPong) {
        for (const TensorId output : m_in.graph->op(node.op).outputs) {
            if (output.isValid() && study.bufferOf[output.index()].isValid()) {
                side = m_in.colours->sides[study.bufferOf[output.index()].index()];
                break;
            }
        }
    } else if (m_in.colourBy == ColourBy::Branch) {
        const BranchId branch = study.branches.branchOf[node.op.index()];
        const std::int32_t unit = study.branches.unitOf[node.op.index()];
        if (branch.isValid() && unit >= 0)
            side = study.branches.branches[branch.index()].units[static_cast<std::size_t>(unit)].side;
    }
    if (side == PingPongSide::None)
        return;
    auto& layer = m_result.scene.layers[NetworkScene::Marks];
    const QRectF circle(box.right() - kBadge * 0.72, box.top() - kBadge * 0.28, kBadge, kBadge);
    const bool first = side == PingPongSide::First;
    SceneRect badge;
    badge.radius = kBadge / 2;
    badge.minimumScale = kDetailScale;
    badge.item = Item::of(node.op);
    if (m_in.colours->designated[node.op.index()]) {
        badge.rect = circle.adjusted(-3, -3, 3, 3);
        badge.radius += 3;
        badge.fill = m_theme.canvas;
        badge.stroke = m_theme.text;
        badge.strokeWidth = 1.5;
        layer.rects.push_back(badge);
        badge.radius -= 3;
    }
    badge.rect = circle;
    badge.fill = first ? m_theme.text : m_theme.canvas;
    badge.stroke = m_theme.text;
    badge.strokeWidth = 1.2;
    layer.rects.push_back(badge);
    layer.texts.push_back({circle, first ? QStringLiteral("1") : QStringLiteral("2"),
                           first ? m_theme.canvas : m_theme.text, 11.0, true, Qt::AlignCenter, kNameScale, badge.item});
}

NetworkScene Builder::build()
{
    m_result.scene.layers.resize(NetworkScene::LayerCount);
    if (!m_in.graph || !m_in.drawn || !m_in.layout)
        return std::move(m_result);
    const Rect& b = m_in.layout->bounds;
    m_result.scene.bounds = QRectF(b.x, b.y, b.width, b.height);
    m_result.nodes.resize(m_in.drawn->nodes.size());
    m_result.edges.resize(m_in.drawn->edges.size());
    for (std::size_t i = 0; i < m_in.drawn->edges.size() && i < m_in.layout->edges.size(); ++i)
        addEdge(i);
    for (std::size_t i = 0; i < m_in.drawn->nodes.size() && i < m_in.layout->nodes.size(); ++i)
        addNode(i);
    addForkMarks();
    return std::move(m_result);
}

} // namespace

Size nodeSizeFor(const LayoutNode& node, const Graph& graph)
{
    const QFontMetricsF kindMetrics(fontOf(kKindSize, true));
    const QFontMetricsF metrics(fontOf(kNameSize, false));
    const OutputWords words = outputWords(graph, node);
    const double kind = kindMetrics.horizontalAdvance(kindOf(graph, node)) + kBadge;
    const double name = metrics.horizontalAdvance(nameOf(graph, node));
    const double foot = metrics.horizontalAdvance(words.shape) + kColumnGap + metrics.horizontalAdvance(words.bytes);
    const double inset = node.kind == LayoutNode::Kind::Operator ? 2 * kPadding : 3.6 * kPadding;
    const double width = std::clamp(std::max({kind, name, foot}) + inset + 2.0, kLeastWidth, kMostWidth);
    return {std::ceil(width), kTop + kKindHeight + kNameHeight + kFootHeight + kBottom};
}

OutputWords outputWords(const Graph& graph, const LayoutNode& node)
{
    const auto bytesText = [](Bytes bytes) { return bytes < 0 ? QStringLiteral("?") : text(formatBytes(bytes)); };
    if (node.kind != LayoutNode::Kind::Operator) {
        const Tensor& tensor = graph.tensor(node.tensor);
        return {text(toString(tensor.shape)), bytesText(tensor.bytes)};
    }
    OutputWords words;
    Bytes total = 0;
    int count = 0;
    for (const TensorId output : graph.op(node.op).outputs) {
        if (!output.isValid() || !graph.tensor(output).isActivation())
            continue;
        const Tensor& tensor = graph.tensor(output);
        if (count++ == 0)
            words.shape = text(toString(tensor.shape));
        total = total < 0 || tensor.bytes < 0 ? kUnknownBytes : checkedAdd(total, tensor.bytes).value_or(kUnknownBytes);
    }
    if (count > 1)
        words.shape += QStringLiteral(" +%1").arg(count - 1);
    if (count > 0)
        words.bytes = bytesText(total);
    return words;
}

NetworkScene networkScene(const NetworkInput& input, const Theme& theme)
{
    return Builder(input, theme).build();
}

} // namespace arenascope::ui
