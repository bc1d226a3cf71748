// SPDX-License-Identifier: MIT
#include "core/src/exec/guard.h"

#include "core/src/exec/tensor_hash.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace arenascope::exec {

namespace {

// As a float32 it is no number, so that results that use a dead byte show it. The words lie at multiples of 4 of the memory
// that they fill, bands included.
constexpr std::byte kPoison[4] = {std::byte{0xE1}, std::byte{0xC3}, std::byte{0xA5}, std::byte{0xFF}};

void poison(std::byte* data, Offset from, Offset to)
{
    for (; from < to && from % 4 != 0; ++from)
        data[from] = kPoison[from % 4];
    for (; from + 4 <= to; from += 4)
        std::memcpy(data + from, kPoison, sizeof kPoison);
    for (; from < to; ++from)
        data[from] = kPoison[from % 4];
}

bool isPoisoned(const std::byte* data, Offset at)
{
    return data[at] == kPoison[at % 4];
}

/// The first byte in [from, to) that is no poison, or `to`.
Offset firstTouched(const std::byte* data, Offset from, Offset to)
{
    for (; from < to; ++from) {
        // Word by word where nothing has changed, which is nearly everywhere.
        while (from % 4 == 0 && from + 4 <= to && std::memcmp(data + from, kPoison, sizeof kPoison) == 0)
            from += 4;
        if (from < to && !isPoisoned(data, from))
            return from;
    }
    return to;
}

} // namespace

Guard::Guard(const Study& study, const Arena& arena) : m_study(study), m_arena(arena)
{
    const Graph& graph = *study.graph;
    m_watched.resize(graph.tensors().size());
    for (std::size_t i = 0; i < m_watched.size(); ++i) {
        const Tensor& tensor = graph.tensors()[i];
        Watched& watched = m_watched[i];
        watched.readsLeft = std::ssize(tensor.consumers);
        watched.isOutput = tensor.isOutput;
        watched.buffer = study.bufferOf[i];
        const auto offset = tensorOffset(study, arena.plan(), TensorId::fromIndex(i));
        if (!offset || !watched.buffer.isValid())
            continue;
        watched.range = {arena.plan().placements[watched.buffer.index()].region, *offset, *offset + tensor.bytes};
    }
    for (const Arena::Region& region : arena.regions())
        poison(region.memory.data(), 0, region.memory.bytes());
}

std::uint64_t Guard::hashOf(const Watched& watched) const
{
    const std::byte* base = m_arena.regions()[watched.range.region.index()].base();
    return tensorHash({base + watched.range.begin, static_cast<std::size_t>(watched.range.end - watched.range.begin)});
}

void Guard::write(TensorId id)
{
    Watched& watched = m_watched[id.index()];
    if (!watched.range.region.isValid())
        return;
    watched.isAlive = true;
    watched.hash = hashOf(watched);
}

std::vector<GuardViolation> Guard::afterInputs()
{
    const auto inputs = m_study.graph->inputs();
    for (const TensorId input : inputs)
        write(input);
    // Those written first are hashed when all are there: what was written over shows in the ranges alone.
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        for (std::size_t k = i + 1; k < inputs.size(); ++k) {
            const Range& first = m_watched[inputs[i].index()].range;
            const Range& second = m_watched[inputs[k].index()].range;
            if (first.meets(second))
                m_found.push_back(overwritten(0, OpId(), inputs[i], inputs[k]));
        }
    }
    for (std::size_t r = 0; r < m_arena.regions().size(); ++r) {
        for (const TensorId input : inputs) {
            const Range& range = m_watched[input.index()].range;
            const Bytes size = m_arena.regions()[r].size;
            if (range.region.isValid() && range.region.index() == r && range.end > size)
                m_found.push_back({GuardKind::OutsideArena, 0, OpId(), TensorId(), input, range.region,
                                   std::max(size, range.begin), range.end});
        }
    }
    for (const TensorId input : inputs) {
        Watched& watched = m_watched[input.index()];
        watched.isAlive = watched.isAlive && (watched.readsLeft > 0 || watched.isOutput);
    }
    poisonDead();
    return std::exchange(m_found, {});
}

