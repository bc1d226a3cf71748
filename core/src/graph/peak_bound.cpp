// SPDX-License-Identifier: MIT
#include "core/src/graph/peak_bound.h"

#include "core/src/graph/flow_network.h"

#include <boost/graph/push_relabel_max_flow.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace arenascope::detail {

namespace {

// Choosing a set of operators that has run, as a cut: on the source's side is what has run. An operator that has run pays
// what it keeps alive, and bytes pay while one of their readers has not run:
//
//     source --freed--> w --kept--> sink        source --shared--> bytes --forced--> each reader
//                       w --forced--> each writer that it reads from (a set that has run is closed downwards)
class RunCut {
public:
    /// `forced` must be larger than any cut without such an edge.
    RunCut(const PeakSegment& segment, Bytes forced)
        : m_segment(segment), m_forced(forced), m_graph(segment.size() + segment.shared.size() + 2)
    {
        for (LocalOp op = 0; op < segment.size(); ++op) {
            m_fromSource.push_back(connect(m_graph, source(), op, segment.freed[op]));
            m_toSink.push_back(connect(m_graph, op, sink(), segment.kept[op]));
            for (const LocalOp writer : segment.writers[op])
                connect(m_graph, op, writer, m_forced);
            m_gains += segment.freed[op];
        }
        for (std::size_t i = 0; i < segment.shared.size(); ++i) {
            connect(m_graph, source(), segment.size() + i, segment.shared[i]);
            for (const LocalOp reader : segment.sharedReaders[i])
                connect(m_graph, segment.size() + i, reader, m_forced);
            m_gains += segment.shared[i];
        }
    }

    /// Fewest live bytes after any set from which `op` can run.
    Bytes leastLiveBefore(LocalOp op)
    {
        for (const LocalOp writer : m_segment.writers[op])
            setCapacity(m_graph, m_fromSource[writer], m_forced);
        setCapacity(m_graph, m_toSink[op], m_forced);
        const Bytes cut = boost::push_relabel_max_flow(m_graph, source(), sink());
        for (const LocalOp writer : m_segment.writers[op])
            setCapacity(m_graph, m_fromSource[writer], m_segment.freed[writer]);
        setCapacity(m_graph, m_toSink[op], m_segment.kept[op]);
        // The cut is what the set that has run keeps, and what it would have freed had it been everything.
        return m_segment.startBytes + cut - m_gains;
    }

private:
    std::size_t source() const { return m_segment.size() + m_segment.shared.size(); }
    std::size_t sink() const { return source() + 1; }

    const PeakSegment& m_segment;
    Bytes m_forced;
    Bytes m_gains = 0;
    FlowGraph m_graph;
    std::vector<FlowEdge> m_fromSource; ///< by local operator
    std::vector<FlowEdge> m_toSink;
};

// A capacity larger than all sizes together, of which one an edge still fits 62 bits; nothing: sizes are too large.
std::optional<Bytes> forcedCapacity(const PeakSegment& segment)
{
    Bytes sum = std::accumulate(segment.shared.begin(), segment.shared.end(), Bytes(1));
    for (LocalOp op = 0; op < segment.size(); ++op)
        sum += segment.kept[op] + segment.freed[op];
    const auto all = checkedMultiply(sum, static_cast<Bytes>(4 * (segment.size() + 2)));
    return all ? std::optional(sum) : std::nullopt;
}

} // namespace

Bytes cutBound(const PeakSegment& segment, std::span<const LocalOp> order, Bytes known, const std::stop_token& stop)
{
    const auto forced = forcedCapacity(segment);
    if (!forced)
        return known;
    // Live bytes before each operator in the given order: the least can be no more than that.
    std::vector<std::pair<Bytes, LocalOp>> hopes;
    std::vector<std::size_t> missing(segment.shared.size());
    for (std::size_t i = 0; i < missing.size(); ++i)
        missing[i] = segment.sharedReaders[i].size();
    Bytes live = segment.startBytes;
    for (const LocalOp op : order) {
        hopes.emplace_back(live + segment.made[op], op);
        live += segment.kept[op] - segment.freed[op];
        for (const std::uint32_t shared : segment.sharedReads[op])
            live -= --missing[shared] == 0 ? segment.shared[shared] : 0;
    }
    std::stable_sort(hopes.begin(), hopes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    RunCut cut(segment, *forced);
    for (const auto& [hope, op] : hopes) {
        if (hope <= known || stop.stop_requested())
            break;
        known = std::max(known, segment.made[op] + cut.leastLiveBefore(op));
    }
    return known;
}

} // namespace arenascope::detail
