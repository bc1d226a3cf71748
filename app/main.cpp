// SPDX-License-Identifier: MIT
// The program with the window.
#include "ui/gui_options.h"
#include "ui/main_window.h"

#include <arenascope/version.h>

#include <QApplication>
#include <QStyleFactory>

using namespace arenascope::ui;

int main(int argc, char** argv)
{
    QApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("Arenascope"));
    QApplication::setApplicationName(QStringLiteral("arenascope"));
    QApplication::setApplicationDisplayName(QStringLiteral("Arenascope"));
    QApplication::setApplicationVersion(QLatin1String(arenascope::kVersion));
    QApplication::setDesktopFileName(QStringLiteral("arenascope"));
    // One look on every desktop: the palette of the theme is drawn as meant.
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));

    const GuiOptions options = parseGuiOptions(QApplication::arguments());
    if (!options.error.isEmpty()) {
        fprintf(stderr, "arenascope: %s\n", qPrintable(options.error));
        return 2;
    }
    // A picture must not depend on what the last user of the window chose, nor change it.
    Settings kept;
    Settings none { QString() };
    MainWindow window(options.screenshot.isEmpty() ? kept : none);
    applyGuiOptions(options, window);
    window.show();
    if (!options.model.isEmpty())
        window.open(options.model);
    if (options.screenshot.isEmpty())
        return QApplication::exec();
    ScreenshotTaker taker(options, window);
    return QApplication::exec();
}
