// SPDX-License-Identifier: MIT
#include "ui/theme.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace arenascope::ui {

namespace {

// Okabe and Ito, "Color Universal Design" (2008), without black: distinct for all common kinds of colour blindness.
constexpr std::array<QRgb, 7> kBaseHues {
    0xff0072b2, // blue
    0xffe69f00, // orange
    0xff009e73, // bluish green
    0xffcc79a7, // reddish purple
    0xff56b4e9, // sky blue
    0xffd55e00, // vermilion
    0xfff0e442, // yellow
};
constexpr int kHueCount = 2 * static_cast<int>(kBaseHues.size());

QColor mix(const QColor& a, const QColor& b, double share)
{
    const auto channel = [share](int from, int to) { return static_cast<int>(std::lround(from + (to - from) * share)); };
    return QColor(channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue()));
}

// Relative luminance as in WCAG 2.1, from 0 (black) to 1 (white).
double luminance(const QColor& colour)
{
    const auto linear = [](double channel) {
        return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

Theme makeLight()
{
    Theme theme;
    theme.dark = false;
    theme.window = QColor(0xf1, 0xf3, 0xf5);
    theme.panel = QColor(0xff, 0xff, 0xff);
    theme.canvas = QColor(0xfb, 0xfc, 0xfd);
    theme.text = QColor(0x1a, 0x1f, 0x26);
    theme.mutedText = QColor(0x54, 0x5d, 0x68);
    theme.border = QColor(0xcd, 0xd4, 0xdb);
    theme.grid = QColor(0xe6, 0xea, 0xee);
    theme.edge = QColor(0x8a, 0x94, 0x9f);
    theme.edgeHighlight = QColor(0x0b, 0x5c, 0xad);
    theme.node = QColor(0xe4, 0xe8, 0xec);
    theme.bound = QColor(0x1a, 0x7f, 0x37);
    theme.arenaTop = QColor(0x5b, 0x4b, 0x9e);
    theme.budget = QColor(0xb4, 0x23, 0x18);
    theme.playhead = QColor(0x1a, 0x1f, 0x26);
    theme.peak = QColor(0xb3, 0x3a, 0x0a);
    theme.curve = QColor(0x00, 0x5f, 0x96);
    theme.curveFill = QColor(0xcf, 0xe3, 0xf1);
    theme.reading = QColor(0x00, 0x72, 0xb2);
    theme.writing = QColor(0xd5, 0x5e, 0x00);
    theme.clash = QColor(0xcf, 0x22, 0x2e);
    theme.selection = QColor(0x0b, 0x62, 0xc4);
    theme.hover = QColor(0x6b, 0xa4, 0xdd);
    return theme;
}

Theme makeDark()
{
    Theme theme;
    theme.dark = true;
    theme.window = QColor(0x1f, 0x23, 0x28);
    theme.panel = QColor(0x25, 0x2a, 0x31);
    theme.canvas = QColor(0x1a, 0x1d, 0x22);
    theme.text = QColor(0xe6, 0xea, 0xef);
    theme.mutedText = QColor(0xa6, 0xb0, 0xbb);
    theme.border = QColor(0x40, 0x48, 0x52);
    theme.grid = QColor(0x2d, 0x33, 0x3b);
    theme.edge = QColor(0x76, 0x80, 0x8b);
    theme.edgeHighlight = QColor(0x7c, 0xc0, 0xff);
    theme.node = QColor(0x39, 0x40, 0x49);
    theme.bound = QColor(0x4f, 0xc4, 0x6f);
    theme.arenaTop = QColor(0xb4, 0xa5, 0xf5);
    theme.budget = QColor(0xff, 0x7b, 0x6e);
    theme.playhead = QColor(0xf2, 0xf5, 0xf8);
    theme.peak = QColor(0xff, 0x9d, 0x66);
    theme.curve = QColor(0x6c, 0xbd, 0xf2);
    theme.curveFill = QColor(0x26, 0x42, 0x56);
    theme.reading = QColor(0x56, 0xb4, 0xe9);
    theme.writing = QColor(0xff, 0x96, 0x3d);
    theme.clash = QColor(0xff, 0x6b, 0x70);
    theme.selection = QColor(0x5a, 0xaf, 0xff);
    theme.hover = QColor(0x47, 0x7f, 0xb5);
    return theme;
}

} // namespace

const Theme& Theme::light()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme& Theme::darkTheme()
{
    static const Theme theme = makeDark();
    return theme;
}

QPalette Theme::palette() const
{
    QPalette palette;
    palette.setColor(QPalette::Window, window);
    palette.setColor(QPalette::WindowText, text);
    palette.setColor(QPalette::Base, panel);
    palette.setColor(QPalette::AlternateBase, mix(panel, window, 0.6));
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::PlaceholderText, mutedText);
    palette.setColor(QPalette::Button, dark ? mix(window, text, 0.08) : mix(window, panel, 0.5));
    palette.setColor(QPalette::ButtonText, text);
    palette.setColor(QPalette::BrightText, clash);
    palette.setColor(QPalette::ToolTipBase, dark ? mix(panel, text, 0.08) : panel);
    palette.setColor(QPalette::ToolTipText, text);
    const QColor highlight = dark ? QColor(0x1f, 0x5f, 0xa8) : selection;
    palette.setColor(QPalette::Highlight, highlight);
    palette.setColor(QPalette::HighlightedText, textOn(highlight));
    palette.setColor(QPalette::Link, edgeHighlight);
    palette.setColor(QPalette::LinkVisited, arenaTop);
    palette.setColor(QPalette::Light, dark ? mix(window, text, 0.18) : QColor(Qt::white));
    palette.setColor(QPalette::Midlight, dark ? mix(window, text, 0.10) : mix(window, panel, 0.6));
    palette.setColor(QPalette::Mid, border);
    palette.setColor(QPalette::Dark, dark ? mix(window, QColor(Qt::black), 0.35) : mix(border, text, 0.2));
    palette.setColor(QPalette::Shadow, dark ? QColor(Qt::black) : mix(border, text, 0.5));
    const QColor disabled = mix(text, window, 0.55);
    for (const auto role : { QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText })
        palette.setColor(QPalette::Disabled, role, disabled);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, border);
    return palette;
}

