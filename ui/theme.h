// SPDX-License-Identifier: MIT
// Colours of everything drawn. Text keeps a contrast of at least 4.5 : 1 in both themes.
#pragma once

#include <QColor>
#include <QPalette>

namespace arenascope::ui {

struct Theme {
    bool dark = false;
    QColor window, panel, canvas;         ///< backgrounds
    QColor text, mutedText, border, grid; ///< neutral strokes and words
    QColor edge, edgeHighlight;
    QColor node;                          ///< of operators without a colour
    QColor bound, arenaTop, budget, playhead, peak, curve, curveFill;
    QColor reading, writing, clash, selection, hover;

    static const Theme& light();
    static const Theme& darkTheme();
    QPalette palette() const;
};

/// One of the colour-blind-safe hues (Okabe-Ito and tones of it), by index; tone: 0 plain, 1 dark (first memory), 2 light
/// (second memory).
QColor hue(int index, int tone, const Theme& theme);
int hueCount();
/// A scale from little (0, close to the background) to much (1), for one quantity: lightness alone orders it.
QColor heat(double share, const Theme& theme);
/// Black or white, whichever reads better on `background`.
QColor textOn(const QColor& background);
double contrastRatio(const QColor& a, const QColor& b);

} // namespace arenascope::ui
