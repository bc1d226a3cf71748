// SPDX-License-Identifier: MIT
// The one allocation (or one a memory region) that a plan's buffers lie in, with bands around it.
#pragma once

#include "core/src/exec/page_memory.h"
#include "core/src/exec/program.h"

#include <arenascope/study.h>

#include <vector>

namespace arenascope::exec {

/// Bytes below and above each region that belong to nobody: what reaches beyond the arena hits them first.
inline constexpr Bytes kBandBytes = 4096;

class Arena {
public:
    /// Failure: InvalidPlan for placements that are missing or negative or, unless `mayReachBeyond`, end above the arena;
    /// OutOfMemory.
    Arena(const Study& study, const Plan& plan, bool mayReachBeyond);

    struct Region {
        Bytes size = 0;     ///< as the plan says
        Bytes reserved = 0; ///< at least size: up to where the highest buffer ends
        PageMemory memory;  ///< band, `reserved` bytes, band
        std::byte* base() const { return memory.data() + kBandBytes; }
    };
    std::span<const Region> regions() const { return m_regions; }
    const Plan& plan() const { return m_plan; }
    Bytes bytes() const; ///< of all regions, without bands

    /// Addresses of all tensors: in the arena, or outside of it for network inputs and outputs that live there.
    const Memory& memory() const { return m_memory; }
    Bytes outsideBytes() const { return m_outsideBytes; }

private:
    const Plan& m_plan;
    std::vector<Region> m_regions;
    PageMemory m_outside;
    Bytes m_outsideBytes = 0;
    Memory m_memory;
};

/// Every tensor in memory of its own.
class OwnMemory {
public:
    explicit OwnMemory(const Graph& graph);
    const Memory& memory() const { return m_memory; }
    Bytes bytes() const { return m_bytes; }

private:
    std::vector<PageMemory> m_pages;
    Bytes m_bytes = 0;
    Memory m_memory;
};

} // namespace arenascope::exec
