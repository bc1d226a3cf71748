// SPDX-License-Identifier: MIT
#include <arenascope/executor.h>

#include "core/src/exec/arena.h"
#include "core/src/exec/failure.h"
#include "core/src/exec/pass.h"
#include "core/src/exec/registry.h"

#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <thread>

namespace arenascope {

namespace {

using namespace exec;

/// OpenCV's number of threads and its log are global: set for the run, put back after it.
class OpenCvSettings {
public:
    explicit OpenCvSettings(int threads) : m_threads(cv::getNumThreads()), m_level(cv::utils::logging::getLogLevel())
    {
        const int all = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
        cv::setNumThreads(threads > 0 ? threads : all);
        cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT); // what goes wrong is in the exception
    }
    ~OpenCvSettings()
    {
        cv::setNumThreads(m_threads);
        cv::utils::logging::setLogLevel(m_level);
    }
    OpenCvSettings(const OpenCvSettings&) = delete;
    OpenCvSettings& operator=(const OpenCvSettings&) = delete;

private:
    int m_threads;
    cv::utils::logging::LogLevel m_level;
};

double secondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What the caller gives, checked, and random content for the rest.
Inputs completeInputs(const Graph& graph, const Inputs& given)
{
    Inputs all;
    for (const auto& [id, content] : given) {
        const bool isInput = id.isValid() && std::ranges::find(graph.inputs(), id) != graph.inputs().end();
        if (!isInput)
            throw Failure({ErrorCode::WrongInput, {}, {id.isValid() ? graph.tensor(id).name : std::string("?"),
                                                       "the network has no such input"}});
    }
    for (const TensorId id : graph.inputs()) {
        const Tensor& tensor = graph.tensor(id);
        const auto it = given.find(id);
        if (it == given.end()) {
            auto made = makeInput(graph, id, InputFill::Random, 1);
            if (!made)
                throw Failure(made.error());
            all.emplace(id, std::move(*made));
            continue;
        }
        const TensorContent& content = it->second;
        if (content.type != tensor.type || std::ssize(content.bytes) != tensor.bytes)
            throw Failure({ErrorCode::WrongInput, {},
                           {tensor.name, "it is " + std::string(elementTypeName(content.type)) + " "
                                + toString(content.shape) + " of " + std::to_string(content.bytes.size())
                                + " bytes instead of " + std::string(elementTypeName(tensor.type)) + " "
                                + toString(tensor.shape) + " of " + std::to_string(tensor.bytes)}});
        all.emplace(id, content);
    }
    return all;
}

class Run {
public:
    Run(const Study& study, const Plan* plan, const RunOptions& options, std::stop_token stop, const ProgressFn& progress)
        : m_study(study), m_graph(*study.graph), m_plan(plan), m_options(options), m_stop(std::move(stop)),
          m_progress(progress)
    {
    }
    RunReport run(const Inputs& given);

private:
    void requireSizes() const;
    PassResult runArena(Program& program, const Inputs& inputs);
    PassResult runUnplanned(Program& program, const Inputs& inputs);
    void compare(const PassResult& arena, const PassResult& unplanned);
    void describeOperators(const Program& program, const PassResult* arena, const PassResult* unplanned);
    std::function<void(double)> progressFrom(double from, double to, const char* stage) const;

