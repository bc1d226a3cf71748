// SPDX-License-Identifier: MIT
// Small .tflite files from descriptions, for tests and benchmarks.
#pragma once

#include "tflite_generated.h"

#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace arenascope::test {

namespace fb = arenascope::tflite_file;

enum TfliteCode : int {
    kAdd = 0, kConcatenation = 2, kConv2D = 3, kFullyConnected = 9, kLogistic = 14, kRelu = 19, kReshape = 22, kSoftmax = 25, kCustom = 32,
    kMean = 40, kIf = 118, kWhile = 119, kCallOnce = 129, kVarHandle = 142, kReadVariable = 143, kAssignVariable = 144,
};
enum TfliteType : int { kFloat32 = 0, kInt32 = 2, kString = 5, kInt8 = 9, kResource = 13, kInt4 = 17 };

struct TfliteTensor {
    std::string name{};
    std::vector<int> shape{};
    int type = kInt8;
    std::vector<std::uint8_t> content{}; ///< not empty: a constant
    bool isVariable = false;
    std::vector<int> signature{};
    std::vector<float> scales{};
    std::vector<std::int64_t> zeroPoints{};
    int axis = 0;
};

struct TfliteOp {
    int code = kRelu;
    std::vector<int> inputs{};
    std::vector<int> outputs{};
    std::vector<int> calls{};       ///< sub-graphs of IF, WHILE, CALL_ONCE
    std::string customName{};
    std::vector<int> intermediates{};
    int version = 1;
    /// Options of other kinds: makes the table, and says which it is.
    std::function<flatbuffers::Offset<void>(flatbuffers::FlatBufferBuilder&)> options{};
    fb::Options optionsType = fb::Options::NONE;
    std::vector<std::uint8_t> customOptions{};
};

struct TfliteGraph {
    std::vector<TfliteTensor> tensors{};
    std::vector<TfliteOp> ops{};
    std::vector<int> inputs{};
    std::vector<int> outputs{};
};

struct TfliteModel {
    std::vector<TfliteGraph> graphs{};
    std::vector<std::pair<std::string, std::vector<std::int32_t>>> metadata{}; ///< name -> numbers of its buffer
    int version = 3;
    bool hasBuffers = true;
    std::string description = "Made by a test.";
};

class TfliteWriter {
public:
    std::string write(const TfliteModel& model)
    {
        if (model.hasBuffers)
            m_buffers.push_back(fb::CreateBuffer(m_builder));
        std::vector<flatbuffers::Offset<fb::SubGraph>> graphs;
        for (const TfliteGraph& graph : model.graphs)
            graphs.push_back(add(graph));
        std::vector<flatbuffers::Offset<fb::Metadata>> metadata;
        for (const auto& [name, numbers] : model.metadata) {
            std::vector<std::uint8_t> bytes;
            for (const std::int32_t number : numbers) {
                for (int i = 0; i < 4; ++i)
                    bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(number) >> (8 * i)));
            }
            metadata.push_back(fb::CreateMetadataDirect(m_builder, name.c_str(), buffer(bytes)));
        }
        m_builder.Finish(fb::CreateModelDirect(m_builder, static_cast<std::uint32_t>(model.version), &m_codes, &graphs,
                                               model.description.c_str(), &m_buffers, nullptr, metadata.empty() ? nullptr : &metadata),
                         fb::ModelIdentifier());
        return {reinterpret_cast<const char*>(m_builder.GetBufferPointer()), m_builder.GetSize()};
    }

private:
    std::uint32_t buffer(const std::vector<std::uint8_t>& content)
    {
        if (content.empty())
            return 0;
        m_builder.ForceVectorAlignment(content.size(), 1, 16);
        m_buffers.push_back(fb::CreateBuffer(m_builder, m_builder.CreateVector(content)));
        return static_cast<std::uint32_t>(m_buffers.size()) - 1;
    }

    std::uint32_t code(const TfliteOp& op)
    {
        const char* custom = op.customName.empty() ? nullptr : op.customName.c_str();
        m_codes.push_back(fb::CreateOperatorCodeDirect(m_builder, static_cast<std::int8_t>(std::min(op.code, 127)), custom, op.version, op.code));
        return static_cast<std::uint32_t>(m_codes.size()) - 1;
    }

    flatbuffers::Offset<fb::SubGraph> add(const TfliteGraph& graph)
    {
        std::vector<flatbuffers::Offset<fb::Tensor>> tensors;
        for (const TfliteTensor& tensor : graph.tensors) {
            flatbuffers::Offset<fb::Quantization> quantization;
            if (!tensor.scales.empty())
                quantization = fb::CreateQuantizationDirect(m_builder, &tensor.scales, &tensor.zeroPoints, 0, 0, tensor.axis);
            const std::uint32_t content = buffer(tensor.content);
            const std::vector<std::int32_t> shape(tensor.shape.begin(), tensor.shape.end());
            const std::vector<std::int32_t> signature(tensor.signature.begin(), tensor.signature.end());
            tensors.push_back(fb::CreateTensorDirect(m_builder, &shape, static_cast<std::int8_t>(tensor.type), content,
                                                     tensor.name.empty() ? nullptr : tensor.name.c_str(), quantization,
                                                     tensor.isVariable, 0, signature.empty() ? nullptr : &signature));
        }
        std::vector<flatbuffers::Offset<fb::Operator>> ops;
        for (const TfliteOp& op : graph.ops)
            ops.push_back(add(op));
        const std::vector<std::int32_t> inputs(graph.inputs.begin(), graph.inputs.end());
        const std::vector<std::int32_t> outputs(graph.outputs.begin(), graph.outputs.end());
        return fb::CreateSubGraphDirect(m_builder, &tensors, &inputs, &outputs, &ops, "graph");
    }

    flatbuffers::Offset<fb::Operator> add(const TfliteOp& op)
    {
        fb::Options type = op.optionsType;
        flatbuffers::Offset<void> options;
        if (op.code == kIf || op.code == kWhile) {
            type = op.code == kIf ? fb::Options::If : fb::Options::While;
            if (op.calls.size() == 2)
                options = fb::CreateTwoCalls(m_builder, op.calls[0], op.calls[1]).Union();
        } else if (op.code == kCallOnce && op.calls.size() == 1) {
            type = fb::Options::CallOnce;
            options = fb::CreateOneCall(m_builder, op.calls[0]).Union();
        } else if (op.options) {
            options = op.options(m_builder);
        }
        if (options.IsNull())
            type = fb::Options::NONE;
        const std::vector<std::int32_t> inputs(op.inputs.begin(), op.inputs.end());
        const std::vector<std::int32_t> outputs(op.outputs.begin(), op.outputs.end());
        const std::vector<std::int32_t> intermediates(op.intermediates.begin(), op.intermediates.end());
        return fb::CreateOperatorDirect(m_builder, code(op), &inputs, &outputs, type, options,
                                        op.customOptions.empty() ? nullptr : &op.customOptions,
                                        intermediates.empty() ? nullptr : &intermediates);
    }

    flatbuffers::FlatBufferBuilder m_builder;
    std::vector<flatbuffers::Offset<fb::Buffer>> m_buffers;
    std::vector<flatbuffers::Offset<fb::OperatorCode>> m_codes;
};

inline std::string tfliteFile(const TfliteModel& model)
{
    return TfliteWriter().write(model);
}

inline bool writeBytes(const std::string& path, const std::string& bytes)
{
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file.good();
}

} // namespace arenascope::test