std::vector<GuardViolation> Guard::afterStep(Step step)
{
    const OpId op = m_study.schedule.order[static_cast<std::size_t>(step)];
    const Operator& what = m_study.graph->op(op);
    std::vector<TensorId> read;
    for (const auto* list : {&what.inputs, &what.captures}) {
        for (const TensorId id : *list) {
            if (id.isValid() && std::ranges::find(read, id) == read.end())
                read.push_back(id);
        }
    }
    std::vector<TensorId> written;
    for (const TensorId id : what.outputs) {
        if (id.isValid())
            written.push_back(id);
    }
    for (const TensorId id : read) // after their last reader they may be written over, but not while it runs
        --m_watched[id.index()].readsLeft;
    checkTensors(step, op, written);
    checkDead(step, op, written); // what it read last has still its bytes
    for (const TensorId id : written)
        write(id);
    for (const auto* list : {&read, &written}) {
        for (const TensorId id : *list) {
            Watched& watched = m_watched[id.index()];
            watched.isAlive = watched.isAlive && (watched.readsLeft > 0 || watched.isOutput);
        }
    }
    poisonDead();
    return std::exchange(m_found, {});
}

/// The bytes that both tensors take, or all of the lost one where it is not known what was written there.
GuardViolation Guard::overwritten(Step step, OpId op, TensorId lost, TensorId by) const
{
    const Range& range = m_watched[lost.index()].range;
    GuardViolation violation{GuardKind::Overwritten, step, op, lost, by, range.region, range.begin, range.end};
    if (by.isValid()) {
        const Range& other = m_watched[by.index()].range;
        violation.begin = std::max(violation.begin, other.begin);
        violation.end = std::min(violation.end, other.end);
    }
    return violation;
}

std::vector<GuardViolation> Guard::outputsOverNeeded(Step step) const
{
    const OpId op = m_study.schedule.order[static_cast<std::size_t>(step)];
    std::vector<GuardViolation> found;
    for (const TensorId output : m_study.graph->op(op).outputs) {
        if (!output.isValid())
            continue;
        const Watched& over = m_watched[output.index()];
        for (std::size_t i = 0; i < m_watched.size(); ++i) {
            const Watched& needed = m_watched[i];
            if (needed.isAlive && needed.buffer != over.buffer && needed.range.meets(over.range))
                found.push_back(overwritten(step, op, TensorId::fromIndex(i), output));
        }
    }
    return found;
}

/// Whether a tensor that nobody reads any more lies where the plan lets this operator write.
bool Guard::isPlannedOver(const Watched& lost, std::span<const TensorId> written) const
{
    return lost.readsLeft <= 0 && !lost.isOutput && std::ranges::any_of(written, [&](TensorId id) {
        const Watched& over = m_watched[id.index()];
        return over.buffer == lost.buffer && over.range.meets(lost.range);
    });
}

void Guard::checkTensors(Step step, OpId op, std::span<const TensorId> written)
{
    for (std::size_t i = 0; i < m_watched.size(); ++i) {
        const Watched& watched = m_watched[i];
        if (!watched.isAlive || isPlannedOver(watched, written) || hashOf(watched) == watched.hash)
            continue;
        const auto by = std::ranges::find_if(written, [&](TensorId id) {
            return m_watched[id.index()].range.meets(watched.range);
        });
        m_found.push_back(overwritten(step, op, TensorId::fromIndex(i), by == written.end() ? TensorId() : *by));
    }
}

