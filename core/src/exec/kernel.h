// SPDX-License-Identifier: MIT
// What computes one operator.
#pragma once

#include "core/src/exec/aligned_memory.h"
#include "core/src/exec/view.h"

#include <memory>
#include <string>
#include <string_view>

namespace arenascope::exec {

class ConstantStore;
class Request;

/// What one run of a kernel reads and writes.
struct KernelIo {
    std::span<const View> in;  ///< as the operator's inputs
    std::span<const View> out; ///< as its outputs; one that is left out is not given
    std::byte* scratch = nullptr; ///< Kernel::scratchBytes() bytes at a multiple of kSimdAlignment
};

/// Made once for an operator, run any number of times. Failures are exceptions (std::exception); the executor catches them.
class Kernel {
public:
    virtual ~Kernel() = default;

    /// Reads the weights that it keeps. Called once, before anything else.
    virtual void load(ConstantStore&) {}
    /// Whether load() has kept that (constant) input, so that run() needs no view of it.
    virtual bool keepsInput(std::size_t) const { return false; }
    /// Whether the first output may lie in the very bytes of that input. Where a plan wants it and the kernel cannot, the
    /// executor gives the kernel a copy of the input.
    virtual bool runsInPlace(std::size_t) const { return false; }
    /// Whether inputs and outputs may be parts of each other, as in a Concat whose parts lie in their places: what is
    /// already there is not copied.
    virtual bool runsOverParts() const { return false; }
    /// Memory that run() needs beside inputs and outputs: kernels take none themselves, so that what is reported is all.
    virtual Bytes scratchBytes() const { return 0; }
    /// Called before the first run with these addresses.
    virtual void bind(const KernelIo&) {}
    virtual void run(const KernelIo& io) = 0;
    /// What it is: an OpenCV layer type, or "loop".
    virtual std::string engine() const { return "loop"; }
};

using KernelMaker = std::unique_ptr<Kernel> (*)(const Request&);

/// One operator kind that can run. `domain` is "" for ONNX's own.
struct KernelEntry {
    std::string_view kind;
    KernelMaker make;
    std::string_view domain = "";
};

} // namespace arenascope::exec
