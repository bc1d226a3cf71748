// SPDX-License-Identifier: MIT
// The network: operators, tensors and how they are connected. Immutable once built (see graph_builder.h).
#pragma once

#include <arenascope/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace arenascope {

enum class ElementType : std::uint8_t {
    Undefined, Float32, Float64, Float16, BFloat16, Float8,
    Int4, UInt4, Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64,
    Bool, Complex64, Complex128, String, Resource, Variant,
};

/// Bits that one element takes in an arena; 0 for types without a fixed size (String, Resource, Variant, Undefined).
int bitsPerElement(ElementType type);
/// Lower-case name as users type it: "float32", "int8" ...
std::string_view elementTypeName(ElementType type);
std::optional<ElementType> elementTypeFromName(std::string_view name);

/// The extent of a dimension that is not known.
inline constexpr std::int64_t kUnknownDim = -1;

/// Extents of a tensor, outermost first. A scalar has rank 0 and one element.
struct Shape {
    bool rankKnown = false;
    std::vector<std::int64_t> dims;          ///< kUnknownDim where not known
    std::vector<std::string> symbols;        ///< empty, or one name a dimension ("batch"), "" where it has none

    static Shape of(std::vector<std::int64_t> dims) { return {true, std::move(dims), {}}; }
    bool isStatic() const;
    /// Product of the extents; nothing when unknown or when it does not fit 63 bits.
    std::optional<std::int64_t> elementCount() const;
    friend bool operator==(const Shape&, const Shape&) = default;
};

/// "1x3x224x224", "?" for an unknown extent, "scalar" for rank 0, "unknown" without a rank.
std::string toString(const Shape& shape);

enum class TensorRole : std::uint8_t {
    Input,      ///< given to the network from outside
    Output,     ///< made by an operator and handed out
    Activation, ///< made and used up during a run
    Weight,     ///< read-only, stored in the model file, outside the arena
    Constant,   ///< read-only, worked out while importing (folded), outside the arena
    Variable,   ///< persistent state (TensorFlow Lite), outside the arena unless placed by the file
    Scratch,    ///< no operator makes it and it has no content: room that an operator reads as an input (compiled kernels),
                ///< or a tensor of a sub-graph that never runs, for which a runtime may reserve bytes all the same
};
std::string_view roleName(TensorRole role);

/// How the bytes that a TensorSource names hold the elements of a tensor.
enum class TensorEncoding : std::uint8_t {
    Elements,    ///< little-endian, row-major, without gaps; elements of 4 bits two a byte, the first in the low half
    OnnxMessage, ///< a serialised onnx.TensorProto, whose typed fields hold them as protobuf numbers
};

/// Where the content of a weight or constant lies, so that an executor can read it later: readTensorData() in tensor_data.h
/// does so for every encoding.
struct TensorSource {
    std::string file;        ///< path of the file that holds the bytes; empty: inlineBytes
    std::int64_t offset = 0; ///< from the start of the file
    std::int64_t length = 0;
    std::vector<std::byte> inlineBytes; ///< as Elements, for small constants
    TensorEncoding encoding = TensorEncoding::Elements;
};

/// real value = scale * (stored value - zero point), where these are known before the network runs.
struct Quantization {
    std::vector<float> scales;            ///< one for the whole tensor, or one for each index along `axis`
    std::vector<std::int64_t> zeroPoints; ///< as many; 0 where the format leaves them out
    int axis = -1;                        ///< -1: one scale for the whole tensor
};

struct Tensor {
    std::string name;
    ElementType type = ElementType::Undefined;
    Shape shape;
    Bytes bytes = kUnknownBytes; ///< without rounding; kUnknownBytes when shape or type is unknown
    TensorRole role = TensorRole::Activation;
    bool isOutput = false;       ///< handed out of the network (an Input may be, too)
    OpId producer;               ///< invalid for inputs, weights, constants
    std::vector<OpId> consumers; ///< distinct operators that read it (captures included), ascending
    std::optional<TensorSource> source;
    std::optional<Quantization> quantization;
    std::int32_t subgraph = 0;   ///< of the file, 0: the main one
    std::int32_t fileIndex = -1; ///< position in that sub-graph's list, -1 where the format has none
    std::optional<Offset> plannedOffset; ///< where the file itself wants it (offline plans); not checked by anything

    /// Whether it wants bytes in an arena (inputs, outputs, activations and scratch do).
    bool isActivation() const
    {
        return role == TensorRole::Input || role == TensorRole::Output || role == TensorRole::Activation
            || role == TensorRole::Scratch;
    }
};

/// A tensor-valued attribute or small constant.
struct TensorValue {
    ElementType type = ElementType::Undefined;
    Shape shape;
    TensorSource source;
};

