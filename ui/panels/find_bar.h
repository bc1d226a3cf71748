// SPDX-License-Identifier: MIT
// Finds operators and tensors by name, kind, type or shape, and walks through the hits.
#pragma once

#include "ui/document.h"
#include "ui/selection.h"

#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;

namespace arenascope::ui {

/// Its text is the shared filter: tables show what matches, views light it up, Enter walks through it.
class FindBar : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(Document* document, QWidget* parent = nullptr);

    QLineEdit* edit() const { return m_edit; }
    const std::vector<Item>& hits() const;
    int current() const { return m_current; } ///< index of the hit shown, -1: none

public slots:
    void start(); ///< Ctrl+F
    void next();
    void previous();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void takeMatches();
    bool isSearching() const;
    void go(int step);
    void showCount();

    Document* m_document;
    QLineEdit* m_edit;
    QLabel* m_count;
    int m_current = -1;
    int m_wanted = 0; ///< the step to take once a search has ended
};

} // namespace arenascope::ui
