// SPDX-License-Identifier: MIT
#include "ui/views/timeline_bar.h"

#include "ui/buffer_colours.h"
#include "ui/document.h"
#include "ui/network_run.h"
#include "ui/text.h"
#include "ui/views/related.h"
#include "ui/views/timeline_glyphs.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPointer>
#include <QSlider>
#include <QSpinBox>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <limits>

namespace arenascope::ui {

namespace {

constexpr int kDefaultSpeed = 8;
constexpr int kMostSpeed = 60;

/// One line that gives way in a narrow window; all of it in the tooltip.
class StepLabel : public QLabel {
public:
    using QLabel::QLabel;
    QSize minimumSizeHint() const override { return {120, QLabel::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setPen(palette().color(foregroundRole()));
        painter.drawText(rect(), static_cast<int>(alignment() | Qt::TextSingleLine),
                         fontMetrics().elidedText(text(), Qt::ElideMiddle, width()));
    }
};

/// Widgets that need the keys of the timeline themselves while they have the focus.
bool wantsKeyItself(const QWidget* focus, int key)
{
    const bool moves = key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Home || key == Qt::Key_End;
    if (!moves && key != Qt::Key_Space && key != Qt::Key_P)
        return false;
    if (qobject_cast<const QAbstractItemView*>(focus))
        return true; // arrows move, letters search
    if (qobject_cast<const QTabBar*>(focus) || qobject_cast<const QAbstractSlider*>(focus))
        return moves;
    if (qobject_cast<const QAbstractSpinBox*>(focus) || qobject_cast<const QComboBox*>(focus))
        return true;
    return key == Qt::Key_Space && qobject_cast<const QAbstractButton*>(focus);
}

} // namespace

struct TimelineBar::Private {
    explicit Private(TimelineBar* bar) : q(bar) {}

    QAction* addAction(const QString& text, const QKeySequence& key);
    void build();
    void takeFromDocument();
    void adopt(std::shared_ptr<const PlanOutcome> fresh, std::shared_ptr<const Trace> freshTrace);
    void refresh();
    void setPlaying(bool on);
    void tick();
    bool playsTimes() const { return measured->isChecked() && !ends.empty(); }
    double secondsUntil(Step at) const { return at > 0 ? ends[static_cast<std::size_t>(at - 1)] : 0.0; }
    void startClock();
    void paintIcons();
    QString words(const std::vector<TensorId>& tensors) const;
    Step lastStep() const { return std::max<Step>(0, selection->stepCount() - 1); }

    TimelineBar* q;
    QPointer<Document> document;
    Selection* selection = nullptr;
    Theme theme = Theme::light();
    std::shared_ptr<const PlanOutcome> outcome;
    std::shared_ptr<const Trace> trace;
    QAction *first = nullptr, *back = nullptr, *playPause = nullptr, *step = nullptr, *last = nullptr, *peak = nullptr;
    QSlider* slider = nullptr;
    QSpinBox* speed = nullptr;
    StepLabel* label = nullptr;
    QToolButton* measured = nullptr; ///< steps last as long as they did
    QTimer timer;
    std::vector<double> ends;        ///< by step: seconds from the start of the run to its end; empty: nothing was measured
    QElapsedTimer clock;             ///< since `clockFrom` seconds of the run
    double clockFrom = 0.0;
    Step clockStep = -1;             ///< where the clock has put the playhead; elsewhere, the user has
    bool playing = false;

    /// Keys of the timeline go to tables, sliders and boxes that have the focus.
    class KeyGuard : public QObject {
    public:
        explicit KeyGuard(TimelineBar* bar) : QObject(bar), m_bar(bar) { qApp->installEventFilter(this); }
        bool eventFilter(QObject* watched, QEvent* event) override
        {
            if (event->type() != QEvent::ShortcutOverride)
                return false;
            const auto* widget = qobject_cast<QWidget*>(watched);
            const auto* key = static_cast<QKeyEvent*>(event);
            if (widget && widget->window() == m_bar->window() && key->modifiers() == Qt::NoModifier
                && wantsKeyItself(widget, key->key()))
                event->accept();
            return false;
        }

