// SPDX-License-Identifier: MIT
// Runs the network of a plan in a process of its own, and what that process tells. What computes the operators is a
// third party's: when it crashes, the window lives on and names the operator.
#pragma once

#include <arenascope/importer.h>
#include <arenascope/progress.h>
#include <arenascope/study.h>

#include <QImage>
#include <QString>

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

class QJsonObject;

namespace arenascope::ui {

struct RunSettings {
    bool guard = false; ///< every byte watched; times are then of no use
    int repeat = 1;     ///< timed runs; times are medians
    friend bool operator==(const RunSettings&, const RunSettings&) = default;
};

/// One operator of a run; seconds are negative where it did not run.
struct OperatorTime {
    double arena = -1.0;
    double unplanned = -1.0;
    Bytes read = 0;
    Bytes written = 0;
    Bytes workspace = 0;
    QString engine; ///< what computes it
};

/// Two tensors of which one lost its bytes, or a stray write.
struct RunViolation {
    Step step = 0;
    OpId op;
    TensorId tensor; ///< whose bytes were lost; may be invalid
    TensorId by;     ///< what was written there; may be invalid
    QString text;
};

/// What is known of a run. Never changes once delivered.
struct RunRecord {
    enum class End { Finished, Failed, Crashed, Cancelled };

    /// Nothing is known yet.
    RunRecord(std::shared_ptr<const PlanOutcome> run, const RunSettings& how);

    std::shared_ptr<const PlanOutcome> outcome; ///< what was run
    RunSettings settings;
    End end = End::Failed;
    QString message;                      ///< Failed and Crashed: what happened, in one sentence
    OpId crashedAt;                       ///< Crashed: the operator that was running, where that is known
    std::vector<OperatorTime> operators;  ///< by OpId
    std::vector<QImage> pictures;         ///< by TensorId; null where there is none
    std::vector<RunViolation> violations;
    std::optional<bool> isIdentical;      ///< to a run in which every tensor has its own memory
    QString firstDifference;              ///< where not identical: name of the first tensor that differs
    OpId differsAt;
    std::int64_t operatorsRun = 0;
    double secondsArena = 0.0;
    double secondsUnplanned = 0.0;
    double secondsLoading = 0.0;
    Bytes arena = 0;
    Bytes unplanned = 0;     ///< sum of all tensors that want bytes
    Bytes outside = 0;       ///< network inputs and outputs outside the arena
    Bytes workspace = 0;     ///< most that one operator takes
    Bytes weights = 0;
    Bytes peakLoaded = 0;    ///< resident memory of the process before the first operator; 0: not measured
    Bytes peakArena = 0;     ///< most of it while it ran in the arena
    Bytes peakUnplanned = 0;

    bool hasTimes() const { return end == End::Finished && !settings.guard; }
    /// The longest operator in the arena, in seconds; 0 without any.
    double longest() const;
};

/// Takes the lines of `arenascope-cli run --progress -`, one at a time, in order.
class RunReader {
public:
    RunReader(std::shared_ptr<const PlanOutcome> outcome, const RunSettings& settings);

    /// A line that is not understood is left out: a library may print what it likes.
    void take(const QByteArray& line);
    /// 0 .. 1, over all passes.
    double progress() const;
    /// The operator that runs now, as far as was told.
    OpId running() const;
    QString runningName() const;
    /// After the last line. `exitCode` negative: it crashed. `errors`: what it wrote to standard error.
    RunRecord finish(int exitCode, const QString& errors) const;

private:
    void takeBegin(const QJsonObject& step);
    void takeEnd(const QJsonObject& step);
    void takeReport(const QJsonObject& report);
    OpId opOf(const QString& name) const;

    RunRecord m_record;
    QStringList m_passes;
    QString m_pass;
    QString m_error;
    OpId m_running; ///< begun last; kept when it has ended, until the next begins
    Step m_ended = 0; ///< steps of m_pass
    bool m_hasReport = false;
};

/// The program that runs networks: ARENASCOPE_CLI, beside this one, or on the path. Empty: there is none.
QString findRunner();

/// Starts the runner on the plan and waits for its end. Stopped: it is killed at once. For a worker thread.
RunRecord runNetworkApart(std::shared_ptr<const PlanOutcome> outcome, const ImportOptions& imported, const RunSettings& settings,
                          const QString& runner, std::stop_token stop, const ProgressFn& progress);

} // namespace arenascope::ui
