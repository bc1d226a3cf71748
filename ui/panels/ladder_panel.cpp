// SPDX-License-Identifier: MIT
#include "ui/panels/ladder_panel.h"

#include "ui/models/ladder_model.h"
#include "ui/models/row_proxy.h"
#include "ui/panels/busy_strip.h"
#include "ui/panels/table_style.h"

#include <arenascope/runtime.h>

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

namespace arenascope::ui {

LadderPanel::LadderPanel(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_model(new LadderModel(this))
    , m_proxy(new RowProxy(m_model, this))
    , m_table(new QTableView(this))
    , m_summary(new QLabel(this))
{
    m_table->setObjectName(QStringLiteral("ladderTable"));
    m_table->setModel(m_proxy);
    dressTable(m_table);
    m_table->horizontalHeader()->setStretchLastSection(true);
    for (int column = 0; column < m_model->columnCount(); ++column)
        m_table->setColumnWidth(column, m_model->column(column).width);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder); // the order of the ladder until the user sorts
    m_summary->setObjectName(QStringLiteral("ladderSummary"));
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setContentsMargins(8, 4, 8, 4);
    m_summary->setWordWrap(true);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_summary);
    layout->addWidget(new BusyStrip(document, { Stage::Ladder }, this));
    layout->addWidget(m_table, 1);

    const auto take = [this](const QModelIndex& index) {
        const QModelIndex source = m_proxy->mapToSource(index);
        if (source.isValid())
            m_document->setStrategy(m_model->strategyAt(source.row()));
    };
    connect(m_table, &QTableView::clicked, this, take);
    connect(m_table, &QTableView::activated, this, take);
    connect(document, &Document::ladderChanged, this, &LadderPanel::refresh);
    connect(document, &Document::studyChanged, this, &LadderPanel::refresh);
    connect(document, &Document::outcomeChanged, this, &LadderPanel::showCurrent);
    connect(document, &Document::optionsChanged, this, &LadderPanel::showCurrent);
    refresh();
}

void LadderPanel::refresh()
{
    m_model->setRungs(m_document->ladder());
    const auto study = m_document->study();
    m_summary->setVisible(study != nullptr);
    if (study) {
        m_summary->setText(tr("No arena can be smaller than %1, which is %2. Click a strategy to take it.")
                               .arg(sizeText(study->lowerBound()), boundReason(*study))
                           + onDeviceText());
        m_summary->setToolTip(exactText(study->lowerBound()));
    }
    showCurrent();
}

/// What the network's runtime will need by itself, where the options are those of that runtime.
QString LadderPanel::onDeviceText() const
{
    const Study& study = *m_document->study();
    const StudyOptions& options = study.options;
    const bool isAsOnDevice = study.graph->info().format == "TensorFlow Lite" && options.alias == AliasMode::None
        && options.schedule == ScheduleKind::File && options.problem.alignment == preferredAlignment(*study.graph)
        && options.problem.io.inputsInArena && options.problem.io.outputsInArena && options.problem.regions.empty();
    const auto opened = m_document->openedPlan();
    const QString text = opened && opened->isFromModel ? tr("TensorFlow Lite Micro, following the plan in the file, needs %1.")
                                                       : tr("TensorFlow Lite Micro's own planner needs %1 today.");
    for (const LadderRung& rung : m_document->ladder()) {
        if (isAsOnDevice && rung.strategy == "tflm" && rung.outcome)
            return u' ' + text.arg(sizeText(rung.outcome->plan.arenaSize));
    }
    return {};
}

void LadderPanel::showCurrent()
{
    const auto outcome = m_document->outcome();
    const QString chosen = outcome ? toQString(outcome->plan.chosen) : QString();
    m_model->setCurrent(m_document->strategy(), chosen);
}

} // namespace arenascope::ui
