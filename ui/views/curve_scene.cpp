// SPDX-License-Identifier: MIT
#include "ui/views/plot_parts.h"
#include "ui/views/plot_scene.h"
#include "ui/views/related.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QGuiApplication>

#include <algorithm>
#include <cmath>

namespace arenascope::ui {

namespace {

struct Curve {
    Q_DECLARE_TR_FUNCTIONS(arenascope::ui::Curve)
};

/// Corners of the step function in the visible steps. Where several steps share a pixel column, the largest stands for
/// them: peaks are never lost.
std::vector<QPointF> corners(const std::vector<Bytes>& live, const PlotFrame& frame)
{
    const auto count = static_cast<double>(live.size());
    const double first = std::clamp(std::floor(frame.time.first), 0.0, count), last = std::clamp(std::ceil(frame.time.last), 0.0, count);
    const auto stride = static_cast<std::size_t>(std::max(1.0, std::floor(1.0 / frame.time.stepWidth())));
    std::vector<QPointF> points;
    for (auto step = static_cast<std::size_t>(first); step < static_cast<std::size_t>(last); step += stride) {
        const std::size_t end = std::min(step + stride, static_cast<std::size_t>(last));
        const Bytes most = *std::max_element(live.begin() + static_cast<std::ptrdiff_t>(step), live.begin() + static_cast<std::ptrdiff_t>(end));
        const double y = std::clamp(frame.bytes.y(static_cast<double>(most)), frame.plot.top(), frame.plot.bottom());
        const double left = std::clamp(frame.time.x(static_cast<double>(step)), frame.plot.left(), frame.plot.right());
        const double right = std::clamp(frame.time.x(static_cast<double>(end)), frame.plot.left(), frame.plot.right());
        points.emplace_back(left, y);
        points.emplace_back(right, y);
    }
    return points;
}

void addPeak(SceneLayer& layer, const PlotInput& input, const PlotFrame& frame, const Theme& theme)
{
    const Study& study = *input.outcome->study;
    const Step step = study.profile.peakStep;
    if (step < 0 || step >= study.schedule.stepCount())
        return;
    const QPointF at(frame.time.x(static_cast<double>(step) + 0.5), frame.bytes.y(static_cast<double>(study.profile.peak)));
    if (!frame.plot.adjusted(-1, -1, 1, 1).contains(at))
        return;
    const OpId op = study.schedule.order[static_cast<std::size_t>(step)];
    SceneRect dot;
    dot.rect = QRectF(at.x() - 4, at.y() - 4, 8, 8);
    dot.radius = 4;
    dot.fill = theme.peak;
    dot.stroke = theme.panel;
    dot.item = Item::of(op);
    const QString words = Curve::tr("peak at step %1, %2").arg(step).arg(textOf(study.graph->op(op).name));
    QFont font = QGuiApplication::font();
    font.setPixelSize(11);
    font.setBold(true);
    const double width = std::min(QFontMetricsF(font).horizontalAdvance(words) + 2, frame.plot.width() * 0.6);
    const bool toLeft = at.x() + 10 + width > frame.plot.right();
    const QRectF slot(toLeft ? at.x() - 10 - width : at.x() + 10, at.y() + 3, width, 16);
    SceneRect ground; // keeps the words readable over the curve
    ground.rect = slot.adjusted(-3, 0, 3, 0);
    ground.fill = theme.panel;
    ground.fill.setAlphaF(0.85f);
    ground.radius = 3;
    layer.rects.push_back(ground);
    layer.rects.push_back(dot);
    layer.texts.push_back({slot, words, theme.peak, 11.0, true, Qt::AlignVCenter | (toLeft ? Qt::AlignRight : Qt::AlignLeft), 0.0, dot.item});
}

} // namespace

Scene curveScene(const PlotInput& input, const PlotFrame& frame, const Theme& theme)
{
    Scene scene;
    scene.bounds = frame.outer;
    scene.layers.resize(3);
    addAxes(scene.layers[0], frame, theme, Curve::tr("live bytes"));
    if (!input.outcome)
        return scene;
    const std::vector<QPointF> line = corners(input.outcome->study->profile.liveBytes, frame);
    if (!line.empty()) {
        ScenePath fill;
        fill.points = line;
        const double ground = std::clamp(frame.bytes.y(0.0), frame.plot.top(), frame.plot.bottom());
        fill.points.emplace_back(line.back().x(), ground);
        fill.points.emplace_back(line.front().x(), ground);
        fill.fill = theme.curveFill;
        scene.layers[1].paths.push_back(std::move(fill));
        ScenePath stroke;
        stroke.points = line;
        stroke.stroke = theme.curve;
        stroke.width = 1.6;
        scene.layers[1].paths.push_back(std::move(stroke));
    }
    addLines(scene.layers[2], frame, plotLines(input, theme, true), theme);
    scene.layers.emplace_back();
    addPeak(scene.layers.back(), input, frame, theme);
    return scene;
}

Scene curveNowScene(const PlotInput& input, const PlotFrame& frame, const Theme& theme, Step step)
{
    Scene scene;
    scene.bounds = frame.outer;
    scene.layers.resize(1);
    if (!input.outcome || step < 0 || step >= input.outcome->study->schedule.stepCount())
        return scene;
    addPlayhead(scene.layers[0], frame, theme, step);
    const auto& live = input.outcome->study->profile.liveBytes;
    const double y = frame.bytes.y(static_cast<double>(live[static_cast<std::size_t>(step)]));
    const double x = frame.time.x(static_cast<double>(step) + 0.5);
    if (frame.plot.adjusted(-1, -1, 1, 1).contains(QPointF(x, y))) {
        SceneRect dot;
        dot.rect = QRectF(x - 3.5, y - 3.5, 7, 7);
        dot.radius = 3.5;
        dot.fill = theme.playhead;
        dot.stroke = theme.panel;
        scene.layers[0].rects.push_back(dot);
    }
    return scene;
}

} // namespace arenascope::ui
