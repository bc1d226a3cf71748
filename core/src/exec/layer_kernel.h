// SPDX-License-Identifier: MIT
// An OpenCV layer as a kernel: reads and writes the tensors where they are, through cv::Mat headers.
#pragma once

#include "core/src/exec/kernel.h"

#include <opencv2/dnn.hpp>

#include <functional>
#include <vector>

namespace arenascope::exec {

/// Gives an input's content, for making blobs of.
using ContentFn = std::function<View(std::size_t input)>;

/// One tensor that a layer reads, as the layer sees it.
struct LayerOperand {
    std::size_t input = 0;
    std::vector<int> shape;
};

struct LayerSpec {
    std::string type; ///< as LayerFactory knows it
    cv::dnn::LayerParams params;
    std::vector<LayerOperand> operands;
    std::vector<std::vector<int>> outputs; ///< by the operator's outputs, those that the layer writes
    std::vector<std::size_t> blobInputs;   ///< inputs whose content is in the blobs
    std::function<std::vector<cv::Mat>(const ContentFn&)> blobs; ///< may be empty
    bool isDynamic = false;                ///< a blob input is computed while the network runs: a new layer each time
    std::vector<std::size_t> inPlaceInputs;
};

class LayerKernel : public Kernel {
public:
    /// `op` is the operator whose inputs the spec's numbers mean; it must outlive the kernel.
    LayerKernel(LayerSpec spec, const Operator& op) : m_spec(std::move(spec)), m_op(op) {}

    void load(ConstantStore& constants) override;
    bool keepsInput(std::size_t i) const override;
    bool runsInPlace(std::size_t i) const override;
    Bytes scratchBytes() const override { return m_scratchBytes; }
    void bind(const KernelIo& io) override;
    void run(const KernelIo& io) override;
    std::string engine() const override { return m_spec.type; }

    const LayerSpec& spec() const { return m_spec; }
    const std::vector<cv::Mat>& blobs() const { return m_blobs; } ///< after load(), unless dynamic

private:
    void makeLayer(const ContentFn& content);
    void findShapes();

    LayerSpec m_spec;
    const Operator& m_op;
    std::vector<cv::Mat> m_blobs;
    cv::Ptr<cv::dnn::Layer> m_layer;
    std::vector<std::vector<int>> m_internalShapes;
    Bytes m_scratchBytes = 0;
    std::vector<cv::Mat> m_in, m_out, m_internals; ///< headers over the bound addresses
};

/// The tensor's extents as a cv::Mat has them: never fewer than two (a vector is one row). Refusal where one is too large.
std::vector<int> matShape(std::span<const std::int64_t> dims);
/// Header over a float tensor.
cv::Mat matOver(const View& view, const std::vector<int>& shape);

} // namespace arenascope::exec
