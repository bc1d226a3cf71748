// SPDX-License-Identifier: MIT
#include "core/src/graph/peak_model.h"

#include "core/src/analysis/arena_groups.h"

#include <arenascope/cut.h>

#include <algorithm>
#include <bit>

namespace arenascope::detail {

namespace {

// One buffer's worth of bytes, by steps of the file's order.
struct Item {
    Step writer = -1;          ///< -1: there before the network runs
    std::vector<Step> readers; ///< ascending, distinct
    Bytes bytes = 0;
    bool isOutput = false;

    bool livesOn() const { return isOutput || !readers.empty(); }
};

class ItemMaker {
public:
    ItemMaker(const Graph& graph, const Schedule& file, const PeakOptions& options)
        : m_graph(graph), m_file(file), m_options(options)
    {
    }

    Result<std::vector<Item>> make()
    {
        const AliasMode mode = m_options.joinViews ? AliasMode::Views : AliasMode::None;
        const AliasGroups aliases = makeAliasGroups(m_graph, m_file, mode);
        std::vector<Item> items;
        for (const AliasGroup& group : aliases.groups) {
            if (!isInArena(m_graph, group, m_options.inputsInArena, m_options.outputsInArena))
                continue;
            items.push_back(itemOf(group));
            const auto rounded = checkedAlignUp(std::max<Bytes>(group.bytes, 0), m_options.alignment);
            if (!rounded || !count(*rounded))
                return tooLarge();
            items.back().bytes = *rounded;
        }
        return items;
    }

    /// Workspace by step, zero where it does not count.
    Result<std::vector<Bytes>> workspaces()
    {
        std::vector<Bytes> bytes(m_file.order.size(), 0);
        for (std::size_t step = 0; m_options.countWorkspace && step < bytes.size(); ++step) {
            const auto rounded = checkedAlignUp(std::max<Bytes>(m_graph.op(m_file.order[step]).workspace, 0), m_options.alignment);
            if (!rounded || !count(*rounded))
                return tooLarge();
            bytes[step] = *rounded;
        }
        return bytes;
    }

private:
    Item itemOf(const AliasGroup& group) const
    {
        Item item;
        const Tensor& first = m_graph.tensor(group.members.front().tensor);
        item.writer = first.producer.isValid() ? m_file.stepOf[first.producer.index()] : -1;
        for (const AliasMember& member : group.members) {
            const Tensor& tensor = m_graph.tensor(member.tensor);
            item.isOutput = item.isOutput || tensor.isOutput;
            for (const OpId reader : tensor.consumers)
                item.readers.push_back(m_file.stepOf[reader.index()]);
        }
        std::sort(item.readers.begin(), item.readers.end());
        item.readers.erase(std::unique(item.readers.begin(), item.readers.end()), item.readers.end());
        return item;
    }

    // With the sum of everything in range no sum of parts can overflow.
    bool count(Bytes bytes)
    {
        const auto sum = checkedAdd(m_sum, bytes);
        m_sum = sum.value_or(m_sum);
        return sum.has_value();
    }
    static Error tooLarge() { return {ErrorCode::SizeOverflow, {}, {"all tensors together"}}; }

    const Graph& m_graph;
    const Schedule& m_file;
    const PeakOptions& m_options;
    Bytes m_sum = 0;
};

// Ends of the segments, as steps of the file's order: after each operator that is comparable to all others.
std::vector<Step> segmentEnds(const Graph& graph, const Schedule& file)
{
    std::vector<Step> ends;
    for (const OpId op : findCuts(graph, file).comparable)
        ends.push_back(file.stepOf[op.index()] + 1);
    if (ends.empty() || ends.back() != file.stepCount())
        ends.push_back(file.stepCount());
    return ends;
}

// Where each step lies: its segment and its index in it.
struct Place {
    std::uint32_t segment;
    LocalOp local;
};

class SegmentMaker {
public:
    SegmentMaker(const Graph& graph, const Schedule& file, std::vector<Step> ends)
        : m_graph(graph), m_file(file), m_ends(std::move(ends)), m_segments(m_ends.size()), m_shared(m_ends.size())
    {
        Step begin = 0;
        for (std::size_t s = 0; s < m_ends.size(); ++s) {
            PeakSegment& segment = m_segments[s];
            segment.operators.assign(file.order.begin() + begin, file.order.begin() + m_ends[s]);
            segment.made.assign(segment.size(), 0);
            segment.kept.assign(segment.size(), 0);
            segment.freed.assign(segment.size(), 0);
            for (Step step = begin; step < m_ends[s]; ++step)
                m_places.push_back({static_cast<std::uint32_t>(s), static_cast<LocalOp>(step - begin)});
            begin = m_ends[s];
        }
    }

