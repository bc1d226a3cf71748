// SPDX-License-Identifier: MIT
#include "core/src/exec/pass.h"

#include "core/src/exec/failure.h"
#include "core/src/exec/mat_meter.h"
#include "core/src/exec/page_memory.h"
#include "core/src/exec/tensor_hash.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace arenascope::exec {

namespace {

double median(std::vector<double> values)
{
    if (values.empty())
        return 0.0;
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

class Passes {
public:
    explicit Passes(const PassSetup& setup)
        : m_setup(setup), m_graph(setup.program.graph()), m_bound(setup.program, setup.memory), m_seconds(m_bound.size())
    {
        m_result.hashes.resize(m_graph.tensors().size());
        m_result.workspace.resize(m_bound.size());
    }
    PassResult run();

private:
    void giveInputs();
    bool runStep(std::size_t step, bool isFirst);
    void afterFirst(std::size_t step, double seconds);
    std::span<const std::byte> bytesOf(TensorId id) const
    {
        return {m_setup.memory.addresses[id.index()], static_cast<std::size_t>(m_graph.tensor(id).bytes)};
    }
    void takeOutputs();

    const PassSetup& m_setup;
    const Graph& m_graph;
    BoundProgram m_bound;
    MatMeter m_meter;
    PassResult m_result;
    std::vector<std::vector<double>> m_seconds; ///< by step and run
};

void Passes::giveInputs()
{
    for (const auto& [id, content] : m_setup.inputs) {
        if (!content.bytes.empty())
            std::memcpy(m_setup.memory.addresses[id.index()], content.bytes.data(), content.bytes.size());
    }
}

void Passes::afterFirst(std::size_t step, double seconds)
{
    const OpId op = m_setup.program.items()[step].op;
    m_result.workspace[step] = m_bound.scratchBytes(step) + m_meter.peak();
    std::vector<WrittenTensor> written;
    for (const TensorId id : m_graph.op(op).outputs) {
        if (!id.isValid())
            continue;
        m_result.hashes[id.index()] = tensorHash(bytesOf(id));
        written.push_back({id, bytesOf(id)});
    }
    if (m_setup.options.onStep)
        m_setup.options.onStep({static_cast<Step>(step), op, m_setup.isArena, seconds, written});
}

/// Whether the run may go on.
bool Passes::runStep(std::size_t step, bool isFirst)
{
    if (m_setup.stop.stop_requested())
        throw Failure({ErrorCode::Cancelled, {}, {}});
    if (isFirst && m_setup.options.beforeStep)
        m_setup.options.beforeStep({static_cast<Step>(step), m_setup.program.items()[step].op, m_setup.isArena, 0.0, {}});
    m_meter.restart();
    double seconds = 0.0;
    try {
        seconds = m_bound.run(step);
    } catch (const Failure& failure) {
        // Libraries refuse operands that overlap: then it is the plan that is wrong.
        if (isFirst && m_setup.guard != nullptr && failure.error.code == ErrorCode::RunFailed)
            m_result.violations = m_setup.guard->outputsOverNeeded(static_cast<Step>(step));
        if (m_result.violations.empty())
            throw;
        return false;
    }
    m_seconds[step].push_back(seconds);
    if (!isFirst)
        return true;
    m_result.stepsRun = static_cast<std::int64_t>(step) + 1;
    afterFirst(step, seconds);
    if (m_setup.guard != nullptr)
        m_result.violations = m_setup.guard->afterStep(static_cast<Step>(step));
    return m_result.violations.empty();
}

void Passes::takeOutputs()
{
    for (const TensorId id : m_graph.outputs()) {
        const Tensor& tensor = m_graph.tensor(id);
        const auto bytes = bytesOf(id);
        m_result.outputs[id] = {tensor.type, tensor.shape, {bytes.begin(), bytes.end()}};
    }
}

PassResult Passes::run()
{
    const bool canMeasure = resetPeakRss();
    const int runs = std::max(m_setup.options.repeat, 1);
    std::vector<double> totals;
    for (int run = 0; run < runs; ++run) {
        giveInputs();
        if (run == 0 && m_setup.guard != nullptr)
            m_result.violations = m_setup.guard->afterInputs();
        if (!m_result.violations.empty())
            break;
        double total = 0.0;
        for (std::size_t step = 0; step < m_bound.size(); ++step) {
            if (!runStep(step, run == 0))
                return std::move(m_result);
            total += m_seconds[step].back();
            if (m_setup.progress)
                m_setup.progress((run + static_cast<double>(step + 1) / static_cast<double>(m_bound.size())) / runs);
        }
        totals.push_back(total);
    }
    m_result.peakRss = canMeasure ? peakRss() : 0;
    for (auto& seconds : m_seconds)
        m_result.seconds.push_back(median(std::move(seconds)));
    m_result.totalSeconds = median(std::move(totals));
    if (m_result.violations.empty())
        takeOutputs();
    return std::move(m_result);
}

} // namespace

PassResult runPasses(const PassSetup& setup)
{
    return Passes(setup).run();
}

} // namespace arenascope::exec
