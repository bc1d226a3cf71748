// SPDX-License-Identifier: MIT
#include "core/src/exec/program.h"

#include "core/src/exec/failure.h"
#include "core/src/exec/folded.h"
#include "core/src/exec/registry.h"

#include <opencv2/core.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace arenascope::exec {

namespace {

bool overlap(const View& a, const View& b)
{
    return a.isGiven() && b.isGiven() && a.data < b.data + b.bytes && b.data < a.data + a.bytes;
}

Bytes bytesOf(const Graph& graph, std::span<const TensorId> ids)
{
    Bytes sum = 0;
    for (const TensorId id : ids)
        sum += id.isValid() ? graph.tensor(id).bytes : 0;
    return sum;
}

} // namespace

void rethrowAsFailure(const Operator& op, Step step)
{
    const auto failed = [&](const std::string& why) {
        return Failure({ErrorCode::RunFailed, {}, {op.name, std::to_string(step), why}});
    };
    try {
        throw;
    } catch (const Failure&) {
        throw;
    } catch (const Refusal& e) {
        throw Failure({ErrorCode::CannotRun, {}, {op.name, op.kind, e.what()}});
    } catch (const std::bad_alloc&) {
        throw Failure({ErrorCode::OutOfMemory, {}, {"operator '" + op.name + "'"}});
    } catch (const cv::Exception& e) {
        throw failed("OpenCV says: " + e.err);
    } catch (const std::exception& e) {
        throw failed(e.what());
    }
}

Program::Program(const Graph& graph, std::span<const OpId> order, std::stop_token stop, const ProgressFn& progress)
    : m_graph(graph), m_constants(graph)
{
    for (std::size_t step = 0; step < order.size(); ++step) {
        if (stop.stop_requested())
            throw Failure({ErrorCode::Cancelled, {}, {}});
        if (progress)
            progress(static_cast<double>(step) / static_cast<double>(order.size()), "weights");
        const Operator& op = graph.op(order[step]);
        try {
            Item item{order[step], makeKernel(graph, op, m_constants), bytesOf(graph, op.inputs), bytesOf(graph, op.outputs)};
            item.kernel->load(m_constants);
            for (std::size_t i = 0; i < op.inputs.size(); ++i) {
                if (op.inputs[i].isValid() && !graph.tensor(op.inputs[i]).isActivation() && !item.kernel->keepsInput(i))
                    m_constants.view(op.inputs[i]);
            }
            m_items.push_back(std::move(item));
        } catch (...) {
            rethrowAsFailure(op, static_cast<Step>(step));
        }
    }
}

BoundProgram::BoundProgram(Program& program, const Memory& memory) : m_program(program)
{
    Bytes most = 0;
    for (const Item& item : program.items()) {
        m_items.push_back(bindItem(item, memory));
        most = std::max(most, m_items.back().scratchBytes);
    }
    m_scratch = allocateAligned(most);
    for (std::size_t step = 0; step < m_items.size(); ++step) {
        BoundItem& bound = m_items[step];
        std::byte* scratch = m_scratch.get();
        for (const InputCopy& copy : bound.copies) {
            bound.in[copy.input].data = scratch;
            scratch += simdAligned(bound.in[copy.input].bytes);
        }
        const Item& item = program.items()[step];
        try {
            item.kernel->bind({bound.in, bound.out, scratch});
        } catch (...) {
            rethrowAsFailure(program.graph().op(item.op), static_cast<Step>(step));
        }
    }
}

View BoundProgram::viewOf(TensorId id, const Memory& memory) const
{
    if (!id.isValid())
        return {};
    const Tensor& tensor = m_program.graph().tensor(id);
    View view{memory.addresses[id.index()], tensor.type, tensor.shape.dims, tensor.shape.elementCount().value_or(0),
              tensor.bytes};
    const auto size = static_cast<std::uintptr_t>(std::max(bitsPerElement(tensor.type) / 8, 1));
    if (reinterpret_cast<std::uintptr_t>(view.data) % size != 0)
        throw Failure({ErrorCode::InvalidPlan, {}, {"'" + tensor.name + "' does not lie at a multiple of its elements' size (see --align)"}});
    return view;
}

