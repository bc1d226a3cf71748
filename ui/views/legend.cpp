// SPDX-License-Identifier: MIT
#include "ui/views/legend.h"

#include "ui/text.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QGuiApplication>

#include <algorithm>

namespace arenascope::ui {

namespace {

constexpr double kRow = 20.0;
constexpr double kSwatch = 22.0;
constexpr double kWordsSize = 11.0;
constexpr double kEntryGap = 16.0;

struct Legend {
    Q_DECLARE_TR_FUNCTIONS(arenascope::ui::Legend)
};

class Builder {
public:
    Builder(const LegendOptions& options, const Theme& theme) : m_options(options), m_theme(theme)
    {
        QFont font = QGuiApplication::font();
        font.setPixelSize(static_cast<int>(kWordsSize));
        m_metrics = QFontMetricsF(font);
        m_scene.layers.resize(1);
    }
    Scene build();

private:
    QRectF place(const QString& words); ///< of the swatch
    void box(const QString& words, const QColor& fill, const QColor& stroke = {}, double strokeWidth = 1.0);
    void boxes(const QString& words, int tone);
    void heatScale(const QString& words);
    void badge(const QString& words, const QString& mark, bool filled, bool ring);
    void dot(const QString& words);
    void lines(const QString& words);

    const LegendOptions& m_options;
    const Theme& m_theme;
    QFontMetricsF m_metrics{QFont()};
    Scene m_scene;
    double m_x = 0.0, m_y = 0.0, m_widest = 0.0;
};

QRectF Builder::place(const QString& words)
{
    const double width = kSwatch + 6 + m_metrics.horizontalAdvance(words) + 2;
    if (m_x > 0 && (m_options.mostWidth <= 0 || m_x + width > m_options.mostWidth)) {
        m_x = 0;
        m_y += kRow;
    }
    SceneText text;
    text.slot = QRectF(m_x + kSwatch + 6, m_y, m_metrics.horizontalAdvance(words) + 2, kRow);
    text.text = words;
    text.colour = m_theme.text;
    text.pixelSize = kWordsSize;
    text.alignment = Qt::AlignLeft | Qt::AlignVCenter;
    m_scene.layers[0].texts.push_back(text);
    const QRectF swatch(m_x, m_y + 4, kSwatch, kRow - 8);
    m_widest = std::max(m_widest, m_x + width);
    m_x += width + kEntryGap;
    return swatch;
}

void Builder::box(const QString& words, const QColor& fill, const QColor& stroke, double strokeWidth)
{
    SceneRect rect;
    rect.rect = place(words).adjusted(1, 0, -1, 0);
    rect.radius = 3;
    rect.fill = fill;
    rect.stroke = stroke.isValid() ? stroke : m_theme.border;
    rect.strokeWidth = strokeWidth;
    m_scene.layers[0].rects.push_back(rect);
}

/// Three hues side by side in one tone.
void Builder::boxes(const QString& words, int tone)
{
    const QRectF swatch = place(words);
    const double width = swatch.width() / 3;
    for (int i = 0; i < 3; ++i) {
        SceneRect rect;
        rect.rect = QRectF(swatch.left() + i * width, swatch.top(), width, swatch.height());
        rect.fill = hue(i, tone, m_theme);
        m_scene.layers[0].rects.push_back(rect);
    }
}

/// The scale from little to much.
void Builder::heatScale(const QString& words)
{
    constexpr int kSteps = 4;
    const QRectF swatch = place(words);
    const double width = swatch.width() / kSteps;
    for (int i = 0; i < kSteps; ++i) {
        SceneRect rect;
        rect.rect = QRectF(swatch.left() + i * width, swatch.top(), width, swatch.height());
        rect.fill = heat(static_cast<double>(i) / (kSteps - 1), m_theme);
        m_scene.layers[0].rects.push_back(rect);
    }
}

void Builder::badge(const QString& words, const QString& mark, bool filled, bool ring)
{
    const QPointF middle = place(words).center();
    SceneRect rect;
    rect.stroke = m_theme.text;
    if (ring) {
        rect.rect = QRectF(middle.x() - 9, middle.y() - 9, 18, 18);
        rect.radius = 9;
        rect.fill = m_theme.canvas;
        m_scene.layers[0].rects.push_back(rect);
    }
    rect.rect = QRectF(middle.x() - 6.5, middle.y() - 6.5, 13, 13);
    rect.radius = 6.5;
    rect.fill = filled ? m_theme.text : m_theme.canvas;
    m_scene.layers[0].rects.push_back(rect);
    m_scene.layers[0].texts.push_back({rect.rect, mark, filled ? m_theme.canvas : m_theme.text, 9.0, true,
                                       Qt::AlignCenter, 0.0, {}});
}

void Builder::dot(const QString& words)
{
    const QPointF middle = place(words).center();
    SceneRect rect;
    rect.rect = QRectF(middle.x() - 4.5, middle.y() - 4.5, 9, 9);
    rect.radius = 4.5;
    rect.fill = m_theme.text;
    m_scene.layers[0].rects.push_back(rect);
}

void Builder::lines(const QString& words)
{
    const QRectF swatch = place(words);
    for (const auto& [y, width] : {std::pair(0.2, 1.3), std::pair(0.75, 4.5)}) {
        ScenePath path;
        const double at = swatch.top() + y * swatch.height();
        path.points = {{swatch.left(), at}, {swatch.right(), at}};
        path.stroke = m_theme.edge;
        path.width = width;
        m_scene.layers[0].paths.push_back(path);
    }
}

Scene Builder::build()
{
    const bool byTime = m_options.colourBy == ColourBy::Time;
    const bool byBranch = !byTime && (m_options.isPingPong || m_options.colourBy == ColourBy::Branch);
    if (byBranch) {
        boxes(Legend::tr("colour: branch"), 0);
        boxes(Legend::tr("dark: first memory"), 1);
        boxes(Legend::tr("light: second memory"), 2);
        if (m_options.network) {
            badge(Legend::tr("first memory"), QStringLiteral("1"), true, false);
            badge(Legend::tr("second memory"), QStringLiteral("2"), false, false);
            badge(Legend::tr("designated unit"), QStringLiteral("1"), true, true);
        }
    } else if (byTime) {
        heatScale(m_options.longest > 0.0 ? Legend::tr("colour: time, up to %1").arg(durationText(m_options.longest))
                                     : Legend::tr("colour: time, not run yet"));
    } else {
        boxes(Legend::tr("colour: buffer"), 0);
    }
    if (m_options.network) {
        lines(Legend::tr("more bytes"));
        dot(Legend::tr("several readers"));
    }
    if (m_options.playhead) {
        box(Legend::tr("written"), m_theme.canvas, m_theme.writing, 3.0);
        box(Legend::tr("read"), m_theme.canvas, m_theme.reading, 3.0);
        box(Legend::tr("not alive"), faded(hue(0, 0, m_theme), m_theme.canvas));
    }
    m_scene.bounds = QRectF(0, 0, m_widest, m_y + kRow);
    return std::move(m_scene);
}

} // namespace

Scene legendScene(const LegendOptions& options, const Theme& theme)
{
    return Builder(options, theme).build();
}

} // namespace arenascope::ui
