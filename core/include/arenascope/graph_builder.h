// SPDX-License-Identifier: MIT
#pragma once

#include <arenascope/graph.h>
#include <arenascope/result.h>

#include <memory>

namespace arenascope {

/// Collects operators and tensors and turns them into a checked, immutable Graph.
/// Importers and tests use it; the order of addOperator() is the file order.
class GraphBuilder {
public:
    GraphBuilder();
    ~GraphBuilder();
    GraphBuilder(GraphBuilder&&) noexcept;
    GraphBuilder& operator=(GraphBuilder&&) noexcept;

    /// A new tensor, or the one of that name. Bytes are worked out from type and shape unless `bytes` is given.
    TensorId tensor(std::string_view name);
    /// Type and shape of the tensor; its bytes follow from them.
    void describe(TensorId id, ElementType type, Shape shape);
    void setBytes(TensorId id, Bytes bytes); ///< overrides what type and shape say (tests, formats without shapes)
    void setRole(TensorId id, TensorRole role);
    void setSource(TensorId id, TensorSource source);
    void setQuantization(TensorId id, Quantization quantization);
    void setPlace(TensorId id, std::int32_t subgraph, std::int32_t fileIndex); ///< where the file lists it
    void setPlannedOffset(TensorId id, Offset offset);                         ///< where the file's own plan has it

    TensorId addInput(std::string_view name, ElementType type, Shape shape);
    TensorId addWeight(std::string_view name, ElementType type, Shape shape);
    /// Marks an existing or new tensor as handed out. The same tensor may be marked once only.
    void addOutput(TensorId id);

    /// inputs, outputs and captures of `op` must hold ids of this builder (invalid: left out), runsAfter operators of it, which
    /// may be added later.
    /// Where a name is empty it is made from kind and index; where it is taken, "#2", "#3" ... is added.
    OpId addOperator(Operator op);
    /// Convenience for tests: one operator with one output of `bytes` bytes; returns the output.
    TensorId addSimple(std::string_view kind, std::vector<TensorId> inputs, std::string_view output, Bytes bytes);

    void addOmission(Omission omission);
    void setInfo(ModelInfo info);
    void setConstantNetwork(std::shared_ptr<const Graph> network); ///< see Graph::constantNetwork()

    /// Checks and freezes. Errors: EmptyGraph, DuplicateProducer, DanglingTensor (an activation without producer that is
    /// no input, but read or handed out), DuplicateName (an input or output given twice), CyclicGraph (names the operators
    /// of one cycle), BadShape (negative extent), SizeOverflow (of one tensor), Internal (runsAfter names no operator). Works in O((V + E) log V).
    /// The operators keep the order in which they were added, topological or not: schedules sort.
    Result<std::shared_ptr<const Graph>> build() &&;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace arenascope
