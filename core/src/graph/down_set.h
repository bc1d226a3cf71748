// SPDX-License-Identifier: MIT
// Sets of operators of a segment that have run, with what follows from them.
#pragma once

#include "core/src/graph/peak_model.h"

#include <algorithm>

namespace arenascope::detail {

/// One bit an operator.
using OpBits = std::vector<std::uint64_t>;

inline bool hasBit(const OpBits& bits, LocalOp op)
{
    return bits[op / 64] >> (op % 64) & 1;
}
inline void setBit(OpBits& bits, LocalOp op)
{
    bits[op / 64] |= std::uint64_t(1) << (op % 64);
}

struct DownSet {
    OpBits ran;
    std::vector<LocalOp> ready; ///< operators that may run next, in the order in which they became ready
    Bytes live = 0;             ///< f: bytes that live on
    std::uint64_t hash = 0;
    std::uint32_t size = 0;     ///< operators that have run
};

/// Steps from set to set.
class DownSets {
public:
    explicit DownSets(const PeakSegment& segment) : m_segment(segment) {}

    DownSet empty() const
    {
        DownSet set;
        set.ran.assign((m_segment.size() + 63) / 64, 0);
        set.live = m_segment.startBytes;
        for (LocalOp op = 0; op < m_segment.size(); ++op) {
            if (m_segment.writers[op].empty())
                set.ready.push_back(op);
        }
        return set;
    }

    /// Live bytes while `op` runs.
    Bytes cost(const DownSet& set, LocalOp op) const
    {
        return set.live + m_segment.made[op] + (set.size == 0 ? m_segment.firstStepBytes : 0);
    }

    /// Change of the live bytes from before `op` has run to after.
    Bytes growth(const DownSet& set, LocalOp op) const
    {
        Bytes bytes = m_segment.kept[op] - m_segment.freed[op];
        for (const std::uint32_t shared : m_segment.sharedReads[op]) {
            const auto readers = m_segment.sharedReaders[shared];
            const bool isLast = std::all_of(readers.begin(), readers.end(),
                [&](LocalOp reader) { return reader == op || hasBit(set.ran, reader); });
            bytes -= isLast ? m_segment.shared[shared] : 0;
        }
        return bytes;
    }

    static std::uint64_t hashAfter(const DownSet& set, LocalOp op) { return set.hash ^ mixed(op); }

    /// `growth` as told by growth().
    DownSet after(const DownSet& set, LocalOp op, Bytes growth) const
    {
        DownSet next = set;
        advance(next, op, growth);
        return next;
    }

    void advance(DownSet& set, LocalOp op, Bytes growth) const
    {
        setBit(set.ran, op);
        set.live += growth;
        set.hash = hashAfter(set, op);
        ++set.size;
        set.ready.erase(std::find(set.ready.begin(), set.ready.end(), op));
        for (const LocalOp reader : m_segment.readers[op]) {
            const auto writers = m_segment.writers[reader];
            if (std::all_of(writers.begin(), writers.end(), [&](LocalOp writer) { return hasBit(set.ran, writer); }))
                set.ready.push_back(reader);
        }
    }

private:
    // SplitMix64 of the operator: sets hash to the exclusive or of their members.
    static std::uint64_t mixed(LocalOp op)
    {
        std::uint64_t x = (std::uint64_t(op) + 1) * 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    }

    const PeakSegment& m_segment;
};

} // namespace arenascope::detail
