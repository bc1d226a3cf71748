// SPDX-License-Identifier: MIT
#include "ui/export/picture.h"

#include "ui/export/page.h"
#include "ui/views/related.h"

#include <arenascope/plan_export.h>

#include <QFileInfo>
#include <QImage>
#include <QPageLayout>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

namespace arenascope::ui {

namespace {

constexpr int kMostPixels = 16384; // a side
constexpr double kMostArea = 128.0 * 1024 * 1024;

Error fileError(const QString& path, const QString& reason)
{
    return {ErrorCode::FileNotWritable, path.toStdString(), {reason.toStdString()}};
}

/// Writes through `draw` into a file beside the target, which replaces it only when all went well.
template <class Draw>
Status writeAtomically(const QString& path, Draw draw)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return fileError(path, file.errorString());
    if (Status drawn = draw(file); !drawn)
        return drawn;
    if (!file.commit())
        return fileError(path, file.errorString());
    return Ok{};
}

Status writeSvg(const PictureParts& parts, const QString& path)
{
    const Scene scene = wholePicture(parts);
    return writeAtomically(path, [&](QIODevice& file) -> Status {
        QSvgGenerator svg;
        svg.setOutputDevice(&file);
        svg.setResolution(96); // one unit, one CSS pixel
        svg.setSize(scene.bounds.size().toSize());
        svg.setViewBox(scene.bounds);
        svg.setTitle(pictureTitle(parts.request));
        svg.setDescription(pictureSubtitle(parts.request));
        QPainter painter;
        if (!painter.begin(&svg))
            return fileError(path, QStringLiteral("SVG"));
        paintScene(painter, scene, scene.bounds, 1.0);
        painter.end();
        return Ok{};
    });
}

Status writePdf(const PictureParts& parts, const QString& path)
{
    const std::vector<Scene> pages = picturePages(parts);
    return writeAtomically(path, [&](QIODevice& file) -> Status {
        QPdfWriter pdf(&file);
        pdf.setResolution(96);
        pdf.setTitle(pictureTitle(parts.request));
        pdf.setCreator(QStringLiteral("Arenascope"));
        // Scene units are CSS pixels, 96 an inch; paper is measured in points, 72 an inch.
        const QSizeF points = pages.front().bounds.size() * 72.0 / 96.0;
        pdf.setPageSize(QPageSize(points, QPageSize::Point, QString(), QPageSize::ExactMatch));
        pdf.setPageMargins(QMarginsF(0, 0, 0, 0));
        QPainter painter;
        if (!painter.begin(&pdf))
            return fileError(path, QStringLiteral("PDF"));
        for (std::size_t i = 0; i < pages.size(); ++i) {
            if (i > 0)
                pdf.newPage();
            paintScene(painter, pages[i], pages[i].bounds, 1.0);
        }
        painter.end();
        return Ok{};
    });
}

Status writePng(const PictureParts& parts, const QString& path)
{
    const QSize wanted = parts.request.pixelSize;
    const Scene scene = wholePicture(parts, wanted.isEmpty() ? 0.0 : static_cast<double>(wanted.width()) / wanted.height());
    const QSizeF natural = scene.bounds.size();
    QSize size = wanted;
    double scale = 1.0;
    if (wanted.isEmpty()) {
        scale = std::min({2.0, kMostPixels / natural.width(), kMostPixels / natural.height(),
                          std::sqrt(kMostArea / (natural.width() * natural.height()))});
        size = QSize(std::max(1, static_cast<int>(natural.width() * scale)), std::max(1, static_cast<int>(natural.height() * scale)));
    } else {
        scale = std::min(size.width() / natural.width(), size.height() / natural.height());
    }
    QImage image(size, QImage::Format_RGB32);
    if (image.isNull())
        return Error{ErrorCode::OutOfMemory, path.toStdString(), {"picture"}};
    image.fill(parts.theme->canvas);
    QPainter painter(&image);
    painter.translate((size.width() - natural.width() * scale) / 2, (size.height() - natural.height() * scale) / 2);
    painter.scale(scale, scale);
    paintScene(painter, scene, scene.bounds, std::max(scale, kDetailScale));
    painter.end();
    return writeAtomically(path, [&](QIODevice& file) -> Status {
        if (!image.save(&file, "PNG"))
            return fileError(path, file.errorString());
        return Ok{};
    });
}

QString knownSuffixes()
{
    QString list = QStringLiteral(".svg, .pdf, .png");
    for (const PlanExport& format : planExports())
        list += QStringLiteral(", ") + QString::fromUtf8(format.suffix.data(), static_cast<qsizetype>(format.suffix.size()));
    return list;
}

} // namespace

Status exportFile(const PictureRequest& request, const QString& path)
{
    assert(request.outcome && "exportFile() without a plan");
    const QString suffix = QFileInfo(path).suffix().toLower();
    static const std::array<QString, 3> kPictures{QStringLiteral("svg"), QStringLiteral("pdf"), QStringLiteral("png")};
    const std::filesystem::path file(path.toStdU16String());
    if (const PlanExport* format = planExportFor(file)) {
        const auto content = format->write(*request.outcome, request.imported);
        if (!content)
            return content.error();
        return writeFileAtomically(file, *content);
    }
    if (std::find(kPictures.begin(), kPictures.end(), suffix) == kPictures.end())
        return Error{ErrorCode::BadOption, path.toStdString(), {"export", suffix.toStdString(), knownSuffixes().toStdString()}};
    const QSize wanted = request.pixelSize;
    if (!wanted.isEmpty()
        && (wanted.width() > kMostPixels || wanted.height() > kMostPixels || double(wanted.width()) * wanted.height() > kMostArea))
        return Error{ErrorCode::TooLarge, path.toStdString(), {"picture size", "16384 pixels a side, 128 million in all"}};
    const auto parts = preparePicture(request);
    if (!parts)
        return parts.error();
    if (suffix == QLatin1String("svg"))
        return writeSvg(*parts, path);
    if (suffix == QLatin1String("pdf"))
        return writePdf(*parts, path);
    return writePng(*parts, path);
}

} // namespace arenascope::ui
