// SPDX-License-Identifier: MIT
#include "ui/panels/table_style.h"

#include <QHeaderView>
#include <QProxyStyle>
#include <QTableView>

namespace arenascope::ui {

namespace {

// Room between a right-aligned number and the words of the next column.
class TableStyle : public QProxyStyle {
public:
    TableStyle()
        : QProxyStyle(QStringLiteral("Fusion"))
    {
    }
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override
    {
        constexpr int kMargin = 6;
        if (metric == PM_FocusFrameHMargin || metric == PM_HeaderMargin)
            return kMargin;
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
};

} // namespace

void dressTable(QTableView* table)
{
    auto* style = new TableStyle;
    style->setParent(table);
    table->setStyle(style);
    table->horizontalHeader()->setStyle(style);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setAlternatingRowColors(true);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTextElideMode(Qt::ElideMiddle);
    table->setFrameShape(QFrame::NoFrame);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->setTabKeyNavigation(false);
    table->verticalHeader()->hide();
    // A table of 20,000 rows need not measure each.
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 6);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setMinimumSectionSize(40);
}

} // namespace arenascope::ui