    private:
        TimelineBar* m_bar;
    };
};

TimelineBar::TimelineBar(Document* document, QWidget* parent) : QWidget(parent), d(std::make_unique<Private>(this))
{
    d->document = document;
    d->selection = document ? document->selection() : new Selection(this);
    d->build();
    new Private::KeyGuard(this);
    connect(d->selection, &Selection::playheadChanged, this, [this] { d->refresh(); });
    connect(d->selection, &Selection::stepCountChanged, this, [this] { d->refresh(); });
    if (document) {
        connect(document, &Document::outcomeChanged, this, [this] { d->takeFromDocument(); });
        connect(document, &Document::graphChanged, this, [this] { d->takeFromDocument(); });
        connect(document, &Document::runChanged, this, [this] { setRun(d->document->run()); });
        d->takeFromDocument();
    }
    d->paintIcons();
    d->refresh();
}

TimelineBar::~TimelineBar() = default;

QAction* TimelineBar::Private::addAction(const QString& text, const QKeySequence& key)
{
    auto* action = new QAction(text, q);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WindowShortcut);
    action->setToolTip(QStringLiteral("%1 (%2)").arg(text, key.toString(QKeySequence::NativeText)));
    q->addAction(action);
    return action;
}

void TimelineBar::Private::build()
{
    first = addAction(TimelineBar::tr("First step"), Qt::Key_Home);
    back = addAction(TimelineBar::tr("Step back"), Qt::Key_Left);
    playPause = addAction(TimelineBar::tr("Play"), Qt::Key_Space);
    step = addAction(TimelineBar::tr("Step"), Qt::Key_Right);
    last = addAction(TimelineBar::tr("Last step"), Qt::Key_End);
    peak = addAction(TimelineBar::tr("Go to the peak"), Qt::Key_P);
    QObject::connect(first, &QAction::triggered, q, [this] { selection->setPlayhead(0); });
    QObject::connect(back, &QAction::triggered, q, [this] { selection->setPlayhead(selection->playhead() - 1); });
    QObject::connect(playPause, &QAction::triggered, q, [this] { setPlaying(!playing); });
    QObject::connect(step, &QAction::triggered, q, [this] { selection->setPlayhead(selection->playhead() + 1); });
    QObject::connect(last, &QAction::triggered, q, [this] { selection->setPlayhead(lastStep()); });
    QObject::connect(peak, &QAction::triggered, q, [this] {
        if (outcome)
            selection->setPlayhead(outcome->study->profile.peakStep);
    });

    auto* row = new QHBoxLayout(q);
    row->setContentsMargins(8, 3, 8, 3);
    row->setSpacing(2);
    for (QAction* action : {first, back, playPause, step, last, peak}) {
        auto* button = new QToolButton(q);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setIconSize({kGlyphSize, kGlyphSize});
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }
    slider = new QSlider(Qt::Horizontal, q);
    slider->setMinimumWidth(90);
    slider->setAccessibleName(TimelineBar::tr("Playhead"));
    row->addSpacing(6);
    row->addWidget(slider, 2);
    row->addSpacing(8);
    label = new StepLabel(q);
    label->setTextInteractionFlags(Qt::NoTextInteraction);
    row->addWidget(label, 5);
    speed = new QSpinBox(q);
    speed->setRange(1, kMostSpeed);
    speed->setValue(kDefaultSpeed);
    speed->setSuffix(TimelineBar::tr(" steps/s"));
    speed->setToolTip(TimelineBar::tr("Speed of playing"));
    speed->setAccessibleName(TimelineBar::tr("Speed of playing"));
    measured = new QToolButton(q);
    measured->setObjectName(QStringLiteral("measuredTime"));
    measured->setCheckable(true);
    measured->setAutoRaise(true);
    measured->setText(TimelineBar::tr("Time"));
    measured->setEnabled(false);
    measured->setFocusPolicy(Qt::TabFocus);
    measured->setToolTip(TimelineBar::tr("Play each step as long as it took, slowed down so that all of it takes as long as before.\n"
                                         "Run the network first."));
    row->addSpacing(6);
    row->addWidget(measured);
    row->addWidget(speed);
    QObject::connect(measured, &QToolButton::toggled, q, [this] {
        startClock();
        refresh();
    });

    QObject::connect(slider, &QSlider::valueChanged, q, [this](int value) { selection->setPlayhead(value); });
    QObject::connect(speed, &QSpinBox::valueChanged, q, [this](int value) {
        startClock();
        emit q->speedChanged(value);
    });
    timer.setTimerType(Qt::PreciseTimer);
    timer.setInterval(1000 / kDefaultSpeed);
    QObject::connect(&timer, &QTimer::timeout, q, [this] { tick(); });
}

void TimelineBar::Private::takeFromDocument()
{
    if (!document)
        return;
    const auto fresh = document->outcome();
    if (fresh && fresh->study->graph == document->graph())
        adopt(fresh, document->trace());
    else
        adopt(nullptr, nullptr);
}

void TimelineBar::Private::adopt(std::shared_ptr<const PlanOutcome> fresh, std::shared_ptr<const Trace> freshTrace)
{
    const bool otherGraph = !fresh || !outcome || fresh->study->graph != outcome->study->graph;
    outcome = std::move(fresh);
    trace = std::move(freshTrace);
    if (otherGraph)
        setPlaying(false);
    refresh();
}

void TimelineBar::Private::setPlaying(bool on)
{
    on = on && outcome && selection->stepCount() > 1;
    if (on == playing)
        return;
    playing = on;
    if (on) {
        if (selection->playhead() >= lastStep())
            selection->setPlayhead(0);
        startClock();
        timer.start();
    } else {
        timer.stop();
    }
    playPause->setText(on ? TimelineBar::tr("Pause") : TimelineBar::tr("Play"));
    playPause->setToolTip(QStringLiteral("%1 (%2)").arg(playPause->text(), playPause->shortcut().toString(QKeySequence::NativeText)));
    paintIcons();
    emit q->playingChanged(on);
}

/// From the playhead on, at the speed that is set.
void TimelineBar::Private::startClock()
{
    constexpr int kFrame = 16; // ms
    timer.setInterval(playsTimes() ? kFrame : 1000 / speed->value());
    clockStep = selection->playhead();
    clockFrom = playsTimes() ? secondsUntil(clockStep) : 0.0;
    clock.start();
}

void TimelineBar::Private::tick()
{
    if (!playsTimes()) {
        selection->setPlayhead(selection->playhead() + 1);
    } else {
        if (selection->playhead() != clockStep)
            startClock(); // the user has moved it
        const double slowed = static_cast<double>(ends.size()) / speed->value() / std::max(ends.back(), 1e-12);
        const double now = clockFrom + static_cast<double>(clock.nsecsElapsed()) * 1e-9 / slowed;
        const auto at = std::upper_bound(ends.begin(), ends.end(), now) - ends.begin();
        clockStep = std::min<Step>(at, lastStep());
        selection->setPlayhead(clockStep);
        if (now < ends.back())
            return; // the last step lasts, too
    }
    if (selection->playhead() >= lastStep())
        setPlaying(false);
}

void TimelineBar::Private::paintIcons()
{
    const QColor pale = faded(theme.text, theme.window, 0.4);
    first->setIcon(glyphIcon(TimelineGlyph::First, theme.text, pale));
    back->setIcon(glyphIcon(TimelineGlyph::Back, theme.text, pale));
    playPause->setIcon(glyphIcon(playing ? TimelineGlyph::Pause : TimelineGlyph::Play, theme.text, pale));
    step->setIcon(glyphIcon(TimelineGlyph::Step, theme.text, pale));
    last->setIcon(glyphIcon(TimelineGlyph::Last, theme.text, pale));
    peak->setIcon(glyphIcon(TimelineGlyph::Peak, theme.peak, pale));
}

/// Names with the memory that each lies in, at most three.
QString TimelineBar::Private::words(const std::vector<TensorId>& tensors) const
{
    constexpr std::size_t kMost = 3;
    const Study& study = *outcome->study;
    std::vector<TensorId> distinct;
    for (const TensorId id : tensors) {
        if (id.isValid() && study.graph->tensor(id).isActivation()
            && std::find(distinct.begin(), distinct.end(), id) == distinct.end())
            distinct.push_back(id);
    }
    QStringList parts;
    for (std::size_t i = 0; i < std::min(kMost, distinct.size()); ++i) {
        QString part = textOf(study.graph->tensor(distinct[i]).name);
        const BufferId buffer = study.bufferOf[distinct[i].index()];
        const PingPongSide side = buffer.isValid() ? outcome->plan.placements[buffer.index()].side : PingPongSide::None;
        if (side == PingPongSide::First)
            part += TimelineBar::tr(" (first memory)");
        if (side == PingPongSide::Second)
            part += TimelineBar::tr(" (second memory)");
        parts << part;
    }
    if (distinct.size() > kMost)
        parts << TimelineBar::tr("%1 more").arg(distinct.size() - kMost);
    return parts.join(QStringLiteral(", "));
}

void TimelineBar::Private::refresh()
{
    const bool any = outcome && selection->stepCount() > 0;
    const Step at = selection->playhead();
    for (QAction* action : {playPause, peak})
        action->setEnabled(any);
    for (QAction* action : {first, back})
        action->setEnabled(any && at > 0);
    for (QAction* action : {step, last})
        action->setEnabled(any && at < lastStep());
    slider->setEnabled(any);
    measured->setEnabled(any && !ends.empty());
    speed->setEnabled(any);
    const QSignalBlocker quiet(slider);
    slider->setRange(0, static_cast<int>(std::min<Step>(lastStep(), std::numeric_limits<int>::max())));
    slider->setPageStep(std::max(1, static_cast<int>(lastStep() / 20)));
    slider->setValue(static_cast<int>(at));
    label->setText(q->stepText());
    label->setToolTip(q->stepText());
    label->update();
}

QString TimelineBar::stepText() const
{
    const Step at = d->selection->playhead();
    if (!d->outcome || at < 0 || at >= d->outcome->study->schedule.stepCount())
        return {};
    const Study& study = *d->outcome->study;
    const Operator& op = study.graph->op(study.schedule.order[static_cast<std::size_t>(at)]);
    std::vector<TensorId> reads = op.inputs;
    reads.insert(reads.end(), op.captures.begin(), op.captures.end());
    const QString read = d->words(reads), written = d->words(op.outputs);
    QString text = tr("step %1 / %2   %3: ").arg(at).arg(d->lastStep()).arg(textOf(op.name));
    if (d->playsTimes()) {
        const auto step = static_cast<std::size_t>(at);
        text = tr("%1 of %2   step %3   %4, %5: ")
                   .arg(durationText(d->secondsUntil(at)), durationText(d->ends.back()))
                   .arg(at)
                   .arg(textOf(op.name), durationText(d->ends[step] - d->secondsUntil(at)));
    }
    if (!read.isEmpty())
        text += tr("reads %1 → ").arg(read);
    return text + (written.isEmpty() ? tr("writes nothing") : tr("writes %1").arg(written));
}

void TimelineBar::setTheme(const Theme& theme)
{
    d->theme = theme;
    d->paintIcons();
}

void TimelineBar::setOutcome(std::shared_ptr<const PlanOutcome> outcome, std::shared_ptr<const Trace> trace)
{
    if (outcome)
        d->selection->setStepCount(outcome->study->schedule.stepCount());
    d->adopt(std::move(outcome), std::move(trace));
}

void TimelineBar::setRun(std::shared_ptr<const RunRecord> run)
{
    d->ends.clear();
    if (run && run->hasTimes() && d->outcome == run->outcome) {
        double sum = 0.0;
        for (const OpId op : run->outcome->study->schedule.order) {
            sum += std::max(0.0, run->operators[op.index()].arena);
            d->ends.push_back(sum);
        }
    }
    d->startClock();
    d->refresh();
}

Selection* TimelineBar::selection() const
{
    return d->selection;
}

bool TimelineBar::isPlaying() const
{
    return d->playing;
}

int TimelineBar::speed() const
{
    return d->speed->value();
}

QAction* TimelineBar::firstAction() const
{
    return d->first;
}

QAction* TimelineBar::backAction() const
{
    return d->back;
}

QAction* TimelineBar::playAction() const
{
    return d->playPause;
}

QAction* TimelineBar::stepAction() const
{
    return d->step;
}

QAction* TimelineBar::lastAction() const
{
    return d->last;
}

QAction* TimelineBar::peakAction() const
{
    return d->peak;
}

QList<QAction*> TimelineBar::timelineActions() const
{
    return {d->first, d->back, d->playPause, d->step, d->last, d->peak};
}

void TimelineBar::play()
{
    d->setPlaying(true);
}

void TimelineBar::pause()
{
    d->setPlaying(false);
}

void TimelineBar::setSpeed(int stepsPerSecond)
{
    d->speed->setValue(stepsPerSecond);
}

bool TimelineBar::playsMeasuredTime() const
{
    return d->playsTimes();
}

void TimelineBar::setMeasuredTime(bool on)
{
    d->measured->setChecked(on);
}

} // namespace arenascope::ui
