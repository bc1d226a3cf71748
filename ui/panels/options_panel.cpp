// SPDX-License-Identifier: MIT
#include "ui/panels/options_panel.h"

#include "ui/panels/option_controls.h"
#include "ui/settings.h"
#include "ui/text.h"

#include <arenascope/regions.h>

#include <QCheckBox>
#include <QDoubleSpinBox>
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
    , m_regions(new QLineEdit)
    , m_seconds(new QDoubleSpinBox)
{
    m_summary->setWordWrap(true);
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    m_summary->setMinimumWidth(420); // two lines, not a column
    m_workspace->setObjectName(QStringLiteral("workspaceCheck"));
    m_budget->setObjectName(QStringLiteral("budgetEdit"));
    m_budget->setPlaceholderText(tr("none; 256K, 1.5M, 8MiB \u2026"));
    m_budget->setMaximumWidth(220);

    m_regions->setObjectName(QStringLiteral("regionsEdit"));
    m_regions->setPlaceholderText(tr("one; or sram=256K, psram=8M, flash"));
    m_regions->setMinimumWidth(320);

    m_seconds->setObjectName(QStringLiteral("searchSecondsSpin"));
    m_seconds->setRange(0.0, Settings::kMaxSearchSeconds);
    m_seconds->setDecimals(1);
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setKeyboardTracking(false); // not with every digit
    m_seconds->setMinimumWidth(150);
    m_seconds->setToolTip(tr("How long a search may look for a smaller arena; Stop ends it at once and keeps the best plan"));

    auto* content = new QWidget;
    auto* form = new QFormLayout(content);
    form->setFieldGrowthPolicy(QFormLayout::FieldsStayAtSizeHint);
    form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
    form->addRow(tr("Strategy"), makeStrategyCombo(document));
    form->addRow(QString(), m_summary);
    form->addRow(tr("Search for at most"), m_seconds);
    form->addRow(tr("Alias"), makeAliasCombo(document));
    form->addRow(tr("Order"), makeScheduleCombo(document));
    form->addRow(tr("Operators run"), makeConcurrencyCombo(document));
    form->addRow(tr("Inputs and outputs"), makeIoCombo(document));
    form->addRow(tr("Alignment"), makeAlignmentCombo(document));
    form->addRow(tr("At joins of branches"), makeJoinCombo(document));
    form->addRow(tr("Workspace"), m_workspace);
    form->addRow(tr("Memories"), m_regions);
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
    connect(m_seconds, &QDoubleSpinBox::valueChanged, this, [this](double seconds) {
        m_document->setSearchSeconds(seconds > 0.0 ? std::optional(seconds) : std::nullopt);
    });
    connect(m_budget, &QLineEdit::editingFinished, this, &OptionsPanel::takeBudget);
    connect(m_regions, &QLineEdit::editingFinished, this, &OptionsPanel::takeRegions);
    connect(document, &Document::optionsChanged, this, &OptionsPanel::showOptions);
    connect(document, &Document::budgetChanged, this, &OptionsPanel::showBudget);
    showOptions();
    showBudget();
}

void OptionsPanel::showOptions()
{
    m_summary->setText(strategySummary(m_document->strategy()));
    m_workspace->setChecked(m_document->studyOptions().problem.countWorkspace);
    m_workspace->setEnabled(!m_document->isBare());
    showSearchSeconds();
    showRegions();
}

void OptionsPanel::showRegions()
{
    m_regions->setText(QString::fromStdString(regionsText(m_document->studyOptions().problem.regions)));
    m_regions->setModified(false);
    m_regions->setToolTip(tr("Memories with their capacities, the one to fill first in front; what it has no room for goes to the next"));
}

void OptionsPanel::takeRegions()
{
    if (!m_regions->isModified())
        return;
    m_regions->setModified(false);
    auto regions = regionsFromText(m_regions->text().toStdString());
    if (!regions) {
        m_regions->setToolTip(messageText(regions.error()));
        m_regions->selectAll();
        return;
    }
    StudyOptions options = m_document->studyOptions();
    options.problem.regions = *std::move(regions);
    m_document->setStudyOptions(options);
    showRegions();
}

void OptionsPanel::showSearchSeconds()
{
    const QSignalBlocker blocker(m_seconds); // shown, not chosen
    const QString strategy = m_document->strategy();
    const auto usual = defaultSearchSeconds(strategy);
    m_seconds->setEnabled(isSearchStrategy(strategy));
    m_seconds->setSpecialValueText(!m_seconds->isEnabled() ? tr("no search")
            : usual                                         ? tr("%1 s (default)").arg(*usual)
                                                            : tr("its own measure"));
    m_seconds->setValue(m_seconds->isEnabled() ? m_document->searchSeconds().value_or(0.0) : 0.0);
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
