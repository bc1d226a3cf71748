// SPDX-License-Identifier: MIT
#include "ui/panels/picture_strip.h"

#include "ui/selection.h"
#include "ui/text.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace arenascope::ui {

namespace {

constexpr int kSide = 184;
constexpr int kLeastSide = 56;
constexpr int kGap = 6;
constexpr int kMargin = 8;

} // namespace

PictureStrip::PictureStrip(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
{
    setObjectName(QStringLiteral("pictureStrip"));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
    setMouseTracking(true);
    connect(document, &Document::runChanged, this, &PictureStrip::takeRun);
    connect(document->selection(), &Selection::playheadChanged, this, &PictureStrip::takeStep);
    takeRun();
}

QSize PictureStrip::sizeHint() const
{
    return { kSide + 2 * kMargin, kSide + kMargin + fontMetrics().height() + kGap };
}

QSize PictureStrip::minimumSizeHint() const
{
    return { kSide + 2 * kMargin, kLeastSide + kMargin + fontMetrics().height() };
}

void PictureStrip::takeRun()
{
    const auto run = m_document->run();
    setVisible(run && std::any_of(run->pictures.begin(), run->pictures.end(), [](const QImage& each) { return !each.isNull(); }));
    takeStep();
}

void PictureStrip::takeStep()
{
    m_shown.clear();
    if (const auto run = m_document->run()) {
        const Study& study = *run->outcome->study;
        const auto step = static_cast<std::size_t>(m_document->selection()->playhead());
        if (step < study.schedule.order.size()) {
            for (const TensorId id : study.graph->op(study.schedule.order[step]).outputs) {
                if (id.isValid() && !run->pictures[id.index()].isNull())
                    m_shown.push_back(id);
            }
        }
    }
    update();
}

QRect PictureStrip::rectOf(std::size_t index) const
{
    // All of them are to be seen: they share the height.
    const int count = std::max(1, static_cast<int>(m_shown.size()));
    const int least = kLeastSide + fontMetrics().height();
    const int most = kSide + fontMetrics().height() + kGap;
    const int height = std::clamp((this->height() - kMargin) / count, least, most);
    return { kMargin, kMargin + static_cast<int>(index) * height, kSide, height - kGap };
}

QRect PictureStrip::pictureIn(const QRect& cell, QSize picture) const
{
    const QSize room(cell.width(), cell.height() - fontMetrics().height());
    // Whole steps where it fits: a pixel is an element, or an average that was made of some.
    const int factor = std::min(room.width() / std::max(1, picture.width()), room.height() / std::max(1, picture.height()));
    return { cell.topLeft(), factor >= 1 ? picture * factor : picture.scaled(room, Qt::KeepAspectRatio) };
}

QString PictureStrip::words(TensorId tensor) const
{
    const Tensor& each = m_document->run()->outcome->study->graph->tensor(tensor);
    return tr("%1, %2, %3").arg(toQString(each.name), toQString(toString(each.shape)), sizeText(each.bytes));
}

void PictureStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const auto run = m_document->run();
    if (!run || m_shown.empty()) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(rect().adjusted(kMargin, 0, -kMargin, 0), Qt::AlignVCenter | Qt::TextWordWrap,
            tr("The operator at this step writes nothing that has a picture."));
        return;
    }
    for (std::size_t i = 0; i < m_shown.size(); ++i) {
        const QRect cell = rectOf(i);
        const QImage& image = run->pictures[m_shown[i].index()];
        const QRect place = pictureIn(cell, image.size());
        painter.setRenderHint(QPainter::SmoothPixmapTransform, place.width() < image.width());
        painter.drawImage(place, image);
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(cell, Qt::AlignBottom | Qt::AlignLeft,
            fontMetrics().elidedText(words(m_shown[i]), Qt::ElideMiddle, cell.width()));
    }
}

TensorId PictureStrip::tensorAt(QPoint at) const
{
    for (std::size_t i = 0; i < m_shown.size(); ++i) {
        if (rectOf(i).contains(at))
            return m_shown[i];
    }
    return {};
}

void PictureStrip::mousePressEvent(QMouseEvent* event)
{
    const TensorId tensor = tensorAt(event->pos());
    if (tensor.isValid())
        m_document->selection()->select(Item::of(tensor));
}

bool PictureStrip::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const TensorId tensor = tensorAt(help->pos());
    QToolTip::showText(help->globalPos(),
        tensor.isValid() ? tr("%1\nChannels side by side; dark is the smallest value of the tensor, bright the largest, magenta no number")
                               .arg(words(tensor))
                         : QString(),
        this);
    return true;
}

} // namespace arenascope::ui
