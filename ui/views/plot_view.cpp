// SPDX-License-Identifier: MIT
#include "ui/views/plot_view.h"

#include "ui/document.h"
#include "ui/matches.h"
#include "ui/views/time_axis.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>
#include <utility>

namespace arenascope::ui {

namespace {
constexpr double kWheelStep = 1.2;
}

/// A picture and all that it is painted from; whoever paints it owns it.
struct PlotView::Picture {
    std::shared_ptr<const PlanOutcome> outcome;
    std::shared_ptr<const BufferColours> colours;
    std::shared_ptr<const std::vector<char>> lit;
    std::optional<Bytes> budget;
    PlotFrame frame;
    Theme theme;
    MakeScene makeScene = nullptr;
    QImage image;
    Scene scene;
    SceneIndex index;

    PlotInput input() const { return { outcome.get(), colours.get(), ColourBy::Buffer, budget, lit.get() }; }
    void paint()
    {
        scene = makeScene(input(), frame, theme);
        index = SceneIndex(scene);
        QPainter painter(&image);
        paintScene(painter, scene, frame.outer, image.devicePixelRatio());
    }
};

PlotView::PlotView(Document* document, MakeScene makeScene, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_makeScene(makeScene)
    , m_selection(document ? document->selection() : new Selection(this))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
}

PlotView::~PlotView() = default;

void PlotView::follow()
{
    if (!m_axis)
        setTimeAxis(new TimeAxis(this));
    connect(m_selection, &Selection::playheadChanged, this, [this](Step step) { movePlayhead(step); });
    if (!m_document)
        return;
    connect(m_document, &Document::outcomeChanged, this, &PlotView::takeFromDocument);
    connect(m_document, &Document::graphChanged, this, &PlotView::takeFromDocument);
    connect(m_document, &Document::matchesChanged, this, &PlotView::takeMatches);
    connect(m_document, &Document::budgetChanged, this, &PlotView::setBudget);
    setBudget(m_document->budget());
    takeFromDocument();
}

// ---- What is shown

void PlotView::takeFromDocument()
{
    auto fresh = m_document->outcome();
    adopt(fresh && fresh->study->graph == m_document->graph() ? fresh : nullptr);
}

void PlotView::setOutcome(std::shared_ptr<const PlanOutcome> outcome)
{
    adopt(std::move(outcome));
    if (m_outcome)
        m_selection->setStepCount(m_outcome->study->schedule.stepCount());
}

void PlotView::adopt(std::shared_ptr<const PlanOutcome> fresh)
{
    if (fresh == m_outcome)
        return;
    const bool isOtherGraph = !fresh || !m_outcome || fresh->study->graph != m_outcome->study->graph;
    m_outcome = std::move(fresh);
    QObject* owner = m_document ? static_cast<QObject*>(m_document) : this;
    m_colours = m_outcome ? ColourKeeper::of(owner)->coloursOf(m_outcome) : nullptr;
    if (isOtherGraph) {
        m_playheadIsActive = false;
        m_base = {}; // nothing of another network stays in sight
    }
    if (m_axis)
        m_axis->setStepCount(m_outcome ? m_outcome->study->schedule.stepCount() : 0);
    takeMatches();
    outcomeReplaced(isOtherGraph);
    stale();
}

void PlotView::takeMatches()
{
    const bool wasLit = m_lit != nullptr;
    m_lit = nullptr;
    if (m_document && m_outcome && m_document->matches()->isActive)
        m_lit = std::make_shared<const std::vector<char>>(litBuffers(*m_document->matches(), *m_outcome->study));
    if (m_lit || wasLit)
        stale();
}

PlotInput PlotView::input() const
{
    return { m_outcome.get(), m_colours.get(), ColourBy::Buffer, m_budget, m_lit.get() };
}

Step PlotView::stepAt(double x) const
{
    return m_frame.time.stepAt(x, m_outcome->study->schedule.stepCount());
}

Item PlotView::itemAtPoint(QPointF at) const
{
    return itemAt(m_scene, m_index, at, 0.0);
}

void PlotView::outcomeReplaced(bool)
{
}

void PlotView::movePlayhead(Step)
{
    m_playheadIsActive = true;
    update();
}

void PlotView::setTheme(const Theme& theme)
{
    m_theme = theme;
    stale();
}

void PlotView::setTimeAxis(TimeAxis* axis)
{
    if (!axis || axis == m_axis)
        return;
    if (m_axis) {
        disconnect(m_axis, nullptr, this, nullptr);
        if (m_axis->parent() == this)
            m_axis->deleteLater();
    }
    m_axis = axis;
    connect(axis, &TimeAxis::rangeChanged, this, &PlotView::stale);
    if (m_outcome)
        axis->setStepCount(m_outcome->study->schedule.stepCount());
    stale();
}

TimeAxis* PlotView::timeAxis() const
{
    return m_axis;
}

void PlotView::setBudget(std::optional<Bytes> budget)
{
    if (budget != m_budget)
        assignBudget(budget);
}

void PlotView::assignBudget(std::optional<Bytes> budget)
{
    m_budget = budget;
    stale();
}

void PlotView::fitAll()
{
    if (m_axis)
        m_axis->fitAll();
}

std::pair<double, double> PlotView::byteRange() const
{
    return { 0.0, fullHeight(input()) };
}

// ---- Painting

void PlotView::stale()
{
    const auto [low, high] = byteRange();
    m_frame = plotFrame(QRectF(rect()), m_axis ? m_axis->first() : 0.0, m_axis ? m_axis->last() : 1.0, low, high);
    m_isStale = true;
    update();
}

bool PlotView::isSettled() const
{
    return !m_painting.isBusy() && (!m_isStale || !isVisible());
}

void PlotView::paintPicture(double pixelRatio)
{
    const bool isResized = m_base.size() != (QSizeF(size()) * pixelRatio).toSize();
    const bool isAtOnce = !m_outcome || !isLarge();
    if ((!m_isStale && !isResized) || size().isEmpty() || (!isAtOnce && m_painting.isBusy()))
        return; // whoever is painting asks again when done
    m_isStale = false;
    auto picture = std::make_shared<Picture>();
    picture->outcome = m_outcome;
    picture->colours = m_colours;
    picture->lit = m_lit;
    picture->budget = m_budget;
    picture->frame = m_frame;
    picture->theme = m_theme;
    picture->makeScene = m_makeScene;
    picture->image = blankPicture(size(), pixelRatio, m_theme.canvas);
    if (isAtOnce) {
        picture->paint();
        take(*picture);
        return;
    }
    m_painting.start([picture] { picture->paint(); },
                     [this, picture] {
                         take(*picture);
                         update();
                     });
}

void PlotView::take(Picture& picture)
{
    const auto graphOf = [](const std::shared_ptr<const PlanOutcome>& of) { return of ? of->study->graph : nullptr; };
    if (graphOf(picture.outcome) != graphOf(m_outcome)) {
        m_isStale = true; // closed, or another one, in the meantime
        return;
    }
    m_base = picture.image;
    BackgroundPainter::discard(std::make_shared<Scene>(std::exchange(m_scene, std::move(picture.scene))));
    m_index = std::move(picture.index);
}

void PlotView::paintEvent(QPaintEvent*)
{
    const double ratio = devicePixelRatioF();
    paintPicture(ratio);
    QPainter painter(this);
    if (m_base.deviceIndependentSize() != QSizeF(size()))
        painter.fillRect(rect(), m_theme.canvas);
    painter.drawImage(0, 0, m_base);
    if (m_outcome)
        paintOver(painter, ratio);
}

// ---- Events

void PlotView::resizeEvent(QResizeEvent*)
{
    stale();
}

void PlotView::wheelEvent(QWheelEvent* event)
{
    event->accept();
    if (!m_outcome || !m_axis)
        return;
    const bool touch = !event->pixelDelta().isNull() && event->phase() != Qt::NoScrollPhase;
    if (touch && !(event->modifiers() & Qt::ControlModifier)) {
        m_axis->pan(-event->pixelDelta().x() / m_frame.time.stepWidth());
        return;
    }
    const int delta = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (event->modifiers() & Qt::ShiftModifier)
        m_axis->pan(-delta / 2.0 / m_frame.time.stepWidth());
    else
        m_axis->zoomAt(m_frame.time.step(event->position().x()), std::pow(kWheelStep, delta / 120.0));
}

void PlotView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_F) {
        fitAll();
        return;
    }
    if (event->key() == Qt::Key_Escape)
        m_selection->clear();
    event->ignore(); // the window lets go as well
}

bool PlotView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString words = m_outcome ? tooltipAt(help->pos()) : QString();
    if (words.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), words, this);
    return true;
}

} // namespace arenascope::ui
