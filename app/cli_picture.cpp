// SPDX-License-Identifier: MIT
#include "app/cli_export.h"

#include "ui/export/picture.h"

#include <QGuiApplication>

#include <cstdio>

namespace arenascope::cli {

namespace {

/// Qt talks about the desktop session, which there is none of here; only what ends the program is worth a line.
void onlyFatal(QtMsgType type, const QMessageLogContext&, const QString& text)
{
    if (type == QtFatalMsg)
        std::fprintf(stderr, "arenascope-cli: %s\n", qPrintable(text));
}

} // namespace

Status exportPicture(const std::shared_ptr<const PlanOutcome>& outcome, const std::string& path,
                     std::optional<Bytes> budget)
{
    // Only pictures need fonts and a raster engine, and no display: most calls never pay for them.
    static int argc = 3;
    static char program[] = "arenascope-cli";
    static char option[] = "-platform";
    static char platform[] = "offscreen";
    static char* argv[] = {program, option, platform, nullptr};
    qInstallMessageHandler(onlyFatal);
    static QGuiApplication application(argc, argv);

    ui::PictureRequest request;
    request.outcome = outcome;
    request.budget = budget;
    return ui::exportFile(request, QString::fromLocal8Bit(path.c_str()));
}

} // namespace arenascope::cli
