// SPDX-License-Identifier: MIT
// A small picture of a model: its network in the colours of its buffers.
#pragma once

#include "ui/document.h"
#include "ui/theme.h"

#include <QImage>

#include <stop_token>

namespace arenascope::ui {

struct SamplePicture {
    QString path;
    QString summary; ///< "65 operators, 5.74 MiB", or what is wrong
    QImage image;    ///< null for a file that cannot be opened
};

/// Import, plan, layout and painting in one go; for a worker. `size` in pixels at 100 %.
SamplePicture makeSamplePicture(const QString& path, QSize size, qreal pixelRatio, const Theme& theme, std::stop_token stop);

/// The folder with the bundled samples: beside the program's source or installed; empty when there is none.
QString samplesFolder();
/// The samples worth showing, sorted by name.
QStringList sampleFiles();

} // namespace arenascope::ui
