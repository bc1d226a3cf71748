// SPDX-License-Identifier: MIT
// Diagrams to files: what the views show, with title and legend.
#pragma once

#include "ui/buffer_colours.h"

#include <arenascope/importer.h>
#include <arenascope/layout.h>
#include <arenascope/plan_io.h>
#include <arenascope/study.h>

#include <QDateTime>
#include <QSize>
#include <QString>

#include <memory>

namespace arenascope::ui {

struct RunRecord;

enum class PictureContent { Network, Arena, Curve, Sheet };

struct PictureRequest {
    std::shared_ptr<const PlanOutcome> outcome;
    std::shared_ptr<const DrawnGraph> drawn;   ///< Network and Sheet; null: laid out here
    std::shared_ptr<const GraphLayout> layout; ///< together with drawn
    std::shared_ptr<const BufferColours> colours; ///< as a window shows them; null: worked out here
    PictureContent content = PictureContent::Sheet;
    ColourBy colourBy = ColourBy::Buffer;
    std::shared_ptr<const RunRecord> run; ///< for ColourBy::Time
    bool dark = false;
    QSize pixelSize; ///< PNG; empty: natural size, at most 16,384 a side
    std::optional<Bytes> budget;
    Step playhead = -1; ///< -1: none
    ImportOptions imported; ///< JSON: shapes and dims that the model was read with, so that the plan can be checked later
    QDateTime date;     ///< in the title; invalid: SOURCE_DATE_EPOCH where that is set, or else now
};

/// By suffix: .svg .pdf .png pictures, and all of planExports(). Written atomically. Needs a QGuiApplication for pictures.
/// Errors: BadOption (unknown suffix), FileNotWritable, TooLarge, and those of PlanExport::write.
Status exportFile(const PictureRequest& request, const QString& path);

} // namespace arenascope::ui
