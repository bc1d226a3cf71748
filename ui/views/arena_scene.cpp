// SPDX-License-Identifier: MIT
#include "ui/views/plot_parts.h"
#include "ui/views/plot_scene.h"
#include "ui/views/related.h"

#include <arenascope/buffer_pieces.h>

#include <QCoreApplication>
#include <QPolygonF>

#include <algorithm>

namespace arenascope::ui {

namespace {

constexpr double kWords = 11.0;
constexpr double kLeastNameWidth = 34.0;
constexpr double kLine = 14.0;
constexpr double kLeastShape = 2.0;

struct Arena {
    Q_DECLARE_TR_FUNCTIONS(arenascope::ui::Arena)
};

class Builder {
public:
    Builder(const PlotInput& input, const PlotFrame& frame, const Theme& theme)
        : m_in(input), m_frame(frame), m_theme(theme), m_study(*input.outcome->study)
    {
    }
    Scene whole();
    Scene now(const ArenaNow& now);

private:
    void addBands(SceneLayer& layer) const;
    void addStay(SceneLayer& layer, BufferId id, const QColor& outline, double outlineWidth) const;
    void addRect(SceneLayer& layer, BufferId id, const QRectF& piece, const QColor& outline, double outlineWidth) const;
    void addPieces(SceneLayer& layer, BufferId id, const std::vector<QRectF>& pieces, const QColor& outline, double outlineWidth) const;
    void addWords(SceneLayer& layer, BufferId id, const QRectF& rect, const QColor& fill) const;
    void addStrip(SceneLayer& layer, Step step, double opacity, bool outlined) const;
    void addStripPiece(SceneLayer& layer, BufferId id, const BufferPiece& piece, double opacity, bool outlined) const;
    void addClashes(SceneLayer& layer, Step step) const;
    void addClash(SceneLayer& layer, const Clash& clash) const;
    void takeUses(Step step);
    QColor outlineOf(BufferId id) const;

