// SPDX-License-Identifier: MIT
// A graph's names resolved: who makes what, who reads what, in which order.
#pragma once

#include <arenascope/result.h>

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace arenascope::onnx_import {

/// Where a named value of a graph comes from.
enum class Origin : std::uint8_t { Input, Initializer, Node, Outer };

/// One named value of one graph.
struct Slot {
    std::string_view name; ///< points into the proto
    Origin origin = Origin::Node;
    std::int32_t producer = -1;                       ///< Node: its index in Scope::nodes
    std::int32_t outerSlot = -1;                      ///< Outer: the slot in the graph around
    const onnx::TensorProto* initializer = nullptr;   ///< Initializer, dense
    const onnx::SparseTensorProto* sparse = nullptr;  ///< Initializer, sparse
    const onnx::TypeProto* declared = nullptr;        ///< from input, output or value_info
};

struct Scope;

/// One node with its names as slots; -1 where an optional one is left out.
struct NodeLinks {
    const onnx::NodeProto* node = nullptr;
    std::vector<std::int32_t> inputs;
    std::vector<std::int32_t> outputs;
    std::vector<std::int32_t> captures; ///< distinct slots of this graph that the bodies read
    std::vector<std::unique_ptr<Scope>> bodies;
};

/// A graph, top-level or the body of an operator.
struct Scope {
    const onnx::GraphProto* graph = nullptr;
    std::vector<Slot> slots; ///< in the order in which they are first named
    std::unordered_map<std::string_view, std::int32_t> slotOf;
    std::vector<NodeLinks> nodes;      ///< in file order
    std::vector<std::int32_t> order;   ///< topological: as written where that is one, else the smallest ready index first
    std::vector<std::int32_t> inputs;  ///< formal inputs that are no initializers
    std::vector<std::int32_t> outputs;
    bool isSorted = true;
    bool isRandom = false; ///< a node of it or of its bodies is a random generator
};

/// Resolves all names of a graph and its bodies. Errors: DuplicateProducer, DanglingTensor, CyclicGraph (top-level and
/// bodies alike; `where` names the graph).
Result<std::unique_ptr<Scope>> resolveScope(const onnx::GraphProto& graph);

/// Whether an operator's result differs from run to run, so that it is no constant.
bool isRandomKind(std::string_view kind);

} // namespace arenascope::onnx_import