using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                                    std::vector<std::string>, TensorValue>;
/// Sorted by name, so that listings are stable.
using Attributes = std::map<std::string, AttributeValue, std::less<>>;

struct Operator {
    std::string name;   ///< unique in the graph; made from kind and index where the file has none
    std::string kind;   ///< "Conv", "Relu" ... as the format calls it
    std::string domain; ///< "" for the format's own operators
    std::vector<TensorId> inputs;   ///< in order, invalid where an optional input is left out
    std::vector<TensorId> outputs;  ///< in order, invalid where an optional output is left out
    std::vector<TensorId> captures; ///< read by the bodies of If, Loop, Scan from the outer graph; distinct
    std::vector<OpId> runsAfter;    ///< must have run before, for other reasons than data (calls of sub-graphs); distinct
    std::vector<OpId> runsBefore;   ///< those that name this one in runsAfter, ascending (set by the builder)
    Attributes attributes;
    std::string fusedActivation;    ///< "" or the activation that the format fuses into it ("Relu6")
    Bytes workspace = 0;            ///< inner peak of sub-graphs, scratch memory; reported apart
    int opset = 0;                  ///< version of its domain, 0 where the format has none
    std::int32_t fileIndex = -1;    ///< position in the file (in its sub-graph), before folding
    std::int32_t subgraph = 0;      ///< of the file, 0: the main one
    bool isDead = false;            ///< nothing it makes reaches a network output; it still runs (set by the builder)
};

/// Something that the file has and the graph has not, with the reason: for `inspect --explain`.
struct Omission {
    enum class What { Operator, Tensor } what = What::Operator;
    std::string name;
    std::string kind;    ///< operator kind, or role of the tensor
    std::string reason;  ///< "constant inputs", "shape of a static tensor", "weight" ...
    Bytes bytes = kUnknownBytes;
};

/// Facts about the file that a graph came from.
struct ModelInfo {
    std::string path;
    std::string name;     ///< file name without folder
    std::string format;   ///< "ONNX", "TensorFlow Lite" ...
    std::string producer; ///< tool that wrote it, with version
    std::map<std::string, std::int64_t> opsets; ///< domain -> version
    std::string hash;     ///< hex digest of the file's content or, for large files, of its structure; "" unknown
    Bytes fileBytes = 0;
    Bytes weightBytes = 0;
    std::int64_t operatorsInFile = 0;
    std::int32_t subgraphs = 1;     ///< in the file; those that run are part of the graph
};

/// An immutable network. Operators are numbered in file order (or in the order in which they were added),
/// tensors in the order in which they were first named.
class Graph {
public:
    std::span<const Operator> operators() const { return m_operators; }
    std::span<const Tensor> tensors() const { return m_tensors; }
    const Operator& op(OpId id) const { return m_operators[id.index()]; }
    const Tensor& tensor(TensorId id) const { return m_tensors[id.index()]; }
    std::span<const TensorId> inputs() const { return m_inputs; }   ///< in the file's order
    std::span<const TensorId> outputs() const { return m_outputs; } ///< in the file's order
    std::span<const Omission> omissions() const { return m_omissions; }
    const ModelInfo& info() const { return m_info; }
    /// What makes the constants that have no `source`: the folded operators, as a network of its own without inputs, whose
    /// outputs have the names that those constants have here. Null where there are none.
    const std::shared_ptr<const Graph>& constantNetwork() const { return m_constantNetwork; }

    /// Distinct operators that make what `id` reads (captures included) or that it must run after, ascending. O(inputs).
    std::vector<OpId> predecessors(OpId id) const;
    /// Distinct operators that read any output of `id` or must run after it, ascending. O(consumers).
    std::vector<OpId> successors(OpId id) const;
    /// Activations (of any role that wants arena bytes) whose size is not known; empty for a graph that can be planned.
    /// Tensors that nothing makes and nobody reads are left out.
    std::vector<TensorId> tensorsOfUnknownSize() const;
    /// The operator or tensor of that name, or an invalid id. O(log n).
    OpId findOperator(std::string_view name) const;
    TensorId findTensor(std::string_view name) const;

private:
    friend class GraphBuilder;
    std::vector<Operator> m_operators;
    std::vector<Tensor> m_tensors;
    std::vector<TensorId> m_inputs;
    std::vector<TensorId> m_outputs;
    std::vector<Omission> m_omissions;
    std::vector<OpId> m_operatorsByName;
    std::vector<TensorId> m_tensorsByName;
    ModelInfo m_info;
    std::shared_ptr<const Graph> m_constantNetwork;
};

} // namespace arenascope