std::vector<Guard::Range> Guard::takenRanges(RegionId region, std::span<const TensorId> written) const
{
    std::vector<Range> taken;
    for (const Watched& watched : m_watched) {
        if (watched.isAlive && watched.range.region == region)
            taken.push_back(watched.range);
    }
    for (const TensorId id : written) {
        if (m_watched[id.index()].range.region == region)
            taken.push_back(m_watched[id.index()].range);
    }
    std::ranges::sort(taken, {}, &Range::begin);
    return taken;
}

void Guard::checkDead(Step step, OpId op, std::span<const TensorId> written)
{
    for (std::size_t r = 0; r < m_arena.regions().size(); ++r) {
        const Arena::Region& region = m_arena.regions()[r];
        const auto id = RegionId::fromIndex(r);
        for (const TensorId tensor : written) {
            const Range& range = m_watched[tensor.index()].range;
            if (range.region == id && range.end > region.size)
                m_found.push_back({GuardKind::OutsideArena, step, op, TensorId(), tensor, id,
                                   std::max(region.size, range.begin), range.end});
        }
        Offset at = -kBandBytes;
        for (const Range& taken : takenRanges(id, written)) {
            checkPoison(step, op, id, at, taken.begin);
            at = std::max(at, taken.end);
        }
        checkPoison(step, op, id, at, region.memory.bytes() - kBandBytes);
    }
}

void Guard::checkPoison(Step step, OpId op, RegionId id, Offset from, Offset to)
{
    const Arena::Region& region = m_arena.regions()[id.index()];
    const std::byte* data = region.memory.data(); // the poison's words begin here
    const Offset first = firstTouched(data, from + kBandBytes, to + kBandBytes);
    if (from >= to || first >= to + kBandBytes)
        return;
    Offset last = to + kBandBytes;
    while (isPoisoned(data, last - 1))
        --last;
    const Offset begin = first - kBandBytes;
    const bool isOutside = begin < 0 || begin >= region.size;
    m_found.push_back({isOutside ? GuardKind::OutsideArena : GuardKind::StrayWrite, step, op, TensorId(), TensorId(), id, begin,
                       last - kBandBytes});
}

void Guard::poisonDead()
{
    for (std::size_t r = 0; r < m_arena.regions().size(); ++r) {
        std::byte* data = m_arena.regions()[r].memory.data();
        Offset at = 0;
        for (const Range& taken : takenRanges(RegionId::fromIndex(r), {})) {
            poison(data, at, taken.begin + kBandBytes);
            at = std::max(at, taken.end + kBandBytes);
        }
        poison(data, at, m_arena.regions()[r].memory.bytes());
    }
}

} // namespace arenascope::exec

namespace arenascope {

std::string_view guardName(GuardKind kind)
{
    switch (kind) {
    case GuardKind::Overwritten: return "overwritten";
    case GuardKind::StrayWrite: return "stray-write";
    case GuardKind::OutsideArena: return "outside-arena";
    }
    return "";
}

std::string describe(const GuardViolation& violation, const Graph& graph)
{
    std::string text = "step " + std::to_string(violation.step) + ": ";
    text += violation.op.isValid() ? "operator '" + graph.op(violation.op).name + "'" : std::string("giving the inputs");
    const std::string bytes = " (bytes " + std::to_string(violation.begin) + " to " + std::to_string(violation.end) + ")";
    const std::string by = violation.by.isValid() ? "tensor '" + graph.tensor(violation.by).name + "'" : std::string();
    switch (violation.kind) {
    case GuardKind::Overwritten:
        return text + " wrote " + (by.empty() ? std::string("outside of its outputs,") : by) + " over tensor '"
            + graph.tensor(violation.tensor).name + "', which is still needed" + bytes;
    case GuardKind::StrayWrite: return text + " wrote outside of its outputs" + bytes;
    case GuardKind::OutsideArena:
        return text + " wrote " + (by.empty() ? std::string("something") : by) + " outside of the arena" + bytes;
    }
    return text;
}

} // namespace arenascope
