// SPDX-License-Identifier: MIT
#include "core/src/exec/constants.h"

#include "core/src/exec/failure.h"
#include "core/src/exec/folded.h"

#include <arenascope/tensor_data.h>

#include <cstring>

namespace arenascope::exec {

View ConstantStore::view(TensorId id)
{
    auto it = m_contents.find(id);
    if (it == m_contents.end())
        it = m_contents.emplace(id, load(id)).first;
    const Tensor& tensor = m_graph.tensor(id);
    return {it->second.data.get(), tensor.type, tensor.shape.dims, tensor.shape.elementCount().value_or(0), it->second.bytes};
}

ConstantStore::Content ConstantStore::copyOf(const std::vector<std::byte>& bytes) const
{
    Content content{allocateAligned(std::ssize(bytes)), std::ssize(bytes)};
    if (!bytes.empty())
        std::memcpy(content.data.get(), bytes.data(), bytes.size());
    return content;
}

ConstantStore::Content ConstantStore::load(TensorId id)
{
    const Tensor& tensor = m_graph.tensor(id);
    if (tensor.bytes == kUnknownBytes)
        throw Failure({ErrorCode::UnknownShape, {}, {tensor.name, "the file", "a model that says it"}});
    m_bytesRead += tensor.bytes;
    if (!tensor.source) {
        const auto* made = folded(tensor.name);
        if (made == nullptr || std::ssize(*made) < tensor.bytes)
            throw Failure({ErrorCode::MissingData, {}, {tensor.name, "the model file"}});
        return copyOf(*made);
    }
    auto bytes = readTensorData(*tensor.source, tensor.type, tensor.bytes);
    if (!bytes)
        throw Failure(bytes.error());
    return copyOf(*bytes);
}

const std::vector<std::byte>* ConstantStore::folded(const std::string& name)
{
    if (!m_isFoldedMade && m_graph.constantNetwork() != nullptr)
        m_folded = runConstantNetwork(*m_graph.constantNetwork());
    m_isFoldedMade = true;
    const auto it = m_folded.find(name);
    return it == m_folded.end() ? nullptr : &it->second;
}

} // namespace arenascope::exec
