// SPDX-License-Identifier: MIT
// Line icons in the colour of the theme's text.
#pragma once

#include "ui/theme.h"

#include <QIcon>
#include <QString>

namespace arenascope::ui {

/// The icon of that name in resources/icons, drawn for several sizes and densities; null when there is none.
QIcon themedIcon(const QString& name, const Theme& theme);
/// The program's own icon, in its own colours.
QIcon programIcon();

} // namespace arenascope::ui
