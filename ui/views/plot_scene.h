// SPDX-License-Identifier: MIT
// The arena over time and the live-bytes curve as geometry, in the pixels of their frame, apart from any widget.
//
//     address                                   now
//       |  ......... budget ...................  |   label
//       |  - - - - - arena top - - - - - - - -   |   label
//       |  ####    bbbbbb        one rectangle   |
//       |  ####aaaaaaaa          a buffer's stay #
//       +---------------------> step
#pragma once

#include "ui/buffer_colours.h"
#include "ui/theme.h"
#include "ui/views/axes.h"
#include "ui/views/scene.h"

#include <arenascope/study.h>

#include <QSizeF>

#include <optional>
#include <vector>

namespace arenascope::ui {

/// Where a plot lies and what its axes show. Arena and curve of the same width have their columns one below the other.
struct PlotFrame {
    QRectF outer; ///< with axes and labels
    QRectF plot;
    QRectF now;   ///< the strip that shows the memory at the playhead (arena only)
    TimeMap time;
    OffsetMap bytes;
};
PlotFrame plotFrame(const QRectF& outer, double firstStep, double lastStep, double lowBytes, double highBytes);

struct PlotInput {
    const PlanOutcome* outcome = nullptr;
    const BufferColours* colours = nullptr;
    ColourBy colourBy = ColourBy::Buffer;
    std::optional<Bytes> budget;
    const std::vector<char>* lit = nullptr; ///< by BufferId: what is not is dimmed; null or empty: nothing is
};

/// What the address axis must reach to show arena, bound and budget, with some room above.
double fullHeight(const PlotInput& input);

/// Grid, axes, memories as bands, one rectangle a buffer's stay with its name where that fits, bytes that two buffers claim
/// at once hatched with both names, lines with their labels. Rectangles are cut to the plot. O(buffers + clashes).
Scene arenaScene(const PlotInput& input, const PlotFrame& frame, const Theme& theme);

/// Bytes in use at a step: drawn over arenaScene(). Everything is paled but what is alive, which is drawn again; written
/// and read buffers are outlined; the strip at the right shows the memory now, on its way from `before` by `blend`.
struct ArenaNow {
    Step step = -1;   ///< -1: nothing is drawn
    Step before = -1; ///< the step shown before
    double blend = 1.0;
};
Scene arenaNowScene(const PlotInput& input, const PlotFrame& frame, const Theme& theme, const ArenaNow& now);

/// The live-bytes curve as a step function, with peak, arena top and budget. O(steps), at most two points a pixel column.
Scene curveScene(const PlotInput& input, const PlotFrame& frame, const Theme& theme);
/// The playhead over curveScene().
Scene curveNowScene(const PlotInput& input, const PlotFrame& frame, const Theme& theme, Step step);

/// Where a buffer is drawn: several memories lie one above the other, in their order. Nothing for one that has no place.
std::optional<Offset> drawnOffset(const PlanOutcome& outcome, BufferId buffer);

/// The rectangle around a buffer's stay, not cut to the plot; empty for one that has no place.
QRectF stayRect(const PlanOutcome& outcome, BufferId buffer, const PlotFrame& frame);
/// What the buffer needs of it: one rectangle, or a few side by side where bytes are not needed all the time. Others may
/// lie in the rest.
std::vector<QRectF> stayPieces(const PlanOutcome& outcome, BufferId buffer, const PlotFrame& frame);
/// Outlines of such rectangles, which go from left to right, as closed polygons: those that touch along an edge are one.
std::vector<std::vector<QPointF>> pieceOutlines(const std::vector<QRectF>& pieces);
/// Dimmed where something else is searched for.
QColor bufferColour(const PlotInput& input, BufferId buffer, const Theme& theme);

/// "1.5 MiB", without digits that an axis does not need.
QString tickText(double bytes);

} // namespace arenascope::ui
