// SPDX-License-Identifier: MIT
#include "ui/job_runner.h"

#include <QFutureWatcher>
#include <QtConcurrent>

#include <algorithm>
#include <chrono>

namespace arenascope::ui {

namespace {

using Clock = std::chrono::steady_clock;

// Lets one call through per 1/kProgressPerSecond; used by one worker thread only.
class Throttle {
public:
    bool passes()
    {
        const auto now = Clock::now();
        if (m_passedOnce && now - m_last < std::chrono::milliseconds(1000 / JobRunner::kProgressPerSecond))
            return false;
        m_passedOnce = true;
        m_last = now;
        return true;
    }

private:
    Clock::time_point m_last;
    bool m_passedOnce = false;
};

} // namespace

JobRunner::JobRunner(QObject* parent)
    : QObject(parent)
{
    // A long search, a layout, the ladder and a short plan must not wait for each other, even on two cores.
    m_pool.setMaxThreadCount(std::max(4, QThread::idealThreadCount()));
    m_pool.setThreadPriority(QThread::LowPriority);
}

JobRunner::~JobRunner()
{
    for (auto& [kind, job] : m_jobs)
        job.stop.request_stop();
    m_pool.waitForDone();
}

JobContext JobRunner::makeContext(int kind, std::uint64_t generation, std::stop_token stop)
{
    JobContext context;
    context.stop = std::move(stop);
    auto throttle = std::make_shared<Throttle>();
    context.progress = [this, kind, generation, throttle](double fraction, std::string_view stage) {
        if (!throttle->passes())
            return;
        QMetaObject::invokeMethod(
            this,
            [this, kind, generation, fraction, text = QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size()))] {
                if (isCurrent(kind, generation))
                    emit progressChanged(kind, fraction, text);
            },
            Qt::QueuedConnection);
    };
    context.post = [this, kind, generation](std::function<void()> partial) {
        QMetaObject::invokeMethod(
            this,
            [this, kind, generation, partial = std::move(partial)] {
                if (isCurrent(kind, generation))
                    partial();
            },
            Qt::QueuedConnection);
    };
    return context;
}

void JobRunner::startErased(int kind, std::function<Delivery(const JobContext&)> work)
{
    Job& job = m_jobs[kind];
    job.stop.request_stop();
    job.stop = std::stop_source();
    const std::uint64_t generation = ++job.generation;

    auto* watcher = new QFutureWatcher<Delivery>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, kind, generation] {
        Delivery delivery = watcher->future().takeResult();
        watcher->deleteLater();
        finish(kind, generation, std::move(delivery));
    });
    watcher->setFuture(QtConcurrent::run(&m_pool, std::move(work), makeContext(kind, generation, job.stop.get_token())));
    setBusy(kind, true);
}

void JobRunner::finish(int kind, std::uint64_t generation, Delivery delivery)
{
    if (!isCurrent(kind, generation)) {
        dispose(std::make_shared<Delivery>(std::move(delivery)));
        return;
    }
    // No longer busy before the result is seen: whoever takes it may start the next job of this kind.
    m_jobs[kind].busy = false;
    delivery();
    if (isCurrent(kind, generation))
        emit busyChanged(kind, false);
}

void JobRunner::setBusy(int kind, bool busy)
{
    Job& job = m_jobs[kind];
    if (job.busy == busy)
        return;
    job.busy = busy;
    emit busyChanged(kind, busy);
}

bool JobRunner::isCurrent(int kind, std::uint64_t generation) const
{
    const auto job = m_jobs.find(kind);
    return job != m_jobs.end() && job->second.generation == generation;
}

void JobRunner::cancel(int kind)
{
    const auto job = m_jobs.find(kind);
    if (job != m_jobs.end())
        job->second.stop.request_stop();
}

void JobRunner::drop(int kind)
{
    const auto job = m_jobs.find(kind);
    if (job == m_jobs.end())
        return;
    job->second.stop.request_stop();
    ++job->second.generation;
    setBusy(kind, false);
}

bool JobRunner::isBusy(int kind) const
{
    const auto job = m_jobs.find(kind);
    return job != m_jobs.end() && job->second.busy;
}

void JobRunner::dispose(std::shared_ptr<const void> snapshot)
{
    if (snapshot)
        m_pool.start([held = std::move(snapshot)]() mutable { held.reset(); });
}

} // namespace arenascope::ui