QColor hue(int index, int tone, const Theme& theme)
{
    const int count = static_cast<int>(kBaseHues.size());
    const int wrapped = ((index % kHueCount) + kHueCount) % kHueCount;
    QColor colour = QColor::fromRgb(kBaseHues[static_cast<std::size_t>(wrapped % count)]);
    // The second round is a muted tone of the first, towards the middle grey of the theme.
    if (wrapped >= count)
        colour = mix(colour, theme.dark ? QColor(0x5a, 0x5f, 0x66) : QColor(0xc8, 0xcc, 0xd2), 0.45);
    if (tone == 1)
        return mix(colour, QColor(Qt::black), 0.38);
    if (tone == 2)
        return mix(colour, QColor(Qt::white), 0.52);
    return colour;
}

QColor heat(double share, const Theme& theme)
{
    constexpr QRgb kLightStops[] = { 0xfff5d6, 0xf0a030, 0x7a1f0a };
    constexpr QRgb kDarkStops[] = { 0x3a3428, 0xb5651d, 0xffe08a };
    const auto& stops = theme.dark ? kDarkStops : kLightStops;
    const double at = 2.0 * std::clamp(share, 0.0, 1.0);
    const int from = at < 1.0 ? 0 : 1;
    return mix(QColor(stops[from]), QColor(stops[from + 1]), at - from);
}

int hueCount()
{
    return kHueCount;
}

double contrastRatio(const QColor& a, const QColor& b)
{
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

QColor textOn(const QColor& background)
{
    const QColor black(Qt::black);
    const QColor white(Qt::white);
    return contrastRatio(black, background) >= contrastRatio(white, background) ? black : white;
}

} // namespace arenascope::ui
