// SPDX-License-Identifier: MIT
// Finds operators and tensors by name, kind, type or shape, and walks through the hits.
#pragma once

#include "ui/document.h"
#include "ui/selection.h"
#include "ui/text.h"

#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;

namespace arenascope::ui {

/// Operators and tensors whose words match, operators first, each in the order of the graph.
std::vector<Item> findItems(const Graph& graph, const TextMatcher& matcher);

class FindBar : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(Document* document, QWidget* parent = nullptr);

    QLineEdit* edit() const { return m_edit; }
    const std::vector<Item>& hits() const { return m_hits; }
    int current() const { return m_current; } ///< index of the hit shown, -1: none

public slots:
    void start(); ///< Ctrl+F
    void next();
    void previous();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search();
    void go(int step);
    void showCount();

    Document* m_document;
    QLineEdit* m_edit;
    QLabel* m_count;
    std::vector<Item> m_hits;
    int m_current = -1;
    bool m_isStale = true; ///< text or graph changed since the hits were found
};

} // namespace arenascope::ui
