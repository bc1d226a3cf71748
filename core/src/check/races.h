// SPDX-License-Identifier: MIT
// Uses of the same bytes that nothing but the schedule orders.
#pragma once

#include <arenascope/validator.h>

#include <cstdint>
#include <map>
#include <vector>

namespace arenascope::check {

/// Follows one run. Each byte remembers who wrote it last and who has read it since; the next one who writes it must come
/// after all of them on paths of the network. If that holds for every write, all uses of a byte are ordered where one of them
/// is a write, so that no order and no interleaving of the operators changes what anyone reads.
class Races {
public:
    Races(const Graph& graph, const Schedule& schedule) : m_graph(graph), m_schedule(schedule) {}

    /// One operator's use of bytes [begin, end) of a region; `tensor` is invalid for a workspace.
    struct Use {
        OpId op;
        TensorId tensor;
        BufferId buffer;
        std::size_t region = 0;
        Offset begin = 0;
        Offset end = 0;
    };
    /// In the order of the run. Amortised O(log n + stretches of bytes with different uses).
    void read(const Use& use);
    void write(const Use& use);

    /// What no path orders, by writer in schedule order. O(operators * edges / 64) at worst; near-linear where bytes are
    /// soon used again.
    std::vector<Clash> find();

private:
    struct User {
        OpId op;
        TensorId tensor;
        BufferId buffer;
    };
    struct Stretch {
        Offset end = 0;
        std::vector<User> users; ///< the last writer, and those who have read since
    };
    /// `before` must be an ancestor of `writer.op`.
    struct Claim {
        User before;
        User writer;
        Offset begin = 0;
        Offset end = 0;
    };
    /// By step: the bit of an operator that must come first, and those of its ancestors.
    struct Marks {
        std::vector<std::uint64_t> own;
        std::vector<std::uint64_t> above;
    };
    using Stretches = std::map<Offset, Stretch>; // by begin, disjoint

    void cut(Stretches& stretches, Offset at);
    std::vector<bool> holds() const;
    void holdsAmong(std::size_t first, std::size_t last, Marks& marks, std::vector<bool>& result) const;

    const Graph& m_graph;
    const Schedule& m_schedule;
    std::map<std::size_t, Stretches> m_regions;
    std::vector<Claim> m_claims;
};

} // namespace arenascope::check
