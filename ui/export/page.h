// SPDX-License-Identifier: MIT
// Pictures as scenes: plots and network with title and legend, whole or in pages.
#pragma once

#include "ui/export/picture.h"
#include "ui/theme.h"
#include "ui/views/scene.h"

#include <vector>

namespace arenascope::ui {

/// A request with everything that a picture needs, worked out.
struct PictureParts {
    PictureRequest request;
    std::shared_ptr<const DrawnGraph> drawn;   ///< null unless the network is wanted
    std::shared_ptr<const GraphLayout> layout;
    std::shared_ptr<const BufferColours> colours;
    const Theme* theme = nullptr;
};
/// Lays out the network where that is needed and missing.
Result<PictureParts> preparePicture(const PictureRequest& request);

/// One picture of any height. `aspect` (width / height; 0: natural) shapes arena and curve.
Scene wholePicture(const PictureParts& parts, double aspect = 0.0);
/// The same for paper: plots on the first page, the network cut into pages with its joins marked. All of one size.
std::vector<Scene> picturePages(const PictureParts& parts);

/// "model  strategy  arena  bound  date"
QString pictureTitle(const PictureRequest& request);
QString pictureSubtitle(const PictureRequest& request);

} // namespace arenascope::ui
