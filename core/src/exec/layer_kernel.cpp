// SPDX-License-Identifier: MIT
#include "core/src/exec/layer_kernel.h"

#include "core/src/exec/constants.h"
#include "core/src/exec/failure.h"

#include <algorithm>
#include <numeric>

namespace arenascope::exec {

namespace {

Bytes bytesOf(const std::vector<int>& shape)
{
    Bytes bytes = sizeof(float);
    for (const int extent : shape)
        bytes *= extent;
    return bytes;
}

std::string textOf(const std::vector<int>& shape)
{
    return toString(Shape::of({shape.begin(), shape.end()}));
}

} // namespace

std::vector<int> matShape(std::span<const std::int64_t> dims)
{
    std::vector<int> shape;
    for (const std::int64_t extent : dims) {
        if (extent > std::numeric_limits<int>::max())
            throw Refusal("an extent of " + std::to_string(extent) + " is too large");
        shape.push_back(static_cast<int>(extent));
    }
    while (shape.size() < 2)
        shape.insert(shape.begin(), 1);
    return shape;
}

cv::Mat matOver(const View& view, const std::vector<int>& shape)
{
    return cv::Mat(static_cast<int>(shape.size()), shape.data(), CV_32F, view.data);
}

void LayerKernel::load(ConstantStore& constants)
{
    if (m_spec.isDynamic)
        return;
    makeLayer([&](std::size_t input) { return constants.view(m_op.inputs[input]); });
    findShapes();
}

bool LayerKernel::keepsInput(std::size_t i) const
{
    return !m_spec.isDynamic && std::ranges::find(m_spec.blobInputs, i) != m_spec.blobInputs.end();
}

bool LayerKernel::runsInPlace(std::size_t i) const
{
    return std::ranges::find(m_spec.inPlaceInputs, i) != m_spec.inPlaceInputs.end();
}

void LayerKernel::makeLayer(const ContentFn& content)
{
    m_blobs = m_spec.blobs ? m_spec.blobs(content) : std::vector<cv::Mat>();
    cv::dnn::LayerParams params = m_spec.params;
    params.type = m_spec.type;
    params.name = m_op.name;
    params.blobs = m_blobs;
    m_layer = cv::dnn::LayerFactory::createLayerInstance(m_spec.type, params);
    if (m_layer == nullptr)
        throw Refusal("this OpenCV has no layer '" + m_spec.type + "'");
}

void LayerKernel::findShapes()
{
    std::vector<std::vector<int>> in, out;
    for (const LayerOperand& operand : m_spec.operands)
        in.push_back(operand.shape);
    m_internalShapes.clear();
    m_layer->getMemoryShapes(in, static_cast<int>(m_spec.outputs.size()), out, m_internalShapes);
    for (std::size_t i = 0; i < m_spec.outputs.size(); ++i) {
        if (i >= out.size() || bytesOf(out[i]) != bytesOf(m_spec.outputs[i]))
            throw Refusal("OpenCV's layer '" + m_spec.type + "' would make " + (i < out.size() ? textOf(out[i]) : "nothing")
                          + " instead of " + textOf(m_spec.outputs[i]));
        m_spec.outputs[i] = out[i];
    }
    m_scratchBytes = 0;
    for (const auto& shape : m_internalShapes)
        m_scratchBytes += simdAligned(bytesOf(shape));
}

void LayerKernel::bind(const KernelIo& io)
{
    if (m_layer == nullptr)
        return;
    m_in.clear();
    m_out.clear();
    m_internals.clear();
    for (const LayerOperand& operand : m_spec.operands)
        m_in.push_back(matOver(io.in[operand.input], operand.shape));
    for (std::size_t i = 0; i < m_spec.outputs.size(); ++i)
        m_out.push_back(matOver(io.out[i], m_spec.outputs[i]));
    std::byte* scratch = io.scratch;
    for (const auto& shape : m_internalShapes) {
        m_internals.emplace_back(static_cast<int>(shape.size()), shape.data(), CV_32F, scratch);
        scratch += simdAligned(bytesOf(shape));
    }
    m_layer->finalize(cv::InputArrayOfArrays(m_in), cv::OutputArrayOfArrays(m_out));
}

void LayerKernel::run(const KernelIo& io)
{
    if (m_spec.isDynamic) {
        makeLayer([&](std::size_t input) { return io.in[input]; });
        findShapes();
        const AlignedMemory scratch = allocateAligned(m_scratchBytes);
        bind({io.in, io.out, scratch.get()});
        m_layer->forward(m_in, m_out, m_internals);
        m_layer.release();
    } else {
        m_layer->forward(m_in, m_out, m_internals);
    }
    for (std::size_t i = 0; i < m_out.size(); ++i) {
        if (m_out[i].data != reinterpret_cast<const uchar*>(io.out[i].data)) // never copied in silence
            throw std::runtime_error("OpenCV's layer '" + m_spec.type + "' did not write where it was told to");
    }
}

} // namespace arenascope::exec
