// SPDX-License-Identifier: MIT
#include "core/src/exec/registry.h"

#include "core/src/analysis/layer_kinds.h"
#include "core/src/exec/elements.h"
#include "core/src/exec/request.h"

#include <opencv2/core.hpp>

#include <array>
#include <map>

namespace arenascope::exec {

namespace {

using Table = std::map<std::pair<std::string_view, std::string_view>, KernelMaker>; ///< by domain and kind

const Table& table()
{
    static const Table made = [] {
        Table all;
        for (const auto family : {convolutionKernels(), poolingKernels(), denseKernels(), normalizationKernels(), unaryKernels(),
                                  binaryKernels(), movementKernels(), creationKernels(), indexingKernels(),
                                  resizingKernels(), reductionKernels(), recurrentKernels()}) {
            for (const KernelEntry& entry : family)
                all.emplace(std::pair(entry.domain, entry.kind), entry.make);
        }
        return all;
    }();
    return made;
}

void requirePlainTensors(const Graph& graph, const Operator& op)
{
    for (const auto* list : {&op.inputs, &op.outputs}) {
        for (const TensorId id : *list) {
            if (!id.isValid())
                continue;
            const Tensor& tensor = graph.tensor(id);
            if (bitsPerElement(tensor.type) == 0)
                throw Refusal("'" + tensor.name + "' is no tensor of numbers");
            if (tensor.bytes == kUnknownBytes || !tensor.shape.isStatic())
                throw Refusal("the size of '" + tensor.name + "' is not known before it runs");
        }
    }
}

/// An operator and the activation that its format fuses into it, in place.
class FusedKernel : public Kernel {
public:
    FusedKernel(std::unique_ptr<Kernel> first, std::unique_ptr<Operator> op, std::unique_ptr<Kernel> activation)
        : m_first(std::move(first)), m_op(std::move(op)), m_activation(std::move(activation))
    {
    }
    void load(ConstantStore& constants) override
    {
        m_first->load(constants);
        m_activation->load(constants);
    }
    bool keepsInput(std::size_t i) const override { return m_first->keepsInput(i); }
    bool runsInPlace(std::size_t i) const override { return m_first->runsInPlace(i); }
    Bytes scratchBytes() const override { return m_first->scratchBytes() + m_activation->scratchBytes(); }
    std::string engine() const override { return m_first->engine(); }
    void bind(const KernelIo& io) override
    {
        m_first->bind(io);
        m_activation->bind({io.out.first(1), io.out.first(1), io.scratch + m_first->scratchBytes()});
    }
    void run(const KernelIo& io) override
    {
        m_first->run(io);
        m_activation->run({io.out.first(1), io.out.first(1), io.scratch + m_first->scratchBytes()});
    }

private:
    std::unique_ptr<Kernel> m_first;
    std::unique_ptr<Operator> m_op; ///< the activation, as an operator of its own
    std::unique_ptr<Kernel> m_activation;
};

std::unique_ptr<Kernel> makeOwn(const Graph& graph, const Operator& op, ConstantStore& constants)
{
    // Caffe's, ncnn's and Darknet's layers have names of ONNX's operators and other parameters, and come without weights.
    if (detail::layerFormatOf(graph) != detail::LayerFormat::None)
        throw Refusal("networks in the format of " + graph.info().format + " are planned, not run; convert it to ONNX to run it");
    const auto it = table().find({op.domain, op.kind});
    if (it == table().end())
        throw Refusal("there is nothing that computes operators of this kind");
    if (!op.captures.empty())
        throw Refusal("it has a body of its own");
    requirePlainTensors(graph, op);
    try {
        return it->second(Request(graph, op, constants));
    } catch (const cv::Exception& e) {
        throw Refusal("OpenCV says: " + e.err);
    } catch (const std::out_of_range&) {
        throw Refusal("one of its parameters is empty");
    }
}

} // namespace

std::unique_ptr<Kernel> makeKernel(const Graph& graph, const Operator& op, ConstantStore& constants)
{
    auto kernel = makeOwn(graph, op, constants);
    if (op.fusedActivation.empty())
        return kernel;
    auto activation = std::make_unique<Operator>();
    activation->name = op.name + " (" + op.fusedActivation + ")";
    activation->kind = op.fusedActivation;
    activation->inputs = activation->outputs = {op.outputs.at(0)};
    if (op.fusedActivation == "Relu6") {
        activation->kind = "Clip";
        activation->attributes = {{"min", 0.0}, {"max", 6.0}};
    }
    auto second = makeOwn(graph, *activation, constants);
    return std::make_unique<FusedKernel>(std::move(kernel), std::move(activation), std::move(second));
}

} // namespace arenascope::exec
