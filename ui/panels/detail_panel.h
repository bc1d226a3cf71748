// SPDX-License-Identifier: MIT
// The selected item in full, with links to what it is connected with.
#pragma once

#include "ui/document.h"
#include "ui/selection.h"

#include <QWidget>

class QTextBrowser;

namespace arenascope::ui {

/// Rich text about an item, names escaped; links are "op:3", "tensor:3", "buffer:3", "branch:3". Empty for no item.
QString detailHtml(const Graph& graph, const PlanOutcome* outcome, Item item);
/// The item that a link of detailHtml() leads to, or none.
Item itemOfLink(const QString& link);

class DetailPanel : public QWidget {
    Q_OBJECT
public:
    explicit DetailPanel(Document* document, QWidget* parent = nullptr);
    QTextBrowser* browser() const { return m_browser; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();

    Document* m_document;
    QTextBrowser* m_browser;
};

} // namespace arenascope::ui
