// SPDX-License-Identifier: MIT
// Watches the arena while a network runs in it: every tensor that is still needed must keep its bytes, bytes that belong to
// nobody must keep their poison, and so must the bands below and above.
#pragma once

#include "core/src/exec/arena.h"

#include <arenascope/executor.h>

#include <cstdint>
#include <vector>

namespace arenascope::exec {

class Guard {
public:
    /// `arena` must be as it was made; the guard poisons all of it.
    Guard(const Study& study, const Arena& arena);

    /// After the network's inputs were written.
    std::vector<GuardViolation> afterInputs();
    /// After the operator of that step.
    std::vector<GuardViolation> afterStep(Step step);
    /// Where the operator of that step could not run: which of its outputs were to lie on tensors that are still needed.
    std::vector<GuardViolation> outputsOverNeeded(Step step) const;

private:
    struct Range {
        RegionId region{-1}; ///< invalid: outside of the arena
        Offset begin = 0;
        Offset end = 0;
        bool meets(const Range& other) const
        {
            return region == other.region && region.isValid() && begin < other.end && other.begin < end;
        }
    };
    struct Watched {
        Range range;
        BufferId buffer;
        std::int64_t readsLeft = 0;
        bool isAlive = false;
        bool isOutput = false;
        std::uint64_t hash = 0;
    };

    GuardViolation overwritten(Step step, OpId op, TensorId lost, TensorId by) const;
    void write(TensorId id);
    std::uint64_t hashOf(const Watched& watched) const;
    bool isPlannedOver(const Watched& lost, std::span<const TensorId> written) const;
    void checkTensors(Step step, OpId op, std::span<const TensorId> written);
    void checkDead(Step step, OpId op, std::span<const TensorId> written);
    void poisonDead();
    std::vector<Range> takenRanges(RegionId region, std::span<const TensorId> written) const;
    void checkPoison(Step step, OpId op, RegionId region, Offset from, Offset to);

    const Study& m_study;
    const Arena& m_arena;
    std::vector<Watched> m_watched; ///< by TensorId
    std::vector<GuardViolation> m_found;
};

} // namespace arenascope::exec
