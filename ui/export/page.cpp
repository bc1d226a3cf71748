// SPDX-License-Identifier: MIT
#include "ui/export/page.h"

#include "ui/export/scene_cut.h"
#include "ui/network_run.h"
#include "ui/views/legend.h"
#include "ui/views/network_scene.h"
#include "ui/views/plot_scene.h"
#include "ui/views/related.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace arenascope::ui {

namespace {

constexpr double kMargin = 28.0;
constexpr double kGap = 18.0;
constexpr double kPlotWidth = 1240.0;
constexpr double kArenaHeight = 560.0;
constexpr double kCurveHeight = 300.0;
constexpr double kSheetArenaHeight = 460.0;
constexpr double kSheetCurveHeight = 230.0;
constexpr double kColumnGap = 56.0;
constexpr double kJoinRoom = 30.0;  // for the words at a cut
constexpr double kLeastScale = 0.6; // of a network on paper
constexpr double kA4 = 1.41421356;

struct Page {
    Q_DECLARE_TR_FUNCTIONS(arenascope::ui::Page)
};

bool wantsNetwork(PictureContent content)
{
    return content == PictureContent::Network || content == PictureContent::Sheet;
}

bool wantsPlots(PictureContent content)
{
    return content != PictureContent::Network;
}

/// Title, subtitle and legend; bounds start at (0, 0).
Scene headScene(const PictureParts& parts, double width, bool network)
{
    const Theme& theme = *parts.theme;
    Scene head;
    head.layers.resize(1);
    const auto line = [&](double y, const QString& words, double size, bool bold, const QColor& colour) {
        head.layers[0].texts.push_back({QRectF(0, y, width, size + 8), words, colour, size, bold, Qt::AlignLeft | Qt::AlignVCenter, 0.0, {}});
    };
    line(0, pictureTitle(parts.request), 18, true, theme.text);
    line(28, pictureSubtitle(parts.request), 12, false, theme.mutedText);
    LegendOptions options;
    options.isPingPong = parts.colours->isPingPong;
    options.colourBy = parts.request.colourBy;
    options.longest = parts.request.run ? parts.request.run->longest() : 0.0;
    options.network = network;
    options.playhead = parts.request.playhead >= 0;
    options.mostWidth = width;
    const Scene legend = legendScene(options, theme);
    const bool onlyCurve = parts.request.content == PictureContent::Curve; // has no colours to explain
    if (!onlyCurve)
        append(head, legend, {0, 54});
    head.bounds = QRectF(0, 0, width, onlyCurve ? 52 : 58 + legend.bounds.height());
    return head;
}

PlotInput plotInput(const PictureParts& parts)
{
    return {parts.request.outcome.get(), parts.colours.get(), parts.request.colourBy == ColourBy::Time ? ColourBy::Buffer : parts.request.colourBy, parts.request.budget};
}

PlotFrame frameOf(const PictureParts& parts, const QRectF& outer)
{
    const double steps = static_cast<double>(std::max<Step>(1, parts.request.outcome->study->schedule.stepCount()));
    return plotFrame(outer, 0.0, steps, 0.0, fullHeight(plotInput(parts)));
}

Scene arenaPart(const PictureParts& parts, QSizeF size)
{
    const PlotFrame frame = frameOf(parts, QRectF(QPointF(), size));
    Scene scene = arenaScene(plotInput(parts), frame, *parts.theme);
    if (parts.request.playhead >= 0)
        append(scene, arenaNowScene(plotInput(parts), frame, *parts.theme, {parts.request.playhead, -1, 1.0}), {});
    return scene;
}

Scene curvePart(const PictureParts& parts, QSizeF size)
{
    const PlotFrame frame = frameOf(parts, QRectF(QPointF(), size));
    Scene scene = curveScene(plotInput(parts), frame, *parts.theme);
    if (parts.request.playhead >= 0)
        append(scene, curveNowScene(plotInput(parts), frame, *parts.theme, parts.request.playhead), {});
    return scene;
}

NetworkScene networkPart(const PictureParts& parts)
{
    NetworkInput input;
    input.graph = parts.request.outcome->study->graph.get();
    input.drawn = parts.drawn.get();
    input.layout = parts.layout.get();
    input.outcome = parts.request.outcome.get();
    input.colours = parts.colours.get();
    input.colourBy = parts.request.colourBy;
    input.run = parts.request.run.get();
    NetworkScene network = networkScene(input, *parts.theme);
    if (parts.request.playhead >= 0) {
        const Study& study = *parts.request.outcome->study;
        const auto ranges = tensorLiveRanges(*study.graph, study.schedule);
        lightNetwork(network, input, stepStateAt(study, ranges, parts.request.playhead), *parts.theme);
    }
    network.scene.bounds = (network.scene.bounds | extentOf(network.scene)).adjusted(-2, -2, 2, 2);
    return network;
}

/// Marks the cut edges: an arrowhead at the border and the tensor's name, so that they are found again on the other side.
void markCuts(ScenePiece& piece, const PictureParts& parts, const QString& before, const QString& after)
{
    const Theme& theme = *parts.theme;
    SceneLayer marks;
    const QRectF bounds = piece.scene.bounds;
    for (const bool leaves : {false, true}) {
        double free = -1e300;
        const QString place = leaves ? after : before;
        const double y = leaves ? bounds.bottom() : bounds.top();
        bool any = false;
        for (const Crossing& crossing : piece.crossings) {
            if (crossing.leaves != leaves)
                continue;
            any = true;
            ScenePath head;
            const double tip = leaves ? y + 8 : y + 1;
            head.points = {{crossing.x - 4, tip - 7}, {crossing.x + 4, tip - 7}, {crossing.x, tip}};
            head.fill = crossing.colour;
            marks.paths.push_back(head);
            if (crossing.item.kind != Item::Kind::Tensor || crossing.x < free)
                continue;
            const QString name = textOf(parts.request.outcome->study->graph->tensor(TensorId(crossing.item.id)).name);
            const double width = std::min(150.0, 7.0 * static_cast<double>(name.size()) + 6);
            marks.texts.push_back({QRectF(crossing.x + 6, leaves ? y + 1 : y - 14, width, 13), name, theme.mutedText, 10.0, false,
                                   Qt::AlignLeft | Qt::AlignVCenter, 0.0, crossing.item});
            free = crossing.x + width + 10;
        }
        if (any)
            marks.texts.push_back({QRectF(bounds.left(), leaves ? y + 14 : y - 28, std::max(bounds.width(), 140.0), 13), place, theme.text, 10.0, true,
                                   Qt::AlignHCenter | Qt::AlignVCenter, 0.0, {}});
    }
    piece.scene.layers.push_back(std::move(marks));
}

/// A long network as columns side by side, about as wide as `width`.
Scene networkColumns(const PictureParts& parts, const NetworkScene& network, double width)
{
    const QRectF all = network.scene.bounds;
    const double columns = std::clamp(std::floor((width + kColumnGap) / (all.width() + kColumnGap)), 1.0, 24.0);
    if (columns <= 1.0 || all.height() < 900.0)
        return network.scene;
    const double most = std::max(700.0, all.height() / columns + 60.0);
    const auto breaks = breaksOf(network.scene, network.scene.layers[NetworkScene::Boxes].rects, most);
    Scene scene;
    double x = 0.0;
    for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
        ScenePiece piece = cutPiece(network.scene, breaks[i], breaks[i + 1]);
        markCuts(piece, parts, Page::tr("from part %1").arg(i), Page::tr("goes on in part %1").arg(i + 2));
        append(scene, piece.scene, QPointF(x - all.left(), kJoinRoom - breaks[i]));
        x += all.width() + kColumnGap;
    }
    scene.bounds = QRectF(0, 0, x - kColumnGap, scene.bounds.bottom() + kJoinRoom);
    return scene;
}