    const Study& m_study;
    const Graph& m_graph;
    const Plan* m_plan;
    const RunOptions& m_options;
    std::stop_token m_stop;
    const ProgressFn& m_progress;
    RunReport m_report;
};

void Run::requireSizes() const
{
    const auto unknown = m_graph.tensorsOfUnknownSize();
    if (unknown.empty())
        return;
    const Tensor& tensor = m_graph.tensor(unknown.front());
    const std::string maker = tensor.producer.isValid() ? m_graph.op(tensor.producer).name : std::string("the caller");
    throw Failure({ErrorCode::UnknownShape, {}, {tensor.name, maker, "--shape"}});
}

std::function<void(double)> Run::progressFrom(double from, double to, const char* stage) const
{
    return [this, from, to, stage](double fraction) {
        if (m_progress)
            m_progress(from + (to - from) * fraction, stage);
    };
}

PassResult Run::runArena(Program& program, const Inputs& inputs)
{
    const Arena arena(m_study, *m_plan, m_options.guard);
    std::optional<Guard> guard;
    if (m_options.guard)
        guard.emplace(m_study, arena);
    PassResult result = runPasses({program, arena.memory(), inputs, m_options, guard ? &*guard : nullptr, true, m_stop,
                                   progressFrom(0.3, m_options.compareUnplanned ? 0.65 : 1.0, "arena")});
    m_report.arenaBytes = arena.bytes();
    m_report.outsideBytes = arena.outsideBytes();
    m_report.peakRssArena = result.peakRss;
    m_report.secondsArena = result.totalSeconds;
    m_report.operatorsRun = result.stepsRun;
    return result;
}

PassResult Run::runUnplanned(Program& program, const Inputs& inputs)
{
    const OwnMemory own(m_graph);
    PassResult result = runPasses({program, own.memory(), inputs, m_options, nullptr, false, m_stop,
                                   progressFrom(m_plan != nullptr ? 0.65 : 0.3, 1.0, "unplanned")});
    m_report.peakRssUnplanned = result.peakRss;
    m_report.secondsUnplanned = result.totalSeconds;
    if (m_plan == nullptr)
        m_report.operatorsRun = result.stepsRun;
    return result;
}

void Run::compare(const PassResult& arena, const PassResult& unplanned)
{
    m_report.isCompared = true;
    for (std::size_t step = 0; step < m_study.schedule.order.size(); ++step) {
        const OpId op = m_study.schedule.order[step];
        for (const TensorId id : m_graph.op(op).outputs) {
            if (!id.isValid() || arena.hashes[id.index()] == unplanned.hashes[id.index()])
                continue;
            m_report.firstDifference = RunDifference{static_cast<Step>(step), op, id};
            return;
        }
    }
    const auto isEqual = [](const auto& a, const auto& b) { return a.second.bytes == b.second.bytes; };
    m_report.bitIdentical = std::ranges::equal(arena.outputs, unplanned.outputs, isEqual);
    if (m_report.bitIdentical)
        return;
    // Every tensor was right when it was written, and yet an output is not: it was written over afterwards.
    for (const auto& [id, content] : arena.outputs) {
        if (content.bytes != unplanned.outputs.at(id).bytes)
            m_report.firstDifference = RunDifference{m_study.schedule.stepCount(), OpId(), id};
    }
}

void Run::describeOperators(const Program& program, const PassResult* arena, const PassResult* unplanned)
{
    for (std::size_t step = 0; step < program.items().size(); ++step) {
        const Item& item = program.items()[step];
        OperatorRun entry{item.op, static_cast<Step>(step), 0.0, 0.0, item.bytesRead, item.bytesWritten, 0,
                          item.kernel->engine()};
        if (arena != nullptr && step < arena->seconds.size())
            entry.secondsArena = arena->seconds[step];
        if (unplanned != nullptr)
            entry.secondsUnplanned = unplanned->seconds[step];
        entry.workspace = arena != nullptr ? arena->workspace[step] : unplanned->workspace[step];
        m_report.workspaceBytes = std::max(m_report.workspaceBytes, entry.workspace);
        m_report.operators.push_back(std::move(entry));
    }
}

RunReport Run::run(const Inputs& given)
{
    requireSizes();
    const auto start = std::chrono::steady_clock::now();
    const OpenCvSettings settings(m_options.threads);
    const Inputs inputs = completeInputs(m_graph, given);
    const ProgressFn loading = [this](double fraction, std::string_view stage) {
        if (m_progress)
            m_progress(0.3 * fraction, stage);
    };
    Program program(m_graph, m_study.schedule.order, m_stop, loading);
    m_report.secondsLoading = secondsSince(start);
    m_report.weightBytes = program.constants().bytesRead();
    m_report.peakRssLoaded = resetPeakRss() ? peakRss() : 0;
    for (const Tensor& tensor : m_graph.tensors())
        m_report.unplannedBytes += tensor.isActivation() ? std::max<Bytes>(tensor.bytes, 0) : 0;

    std::optional<PassResult> arena, unplanned;
    if (m_plan != nullptr) {
        m_report.usedPlan = true;
        arena = runArena(program, inputs);
        m_report.violations = arena->violations;
    }
    if (m_plan == nullptr || (m_options.compareUnplanned && m_report.violations.empty()))
        unplanned = runUnplanned(program, inputs);
    if (arena && unplanned)
        compare(*arena, *unplanned);
    describeOperators(program, arena ? &*arena : nullptr, unplanned ? &*unplanned : nullptr);
    m_report.outputs = std::move(arena ? arena->outputs : unplanned->outputs);
    return std::move(m_report);
}

} // namespace

RunSupport runSupport(const Graph& graph)
{
    RunSupport support;
    ConstantStore constants(graph);
    const auto check = [&](const Graph& part, ConstantStore& store, const Operator& op) {
        try {
            makeKernel(part, op, store);
            return true;
        } catch (const Refusal& e) {
            support.refusals.push_back({Severity::Error, {ErrorCode::CannotRun, {}, {op.name, op.kind, e.what()}}});
        } catch (const Failure& e) {
            support.refusals.push_back({Severity::Error, e.error});
        } catch (const std::exception& e) {
            support.refusals.push_back({Severity::Error, {ErrorCode::CannotRun, {}, {op.name, op.kind, e.what()}}});
        }
        return false;
    };
    for (const Operator& op : graph.operators()) {
        ++support.operators;
        support.runnable += check(graph, constants, op) ? 1 : 0;
    }
    if (const Graph* folded = graph.constantNetwork().get()) {
        ConstantStore foldedConstants(*folded);
        for (const Operator& op : folded->operators()) // they make weights: without them nothing that needs those runs
            check(*folded, foldedConstants, op);
    }
    return support;
}

Result<RunReport> runNetwork(const Study& study, const Plan* plan, const std::map<TensorId, TensorContent>& inputs,
                             const RunOptions& options, std::stop_token stop, const ProgressFn& progress)
{
    try {
        return Run(study, plan, options, std::move(stop), progress).run(inputs);
    } catch (const Failure& e) {
        return e.error;
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, {}, {"the network's tensors"}};
    } catch (const std::exception& e) {
        return Error{ErrorCode::Internal, {}, {e.what()}};
    }
}

} // namespace arenascope
