// SPDX-License-Identifier: MIT
#include "ui/panels/run_panel.h"

#include "ui/models/run_model.h"
#include "ui/panels/busy_strip.h"
#include "ui/panels/picture_strip.h"
#include "ui/panels/table_panel.h"
#include "ui/text.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace arenascope::ui {

namespace {

QString timeText(const RunRecord& run)
{
    if (run.settings.guard)
        return RunPanel::tr("Guarded: every byte was watched");
    return RunPanel::tr("%1 in the arena, %2 with every tensor in its own memory")
        .arg(durationText(run.secondsArena), durationText(run.secondsUnplanned));
}

QString verdictText(const RunRecord& run)
{
    if (run.end != RunRecord::End::Finished)
        return run.message;
    if (!run.violations.empty())
        return RunPanel::tr("Stopped by the guard. %1").arg(run.violations.front().text);
    if (run.isIdentical && !*run.isIdentical)
        return RunPanel::tr("Not the same as unplanned: %1 is the first tensor that differs").arg(run.firstDifference);
    const QString ran = countText(run.operatorsRun, RunPanel::tr("1 operator ran"), RunPanel::tr("%1 operators ran"));
    return run.isIdentical ? RunPanel::tr("\u2713 %1, every result bit for bit as without a plan. %2.").arg(ran, timeText(run))
                           : RunPanel::tr("%1. %2.").arg(ran, timeText(run));
}

QString memoryText(const RunRecord& run)
{
    QStringList parts {
        RunPanel::tr("Tensors: arena %1 instead of %2").arg(sizeText(run.arena), sizeText(run.unplanned)),
        RunPanel::tr("workspace %1").arg(sizeText(run.workspace)),
        RunPanel::tr("weights %1").arg(sizeText(run.weights)),
    };
    if (run.outside > 0)
        parts << RunPanel::tr("outside the arena %1").arg(sizeText(run.outside));
    // Measured beyond what the process had taken with the weights read.
    if (run.peakLoaded > 0 && run.peakArena > 0 && run.peakUnplanned > 0)
        parts << RunPanel::tr("process, beyond the loaded model: %1 instead of %2")
                     .arg(sizeText(std::max<Bytes>(0, run.peakArena - run.peakLoaded)),
                         sizeText(std::max<Bytes>(0, run.peakUnplanned - run.peakLoaded)));
    return parts.join(QStringLiteral("  \u00b7  "));
}

} // namespace

RunPanel::RunPanel(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_model(new RunModel)
    , m_table(new TablePanel(m_model, document, QStringLiteral("runTable"), this))
    , m_run(new QPushButton(tr("Run"), this))
    , m_guard(new QCheckBox(tr("Guard"), this))
    , m_repeat(new QSpinBox(this))
    , m_verdict(new QLabel(this))
    , m_memory(new QLabel(this))
{
    m_run->setObjectName(QStringLiteral("runButton"));
    m_guard->setObjectName(QStringLiteral("runGuard"));
    m_guard->setToolTip(tr("Watches every byte: bytes that nobody needs are poisoned, what an operator reads must be what was written,\n"
                           "and nothing may be written beside its outputs. Slower; times are then of no use."));
    m_repeat->setObjectName(QStringLiteral("runRepeat"));
    m_repeat->setRange(1, 1000);
    m_repeat->setPrefix(tr("repeat "));
    m_repeat->setToolTip(tr("How often it runs; times are medians"));
    m_verdict->setObjectName(QStringLiteral("runVerdict"));
    m_memory->setObjectName(QStringLiteral("runMemory"));
    for (QLabel* label : { m_verdict, m_memory }) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setContentsMargins(8, 0, 8, 2);
    }
    m_memory->setForegroundRole(QPalette::PlaceholderText);
    m_table->bar()->insertWidget(0, m_run);
    m_table->bar()->insertWidget(1, m_repeat);
    m_table->bar()->insertWidget(2, m_guard);
    m_table->bar()->insertStretch(3, 1);
    m_table->sortBy(RunModel::TimeColumn, Qt::DescendingOrder);
    m_table->setEmptyText(tr("Run computes every operator in the bytes that the plan gives it, in a process of its own, with random input,\n"
                             "and compares every tensor with a run in which each has its own memory."));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(new BusyStrip(document, { Stage::Run }, this));
    layout->addWidget(m_verdict);
    layout->addWidget(m_memory);
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(new PictureStrip(document, this));
    row->addWidget(m_table, 1);
    layout->addLayout(row, 1);

    connect(m_run, &QPushButton::clicked, this, &RunPanel::start);
    connect(document, &Document::runChanged, this, &RunPanel::showRun);
    connect(document, &Document::outcomeChanged, this, &RunPanel::showState);
    connect(document, &Document::busyChanged, this, &RunPanel::showState);
    showRun();
    showState();
}

void RunPanel::start()
{
    if (m_document->isBusy(Stage::Run))
        m_document->cancel(Stage::Run);
    else
        m_document->startRun({ m_guard->isChecked(), m_repeat->value() });
}

void RunPanel::showState()
{
    const bool isRunning = m_document->isBusy(Stage::Run);
    m_run->setText(isRunning ? tr("Stop") : tr("Run"));
    m_run->setEnabled(m_document->outcome() != nullptr && !m_document->isBare());
    m_guard->setEnabled(!isRunning);
    m_repeat->setEnabled(!isRunning);
}

void RunPanel::showRun()
{
    const auto run = m_document->run();
    m_verdict->setVisible(run != nullptr);
    m_memory->setVisible(run && run->end == RunRecord::End::Finished);
    m_model->setRun(run && run->end == RunRecord::End::Finished ? run : nullptr);
    if (!run)
        return;
    m_verdict->setText(verdictText(*run));
    m_memory->setText(memoryText(*run));
}

} // namespace arenascope::ui
