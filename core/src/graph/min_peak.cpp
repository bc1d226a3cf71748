// SPDX-License-Identifier: MIT
#include "core/src/graph/min_peak.h"

#include "core/src/graph/peak_bound.h"
#include "core/src/graph/segment_search.h"

#include <algorithm>
#include <numeric>

namespace arenascope::detail {

namespace {

constexpr std::int64_t kSearchWork = 2'000'000; ///< tenths of a second, tens of megabytes
constexpr std::int64_t kQuickWork = 50'000;
constexpr std::size_t kMaxCutSize = 400; ///< operators of a segment for which as many maximum flows are affordable
constexpr std::int64_t kBeamWork = 2'000'000;
constexpr std::size_t kMaxBeam = 64;

// The order of the segment's operators in a schedule of the whole network.
SegmentOrder orderIn(const PeakSegment& segment, const Schedule& schedule)
{
    SegmentOrder result;
    result.order.resize(segment.size());
    std::iota(result.order.begin(), result.order.end(), LocalOp(0));
    std::sort(result.order.begin(), result.order.end(), [&](LocalOp a, LocalOp b) {
        return schedule.stepOf[segment.operators[a].index()] < schedule.stepOf[segment.operators[b].index()];
    });
    result.peak = peakOf(segment, result.order);
    return result;
}

// No order can do with less: what an operator reads and writes is alive in its step.
Bytes simpleBound(const PeakSegment& segment)
{
    Bytes bound = segment.startBytes + segment.firstStepBytes;
    for (LocalOp op = 0; op < segment.size(); ++op) {
        Bytes bytes = segment.made[op] + segment.freed[op];
        for (const std::uint32_t shared : segment.sharedReads[op])
            bytes += segment.shared[shared];
        bound = std::max(bound, bytes);
    }
    return bound;
}

class Orderer {
public:
    Orderer(std::vector<PeakSegment> segments, const Schedule& file, const Schedule& other, const std::stop_token& stop,
            const ProgressFn& progress)
        : m_segments(std::move(segments)), m_file(file), m_other(other), m_stop(stop), m_progress(progress)
    {
    }

    Result<Schedule> run(const Graph& graph)
    {
        for (const PeakSegment& segment : m_segments)
            m_bound = std::max(m_bound, simpleBound(segment));
        std::vector<OpId> order;
        order.reserve(m_file.order.size());
        Bytes peak = 0;
        for (const PeakSegment& segment : m_segments) {
            const SegmentOrder best = bestOrder(segment);
            if (m_stop.stop_requested())
                return Error{ErrorCode::Cancelled, {}, {}};
            peak = std::max(peak, best.peak);
            for (const LocalOp op : best.order)
                order.push_back(segment.operators[op]);
            if (m_progress)
                m_progress(static_cast<double>(order.size()) / static_cast<double>(m_file.order.size()), "ordering operators");
        }
        auto schedule = scheduleFromOrder(graph, std::move(order));
        assert(schedule && "segments are ordered topologically");
        if (!schedule)
            return schedule;
        schedule->kind = ScheduleKind::MinPeak;
        schedule->peakBound = m_bound;
        schedule->provenMinPeak = peak <= m_bound;
        return schedule;
    }

private:
    // What is known already may do: no better order of this segment would make the network's peak smaller.
    SegmentOrder bestOrder(const PeakSegment& segment)
    {
        SegmentOrder best = orderIn(segment, m_file);
        if (best.peak <= m_bound)
            return best;
        SegmentOrder other = orderIn(segment, m_other);
        if (other.peak < best.peak)
            best = std::move(other);
        if (best.peak <= m_bound)
            return best;
        // Most segments are easy. For the others a better bound is worth its price: with it more fits at once.
        SearchBudget quick{std::min(kQuickWork, m_budget.work)};
        m_budget.work -= quick.work;
        auto found = findBestOrder(segment, m_bound, quick, m_stop);
        m_budget.work += std::max<std::int64_t>(quick.work, 0);
        if (found)
            return *std::move(found);
        if (segment.size() <= kMaxCutSize)
            m_bound = cutBound(segment, best.order, m_bound, m_stop);
        if (best.peak <= m_bound)
            return best;
        found = findBestOrder(segment, m_bound, m_budget, m_stop);
        if (found)
            return *std::move(found);
        auto beam = beamOrder(segment, m_bound, beamWidth(segment), m_beamBudget, m_stop);
        return beam && beam->peak < best.peak ? *std::move(beam) : best;
    }

    std::size_t beamWidth(const PeakSegment& segment) const
    {
        const auto size = static_cast<std::int64_t>(segment.size());
        const std::int64_t width = kBeamWork / (8 * size * (size / 64 + 8));
        return static_cast<std::size_t>(std::clamp<std::int64_t>(width, 1, kMaxBeam));
    }

    std::vector<PeakSegment> m_segments;
    const Schedule& m_file;
    const Schedule& m_other;
    const std::stop_token& m_stop;
    const ProgressFn& m_progress;
    SearchBudget m_budget{kSearchWork};
    SearchBudget m_beamBudget{kBeamWork};
    Bytes m_bound = 0;
};

} // namespace

Result<Schedule> minPeakSchedule(const Graph& graph, const Schedule& file, const Schedule& other, const PeakOptions& options,
                                 const std::stop_token& stop, const ProgressFn& progress)
{
    auto segments = peakSegments(graph, file, options);
    if (!segments)
        return std::move(segments).error();
    return Orderer(*std::move(segments), file, other, stop, progress).run(graph);
}

} // namespace arenascope::detail
