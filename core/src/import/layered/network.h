// SPDX-License-Identifier: MIT
// From layers that read and write blobs by name to a Graph, for formats whose files list layers (Caffe, ncnn, Darknet).
#pragma once

#include "core/src/import/findings.h"

#include <arenascope/graph_builder.h>
#include <arenascope/importer.h>

#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace arenascope::layered {

/// The largest extent of a dimension: all these formats' runtimes count in 32 bits.
inline constexpr std::int64_t kLargestExtent = 0x7fffffff;

/// Whether the first dimension of several counts the items of a batch.
enum class FirstDim { Batch, NoBatch };

/// Collects tensors with their shapes, and operators. Everything throws Failure where the file or the options are wrong.
/// A blob name that is written again names a new tensor from then on: "conv1", then "conv1#2".
class Network {
public:
    explicit Network(const ImportOptions& options) : m_options(options) {}

    /// A network input; `shape` as the file has it, with kUnknownDim and symbols. What the options say wins, for symbols also
    /// over a number. An unknown symbol, and the first dimension of several (the batch), take ImportOptions::defaultDim; others
    /// that are unknown stay so.
    TensorId addInput(const std::string& blob, Shape shape, const std::string& where, FirstDim first = FirstDim::Batch);
    /// What a layer makes: a new tensor under this blob name. ImportOptions::shapes settle what is not static or only a bound.
    TensorId addResult(const std::string& blob, Shape shape, ElementType type = ElementType::Float32, bool isBound = false);
    TensorId addWeight(const std::string& name, const std::vector<std::int64_t>& dims, ElementType type = ElementType::Float32);
    /// State that is kept from run to run.
    TensorId addVariable(const std::string& name, const std::vector<std::int64_t>& dims);
    /// A weight that layers read under a blob name.
    TensorId addWeightBlob(const std::string& blob, const std::vector<std::int64_t>& dims);
    /// Says which of its outputs have no fixed size although all that it reads has, with the option that gives one.
    void addOperator(Operator op);

    /// What the blob name stands for now; invalid where nothing has written it.
    TensorId find(const std::string& blob) const;
    /// Gives the blob name to a tensor that exists already.
    void rename(const std::string& blob, TensorId tensor) { m_blobs[blob] = tensor; }
    const Shape& shapeOf(TensorId id) const { return m_shapes[id.index()]; }
    const std::string& nameOf(TensorId id) const { return m_names[id.index()]; }
    bool isRead(TensorId id) const { return m_isRead[id.index()]; }
    bool isGiven(const std::string& name) const { return m_options.shapes.contains(name); }
    /// Whether an option gives a shape, so that what the file notes down about shapes may be out of date.
    bool hasGivenShapes() const { return !m_options.shapes.empty() || !m_options.dims.empty(); }

    /// Something that is no operator reads it, so that it is not handed out.
    void markRead(TensorId id) { m_isRead[id.index()] = true; }
    void addOutput(TensorId id);
    void omit(std::string name, std::string kind, std::string reason);
    Findings& findings() { return m_findings; }

    /// Marks what a layer made and nobody reads as handed out.
    void addUnreadOutputs();
    /// Throws also where an option names what is not there.
    ImportedModel finish(ModelInfo info, std::int64_t layersInFile);

private:
    TensorId add(const std::string& wanted, const Shape& shape, ElementType type);
    std::string uniqueName(const std::string& wanted);
    void applyGiven(const std::string& name, Shape& shape);
    void assumeOpenDims(const std::string& name, Shape& shape, const std::string& where, FirstDim first);
    void reportUnknown(TensorId id, const std::string& maker);
    void checkNames() const;

    const ImportOptions& m_options;
    GraphBuilder m_builder;
    Findings m_findings;
    std::vector<Shape> m_shapes;      ///< by TensorId
    std::vector<std::string> m_names; ///< by TensorId
    std::vector<bool> m_isRead;       ///< by TensorId
    std::vector<bool> m_isMade;       ///< by TensorId: by a layer
    std::unordered_map<std::string, TensorId> m_blobs;
    std::unordered_map<std::string, int> m_copies; ///< of a wanted name
    std::unordered_set<std::string> m_taken;
    std::set<std::string> m_inputNames;
    std::set<std::string> m_symbols;
    Bytes m_weightBytes = 0;
};

} // namespace arenascope::layered
