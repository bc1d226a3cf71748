// SPDX-License-Identifier: MIT
#include "ui/panels/sample_picture.h"

#include "ui/text.h"
#include "ui/views/network_scene.h"
#include "ui/views/scene.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QPainter>
#include <QStandardPaths>

#include <algorithm>
#include <filesystem>

namespace arenascope::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("arenascope::ui::SamplePicture", text);
}

// Fills the width from the top and lets long networks run out of the picture: boxes stay boxes.
QImage paint(const Scene& scene, QSize size, qreal pixelRatio, const Theme& theme)
{
    QImage image(size * pixelRatio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(pixelRatio);
    image.fill(theme.canvas);
    QRectF whole = scene.bounds.adjusted(-16, -16, 16, 16);
    if (whole.isEmpty())
        return image;
    constexpr double kLeastZoom = 0.22;
    constexpr double kMostZoom = 0.85;
    const double fit = std::min(size.width() / whole.width(), size.height() / whole.height());
    const double zoom = std::clamp(fit, std::min(kLeastZoom, size.width() / whole.width()), kMostZoom);
    const QSizeF seen = QSizeF(size) / zoom;
    const double top = seen.height() > whole.height() ? whole.center().y() - seen.height() / 2 : whole.top();
    const QRectF visible(QPointF(whole.center().x() - seen.width() / 2, top), seen);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(zoom, zoom);
    painter.translate(-visible.topLeft());
    paintScene(painter, scene, visible, zoom * pixelRatio);
    return image;
}

} // namespace

SamplePicture makeSamplePicture(const QString& path, QSize size, qreal pixelRatio, const Theme& theme, std::stop_token stop)
{
    SamplePicture picture { path, {}, {} };
    const auto model = importModel(std::filesystem::path(path.toStdU16String()), {}, stop);
    if (!model) {
        picture.summary = messageText(model.error());
        return picture;
    }
    const auto& graph = model->graph;
    picture.summary = countText(static_cast<std::int64_t>(graph->operators().size()), tr("1 operator"), tr("%1 operators"));
    const auto schedule = makeSchedule(*graph, ScheduleKind::File, stop);
    if (!schedule)
        return picture;
    const DrawnGraph drawn = drawnGraph(*graph, *schedule, [&](const LayoutNode& node) { return nodeSizeFor(node, *graph); });
    const auto layout = layOut(drawn, {}, stop);
    if (!layout)
        return picture;

    NetworkInput input { graph.get(), &drawn, &*layout, nullptr, nullptr, ColourBy::Buffer };
    std::shared_ptr<const PlanOutcome> outcome;
    BufferColours colours;
    if (const auto study = makeStudy(graph, {}, stop)) {
        if (const auto planned = planStudy(*study, kDefaultStrategy, {}, stop)) {
            outcome = *planned;
            colours = bufferColours(*outcome);
            input.outcome = outcome.get();
            input.colours = &colours;
            picture.summary += tr(", %1 arena").arg(sizeText(outcome->plan.arenaSize));
        }
    }
    picture.image = paint(networkScene(input, theme).scene, size, pixelRatio, theme);
    return picture;
}

QString samplesFolder()
{
    const auto hasSamples = [](const QDir& folder) { return !folder.entryList({ QStringLiteral("*.onnx") }, QDir::Files).isEmpty(); };
    // Upwards from the program: the build tree lies in the source tree.
    QDir above(QCoreApplication::applicationDirPath());
    for (int level = 0; level < 5; ++level) {
        if (QFileInfo::exists(above.filePath(QStringLiteral("samples/make_samples.cpp"))) && hasSamples(above.filePath(QStringLiteral("samples"))))
            return above.filePath(QStringLiteral("samples"));
        if (!above.cdUp())
            break;
    }
    const QDir beside(QCoreApplication::applicationDirPath() + QStringLiteral("/../share/arenascope/samples"));
    if (hasSamples(beside))
        return beside.canonicalPath();
    return QStandardPaths::locate(QStandardPaths::GenericDataLocation, QStringLiteral("arenascope/samples"), QStandardPaths::LocateDirectory);
}

QStringList sampleFiles()
{
    const QString folder = samplesFolder();
    if (folder.isEmpty())
        return {};
    QStringList files;
    for (const QString& name : QDir(folder).entryList({ QStringLiteral("*.onnx") }, QDir::Files, QDir::Name)) {
        // Kept for trying the error messages, nothing to look at.
        if (name != QLatin1String("broken.onnx"))
            files << folder + u'/' + name;
    }
    return files;
}

} // namespace arenascope::ui