void addGround(Scene& scene, const Theme& theme)
{
    SceneLayer ground;
    SceneRect rect;
    rect.rect = scene.bounds;
    rect.fill = theme.canvas;
    ground.rects.push_back(rect);
    scene.layers.insert(scene.layers.begin(), std::move(ground));
}

/// Puts parts below each other.
class Stack {
public:
    void add(const Scene& part, double scale = 1.0)
    {
        append(m_scene, part, QPointF(kMargin - part.bounds.left() * scale, m_y - part.bounds.top() * scale), scale);
        m_y += part.bounds.height() * scale + kGap;
        m_width = std::max(m_width, part.bounds.width() * scale);
    }
    Scene finish(const Theme& theme, QSizeF size = {})
    {
        m_scene.bounds = size.isValid() ? QRectF(QPointF(), size) : QRectF(0, 0, m_width + 2 * kMargin, m_y - kGap + kMargin);
        addGround(m_scene, theme);
        return std::move(m_scene);
    }

private:
    Scene m_scene;
    double m_y = kMargin;
    double m_width = 0.0;
};

void addPlots(Stack& stack, const PictureParts& parts, double width, double arenaHeight, double curveHeight)
{
    if (parts.request.content != PictureContent::Curve)
        stack.add(arenaPart(parts, {width, arenaHeight}));
    if (parts.request.content != PictureContent::Arena)
        stack.add(curvePart(parts, {width, curveHeight}));
}

