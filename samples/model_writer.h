// SPDX-License-Identifier: MIT
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace arenascope::samples {

/// Writes small convolutional networks in ONNX, opset 13, NCHW, batch 1. Every method that adds an operator returns the
/// name of its output. The same calls give the same bytes.
class ModelWriter {
public:
    enum class Weights {
        Random, ///< stored in the file, seeded
        Light,  ///< made by ConstantOfShape: the file stays small, the outputs say nothing
    };

    ModelWriter(const std::string& name, Weights weights);

    std::string input(const std::string& name, std::vector<std::int64_t> dims);
    void output(const std::string& tensor, std::vector<std::int64_t> dims);

    struct ConvOptions {
        std::int64_t kernel = 3;
        std::int64_t stride = 1;
        std::int64_t groups = 1;
    };
    std::string conv(const std::string& x, std::int64_t channels, ConvOptions options);
    std::string transposedConv(const std::string& x, std::int64_t channels);
    std::string relu(const std::string& x);
    std::string relu6(const std::string& x);
    std::string add(const std::string& a, const std::string& b);
    std::string concat(const std::vector<std::string>& parts);
    std::string maxPool(const std::string& x, std::int64_t kernel, std::int64_t stride);
    std::string globalAveragePool(const std::string& x);
    std::string flatten(const std::string& x);
    std::string linear(const std::string& x, std::int64_t features);
    std::string softmax(const std::string& x);

    /// Channels of a tensor made by this writer.
    std::int64_t channels(const std::string& tensor) const;
    std::string serialize() const;

private:
    onnx::NodeProto& node(const std::string& kind, const std::vector<std::string>& inputs, std::int64_t outputChannels);
    std::string weight(const std::string& name, const std::vector<std::int64_t>& dims, std::int64_t fanIn);
    std::string scalar(const std::string& name, float value);

    onnx::ModelProto m_model;
    Weights m_weights;
    std::mt19937 m_random{20240229};
    std::vector<std::pair<std::string, std::int64_t>> m_channels;
    int m_count = 0;
};

} // namespace arenascope::samples
