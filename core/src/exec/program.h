// SPDX-License-Identifier: MIT
// A network made ready to run: each operator with its kernel, in the order of a schedule; and the memory that it runs in.
#pragma once

#include "core/src/exec/constants.h"
#include "core/src/exec/kernel.h"

#include <arenascope/executor.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace arenascope::exec {

/// One operator that is ready.
struct Item {
    OpId op;
    std::unique_ptr<Kernel> kernel;
    Bytes bytesRead = 0;
    Bytes bytesWritten = 0;
};

class Program {
public:
    /// Makes the kernels and reads the weights. Failure: CannotRun for the first operator that cannot, Cancelled.
    Program(const Graph& graph, std::span<const OpId> order, std::stop_token stop, const ProgressFn& progress);

    const Graph& graph() const { return m_graph; }
    std::span<const Item> items() const { return m_items; }
    ConstantStore& constants() { return m_constants; }

private:
    const Graph& m_graph;
    ConstantStore m_constants;
    std::vector<Item> m_items;
};

/// Where the tensors lie in one kind of run.
struct Memory {
    std::vector<std::byte*> addresses; ///< by TensorId; null: takes no bytes, or nothing reads or writes it
    /// Whether two tensors may share bytes because they were planned to. Empty: never.
    std::function<bool(TensorId, TensorId)> mayShare;
};

/// A program with all its views over one memory.
class BoundProgram {
public:
    /// Failure: RunFailed where a kernel refuses these addresses, OutOfMemory.
    BoundProgram(Program& program, const Memory& memory);

    std::size_t size() const { return m_items.size(); }
    /// Runs one operator; returns wall seconds. Failure: RunFailed.
    double run(std::size_t step);
    /// Memory that the operator takes beside tensors and weights, as far as it is known before it runs.
    Bytes scratchBytes(std::size_t step) const { return m_items[step].scratchBytes; }

private:
    struct InputCopy {
        std::size_t input = 0;
        const std::byte* from = nullptr;
    };
    struct BoundItem {
        std::vector<View> in;
        std::vector<View> out;
        std::vector<InputCopy> copies; ///< inputs that the kernel must not see written over
        Bytes scratchBytes = 0;
        Bytes copyBytes = 0;
    };
    View viewOf(TensorId id, const Memory& memory) const;
    BoundItem bindItem(const Item& item, const Memory& memory) const;
    void findCopies(BoundItem& bound, const Item& item, const Memory& memory) const;

    Program& m_program;
    std::vector<BoundItem> m_items;
    AlignedMemory m_scratch;
};

/// What an operator's failure is for the outside. Call it inside of a catch block.
[[noreturn]] void rethrowAsFailure(const Operator& op, Step step);

} // namespace arenascope::exec
