// SPDX-License-Identifier: MIT
#include "core/src/exec/arena.h"

#include "core/src/exec/failure.h"

#include <algorithm>

namespace arenascope::exec {

namespace {

constexpr Bytes kPage = 4096;

Bytes roundedUp(Bytes bytes, Bytes unit)
{
    const auto up = checkedAlignUp(bytes, unit);
    if (!up)
        throw Failure({ErrorCode::SizeOverflow, {}, {"arena"}});
    return *up;
}

Failure invalidPlan(const std::string& what)
{
    return Failure({ErrorCode::InvalidPlan, {}, {what}});
}

} // namespace

Arena::Arena(const Study& study, const Plan& plan, bool mayReachBeyond) : m_plan(plan)
{
    const PlacementProblem& problem = study.problem;
    if (plan.placements.size() != problem.buffers.size())
        throw invalidPlan("it places " + std::to_string(plan.placements.size()) + " buffers of "
                          + std::to_string(problem.buffers.size()));
    m_regions.resize(problem.regions.size());
    for (std::size_t r = 0; r < m_regions.size(); ++r) {
        const bool hasOwn = r < plan.regionSizes.size();
        m_regions[r].size = m_regions[r].reserved = hasOwn ? plan.regionSizes[r] : r == 0 ? plan.arenaSize : 0;
    }
    for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
        const Buffer& buffer = problem.buffers[b];
        const Placement& place = plan.placements[b];
        if (!place.region.isValid() || place.region.index() >= m_regions.size() || place.offset < 0)
            throw invalidPlan("buffer '" + buffer.name + "' has no place");
        Region& region = m_regions[place.region.index()];
        const auto end = checkedAdd(place.offset, buffer.size);
        if (!end || (*end > region.size && !mayReachBeyond))
            throw invalidPlan("buffer '" + buffer.name + "' ends above the arena");
        region.reserved = std::max(region.reserved, *end);
    }
    for (Region& region : m_regions)
        region.memory = PageMemory(roundedUp(region.reserved, kPage) + 2 * kBandBytes);

    const Graph& graph = *study.graph;
    std::vector<Bytes> outside(graph.tensors().size(), -1);
    for (std::size_t i = 0; i < graph.tensors().size(); ++i) {
        const Tensor& tensor = graph.tensors()[i];
        if (!tensor.isActivation() || tensor.bytes < 0 || study.bufferOf[i].isValid())
            continue;
        outside[i] = m_outsideBytes;
        m_outsideBytes = roundedUp(m_outsideBytes + tensor.bytes, 64);
    }
    m_outside = PageMemory(m_outsideBytes);
    m_memory.addresses.assign(graph.tensors().size(), nullptr);
    for (std::size_t i = 0; i < graph.tensors().size(); ++i) {
        const auto offset = tensorOffset(study, plan, TensorId::fromIndex(i));
        if (outside[i] >= 0)
            m_memory.addresses[i] = m_outside.data() + outside[i];
        else if (offset)
            m_memory.addresses[i] = m_regions[plan.placements[study.bufferOf[i].index()].region.index()].base() + *offset;
    }
    m_memory.mayShare = [&study](TensorId a, TensorId b) {
        return study.bufferOf[a.index()].isValid() && study.bufferOf[a.index()] == study.bufferOf[b.index()];
    };
}

Bytes Arena::bytes() const
{
    Bytes sum = 0;
    for (const Region& region : m_regions)
        sum += region.size;
    return sum;
}

OwnMemory::OwnMemory(const Graph& graph)
{
    for (const Tensor& tensor : graph.tensors()) {
        std::byte* data = nullptr;
        if (tensor.isActivation() && tensor.bytes >= 0) {
            m_pages.emplace_back(tensor.bytes);
            m_bytes += tensor.bytes;
            data = m_pages.back().data();
        }
        m_memory.addresses.push_back(data);
    }
}

} // namespace arenascope::exec