BoundProgram::BoundItem BoundProgram::bindItem(const Item& item, const Memory& memory) const
{
    const Operator& op = m_program.graph().op(item.op);
    BoundItem bound;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        const TensorId id = op.inputs[i];
        const bool isConstant = id.isValid() && !m_program.graph().tensor(id).isActivation();
        if (!isConstant)
            bound.in.push_back(viewOf(id, memory));
        else
            bound.in.push_back(item.kernel->keepsInput(i) ? View() : m_program.constants().view(id));
    }
    for (const TensorId id : op.outputs)
        bound.out.push_back(viewOf(id, memory));
    findCopies(bound, item, memory);
    bound.scratchBytes = bound.copyBytes + item.kernel->scratchBytes();
    return bound;
}

// Only where the plan means it: what lies in the same bytes by mistake is not made right in silence.
void BoundProgram::findCopies(BoundItem& bound, const Item& item, const Memory& memory) const
{
    const Operator& op = m_program.graph().op(item.op);
    if (!memory.mayShare || item.kernel->runsOverParts())
        return;
    for (std::size_t i = 0; i < bound.in.size(); ++i) {
        bool mustCopy = false;
        for (std::size_t o = 0; o < bound.out.size(); ++o) {
            if (!overlap(bound.in[i], bound.out[o]) || !memory.mayShare(op.inputs[i], op.outputs[o]))
                continue;
            const bool isInPlace = o == 0 && bound.in[i].data == bound.out[o].data && item.kernel->runsInPlace(i);
            mustCopy |= !isInPlace;
        }
        if (!mustCopy)
            continue;
        bound.copies.push_back({i, bound.in[i].data});
        bound.copyBytes += simdAligned(bound.in[i].bytes);
    }
}

double BoundProgram::run(std::size_t step)
{
    const Item& item = m_program.items()[step];
    BoundItem& bound = m_items[step];
    const auto start = std::chrono::steady_clock::now();
    try {
        for (const InputCopy& copy : bound.copies)
            std::memcpy(bound.in[copy.input].data, copy.from, static_cast<std::size_t>(bound.in[copy.input].bytes));
        const auto hasElements = [](const View& view) { return view.count > 0; };
        if (std::ranges::any_of(bound.out, hasElements))
            item.kernel->run({bound.in, bound.out, m_scratch.get() + bound.copyBytes});
    } catch (...) {
        rethrowAsFailure(m_program.graph().op(item.op), static_cast<Step>(step));
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::map<std::string, std::vector<std::byte>> runConstantNetwork(const Graph& network)
{
    const auto schedule = makeSchedule(network, ScheduleKind::File);
    if (!schedule)
        throw Failure(schedule.error());
    Program program(network, schedule->order, {}, {});
    Memory memory;
    std::vector<std::vector<std::uint64_t>> contents(network.tensors().size()); // words, so that all elements are aligned
    for (std::size_t i = 0; i < contents.size(); ++i) {
        const Tensor& tensor = network.tensors()[i];
        if (tensor.isActivation() && tensor.bytes >= 0)
            contents[i].resize(static_cast<std::size_t>(tensor.bytes) / 8 + 1);
        memory.addresses.push_back(reinterpret_cast<std::byte*>(contents[i].data()));
    }
    BoundProgram bound(program, memory);
    for (std::size_t step = 0; step < bound.size(); ++step)
        bound.run(step);
    std::map<std::string, std::vector<std::byte>> made;
    for (const TensorId id : network.outputs()) {
        const std::byte* data = memory.addresses[id.index()];
        made.emplace(network.tensor(id).name, std::vector(data, data + network.tensor(id).bytes));
    }
    return made;
}

} // namespace arenascope::exec
