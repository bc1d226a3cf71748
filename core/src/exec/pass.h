// SPDX-License-Identifier: MIT
// Runs a whole network once, or several times, in one kind of memory.
#pragma once

#include "core/src/exec/guard.h"
#include "core/src/exec/program.h"

#include <cstdint>
#include <map>
#include <vector>

namespace arenascope::exec {

using Inputs = std::map<TensorId, TensorContent>;

struct PassResult {
    std::vector<std::uint64_t> hashes; ///< by TensorId, as the tensor was when it was written
    std::vector<double> seconds;       ///< by step, median of all runs
    std::vector<Bytes> workspace;      ///< by step
    double totalSeconds = 0.0;         ///< median of the runs' sums
    std::int64_t stepsRun = 0;
    std::vector<GuardViolation> violations;
    Bytes peakRss = 0; ///< 0 where it cannot be measured
    std::map<TensorId, TensorContent> outputs;
};

struct PassSetup {
    Program& program;
    const Memory& memory;
    const Inputs& inputs;
    const RunOptions& options;
    Guard* guard = nullptr; ///< null: nobody watches
    bool isArena = false;
    std::stop_token stop;
    std::function<void(double)> progress; ///< fraction of the pass
};

/// Failure: RunFailed, Cancelled, OutOfMemory.
PassResult runPasses(const PassSetup& setup);

} // namespace arenascope::exec
