// SPDX-License-Identifier: MIT
// What network inputs hold where nobody gives it.
#include "core/src/exec/elements.h"

#include <arenascope/executor.h>

#include <algorithm>
#include <random>

namespace arenascope {

namespace {

using namespace exec;

/// How many different indices every operator that reads the tensor as indices has room for; 2 where none does.
std::int64_t indexLimit(const Graph& graph, TensorId id)
{
    std::int64_t limit = 0;
    std::vector<TensorId> open{id};
    for (std::size_t i = 0; i < open.size() && open.size() < 64; ++i) {
        for (const OpId reader : graph.tensor(open[i]).consumers) {
            const Operator& op = graph.op(reader);
            const bool isIndex = op.kind == "Gather" && op.inputs.size() > 1 && op.inputs[1] == open[i];
            const bool isPassedOn = op.kind == "Cast" || op.kind == "Reshape" || op.kind == "Unsqueeze" || op.kind == "Squeeze"
                || op.kind == "Flatten" || op.kind == "Identity" || op.kind == "Transpose";
            if (isPassedOn && !op.outputs.empty() && op.outputs[0].isValid())
                open.push_back(op.outputs[0]);
            if (!isIndex || !op.inputs[0].isValid())
                continue;
            const auto it = op.attributes.find("axis");
            const auto* axis = it == op.attributes.end() ? nullptr : std::get_if<std::int64_t>(&it->second);
            const auto& dims = graph.tensor(op.inputs[0]).shape.dims;
            const std::int64_t at = axis == nullptr ? 0 : *axis < 0 ? *axis + std::ssize(dims) : *axis;
            if (at >= 0 && at < std::ssize(dims))
                limit = limit == 0 ? dims[static_cast<std::size_t>(at)] : std::min(limit, dims[static_cast<std::size_t>(at)]);
        }
    }
    return limit > 0 ? limit : 2;
}

template <class T>
void fill(std::vector<std::byte>& bytes, std::int64_t limit, std::uint64_t seed)
{
    // The engine's numbers are the same everywhere; the library's distributions need not be.
    std::mt19937_64 engine(seed);
    auto* elements = reinterpret_cast<T*>(bytes.data());
    const auto most = std::min<std::uint64_t>(static_cast<std::uint64_t>(limit),
                                              std::is_integral_v<T> ? std::uint64_t{1} << (8 * sizeof(T) - 1) : ~std::uint64_t{0});
    for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
        const std::uint64_t number = engine();
        if constexpr (std::is_floating_point_v<T>)
            elements[i] = static_cast<T>(static_cast<double>(number >> 40) / double(1 << 23) - 1.0);
        else
            elements[i] = static_cast<T>(number % most);
    }
}

} // namespace

Result<TensorContent> makeInput(const Graph& graph, TensorId input, InputFill how, std::uint64_t seed)
{
    const Tensor& tensor = graph.tensor(input);
    if (tensor.bytes == kUnknownBytes || !tensor.shape.isStatic())
        return Error{ErrorCode::UnknownShape, {}, {tensor.name, "the caller", "--shape " + tensor.name + "=..."}};
    if (bitsPerElement(tensor.type) == 0)
        return Error{ErrorCode::WrongInput, {}, {tensor.name, "it is no tensor of numbers"}};
    TensorContent content{tensor.type, tensor.shape, {}};
    content.bytes.resize(static_cast<std::size_t>(tensor.bytes));
    if (how == InputFill::Zeros || !isNumber(tensor.type))
        return content;
    const std::int64_t limit = tensor.type == ElementType::Bool ? 2 : indexLimit(graph, input);
    withNumber(tensor.type, [&](auto number) { fill<decltype(number)>(content.bytes, limit, seed); });
    return content;
}

} // namespace arenascope
