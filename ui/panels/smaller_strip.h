// SPDX-License-Identifier: MIT
// Why the arena is not smaller, and which option would let it be.
#pragma once

#include "ui/document.h"

#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;

namespace arenascope::ui {

/// A sentence about what is proven, and a button an option: what the lower bound would be with it alone changed. Clicking
/// takes it. Asks for the figures only while it is seen.
class SmallerStrip : public QWidget {
    Q_OBJECT
public:
    explicit SmallerStrip(Document* document, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void askIfSeen();
    void showVerdict();
    void showAlternatives();
    void showOn(QPushButton* button, const Alternative& alternative) const;
    void take(Alternative::Change change);
    QPushButton* buttonOf(Alternative::Change change) const;

    Document* m_document;
    QLabel* m_verdict;
    QLabel* m_lead;
    std::vector<QPushButton*> m_buttons; ///< by Alternative::Change
};

} // namespace arenascope::ui
