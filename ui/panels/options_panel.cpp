// SPDX-License-Identifier: MIT
#include "ui/panels/options_panel.h"

#include "ui/panels/option_controls.h"
#include "ui/text.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QVBoxLayout>

namespace arenascope::ui {

OptionsPanel::OptionsPanel(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_summary(new QLabel)
    , m_workspace(new QCheckBox(tr("Scratch memory of operators counts as a buffer of its step")))
    , m_budget(new QLineEdit)
{
    m_summary->setWordWrap(true);
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    m_summary->setMinimumWidth(420); // two lines, not a column
    m_workspace->setObjectName(QStringLiteral("workspaceCheck"));
    m_budget->setObjectName(QStringLiteral("budgetEdit"));
    m_budget->setPlaceholderText(tr("none; 256K, 1.5M, 8MiB \u2026"));
    m_budget->setMaximumWidth(220);

    auto* content = new QWidget;
    auto* form = new QFormLayout(content);
    form->setFieldGrowthPolicy(QFormLayout::FieldsStayAtSizeHint);
    form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    form->addRow(tr("Strategy"), makeStrategyCombo(document));
    form->addRow(QString(), m_summary);
    form->addRow(tr("Alias"), makeAliasCombo(document));
    form->addRow(tr("Order"), makeScheduleCombo(document));
    form->addRow(tr("Inputs and outputs"), makeIoCombo(document));
    form->addRow(tr("Alignment"), makeAlignmentCombo(document));
    form->addRow(tr("At joins of branches"), makeJoinCombo(document));
    form->addRow(tr("Workspace"), m_workspace);
    form->addRow(tr("Budget"), m_budget);

    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(content);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll);

    connect(m_workspace, &QCheckBox::clicked, this, [this](bool on) {
        StudyOptions options = m_document->studyOptions();
        options.problem.countWorkspace = on;
        m_document->setStudyOptions(options);
    });
    connect(m_budget, &QLineEdit::editingFinished, this, &OptionsPanel::takeBudget);
    connect(document, &Document::optionsChanged, this, &OptionsPanel::showOptions);
    connect(document, &Document::budgetChanged, this, &OptionsPanel::showBudget);
    showOptions();
    showBudget();
}

void OptionsPanel::showOptions()
{
    m_summary->setText(strategySummary(m_document->strategy()));
    m_workspace->setChecked(m_document->studyOptions().problem.countWorkspace);
}

void OptionsPanel::showBudget()
{
    const auto budget = m_document->budget();
    m_budget->setText(budget ? sizeText(*budget) : QString());
    m_budget->setToolTip(budget ? exactText(*budget) : tr("A size to hold the plan against"));
}

void OptionsPanel::takeBudget()
{
    // An untouched field holds a rounded size: reading it back would move the budget.
    if (!m_budget->isModified())
        return;
    m_budget->setModified(false);
    const QString text = m_budget->text().trimmed();
    if (text.isEmpty()) {
        m_document->setBudget(std::nullopt);
        return;
    }
    const auto bytes = parseBytes(text.toStdString());
    if (bytes) {
        m_document->setBudget(*bytes);
        showBudget();
        return;
    }
    m_budget->setToolTip(messageText(bytes.error()));
    m_budget->selectAll();
}

} // namespace arenascope::ui
