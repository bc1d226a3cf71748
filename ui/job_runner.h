// SPDX-License-Identifier: MIT
// Work off the GUI thread: one job of a kind at a time, cancellable, with progress, stale results dropped.
#pragma once

#include <arenascope/progress.h>

#include <QObject>
#include <QString>
#include <QThreadPool>

#include <functional>
#include <map>
#include <memory>
#include <stop_token>

namespace arenascope::ui {

/// What a job is given: both may be used from its own thread.
struct JobContext {
    std::stop_token stop;
    ProgressFn progress;
    /// Runs `partial` in the runner's thread, in order and before the job's result; dropped once the job is stale.
    std::function<void(std::function<void()> partial)> post;
};

/// Runs jobs in its own threads. Lives in the GUI thread; all of its functions are called there, results arrive there.
/// Starting a job of a kind asks the older one of that kind to stop; whatever that one still delivers is dropped,
/// and destroyed on a worker. The destructor asks every job to stop and waits for their ends.
class JobRunner : public QObject {
    Q_OBJECT
public:
    explicit JobRunner(QObject* parent = nullptr);
    ~JobRunner() override;

    /// `work(const JobContext&)` runs on a worker and must not throw; `done(value)` takes what it returned, in this thread.
    /// `done` is also called after cancel(): cancelled work says so in its value. Only a newer job makes it stale.
    template <class Work, class Done>
    void start(int kind, Work work, Done done)
    {
        startErased(kind, [work = std::move(work), done = std::move(done)](const JobContext& context) -> Delivery {
            using Value = decltype(work(context));
            auto value = std::make_shared<Value>(work(context));
            return [value, done] { done(std::move(*value)); };
        });
    }

    /// Asks the running job of a kind to stop; its result still arrives.
    void cancel(int kind);
    /// As cancel(), but nothing of it arrives any more, as if a newer job had been started.
    void drop(int kind);
    bool isBusy(int kind) const;

    /// Lets go of a snapshot on a worker: freeing a large one takes longer than a frame.
    void dispose(std::shared_ptr<const void> snapshot);

    /// At most this many progress signals a second and job.
    static constexpr int kProgressPerSecond = 20;

signals:
    void busyChanged(int kind, bool busy);
    /// fraction in [0, 1], negative: unknown.
    void progressChanged(int kind, double fraction, const QString& stage);

private:
    using Delivery = std::function<void()>;
    struct Job {
        std::uint64_t generation = 0;
        std::stop_source stop;
        bool busy = false;
    };

    void startErased(int kind, std::function<Delivery(const JobContext&)> work);
    bool isCurrent(int kind, std::uint64_t generation) const;
    void finish(int kind, std::uint64_t generation, Delivery delivery);
    void setBusy(int kind, bool busy);
    JobContext makeContext(int kind, std::uint64_t generation, std::stop_token stop);

    QThreadPool m_pool;
    std::map<int, Job> m_jobs;
};

} // namespace arenascope::ui
