// SPDX-License-Identifier: MIT
// Which bytes are taken when: a segment tree over time whose nodes hold byte spans.
#pragma once

#include <arenascope/types.h>

#include <cstddef>
#include <vector>

namespace arenascope::planning {

/// Disjoint byte spans in order; spans that touch are one.
class SpanSet {
public:
    struct Span {
        Offset begin;
        Offset end;
    };

    /// O(log n + n moved); in a packed arena spans melt together, so that n stays small.
    void add(Offset begin, Offset end);
    void clear() { m_spans.clear(); }
    bool isEmpty() const { return m_spans.empty(); }
    const std::vector<Span>& spans() const { return m_spans; }

private:
    std::vector<Span> m_spans;
};

/// Time is cut into sections 0 .. n - 1. A node knows the spans that are taken during its whole time (`whole`) and
/// those taken at some moment of it (`some`): the bytes taken at any moment of [begin, end) are the union of `some` of
/// the O(log n) nodes that make it up and of `whole` of the nodes above them.
class Occupancy {
public:
    explicit Occupancy(std::size_t sections);

    void clear();
    /// Takes bytes during sections [first, last); first < last. O(log n) changed sets.
    void take(std::size_t first, std::size_t last, Offset begin, Offset end);
    /// Appends the sets whose union is taken at some moment of sections [first, last), without empty ones. O(log n).
    void collect(std::size_t first, std::size_t last, std::vector<const SpanSet*>& sets) const;

private:
    struct Window {
        std::size_t node;
        std::size_t begin;
        std::size_t end;
    };
    void take(const Window& window, std::size_t first, std::size_t last, Offset begin, Offset end);
    void collect(const Window& window, std::size_t first, std::size_t last, std::vector<const SpanSet*>& sets) const;

    std::size_t m_leaves = 1;
    std::vector<SpanSet> m_some;  // by node, root at 1
    std::vector<SpanSet> m_whole; // by inner node
};

} // namespace arenascope::planning