    void addWorkspaces(const std::vector<Bytes>& bytes)
    {
        for (std::size_t step = 0; step < bytes.size(); ++step)
            m_segments[m_places[step].segment].made[m_places[step].local] += bytes[step];
    }

    void addItem(const Item& item)
    {
        if (item.writer >= 0) {
            const Place place = m_places[static_cast<std::size_t>(item.writer)];
            m_segments[place.segment].made[place.local] += item.bytes;
            m_segments[place.segment].kept[place.local] += item.livesOn() ? item.bytes : 0;
        } else if (item.livesOn()) {
            m_segments.front().startBytes += item.bytes;
        } else {
            m_segments.front().firstStepBytes += item.bytes;
        }
        if (item.isOutput || item.readers.empty())
            return;
        // Only the segment of the last reader frees it.
        const Place last = m_places[static_cast<std::size_t>(item.readers.back())];
        std::vector<LocalOp> readers;
        for (auto step = item.readers.rbegin(); step != item.readers.rend(); ++step) {
            const Place place = m_places[static_cast<std::size_t>(*step)];
            if (place.segment != last.segment)
                break;
            readers.push_back(place.local);
        }
        if (readers.size() == 1)
            m_segments[last.segment].freed[last.local] += item.bytes;
        else
            m_shared[last.segment].push_back({item.bytes, std::move(readers)});
    }

    std::vector<PeakSegment> finish() &&
    {
        for (std::size_t s = 0; s < m_segments.size(); ++s) {
            connect(s);
            connectShared(s);
            if (s + 1 < m_segments.size())
                m_segments[s + 1].startBytes = m_segments[s].startBytes + growth(s);
        }
        return std::move(m_segments);
    }

private:
    struct SharedItem {
        Bytes bytes;
        std::vector<LocalOp> readers;
    };

    void connect(std::size_t s)
    {
        PeakSegment& segment = m_segments[s];
        const auto addInside = [this, s](IndexLists& lists, const std::vector<OpId>& operators) {
            lists.beginList();
            for (const OpId op : operators) {
                const Place place = m_places[static_cast<std::size_t>(m_file.stepOf[op.index()])];
                if (place.segment == s)
                    lists.push(place.local);
            }
        };
        for (const OpId op : segment.operators) {
            addInside(segment.writers, m_graph.predecessors(op));
            addInside(segment.readers, m_graph.successors(op));
        }
    }

    void connectShared(std::size_t s)
    {
        PeakSegment& segment = m_segments[s];
        std::vector<std::vector<std::uint32_t>> reads(m_shared[s].empty() ? 0 : segment.size());
        for (const SharedItem& item : m_shared[s]) {
            segment.sharedReaders.beginList();
            for (const LocalOp reader : item.readers) {
                segment.sharedReaders.push(reader);
                reads[reader].push_back(static_cast<std::uint32_t>(segment.shared.size()));
            }
            segment.shared.push_back(item.bytes);
        }
        for (std::size_t op = 0; op < segment.size(); ++op) {
            segment.sharedReads.beginList();
            for (std::size_t i = 0; !reads.empty() && i < reads[op].size(); ++i)
                segment.sharedReads.push(reads[op][i]);
        }
    }

    Bytes growth(std::size_t s) const
    {
        const PeakSegment& segment = m_segments[s];
        Bytes bytes = 0;
        for (std::size_t op = 0; op < segment.size(); ++op)
            bytes += segment.kept[op] - segment.freed[op];
        for (const Bytes shared : segment.shared)
            bytes -= shared;
        return bytes;
    }

    const Graph& m_graph;
    const Schedule& m_file;
    std::vector<Step> m_ends;
    std::vector<PeakSegment> m_segments;
    std::vector<std::vector<SharedItem>> m_shared; ///< by segment
    std::vector<Place> m_places;                   ///< by step
};

} // namespace

Result<std::vector<PeakSegment>> peakSegments(const Graph& graph, const Schedule& file, const PeakOptions& options)
{
    if (options.alignment <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(options.alignment)))
        return Error{ErrorCode::BadOption, {}, {"--align", std::to_string(options.alignment), "a power of two"}};
    ItemMaker itemMaker(graph, file, options);
    auto items = itemMaker.make();
    if (!items)
        return std::move(items).error();
    auto workspaces = itemMaker.workspaces();
    if (!workspaces)
        return std::move(workspaces).error();
    SegmentMaker maker(graph, file, segmentEnds(graph, file));
    maker.addWorkspaces(*workspaces);
    for (const Item& item : *items)
        maker.addItem(item);
    return std::move(maker).finish();
}

} // namespace arenascope::detail
