// SPDX-License-Identifier: MIT
// Weights and constants of a network, read when they are first asked for.
#pragma once

#include "core/src/exec/aligned_memory.h"
#include "core/src/exec/view.h"

#include <map>
#include <string>
#include <vector>

namespace arenascope::exec {

class ConstantStore {
public:
    explicit ConstantStore(const Graph& graph) : m_graph(graph) {}

    /// The content, which stays where it is as long as the store. Failure: MissingData, and those of readTensorData() and of
    /// running the folded operators that make it.
    View view(TensorId id);
    /// Gives the memory back; the next view() reads again.
    void forget(TensorId id) { m_contents.erase(id); }
    Bytes bytesRead() const { return m_bytesRead; }

private:
    struct Content {
        AlignedMemory data;
        Bytes bytes = 0;
    };
    Content load(TensorId id);
    Content copyOf(const std::vector<std::byte>& bytes) const;
    const std::vector<std::byte>* folded(const std::string& name);

    const Graph& m_graph;
    std::map<TensorId, Content> m_contents;
    std::map<std::string, std::vector<std::byte>> m_folded; ///< what the constant network made
    bool m_isFoldedMade = false;
    Bytes m_bytesRead = 0;
};

} // namespace arenascope::exec
