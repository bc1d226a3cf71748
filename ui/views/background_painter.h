// SPDX-License-Identifier: MIT
// Pictures that take longer to paint than a frame are painted on a worker.
#pragma once

#include <QFutureWatcher>
#include <QImage>
#include <QObject>

#include <functional>
#include <memory>

namespace arenascope::ui {

/// Paints one picture at a time. Views show the picture before it in the meantime, where it now belongs, and ask again
/// when something has changed since.
class BackgroundPainter : public QObject {
    Q_OBJECT
public:
    explicit BackgroundPainter(QObject* parent = nullptr);
    ~BackgroundPainter() override; ///< waits: fonts are gone once the application is

    bool isBusy() const { return m_done != nullptr; }
    /// Only while not busy. `paint` owns all that it looks at; `done` runs in this object's thread.
    void start(std::function<void()> paint, std::function<void()> done);

    /// Lets go of something large on a worker: freeing it takes longer than a frame.
    static void discard(std::shared_ptr<const void> large);

private:
    QFutureWatcher<void> m_watcher;
    std::function<void()> m_done; ///< until it is called
};

/// An empty picture of `size` points, sharp at `ratio` pixels a point.
QImage blankPicture(QSizeF size, double ratio, const QColor& ground);

} // namespace arenascope::ui
