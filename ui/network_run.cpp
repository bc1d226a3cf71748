// SPDX-License-Identifier: MIT
#include "ui/network_run.h"

#include "ui/text.h"

#include <arenascope/plan_io.h>

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryFile>

#include <algorithm>

namespace arenascope::ui {

namespace {

constexpr int kPictureSide = 184;
// Beyond that many operators pictures would take more memory than they are worth.
constexpr std::size_t kMostPictured = 3000;
constexpr int kLookInterval = 20; // ms between looks at the stop button

QString tr(const char* text)
{
    return QCoreApplication::translate("arenascope::ui::NetworkRun", text);
}

Bytes bytesOf(const QJsonObject& object, const char* name)
{
    return static_cast<Bytes>(object.value(QLatin1String(name)).toDouble());
}

TensorId tensorOf(const Graph& graph, const QJsonValue& name)
{
    return name.isString() ? graph.findTensor(name.toString().toStdString()) : TensorId();
}

QImage pictureOf(const QJsonObject& written)
{
    const int width = written.value(QLatin1String("width")).toInt();
    const int height = written.value(QLatin1String("height")).toInt();
    const QByteArray rgb = QByteArray::fromBase64(written.value(QLatin1String("rgb")).toString().toLatin1());
    const bool isWhole = width > 0 && height > 0 && width <= 4096 && height <= 4096 && rgb.size() == qsizetype(3) * width * height;
    if (!isWhole)
        return {};
    return QImage(reinterpret_cast<const uchar*>(rgb.constData()), width, height, 3 * width, QImage::Format_RGB888).copy();
}

/// The last line that says something: programs put their complaint there.
QString lastLine(const QString& text)
{
    const QStringList lines = text.split(u'\n', Qt::SkipEmptyParts);
    return lines.isEmpty() ? QString() : lines.last().trimmed();
}

} // namespace

RunRecord::RunRecord(std::shared_ptr<const PlanOutcome> run, const RunSettings& how)
    : outcome(std::move(run))
    , settings(how)
    , operators(outcome->study->graph->operators().size())
    , pictures(outcome->study->graph->tensors().size())
{
}

double RunRecord::longest() const
{
    double longest = 0.0;
    for (const OperatorTime& time : operators)
        longest = std::max(longest, time.arena);
    return longest;
}

// ---- Reading

RunReader::RunReader(std::shared_ptr<const PlanOutcome> outcome, const RunSettings& settings)
    : m_record(std::move(outcome), settings)
{
}

OpId RunReader::opOf(const QString& name) const
{
    return m_record.outcome->study->graph->findOperator(name.toStdString());
}

void RunReader::take(const QByteArray& line)
{
    const QJsonObject object = QJsonDocument::fromJson(line).object();
    const QString event = object.value(QLatin1String("event")).toString();
    if (event == QLatin1String("start")) {
        for (const QJsonValue& pass : object.value(QLatin1String("passes")).toArray())
            m_passes << pass.toString();
        m_pass = m_passes.value(0);
    } else if (event == QLatin1String("begin")) {
        takeBegin(object);
    } else if (event == QLatin1String("end")) {
        takeEnd(object);
    } else if (event == QLatin1String("report")) {
        takeReport(object.value(QLatin1String("report")).toObject());
    } else if (event == QLatin1String("error")) {
        m_error = object.value(QLatin1String("message")).toString();
    }
}

void RunReader::takeBegin(const QJsonObject& step)
{
    m_pass = step.value(QLatin1String("pass")).toString();
    m_running = opOf(step.value(QLatin1String("operator")).toString());
    m_ended = static_cast<Step>(step.value(QLatin1String("step")).toDouble());
}

void RunReader::takeEnd(const QJsonObject& step)
{
    m_pass = step.value(QLatin1String("pass")).toString();
    m_ended = static_cast<Step>(step.value(QLatin1String("step")).toDouble()) + 1;
    const OpId op = opOf(step.value(QLatin1String("operator")).toString());
    if (op.isValid()) {
        OperatorTime& time = m_record.operators[op.index()];
        (m_pass == QLatin1String("arena") ? time.arena : time.unplanned) = step.value(QLatin1String("seconds")).toDouble();
    }
    for (const QJsonValue& value : step.value(QLatin1String("pictures")).toArray()) {
        const QJsonObject written = value.toObject();
        const TensorId tensor = tensorOf(*m_record.outcome->study->graph, written.value(QLatin1String("tensor")));
        if (tensor.isValid())
            m_record.pictures[tensor.index()] = pictureOf(written);
    }
}

void RunReader::takeReport(const QJsonObject& report)
{
    const Graph& graph = *m_record.outcome->study->graph;
    m_hasReport = true;
    const QJsonValue identical = report.value(QLatin1String("bit_identical"));
    if (identical.isBool())
        m_record.isIdentical = identical.toBool();
    const QJsonObject difference = report.value(QLatin1String("first_difference")).toObject();
    m_record.firstDifference = difference.value(QLatin1String("tensor")).toString();
    m_record.differsAt = opOf(difference.value(QLatin1String("operator")).toString());
    m_record.operatorsRun = static_cast<std::int64_t>(report.value(QLatin1String("operators_run")).toDouble());
    m_record.secondsArena = report.value(QLatin1String("seconds_arena")).toDouble();
    m_record.secondsUnplanned = report.value(QLatin1String("seconds_unplanned")).toDouble();
    m_record.secondsLoading = report.value(QLatin1String("seconds_loading")).toDouble();
    m_record.arena = bytesOf(report, "arena_bytes");
    m_record.unplanned = bytesOf(report, "unplanned_bytes");
    m_record.outside = bytesOf(report, "outside_bytes");
    m_record.workspace = bytesOf(report, "workspace_bytes");
    m_record.weights = bytesOf(report, "weight_bytes");
    const QJsonObject resident = report.value(QLatin1String("peak_rss")).toObject();
    m_record.peakLoaded = bytesOf(resident, "loaded_bytes");
    m_record.peakArena = bytesOf(resident, "arena_bytes");
    m_record.peakUnplanned = bytesOf(resident, "unplanned_bytes");
    for (const QJsonValue& value : report.value(QLatin1String("per_operator")).toArray()) {
        const QJsonObject one = value.toObject();
        const OpId op = opOf(one.value(QLatin1String("operator")).toString());
        if (!op.isValid())
            continue;
        OperatorTime& time = m_record.operators[op.index()];
        time.arena = one.value(QLatin1String("seconds_arena")).toDouble(time.arena);
        time.unplanned = one.value(QLatin1String("seconds_unplanned")).toDouble(time.unplanned);
        time.read = bytesOf(one, "bytes_read");
        time.written = bytesOf(one, "bytes_written");
        time.workspace = bytesOf(one, "workspace_bytes");
        time.engine = one.value(QLatin1String("engine")).toString();
    }
    for (const QJsonValue& value : report.value(QLatin1String("violations")).toArray()) {
        const QJsonObject one = value.toObject();
        m_record.violations.push_back({ static_cast<Step>(one.value(QLatin1String("step")).toDouble()),
            opOf(one.value(QLatin1String("operator")).toString()), tensorOf(graph, one.value(QLatin1String("tensor"))),
            tensorOf(graph, one.value(QLatin1String("by"))), one.value(QLatin1String("message")).toString() });
    }
}

double RunReader::progress() const
{
    const auto steps = static_cast<double>(m_record.outcome->study->schedule.stepCount());
    if (m_passes.isEmpty() || steps <= 0)
        return 0.0;
    const auto pass = static_cast<double>(std::max<qsizetype>(0, m_passes.indexOf(m_pass)));
    const double part = std::clamp(static_cast<double>(m_ended) / steps, 0.0, 1.0);
    return (pass + part) / static_cast<double>(m_passes.size());
}

OpId RunReader::running() const
{
    return m_hasReport ? OpId() : m_running;
}

QString RunReader::runningName() const
{
    const OpId op = running();
    return op.isValid() ? toQString(m_record.outcome->study->graph->op(op).name) : QString();
}

RunRecord RunReader::finish(int exitCode, const QString& errors) const
{
    RunRecord record = m_record;
    if (m_hasReport && exitCode >= 0) {
        record.end = RunRecord::End::Finished;
        return record;
    }
    if (exitCode >= 0) {
        record.end = RunRecord::End::Failed;
        record.message = !m_error.isEmpty() ? m_error : lastLine(errors);
        if (record.message.isEmpty())
            record.message = tr("The run ended with code %1 and said nothing.").arg(exitCode);
        return record;
    }
    record.end = RunRecord::End::Crashed;
    record.crashedAt = m_running;
    record.message = record.crashedAt.isValid()
        ? tr("The run crashed in operator %1. Planning and viewing are not touched by it.")
              .arg(toQString(record.outcome->study->graph->op(record.crashedAt).name))
        : tr("The run crashed before its first operator.");
    return record;
}

// ---- The process

QString findRunner()
{
    const QString name = QStringLiteral("arenascope-cli");
    const QString given = qEnvironmentVariable("ARENASCOPE_CLI");
    if (!given.isEmpty())
        return given;
    const QString beside = QDir(QCoreApplication::applicationDirPath()).filePath(name);
    return QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable(name);
}

namespace {

RunRecord failed(std::shared_ptr<const PlanOutcome> outcome, const RunSettings& settings, const QString& message)
{
    RunRecord record(std::move(outcome), settings);
    record.message = message;
    return record;
}

QStringList argumentsFor(const PlanOutcome& outcome, const QString& plan, const RunSettings& settings)
{
    const Graph& graph = *outcome.study->graph;
    QStringList arguments { QStringLiteral("run"), toQString(graph.info().path), QStringLiteral("--plan"), plan,
        QStringLiteral("--progress"), QStringLiteral("-"), QStringLiteral("--quiet"), QStringLiteral("--repeat"),
        QString::number(settings.repeat) };
    if (settings.guard)
        arguments << QStringLiteral("--guard");
    if (graph.operators().size() <= kMostPictured)
        arguments << QStringLiteral("--pictures") << QString::number(kPictureSide);
    return arguments;
}

/// Feeds the reader until the process ends or is stopped; false where it was stopped.
bool follow(QProcess& process, RunReader& reader, const std::stop_token& stop, const ProgressFn& progress)
{
    const auto drain = [&] {
        while (process.canReadLine())
            reader.take(process.readLine());
    };
    while (process.state() != QProcess::NotRunning) {
        if (stop.stop_requested()) {
            process.kill();
            process.waitForFinished();
            return false;
        }
        process.waitForReadyRead(kLookInterval);
        drain();
        if (progress)
            progress(reader.progress(), reader.runningName().toStdString());
    }
    drain();
    return true;
}

} // namespace

RunRecord runNetworkApart(std::shared_ptr<const PlanOutcome> outcome, const ImportOptions& imported, const RunSettings& settings,
    const QString& runner, std::stop_token stop, const ProgressFn& progress)
{
    if (runner.isEmpty())
        return failed(outcome, settings, tr("arenascope-cli, which runs networks, is neither beside this program nor on the path."));
    QTemporaryFile plan;
    const std::string json = planToJson(*outcome, imported);
    if (!plan.open() || plan.write(json.data(), static_cast<qint64>(json.size())) != static_cast<qint64>(json.size()) || !plan.flush())
        return failed(outcome, settings, tr("The plan cannot be written to %1: %2").arg(plan.fileName(), plan.errorString()));

    RunReader reader(outcome, settings);
    QProcess process;
    process.setReadChannel(QProcess::StandardOutput);
    process.start(runner, argumentsFor(*outcome, plan.fileName(), settings), QIODevice::ReadOnly);
    if (!process.waitForStarted())
        return failed(outcome, settings, tr("%1 cannot be started: %2").arg(runner, process.errorString()));
    const bool isWhole = follow(process, reader, stop, progress);
    const int code = process.exitStatus() == QProcess::CrashExit ? -1 : process.exitCode();
    RunRecord record = reader.finish(code, QString::fromUtf8(process.readAllStandardError()));
    if (!isWhole) {
        record.end = RunRecord::End::Cancelled;
        record.message.clear();
    }
    return record;
}

} // namespace arenascope::ui
