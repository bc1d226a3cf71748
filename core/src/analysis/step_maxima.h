// SPDX-License-Identifier: MIT
// A profile over steps that changes in stretches.
#pragma once

#include <arenascope/types.h>

#include <algorithm>
#include <vector>

namespace arenascope::detail {

/// Segment tree whose nodes keep what was added to all of their steps, so that nothing is pushed down. Sums are taken to fit:
/// problems are checked for that.
class StepMaxima {
public:
    explicit StepMaxima(Step steps)
    {
        while (m_leaves < steps)
            m_leaves *= 2;
        m_added.assign(static_cast<std::size_t>(2 * m_leaves), 0);
        m_most.assign(static_cast<std::size_t>(2 * m_leaves), 0);
    }

    /// O(log steps).
    void add(LiveRange steps, Bytes bytes) { add({1, {0, m_leaves}}, steps, bytes); }
    /// Largest value in a stretch that is not empty. O(log steps).
    Bytes most(LiveRange steps) const { return most({1, {0, m_leaves}}, steps); }
    Bytes most() const { return m_most[1]; }

private:
    struct Node {
        std::size_t index;
        LiveRange steps;

        Step middle() const { return steps.begin + steps.length() / 2; }
        Node left() const { return {2 * index, {steps.begin, middle()}}; }
        Node right() const { return {2 * index + 1, {middle(), steps.end}}; }
        bool isInside(LiveRange of) const { return of.begin <= steps.begin && steps.end <= of.end; }
    };

    void add(Node node, LiveRange steps, Bytes bytes)
    {
        if (!node.steps.meets(steps))
            return;
        if (node.isInside(steps)) {
            m_added[node.index] += bytes;
            m_most[node.index] += bytes;
            return;
        }
        add(node.left(), steps, bytes);
        add(node.right(), steps, bytes);
        m_most[node.index] = m_added[node.index] + std::max(m_most[2 * node.index], m_most[2 * node.index + 1]);
    }

    Bytes most(Node node, LiveRange steps) const
    {
        if (node.isInside(steps))
            return m_most[node.index];
        const Node left = node.left();
        const Node right = node.right();
        Bytes most = 0;
        if (!left.steps.meets(steps))
            most = this->most(right, steps);
        else if (!right.steps.meets(steps))
            most = this->most(left, steps);
        else
            most = std::max(this->most(left, steps), this->most(right, steps));
        return m_added[node.index] + most;
    }

    Step m_leaves = 1;
    std::vector<Bytes> m_added;
    std::vector<Bytes> m_most;
};

} // namespace arenascope::detail