QDateTime dateOf(const PictureRequest& request)
{
    if (request.date.isValid())
        return request.date;
    bool isNumber = false;
    const qint64 epoch = qEnvironmentVariable("SOURCE_DATE_EPOCH").toLongLong(&isNumber);
    return isNumber ? QDateTime::fromSecsSinceEpoch(epoch, Qt::UTC) : QDateTime::currentDateTime();
}

} // namespace

QString pictureTitle(const PictureRequest& request)
{
    const Study& study = *request.outcome->study;
    const QString name = textOf(study.graph->info().name);
    return name.isEmpty() ? textOf(study.problem.name) : name;
}

QString pictureSubtitle(const PictureRequest& request)
{
    const PlanOutcome& outcome = *request.outcome;
    const Study& study = *outcome.study;
    QString strategy = textOf(outcome.plan.strategy);
    if (!outcome.plan.chosen.empty() && outcome.plan.chosen != outcome.plan.strategy)
        strategy += QStringLiteral(" (%1)").arg(textOf(outcome.plan.chosen));
    QStringList words;
    words << Page::tr("strategy %1").arg(strategy);
    words << Page::tr("arena %1").arg(exactBytesText(outcome.plan.arenaSize));
    if (outcome.plan.arenaSize == study.lowerBound())
        words << Page::tr("equal to the lower bound: no arena can be smaller");
    else
        words << Page::tr("lower bound %1, gap %2 %").arg(exactBytesText(study.lowerBound()), QString::number(100.0 * outcome.optimalityGap(), 'f', 1));
    words << Page::tr("naive %1").arg(bytesText(study.naive));
    if (!outcome.isValid())
        words << Page::tr("not valid: %n clash(es)", nullptr, static_cast<int>(outcome.placement.clashCount + outcome.replay.clashCount));
    words << dateOf(request).toString(QStringLiteral("yyyy-MM-dd"));
    return words.join(QStringLiteral("  ·  "));
}

Result<PictureParts> preparePicture(const PictureRequest& request)
{
    PictureParts parts;
    parts.request = request;
    parts.theme = request.dark ? &Theme::darkTheme() : &Theme::light();
    parts.colours = request.colours ? request.colours : std::make_shared<const BufferColours>(bufferColours(*request.outcome));
    if (!wantsNetwork(request.content))
        return parts;
    if (request.drawn && request.layout) {
        parts.drawn = request.drawn;
        parts.layout = request.layout;
        return parts;
    }
    const Study& study = *request.outcome->study;
    auto drawn = std::make_shared<const DrawnGraph>(
        drawnGraph(*study.graph, study.schedule, [&](const LayoutNode& node) { return nodeSizeFor(node, *study.graph); }));
    auto layout = layOut(*drawn, LayoutOptions{});
    if (!layout)
        return layout.error();
    parts.drawn = std::move(drawn);
    parts.layout = std::make_shared<const GraphLayout>(std::move(*layout));
    return parts;
}

