// SPDX-License-Identifier: MIT
#include "ui/panels/busy_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include <algorithm>

namespace arenascope::ui {

namespace {

QString stageText(Stage stage)
{
    switch (stage) {
    case Stage::Import:
        return BusyStrip::tr("Reading the model");
    case Stage::Study:
        return BusyStrip::tr("Finding branches and live ranges");
    case Stage::Plan:
        return BusyStrip::tr("Planning");
    case Stage::Ladder:
        return BusyStrip::tr("Comparing strategies");
    case Stage::Layout:
        return BusyStrip::tr("Laying out the network");
    case Stage::Run:
        return BusyStrip::tr("Running");
    }
    return {};
}

} // namespace

BusyStrip::BusyStrip(Document* document, std::vector<Stage> stages, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_stages(std::move(stages))
    , m_bar(new QProgressBar(this))
    , m_text(new QLabel(this))
{
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(6);
    m_bar->setRange(0, 0);
    m_bar->setMinimumWidth(80);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* cancel = new QToolButton(this);
    cancel->setObjectName(QStringLiteral("cancelBusy"));
    cancel->setText(tr("Cancel"));
    connect(cancel, &QToolButton::clicked, this, [this] {
        for (const Stage stage : m_stages)
            m_document->cancel(stage);
    });

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 2, 4, 2);
    layout->addWidget(m_text, 2);
    layout->addWidget(m_bar, 3);
    layout->addWidget(cancel);
    hide();

    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelay);
    connect(&m_delay, &QTimer::timeout, this, &QWidget::show);
    connect(document, &Document::busyChanged, this, &BusyStrip::follow);
    connect(document, &Document::searchingChanged, this, &BusyStrip::follow);
    connect(document, &Document::outcomeChanged, this, &BusyStrip::follow);
    connect(document, &Document::progressChanged, this, &BusyStrip::showProgress);
}

bool BusyStrip::isOurs(Stage stage) const
{
    return std::find(m_stages.begin(), m_stages.end(), stage) != m_stages.end();
}

void BusyStrip::follow()
{
    const auto busy = std::find_if(m_stages.begin(), m_stages.end(), [this](Stage stage) {
        // Of a search, with its button to stop it, the headline tells: the view beside this strip must stand still.
        const bool isSearch = stage == Stage::Plan && isSearchStrategy(m_document->strategy()) && m_document->outcome();
        return m_document->isBusy(stage) && !isSearch;
    });
    if (busy == m_stages.end()) {
        m_delay.stop();
        hide();
        return;
    }
    m_text->setText(stageText(*busy));
    m_bar->setRange(0, 0);
    if (!isVisible() && !m_delay.isActive())
        m_delay.start();
}

void BusyStrip::showProgress(Stage stage, double fraction, const QString& text)
{
    if (!isOurs(stage))
        return;
    m_text->setText(text.isEmpty() ? stageText(stage) : tr("%1: %2").arg(stageText(stage), text));
    if (fraction < 0.0) {
        m_bar->setRange(0, 0);
        return;
    }
    m_bar->setRange(0, 1000);
    m_bar->setValue(static_cast<int>(fraction * 1000.0));
}

} // namespace arenascope::ui
