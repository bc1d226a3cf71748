// SPDX-License-Identifier: MIT
#include "ui/panels/peak_panel.h"

#include "ui/models/peak_model.h"
#include "ui/panels/smaller_strip.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace arenascope::ui {

PeakPanel::PeakPanel(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_model(new PeakModel)
    , m_panel(new TablePanel(m_model, document, QStringLiteral("peakTable"), this))
    , m_where(new QComboBox(this))
    , m_summary(new QLabel(this))
{
    m_where->addItems({ tr("At the peak"), tr("At the playhead") });
    m_where->setAccessibleName(tr("Step to explain"));
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_summary->setWordWrap(true);
    m_panel->bar()->insertWidget(0, m_where);
    m_panel->bar()->insertWidget(1, m_summary, 2);
    m_panel->sortBy(PeakModel::SizeColumn, Qt::DescendingOrder);
    m_panel->setEmptyText(tr("Nothing is planned yet."));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(new SmallerStrip(document, this));
    layout->addWidget(m_panel, 1);

    connect(m_where, &QComboBox::currentIndexChanged, this, &PeakPanel::refresh);
    connect(document, &Document::studyChanged, this, &PeakPanel::refresh);
    connect(document->selection(), &Selection::playheadChanged, this, [this] {
        if (m_where->currentIndex() == 1)
            refresh();
    });
}

void PeakPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void PeakPanel::refresh()
{
    if (!isVisible() && m_document->study())
        return;
    const auto study = m_document->study();
    if (!study) {
        m_model->setContent(nullptr, 0);
        m_summary->clear();
        return;
    }
    const Step step = m_where->currentIndex() == 0 ? study->profile.peakStep : m_document->selection()->playhead();
    m_model->setContent(study, step);
    const auto index = static_cast<std::size_t>(step);
    if (index >= study->schedule.order.size())
        return;
    const Operator& op = study->graph->op(study->schedule.order[index]);
    m_summary->setText(tr("Step %1: %2 (%3) with %4 alive")
                           .arg(step)
                           .arg(toQString(op.name), toQString(op.kind), sizeText(study->profile.liveBytes[index])));
    m_summary->setToolTip(m_summary->text() + u'\n' + exactText(study->profile.liveBytes[index]));
}

} // namespace arenascope::ui