    const PlotInput& m_in;
    const PlotFrame& m_frame;
    const Theme& m_theme;
    const Study& m_study;
    std::vector<BufferId> m_written, m_read; ///< at the playhead, sorted
};

/// The two memories of each branch, as long as the plan keeps them.
void Builder::addBands(SceneLayer& layer) const
{
    for (const PlanMemory& memory : m_in.outcome->plan.memories) {
        const double left = m_frame.time.x(static_cast<double>(memory.live.begin)), right = m_frame.time.x(static_cast<double>(memory.live.end));
        const double top = m_frame.bytes.y(static_cast<double>(memory.offset + memory.size)), bottom = m_frame.bytes.y(static_cast<double>(memory.offset));
        const QRectF cut = QRectF(left, top, right - left, bottom - top).intersected(m_frame.plot);
        if (cut.isEmpty())
            continue;
        SceneRect band;
        band.rect = cut;
        const ColourKey branch = memory.branch.isValid() && memory.branch.index() < m_in.colours->branches.size()
            ? m_in.colours->branches[memory.branch.index()] : ColourKey{};
        const QColor colour = colourOf(branch, m_theme);
        band.fill = faded(colour, m_theme.panel, memory.side == PingPongSide::Second ? 0.10 : 0.18);
        band.stroke = faded(colour, m_theme.panel, 0.6);
        band.item = memory.branch.isValid() ? Item::of(memory.branch) : Item{};
        layer.rects.push_back(band);
    }
}

void Builder::addWords(SceneLayer& layer, BufferId id, const QRectF& rect, const QColor& fill) const
{
    if (rect.width() < kLeastNameWidth || rect.height() < kLine - 1)
        return;
    const Buffer& buffer = m_study.problem.buffer(id);
    const QColor ink = textOn(fill);
    const bool twoLines = rect.height() >= 2 * kLine + 2;
    const QRectF slot = rect.adjusted(3, 0, -3, 0);
    const double middle = rect.center().y();
    const QRectF first(slot.left(), twoLines ? middle - kLine : middle - kLine / 2, slot.width(), kLine);
    layer.texts.push_back({first, textOf(buffer.name), ink, kWords, false, Qt::AlignCenter, 0.0, Item::of(id)});
    if (twoLines)
        layer.texts.push_back({first.translated(0, kLine), bytesText(buffer.size), ink, kWords, false, Qt::AlignCenter, 0.0, Item::of(id), true});
}

void Builder::addStay(SceneLayer& layer, BufferId id, const QColor& outline, double outlineWidth) const
{
    if (m_study.problem.buffer(id).size <= 0 || !drawnOffset(*m_in.outcome, id))
        return;
    const QRectF whole = stayRect(*m_in.outcome, id, m_frame);
    const QRectF& plot = m_frame.plot;
    if (whole.right() <= plot.left() || whole.left() >= plot.right() || whole.bottom() <= plot.top() || whole.top() >= plot.bottom())
        return;
    std::vector<QRectF> pieces = stayPieces(*m_in.outcome, id, m_frame);
    for (QRectF& piece : pieces)
        piece = piece.intersected(plot);
    std::erase_if(pieces, [](const QRectF& piece) { return piece.isEmpty(); });
    if (pieces.size() == 1)
        addRect(layer, id, pieces.front(), outline, outlineWidth);
    else if (!pieces.empty())
        addPieces(layer, id, pieces, outline, outlineWidth);
}

void Builder::addRect(SceneLayer& layer, BufferId id, const QRectF& piece, const QColor& outline, double outlineWidth) const
{
    SceneRect rect;
    rect.rect = piece;
    rect.fill = bufferColour(m_in, id, m_theme);
    rect.item = Item::of(id);
    if (outline.isValid()) {
        rect.stroke = outline;
        rect.strokeWidth = outlineWidth;
        // Inside of the border, so that neighbours do not hide it and lines of equal width meet.
        const double inset = std::min({outlineWidth / 2, rect.rect.width() / 3, rect.rect.height() / 3});
        rect.rect.adjust(inset, inset, -inset, -inset);
    } else if (rect.rect.width() > 4 && rect.rect.height() > 4) {
        rect.stroke = m_theme.panel;
        rect.strokeWidth = 1.0;
    }
    layer.rects.push_back(rect);
    addWords(layer, id, rect.rect, rect.fill);
}

/// A buffer that needs fewer bytes at some steps: one shape with stairs, named in its largest piece.
void Builder::addPieces(SceneLayer& layer, BufferId id, const std::vector<QRectF>& pieces, const QColor& outline,
                        double outlineWidth) const
{
    const QColor fill = bufferColour(m_in, id, m_theme);
    for (std::vector<QPointF>& points : pieceOutlines(pieces)) {
        const QRectF box = QPolygonF(QList<QPointF>(points.begin(), points.end())).boundingRect();
        if (box.width() < kLeastShape || box.height() < kLeastShape) { // a polygon so thin would pale
            SceneRect rect;
            rect.rect = box;
            rect.fill = outline.isValid() ? outline : fill;
            rect.item = Item::of(id);
            layer.rects.push_back(rect);
            continue;
        }
        ScenePath shape;
        shape.points = std::move(points);
        shape.fill = fill;
        shape.item = Item::of(id);
        if (outline.isValid()) {
            shape.stroke = outline;
            shape.width = outlineWidth;
        } else if (box.width() > 4 && box.height() > 4) {
            shape.stroke = m_theme.panel;
        }
        layer.paths.push_back(std::move(shape));
    }
    const auto area = [](const QRectF& rect) { return rect.width() * rect.height(); };
    const auto largest = std::max_element(pieces.begin(), pieces.end(),
                                          [&](const QRectF& a, const QRectF& b) { return area(a) < area(b); });
    addWords(layer, id, *largest, fill);
}

/// The bytes that both want, as long as both are alive.
void Builder::addClash(SceneLayer& layer, const Clash& clash) const
{
    const std::vector<QRectF> others = stayPieces(*m_in.outcome, clash.second, m_frame);
    for (const QRectF& piece : stayPieces(*m_in.outcome, clash.first, m_frame)) {
        for (const QRectF& other : others) {
            SceneRect mark;
            mark.rect = piece.intersected(other).intersected(m_frame.plot);
            if (mark.rect.isEmpty())
                continue;
            mark.fill = m_theme.panel;
            mark.fill.setAlphaF(0.82f);
            mark.stroke = m_theme.clash;
            mark.strokeWidth = 2.0;
            mark.pattern = Qt::BDiagPattern;
            mark.item = Item::of(clash.second);
            layer.rects.push_back(mark);
            if (mark.rect.width() < kLeastNameWidth || mark.rect.height() < kLine - 1)
                continue;
            const QString names = Arena::tr("%1 and %2").arg(textOf(m_study.problem.buffer(clash.first).name), textOf(m_study.problem.buffer(clash.second).name));
            const QRectF slot(mark.rect.left() + 3, mark.rect.center().y() - kLine / 2, mark.rect.width() - 6, kLine);
            layer.texts.push_back({slot, names, m_theme.clash, kWords, true, Qt::AlignCenter, 0.0, Item::of(clash.second)});
        }
    }
}

/// Those of a step, or all for -1; the first few hundred show where the trouble is.
void Builder::addClashes(SceneLayer& layer, Step step) const
{
    constexpr std::size_t kMostMarks = 300;
    const auto& clashes = m_in.outcome->placement.clashes;
    for (std::size_t i = 0; i < std::min(clashes.size(), kMostMarks); ++i) {
        const Clash& clash = clashes[i];
        if (clash.kind != ClashKind::Overlap || !clash.first.isValid() || !clash.second.isValid())
            continue;
        const bool isThen = m_study.problem.buffer(clash.first).live.contains(step) && m_study.problem.buffer(clash.second).live.contains(step);
        if (step < 0 || isThen)
            addClash(layer, clash);
    }
}

Scene Builder::whole()
{
    Scene scene;
    scene.bounds = m_frame.outer;
    scene.layers.resize(5);
    addAxes(scene.layers[0], m_frame, m_theme, Arena::tr("address in the arena"));
    addBands(scene.layers[1]);
    for (std::size_t i = 0; i < m_study.problem.buffers.size(); ++i)
        addStay(scene.layers[2], BufferId::fromIndex(i), {}, 0.0);
    addClashes(scene.layers[3], -1);
    addLines(scene.layers[4], m_frame, plotLines(m_in, m_theme, false), m_theme);
    return scene;
}

void Builder::takeUses(Step step)
{
    const auto add = [this](std::vector<BufferId>& buffers, const std::vector<TensorId>& tensors) {
        for (const TensorId tensor : tensors) {
            if (tensor.isValid() && m_study.bufferOf[tensor.index()].isValid())
                buffers.push_back(m_study.bufferOf[tensor.index()]);
        }
        std::sort(buffers.begin(), buffers.end());
    };
    const Operator& op = m_study.graph->op(m_study.schedule.order[static_cast<std::size_t>(step)]);
    add(m_written, op.outputs);
    add(m_read, op.inputs);
    add(m_read, op.captures);
}

QColor Builder::outlineOf(BufferId id) const
{
    if (std::binary_search(m_written.begin(), m_written.end(), id))
        return m_theme.writing;
    if (std::binary_search(m_read.begin(), m_read.end(), id))
        return m_theme.reading;
    return {};
}

/// The memory at one step as a column of its own.
void Builder::addStrip(SceneLayer& layer, Step step, double opacity, bool outlined) const
{
    for (const BufferId id : buffersAliveAt(m_study.problem, step)) {
        if (const auto piece = bufferPieceAt(m_study.problem, id, step))
            addStripPiece(layer, id, *piece, opacity, outlined);
    }
}

void Builder::addStripPiece(SceneLayer& layer, BufferId id, const BufferPiece& piece, double opacity, bool outlined) const
{
    const auto place = drawnOffset(*m_in.outcome, id);
    if (!place)
        return;
    const Offset offset = *place;
    const double top = std::max(m_frame.bytes.y(static_cast<double>(offset + piece.high)), m_frame.now.top());
    const double bottom = std::min(m_frame.bytes.y(static_cast<double>(offset + piece.low)), m_frame.now.bottom());
    if (bottom <= top)
        return;
    SceneRect rect;
    rect.rect = QRectF(m_frame.now.left(), top, m_frame.now.width(), bottom - top);
    rect.fill = bufferColour(m_in, id, m_theme);
    rect.fill.setAlphaF(static_cast<float>(opacity));
    rect.item = Item::of(id);
    const QColor outline = outlined ? outlineOf(id) : QColor();
    if (outline.isValid()) {
        rect.stroke = outline;
        rect.strokeWidth = 3.0;
        const double inset = std::min(1.5, rect.rect.height() / 3);
        rect.rect.adjust(1.5, inset, -1.5, -inset);
    } else if (rect.rect.height() > 4) {
        rect.stroke = m_theme.panel;
    }
    layer.rects.push_back(rect);
}

Scene Builder::now(const ArenaNow& now)
{
    Scene scene;
    scene.bounds = m_frame.outer;
    scene.layers.resize(3);
    if (now.step < 0 || now.step >= m_study.schedule.stepCount())
        return scene;
    takeUses(now.step);
    SceneRect wash;
    wash.rect = m_frame.plot;
    wash.fill = m_theme.panel;
    wash.fill.setAlphaF(0.62f);
    scene.layers[0].rects.push_back(wash);
    SceneLayer& alive = scene.layers[0];
    std::vector<BufferId> buffers = buffersAliveAt(m_study.problem, now.step);
    // Outlined ones last: their outlines stay whole.
    std::stable_partition(buffers.begin(), buffers.end(), [&](BufferId id) { return !outlineOf(id).isValid(); });
    for (const BufferId id : buffers)
        addStay(alive, id, outlineOf(id), 3.5);

    addClashes(scene.layers[1], now.step);

    SceneRect ground;
    ground.rect = m_frame.now;
    ground.fill = m_theme.panel;
    ground.stroke = m_theme.border;
    scene.layers[1].rects.push_back(ground);
    if (now.blend < 1.0 && now.before >= 0 && now.before < m_study.schedule.stepCount())
        addStrip(scene.layers[1], now.before, 1.0, false);
    addStrip(scene.layers[1], now.step, now.blend < 1.0 ? now.blend : 1.0, true);
    scene.layers[1].texts.push_back({QRectF(m_frame.now.center().x() - 24, m_frame.plot.top() - 17, 48, 14), Arena::tr("now"),
                                     m_theme.mutedText, kWords, false, Qt::AlignCenter, 0.0, {}});
    addLines(scene.layers[2], m_frame, plotLines(m_in, m_theme, false), m_theme);
    scene.layers[2].texts.clear(); // they are there already
    addPlayhead(scene.layers[2], m_frame, m_theme, now.step);
    return scene;
}

} // namespace

Scene arenaScene(const PlotInput& input, const PlotFrame& frame, const Theme& theme)
{
    if (!input.outcome || !input.colours) {
        Scene scene;
        scene.bounds = frame.outer;
        scene.layers.resize(1);
        addAxes(scene.layers[0], frame, theme, Arena::tr("address in the arena"));
        return scene;
    }
    return Builder(input, frame, theme).whole();
}

Scene arenaNowScene(const PlotInput& input, const PlotFrame& frame, const Theme& theme, const ArenaNow& now)
{
    if (!input.outcome || !input.colours)
        return {};
    return Builder(input, frame, theme).now(now);
}

} // namespace arenascope::ui
