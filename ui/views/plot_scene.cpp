// SPDX-License-Identifier: MIT
#include "ui/views/plot_scene.h"

#include "ui/text.h"
#include "ui/views/plot_parts.h"
#include "ui/views/related.h"

#include <arenascope/buffer_pieces.h>
#include <arenascope/regions.h>

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace arenascope::ui {

namespace {

constexpr double kLeft = 66.0;
constexpr double kRight = 132.0;
constexpr double kTop = 20.0;
constexpr double kBottom = 24.0;
constexpr double kNowGap = 7.0;
constexpr double kNowWidth = 18.0;
constexpr double kLabelHeight = 14.0;
constexpr double kWords = 11.0;

struct Plot {
    Q_DECLARE_TR_FUNCTIONS(arenascope::ui::Plot)
};

} // namespace

PlotFrame plotFrame(const QRectF& outer, double firstStep, double lastStep, double lowBytes, double highBytes)
{
    PlotFrame frame;
    frame.outer = outer;
    frame.plot = QRectF(outer.left() + kLeft, outer.top() + kTop, std::max(20.0, outer.width() - kLeft - kRight),
                        std::max(20.0, outer.height() - kTop - kBottom));
    frame.now = QRectF(frame.plot.right() + kNowGap, frame.plot.top(), kNowWidth, frame.plot.height());
    frame.time = timeMapFor(frame.plot, firstStep, lastStep);
    frame.bytes = offsetMapFor(frame.plot, lowBytes, highBytes);
    return frame;
}

double fullHeight(const PlotInput& input)
{
    Bytes most = 1;
    if (input.outcome)
        most = std::max({most, input.outcome->plan.arenaSize, input.outcome->study->lowerBound()});
    if (input.budget)
        most = std::max(most, *input.budget);
    return static_cast<double>(most) * 1.05;
}

QString tickText(double bytes)
{
    static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    while (std::abs(bytes) >= 1024.0 && unit + 1 < std::size(kUnits)) {
        bytes /= 1024.0;
        ++unit;
    }
    return QStringLiteral("%1 %2").arg(QString::number(bytes, 'g', 6), QLatin1String(kUnits[unit]));
}

std::optional<Offset> drawnOffset(const PlanOutcome& outcome, BufferId id)
{
    if (!outcome.plan.placements[id.index()].region.isValid())
        return std::nullopt;
    return stackedOffset(outcome.plan, id);
}

QRectF stayRect(const PlanOutcome& outcome, BufferId id, const PlotFrame& frame)
{
    const PlacementProblem& problem = outcome.study->problem;
    const LiveRange live = problem.buffer(id).live;
    const auto place = drawnOffset(outcome, id);
    if (!place)
        return {};
    const auto offset = static_cast<double>(*place);
    const double left = frame.time.x(static_cast<double>(live.begin)), right = frame.time.x(static_cast<double>(live.end));
    const double top = frame.bytes.y(offset + static_cast<double>(problem.reserved(id))), bottom = frame.bytes.y(offset);
    return QRectF(left, top, right - left, bottom - top);
}

std::vector<QRectF> stayPieces(const PlanOutcome& outcome, BufferId id, const PlotFrame& frame)
{
    const PlacementProblem& problem = outcome.study->problem;
    if (problem.buffer(id).gaps.empty())
        return {stayRect(outcome, id, frame)};
    const auto place = drawnOffset(outcome, id);
    if (!place)
        return {};
    const Offset offset = *place;
    std::vector<QRectF> rects;
    for (const BufferPiece& piece : bufferPieces(problem, id)) {
        const double left = frame.time.x(static_cast<double>(piece.steps.begin)), right = frame.time.x(static_cast<double>(piece.steps.end));
        const double top = frame.bytes.y(static_cast<double>(offset + piece.high)), bottom = frame.bytes.y(static_cast<double>(offset + piece.low));
        rects.emplace_back(left, top, right - left, bottom - top);
    }
    return rects;
}

namespace {

bool touch(const QRectF& before, const QRectF& after)
{
    return before.right() == after.left() && before.top() < after.bottom() && after.top() < before.bottom();
}

/// Along the tops and back along the bottoms.
std::vector<QPointF> around(const QRectF* first, const QRectF* end)
{
    std::vector<QPointF> outline;
    for (const QRectF* rect = first; rect != end; ++rect) {
        outline.push_back(rect->topLeft());
        outline.push_back(rect->topRight());
    }
    for (const QRectF* rect = end; rect-- != first;) {
        outline.push_back(rect->bottomRight());
        outline.push_back(rect->bottomLeft());
    }
    outline.push_back(outline.front());
    return outline;
}

} // namespace

std::vector<std::vector<QPointF>> pieceOutlines(const std::vector<QRectF>& pieces)
{
    std::vector<std::vector<QPointF>> outlines;
    for (std::size_t i = 0; i < pieces.size();) {
        std::size_t end = i + 1;
        while (end < pieces.size() && touch(pieces[end - 1], pieces[end]))
            ++end;
        outlines.push_back(around(pieces.data() + i, pieces.data() + end));
        i = end;
    }
    return outlines;
}

QColor bufferColour(const PlotInput& input, BufferId id, const Theme& theme)
{
    ColourKey key = input.colours->buffers[id.index()];
    const auto& tensors = input.outcome->study->problem.buffer(id).tensors;
    if (input.colourBy == ColourBy::Branch && !input.colours->isPingPong && !tensors.empty())
        key = tensorColour(*input.outcome, *input.colours, tensors.front().tensor, ColourBy::Branch);
    const bool isDimmed = input.lit && id.index() < input.lit->size() && !(*input.lit)[id.index()];
    return isDimmed ? faded(colourOf(key, theme), theme.panel) : colourOf(key, theme);
}

// ---- parts of both plots ---------------------------------------------------------------------------------------------

void addAxes(SceneLayer& layer, const PlotFrame& frame, const Theme& theme, const QString& bytesTitle)
{
    const QRectF& plot = frame.plot;
    SceneRect ground;
    ground.rect = plot;
    ground.fill = theme.panel;
    ground.stroke = theme.border;
    layer.rects.push_back(ground);
    const auto line = [&](QPointF a, QPointF b) {
        ScenePath path;
        path.points = {a, b};
        path.stroke = theme.grid;
        layer.paths.push_back(std::move(path));
    };
    const auto word = [&](const QRectF& slot, const QString& text, Qt::Alignment alignment, const QColor& colour) {
        layer.texts.push_back({slot, text, colour, kWords, false, alignment, 0.0, {}});
    };
    const int rows = std::clamp(static_cast<int>(plot.height() / 34), 2, 12);
    for (const double tick : niceByteTicks(frame.bytes.low, frame.bytes.high, rows)) {
        const double y = frame.bytes.y(tick);
        line({plot.left(), y}, {plot.right(), y});
        word(QRectF(frame.outer.left(), y - 8, plot.left() - frame.outer.left() - 6, 16), tickText(tick),
             Qt::AlignRight | Qt::AlignVCenter, theme.mutedText);
    }
    const int columns = std::clamp(static_cast<int>(plot.width() / 64), 2, 24);
    for (const double tick : niceTicks(frame.time.first, frame.time.last - 1e-9, columns)) {
        const double x = frame.time.x(tick);
        line({x, plot.top()}, {x, plot.bottom()});
        word(QRectF(x - 30, plot.bottom() + 3, 60, 16), QString::number(tick, 'f', 0), Qt::AlignHCenter | Qt::AlignTop,
             theme.mutedText);
    }
    word(QRectF(frame.outer.left() + 6, frame.outer.top() + 2, plot.left() + 160, 16), bytesTitle,
         Qt::AlignLeft | Qt::AlignVCenter, theme.mutedText);
    word(QRectF(plot.right() + 22, plot.bottom() + 3, 60, 16), Plot::tr("step"), Qt::AlignLeft | Qt::AlignTop, theme.mutedText);
}

/// Names of lines stand beside each other's ends: they are moved apart where the lines are closer than words are high.
void addLines(SceneLayer& layer, const PlotFrame& frame, std::vector<PlotLine> lines, const Theme&)
{
    std::stable_sort(lines.begin(), lines.end(), [](const PlotLine& a, const PlotLine& b) { return a.bytes > b.bytes; });
    const QRectF& plot = frame.plot;
    double free = plot.top() - 12;
    std::vector<double> tops;
    for (const PlotLine& line : lines) {
        const double y = std::clamp(frame.bytes.y(line.bytes), plot.top(), plot.bottom());
        tops.push_back(std::max(free, y - kLabelHeight));
        free = tops.back() + 2 * kLabelHeight + 2;
    }
    // What was pushed below the end is pushed back from there.
    double ceiling = plot.bottom() + 20;
    for (std::size_t i = tops.size(); i-- > 0;) {
        tops[i] = std::min(tops[i], ceiling - 2 * kLabelHeight);
        ceiling = tops[i] - 2;
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const PlotLine& line = lines[i];
        const double y = frame.bytes.y(line.bytes);
        if (y >= plot.top() - 0.5 && y <= plot.bottom() + 0.5) {
            ScenePath path;
            path.points = {{plot.left(), y}, {frame.now.right(), y}};
            path.stroke = line.colour;
            path.width = line.width;
            path.style = line.style;
            layer.paths.push_back(std::move(path));
        }
        const double x = frame.now.right() + 6;
        const double width = frame.outer.right() - x - 2;
        layer.texts.push_back({QRectF(x, tops[i], width, kLabelHeight), line.name, line.colour, kWords, true,
                               Qt::AlignLeft | Qt::AlignVCenter, 0.0, {}});
        layer.texts.push_back({QRectF(x, tops[i] + kLabelHeight, width, kLabelHeight),
                               bytesText(line.size.value_or(static_cast<Bytes>(line.bytes))), line.colour, kWords, false,
                               Qt::AlignLeft | Qt::AlignVCenter, 0.0, {}});
    }
}

std::vector<PlotLine> plotLines(const PlotInput& input, const Theme& theme, bool isCurve)
{
    const Study& study = *input.outcome->study;
    const Bytes arena = input.outcome->plan.arenaSize, bound = isCurve ? study.profile.peak : study.lowerBound();
    std::vector<PlotLine> lines;
    const QString boundName = isCurve ? Plot::tr("peak") : Plot::tr("lower bound");
    const QColor boundColour = isCurve ? theme.peak : theme.bound;
    if (arena == bound) {
        lines.push_back({static_cast<double>(arena), isCurve ? Plot::tr("arena = peak") : Plot::tr("arena = bound"), theme.bound, 1.5,
                         StrokeStyle::Solid});
    } else {
        lines.push_back({static_cast<double>(bound), boundName, boundColour, 1.2, StrokeStyle::Solid});
        lines.push_back({static_cast<double>(arena), Plot::tr("arena"), theme.arenaTop, 1.5, StrokeStyle::Dashed});
    }
    if (input.budget)
        lines.push_back({static_cast<double>(*input.budget), Plot::tr("budget"), theme.budget, 3.0, StrokeStyle::Solid});
    const auto& sizes = input.outcome->plan.regionSizes;
    const auto& regions = study.problem.regions;
    for (std::size_t i = 0; !isCurve && i < std::min(sizes.size(), regions.size()); ++i) {
        const Offset end = regionBase(input.outcome->plan, RegionId::fromIndex(i)) + sizes[i];
        if (sizes[i] > 0 && end < arena) // the last ends with the arena
            lines.push_back({static_cast<double>(end), toQString(regions[i].name), theme.mutedText, 1.0, StrokeStyle::Dotted, sizes[i]});
    }
    return lines;
}

void addPlayhead(SceneLayer& layer, const PlotFrame& frame, const Theme& theme, Step step)
{
    const double left = frame.time.x(static_cast<double>(step)), right = frame.time.x(static_cast<double>(step + 1));
    const QRectF column = QRectF(left, frame.plot.top(), right - left, frame.plot.height()).intersected(frame.plot);
    if (column.isEmpty() || right < frame.plot.left() || left > frame.plot.right())
        return;
    // The whole step is marked: a line at its middle, and its column where that is wide enough to see.
    const double x = std::clamp((left + right) / 2, frame.plot.left(), frame.plot.right());
    if (right - left > 3) {
        SceneRect wash;
        wash.rect = column;
        wash.fill = theme.playhead;
        wash.fill.setAlphaF(0.08f);
        layer.rects.push_back(wash);
    }
    ScenePath line;
    line.points = {{x, frame.plot.top() - 5}, {x, frame.plot.bottom() + 3}};
    line.stroke = theme.playhead;
    line.width = 1.5;
    layer.paths.push_back(line);
    ScenePath grip;
    grip.points = {{x - 5, frame.plot.top() - 9}, {x + 5, frame.plot.top() - 9}, {x, frame.plot.top() - 2}};
    grip.fill = theme.playhead;
    layer.paths.push_back(grip);
}

} // namespace arenascope::ui
