// SPDX-License-Identifier: MIT
#include "ui/views/background_painter.h"

#include <QColor>
#include <QThreadPool>
#include <QtConcurrent>

#include <utility>

namespace arenascope::ui {

BackgroundPainter::BackgroundPainter(QObject* parent)
    : QObject(parent)
{
    connect(&m_watcher, &QFutureWatcherBase::finished, this, [this] { std::exchange(m_done, {})(); });
}

BackgroundPainter::~BackgroundPainter()
{
    m_watcher.waitForFinished();
}

void BackgroundPainter::start(std::function<void()> paint, std::function<void()> done)
{
    m_done = std::move(done);
    m_watcher.setFuture(QtConcurrent::run(std::move(paint)));
}

void BackgroundPainter::discard(std::shared_ptr<const void> large)
{
    if (large)
        QThreadPool::globalInstance()->start([held = std::move(large)]() mutable { held.reset(); });
}

QImage blankPicture(QSizeF size, double ratio, const QColor& ground)
{
    QImage image((size * ratio).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    image.fill(ground);
    return image;
}

} // namespace arenascope::ui