Scene wholePicture(const PictureParts& parts, double aspect)
{
    Stack stack;
    if (parts.request.content == PictureContent::Network) {
        const NetworkScene network = networkPart(parts);
        stack.add(headScene(parts, std::max(560.0, network.scene.bounds.width()), true));
        stack.add(network.scene);
        return stack.finish(*parts.theme);
    }
    const bool isSheet = parts.request.content == PictureContent::Sheet;
    const Scene head = headScene(parts, kPlotWidth, isSheet);
    double arena = isSheet ? kSheetArenaHeight : kArenaHeight, curve = isSheet ? kSheetCurveHeight : kCurveHeight;
    if (aspect > 0.0 && !isSheet) // the plot takes what title and margins leave
        arena = curve = std::max(180.0, (kPlotWidth + 2 * kMargin) / aspect - 2 * kMargin - kGap - head.bounds.height());
    stack.add(head);
    addPlots(stack, parts, kPlotWidth, arena, curve);
    if (isSheet)
        stack.add(networkColumns(parts, networkPart(parts), kPlotWidth));
    return stack.finish(*parts.theme);
}

std::vector<Scene> picturePages(const PictureParts& parts)
{
    std::vector<Scene> pages;
    const bool network = wantsNetwork(parts.request.content);
    const NetworkScene drawn = network ? networkPart(parts) : NetworkScene{};
    const QRectF all = drawn.scene.bounds;
    // A wide network gets wider paper of the same shape rather than words that nobody can read.
    const double plotWidth = 980.0;
    const double inner = std::max(network ? all.width() * kLeastScale : 0.0, wantsPlots(parts.request.content) ? plotWidth : 720.0);
    const QSizeF paper = network && !wantsPlots(parts.request.content)
        ? QSizeF(inner + 2 * kMargin, (inner + 2 * kMargin) * kA4)
        : QSizeF((inner + 2 * kMargin), (inner + 2 * kMargin) * (network ? kA4 : 1 / kA4));
    const QSizeF room(paper.width() - 2 * kMargin, paper.height() - 2 * kMargin);

    Stack first;
    const Scene head = headScene(parts, room.width(), network);
    first.add(head);
    if (wantsPlots(parts.request.content)) {
        const double left = room.height() - head.bounds.height() - 2 * kGap;
        const bool both = parts.request.content == PictureContent::Sheet;
        addPlots(first, parts, room.width(), both ? std::min(left * 0.62, room.width() * 0.62) : left,
                 both ? std::min(left * 0.34, room.width() * 0.34) : left);
        pages.push_back(first.finish(*parts.theme, paper));
        if (!network)
            return pages;
        first = Stack();
        first.add(head);
    }
    const double scale = std::min(1.0, room.width() / all.width());
    const double most = (room.height() - head.bounds.height() - kGap) / scale - 2 * kJoinRoom;
    const auto breaks = breaksOf(drawn.scene, drawn.scene.layers[NetworkScene::Boxes].rects, most);
    const std::size_t offset = pages.size();
    for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
        ScenePiece piece = cutPiece(drawn.scene, breaks[i], breaks[i + 1]);
        markCuts(piece, parts, Page::tr("from page %1").arg(offset + i), Page::tr("goes on on page %1").arg(offset + i + 2));
        Stack stack;
        stack.add(head);
        Scene roomy = std::move(piece.scene);
        // Centred, with room for the words at the cuts.
        const double side = std::max(0.0, (room.width() / scale - roomy.bounds.width()) / 2);
        roomy.bounds.adjust(-side, -kJoinRoom, side, kJoinRoom);
        stack.add(roomy, scale);
        pages.push_back(stack.finish(*parts.theme, paper));
    }
    for (std::size_t i = 0; i < pages.size() && pages.size() > 1; ++i)
        pages[i].layers.back().texts.push_back({QRectF(paper.width() - kMargin - 160, paper.height() - kMargin + 2, 160, 14),
                                                Page::tr("page %1 of %2").arg(i + 1).arg(pages.size()), parts.theme->mutedText, 10.0, false,
                                                Qt::AlignRight | Qt::AlignVCenter, 0.0, {}});
    return pages;
}

} // namespace arenascope::ui
