// SPDX-License-Identifier: MIT
// The program with the window.
#include "ui/gui_options.h"
#include "ui/main_window.h"

#include <arenascope/version.h>

#include <QApplication>
#include <QStyleFactory>

#include <algorithm>
#include <string_view>

using namespace arenascope::ui;

namespace {

/// Help and version are told without a display, too.
bool asksForWords(int argc, char** argv)
{
    return std::any_of(argv + std::min(argc, 1), argv + argc, [](std::string_view argument) {
        return argument == "-h" || argument == "--help" || argument == "--help-all" || argument == "-v" || argument == "--version";
    });
}

void nameProgram()
{
    QCoreApplication::setOrganizationName(QStringLiteral("Arenascope"));
    QCoreApplication::setApplicationName(QStringLiteral("arenascope"));
    QCoreApplication::setApplicationVersion(QLatin1String(arenascope::kVersion));
}

} // namespace

int main(int argc, char** argv)
{
    nameProgram();
    if (asksForWords(argc, argv)) {
        const QCoreApplication application(argc, argv);
        parseGuiOptions(QCoreApplication::arguments()); // prints and exits
        return 0;
    }
    QApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    QApplication application(argc, argv);
    QApplication::setApplicationDisplayName(QStringLiteral("Arenascope"));
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
