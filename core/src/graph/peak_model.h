// SPDX-License-Identifier: MIT
// Live bytes as a function of which operators have run, cut into parts that can be ordered apart.
#pragma once

#include <arenascope/alias.h>
#include <arenascope/schedule.h>

#include <cstdint>
#include <span>
#include <vector>

namespace arenascope::detail {

using LocalOp = std::uint32_t;

/// Lists of indices, one after the other in one array.
class IndexLists {
public:
    void beginList() { m_begin.push_back(static_cast<std::uint32_t>(m_items.size())); }
    void push(std::uint32_t item)
    {
        m_items.push_back(item);
        m_begin.back() = static_cast<std::uint32_t>(m_items.size());
    }
    std::span<const std::uint32_t> operator[](std::size_t list) const
    {
        return {m_items.data() + m_begin[list], m_items.data() + m_begin[list + 1]};
    }
    std::size_t size() const { return m_begin.size() - 1; }

private:
    std::vector<std::uint32_t> m_begin{0}; ///< where each list begins; list i ends where i + 1 begins
    std::vector<std::uint32_t> m_items;
};

/// Operators between two that are comparable to every other one: they can be ordered without looking at the rest.
/// With S the operators of the segment that have run, live bytes after S are
///     f(S) = startBytes + sum of kept[w] over w in S - bytes of each freeable whose readers are all in S,
/// and running w from S costs f(S) + made[w].
struct PeakSegment {
    std::vector<OpId> operators;   ///< in file order; local index -> operator
    IndexLists writers;            ///< by local index: those inside the segment that it reads from
    IndexLists readers;            ///< by local index: those inside the segment that read from it
    std::vector<Bytes> made;       ///< what it writes, and its workspace where that counts
    std::vector<Bytes> kept;       ///< the part of what it writes that lives on after its step
    std::vector<Bytes> freed;      ///< what it alone reads: dead after its step
    IndexLists sharedReads;        ///< by local index: indices of `shared` that it reads
    std::vector<Bytes> shared;     ///< bytes with several readers in the segment and none after it
    IndexLists sharedReaders;      ///< by index of `shared`
    Bytes startBytes = 0;          ///< live before the segment
    Bytes firstStepBytes = 0;      ///< on top in its first step (network inputs that nobody reads)

    std::size_t size() const { return operators.size(); }
};

/// The segments in order; each starts where the one before has ended. O((V + E) log V).
/// Errors: SizeOverflow (all sizes together), BadOption (alignment).
Result<std::vector<PeakSegment>> peakSegments(const Graph& graph, const Schedule& file, const PeakOptions& options);

} // namespace arenascope::detail
