// SPDX-License-Identifier: MIT
#include "ui/panels/headline.h"

#include "ui/text.h"

#include <arenascope/regions.h>

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace arenascope::ui {

namespace {

void paint(QLabel* label, const QColor& colour)
{
    QPalette palette = label->palette();
    palette.setColor(QPalette::WindowText, colour);
    label->setPalette(palette);
}

QString gapText(const PlanOutcome& outcome)
{
    const Bytes arena = outcome.plan.arenaSize;
    const Bytes least = outcome.study->lowerBound();
    const Bytes bound = provenBoundOf(outcome);
    if (arena == least)
        return Headline::tr("= bound (proven)");
    if (arena < least)
        return Headline::tr("below the bound");
    const auto above = [arena](Bytes from) {
        return changeText(from > 0 ? static_cast<double>(arena) / static_cast<double>(from) - 1.0 : 0.0);
    };
    if (isProvenSmallest(outcome))
        return Headline::tr("%1 above the bound (proven smallest)").arg(above(least));
    if (bound > least)
        return Headline::tr("%1 above the proven bound of %2").arg(above(bound), sizeText(bound));
    return Headline::tr("%1 above the bound of %2").arg(above(least), sizeText(least));
}

} // namespace

Headline::Headline(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_theme(Theme::light())
    , m_name(new QLabel(this))
    , m_arena(new QLabel(this))
    , m_gap(new QLabel(this))
    , m_saving(new QLabel(this))
    , m_proof(new QLabel(this))
    , m_budget(new QLabel(this))
    , m_search(new QLabel(this))
    , m_stop(new QToolButton(this))
{
    setObjectName(QStringLiteral("headline"));
    QFont large = font();
    large.setPixelSize(17);
    m_name->setFont(large);
    large.setBold(true);
    m_arena->setFont(large);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 5, 10, 5);
    layout->setSpacing(14);
    for (QLabel* label : { m_name, m_arena, m_gap, m_saving, m_proof, m_budget, m_search }) {
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout->addWidget(label);
    }
    m_stop->setObjectName(QStringLiteral("stopSearch"));
    m_stop->setText(tr("Stop"));
    m_stop->setToolTip(tr("Ends the search and keeps the best plan that it has found"));
    layout->addWidget(m_stop);
    // The name gives way first when the window is narrow.
    m_name->setMinimumWidth(60);
    layout->addStretch(1);

    connect(document, &Document::graphChanged, this, &Headline::refresh);
    connect(document, &Document::studyChanged, this, &Headline::refresh);
    connect(document, &Document::outcomeChanged, this, &Headline::refresh);
    connect(document, &Document::budgetChanged, this, &Headline::refresh);
    connect(document, &Document::busyChanged, this, &Headline::refresh);
    connect(document, &Document::searchingChanged, this, &Headline::showSearch);
    connect(document, &Document::progressChanged, this, [this](Stage stage, double fraction) {
        if (stage == Stage::Plan && m_document->isSearching() && fraction >= 0.0)
            m_search->setText(tr("searching \u2026 %1 %").arg(static_cast<int>(fraction * 100.0)));
    });
    connect(m_stop, &QToolButton::clicked, document, [document] { document->cancel(Stage::Plan); });
    refresh();
    showSearch();
}

void Headline::showSearch()
{
    m_search->setText(m_document->isSearching() ? tr("searching \u2026") : QString());
    m_search->setVisible(m_document->isSearching());
    m_stop->setVisible(m_document->isSearching());
    refresh();
}

void Headline::setTheme(const Theme& theme)
{
    m_theme = theme;
    refresh();
}

QString Headline::text() const
{
    QStringList parts;
    for (const QLabel* label : { m_name, m_arena, m_gap, m_saving, m_proof, m_budget }) {
        if (!label->text().isEmpty())
            parts << label->text();
    }
    return parts.join(QStringLiteral("  "));
}

void Headline::refresh()
{
    const auto graph = m_document->graph();
    const QString name = QFileInfo(m_document->path()).fileName();
    m_name->setText(m_name->fontMetrics().elidedText(name, Qt::ElideMiddle, 360));
    m_name->setToolTip(m_document->path());
    const auto outcome = m_document->outcome();
    if (graph && outcome)
        say(*outcome);
    else
        sayNothingPlanned();
    setAccessibleName(text());
}

void Headline::say(const PlanOutcome& outcome)
{
    const Study& study = *outcome.study;
    m_arena->setText(tr("%1 arena").arg(sizeText(outcome.plan.arenaSize)));
    m_arena->setToolTip(tr("Arena: %1\nLower bound: %2\nEvery buffer its own bytes: %3")
                            .arg(exactText(outcome.plan.arenaSize), exactText(study.lowerBound()), exactText(study.naive)));
    m_gap->setText(gapText(outcome));
    paint(m_gap, isProvenSmallest(outcome) ? m_theme.bound : m_theme.peak);
    QString why = tr("No arena can be smaller than %1, which is %2").arg(exactText(study.lowerBound()), boundReason(study));
    if (provenBoundOf(outcome) > study.lowerBound())
        why += u'\n' + tr("The search has proven more: no arena is smaller than %1").arg(exactText(provenBoundOf(outcome)));
    m_gap->setToolTip(why);
    const double saving = study.naive > 0 ? static_cast<double>(outcome.plan.arenaSize) / static_cast<double>(study.naive) - 1.0 : 0.0;
    m_saving->setText(tr("%1 of naive").arg(changeText(saving)));
    m_saving->setToolTip(tr("Naive: every buffer its own bytes, %1").arg(exactText(study.naive)));
    sayProof(outcome);
    const auto budget = m_document->budget();
    m_budget->setVisible(budget.has_value());
    m_budget->clear();
    if (!budget)
        return;
    const Bytes over = firstMemoryBytes(outcome.plan) - *budget;
    m_budget->setText(over > 0 ? tr("%1 over budget").arg(sizeText(over)) : tr("fits the budget, %1 free").arg(sizeText(-over)));
    m_budget->setToolTip(tr("Budget: %1\nDifference: %2").arg(exactText(*budget), exactText(over > 0 ? over : -over)));
    paint(m_budget, over > 0 ? m_theme.budget : m_theme.bound);
}

void Headline::sayProof(const PlanOutcome& outcome)
{
    const QString chosen = toQString(outcome.plan.chosen);
    const QString strategy = chosen.isEmpty() ? toQString(outcome.plan.strategy) : chosen;
    if (outcome.isValid()) {
        const bool isStopped = outcome.plan.completion == Completion::Interrupted && !isProvenSmallest(outcome);
        m_proof->setText(isStopped ? tr("\u2713 %1, stopped early").arg(strategyTitle(strategy)) : tr("\u2713 %1").arg(strategyTitle(strategy)));
        m_proof->setToolTip(tr("Checked and replayed: no two buffers clash, and every read finds what was written"));
        paint(m_proof, m_theme.bound);
    } else {
        m_proof->setText(tr("\u2717 not valid: %1").arg(strategyTitle(strategy)));
        m_proof->setToolTip(tr("The check or the replay found clashes"));
        paint(m_proof, m_theme.clash);
    }
}

void Headline::sayNothingPlanned()
{
    for (QLabel* label : { m_arena, m_saving, m_proof, m_budget }) {
        label->clear();
        label->setToolTip({});
    }
    paint(m_gap, m_theme.mutedText);
    m_gap->setToolTip({});
    const bool isWorking = m_document->isBusy(Stage::Study) || m_document->isBusy(Stage::Plan);
    m_gap->setText(!m_document->graph() ? QString() : isWorking ? tr("planning \u2026") : tr("not planned"));
}

} // namespace arenascope::ui
