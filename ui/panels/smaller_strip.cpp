// SPDX-License-Identifier: MIT
#include "ui/panels/smaller_strip.h"

#include "ui/text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace arenascope::ui {

namespace {

constexpr int kChanges = 3;

QString nameOf(Alternative::Change change)
{
    switch (change) {
    case Alternative::Change::AliasInPlace:
        return SmallerStrip::tr("Alias: %1").arg(aliasTitle(AliasMode::InPlace));
    case Alternative::Change::AliasAll:
        return SmallerStrip::tr("Alias: %1").arg(aliasTitle(AliasMode::All));
    case Alternative::Change::OrderMinPeak:
        return SmallerStrip::tr("Order: %1").arg(scheduleTitle(ScheduleKind::MinPeak));
    }
    return {};
}

QString verdictText(const PlanOutcome& outcome)
{
    const QString arena = sizeText(outcome.plan.arenaSize);
    if (outcome.plan.arenaSize == outcome.study->lowerBound())
        return SmallerStrip::tr("Proven smallest with these options: %1, %2.").arg(arena, boundReason(*outcome.study));
    if (isProvenSmallest(outcome))
        return SmallerStrip::tr("Proven smallest with these options: a search found that %1 cannot be packed tighter.").arg(arena);
    return SmallerStrip::tr("Not proven: the smallest arena with these options is between %1 and %2.")
        .arg(sizeText(provenBoundOf(outcome)), arena);
}

} // namespace

SmallerStrip::SmallerStrip(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_verdict(new QLabel(this))
    , m_lead(new QLabel(this))
{
    m_verdict->setObjectName(QStringLiteral("smallerVerdict"));
    m_verdict->setTextFormat(Qt::PlainText);
    m_verdict->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_lead->setObjectName(QStringLiteral("smallerLead"));
    m_lead->setForegroundRole(QPalette::PlaceholderText);
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    row->addWidget(m_lead);
    for (int i = 0; i < kChanges; ++i) {
        const auto change = static_cast<Alternative::Change>(i);
        auto* button = new QPushButton(this);
        button->setObjectName(QStringLiteral("smaller%1").arg(i));
        button->setAutoDefault(false);
        connect(button, &QPushButton::clicked, this, [this, change] { take(change); });
        m_buttons.push_back(button);
        row->addWidget(button);
    }
    row->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 2, 8, 4);
    layout->setSpacing(3);
    layout->addWidget(m_verdict);
    layout->addLayout(row);

    connect(document, &Document::outcomeChanged, this, &SmallerStrip::showVerdict);
    connect(document, &Document::alternativesChanged, this, &SmallerStrip::showAlternatives);
    connect(document, &Document::studyChanged, this, &SmallerStrip::askIfSeen);
    showVerdict();
    showAlternatives();
}

/// A dock behind other tabs counts as visible, but is never painted.
void SmallerStrip::paintEvent(QPaintEvent* event)
{
    QWidget::paintEvent(event);
    QMetaObject::invokeMethod(this, &SmallerStrip::askIfSeen, Qt::QueuedConnection);
}

void SmallerStrip::askIfSeen()
{
    if (!visibleRegion().isEmpty())
        m_document->wantAlternatives();
}

void SmallerStrip::showVerdict()
{
    const auto outcome = m_document->outcome();
    m_verdict->setText(outcome ? verdictText(*outcome) : QString());
    m_verdict->setToolTip(outcome ? tr("Arena: %1\nProven bound: %2")
                                        .arg(exactText(outcome->plan.arenaSize), exactText(provenBoundOf(*outcome)))
                                  : QString());
}

QPushButton* SmallerStrip::buttonOf(Alternative::Change change) const
{
    return m_buttons[static_cast<std::size_t>(change)];
}

void SmallerStrip::showAlternatives()
{
    for (QPushButton* button : m_buttons)
        button->hide();
    const auto& alternatives = m_document->alternatives();
    if (m_document->isFindingAlternatives()) {
        m_lead->setText(tr("Trying other options \u2026"));
        return;
    }
    const bool isAny = !alternatives.empty() && m_document->study();
    m_lead->setText(isAny ? tr("Lower bound with") : QString());
    if (!isAny)
        return;
    for (const Alternative& alternative : alternatives)
        showOn(buttonOf(alternative.change), alternative);
}

void SmallerStrip::showOn(QPushButton* button, const Alternative& alternative) const
{
    const Bytes now = m_document->study()->lowerBound();
    const QString name = nameOf(alternative.change);
    button->show();
    button->setEnabled(alternative.bound && *alternative.bound < now);
    if (!alternative.bound) {
        button->setText(tr("%1: unknown").arg(name));
        button->setToolTip({});
        return;
    }
    const Bytes bound = *alternative.bound;
    const double change = now > 0 ? static_cast<double>(bound) / static_cast<double>(now) - 1.0 : 0.0;
    button->setText(bound < now ? tr("%1: %2 (%3)").arg(name, sizeText(bound), changeText(change))
            : bound == now      ? tr("%1: no change").arg(name)
                                : tr("%1: more").arg(name));
    button->setToolTip(tr("Lower bound with it: %1\nNow: %2\nClick to choose it").arg(exactText(bound), exactText(now)));
}

void SmallerStrip::take(Alternative::Change change)
{
    const auto& alternatives = m_document->alternatives();
    const auto found = std::find_if(alternatives.begin(), alternatives.end(),
        [change](const Alternative& alternative) { return alternative.change == change; });
    if (found == alternatives.end())
        return;
    const StudyOptions options = found->options; // what it is read from goes with the old study
    m_document->setStudyOptions(options);
}

} // namespace arenascope::ui
