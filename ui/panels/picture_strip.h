// SPDX-License-Identifier: MIT
// What the operator at the playhead has written, as pictures.
#pragma once

#include "ui/document.h"

#include <QWidget>

namespace arenascope::ui {

/// The tensors written at the playhead in the run that the document holds, one below the other: channels as small pictures. A click selects the
/// tensor. Takes no room where there are no pictures at all.
class PictureStrip : public QWidget {
    Q_OBJECT
public:
    explicit PictureStrip(Document* document, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// Of the playhead's step, in the order of the operator's outputs.
    const std::vector<TensorId>& shown() const { return m_shown; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    void takeRun();
    void takeStep();
    QRect rectOf(std::size_t index) const; ///< picture and words
    QRect pictureIn(const QRect& cell, QSize picture) const;
    TensorId tensorAt(QPoint at) const;
    QString words(TensorId tensor) const;

    Document* m_document;
    std::vector<TensorId> m_shown;
};

} // namespace arenascope::ui
