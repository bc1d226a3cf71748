// SPDX-License-Identifier: MIT
// The sliding window of convolutions and pools.
#pragma once

#include "core/src/exec/request.h"

namespace arenascope::exec {

/// One number a spatial dimension.
struct Window {
    Dims kernel;
    Dims strides;
    Dims dilations;
    Dims padsBegin;
    Dims padsEnd;

    std::size_t rank() const { return kernel.size(); }
    bool isSymmetric() const { return padsBegin == padsEnd; }
    /// Elements from the first to the last that the kernel reads along a dimension.
    std::int64_t reach(std::size_t i) const { return dilations[i] * (kernel[i] - 1) + 1; }
};

/// From the attributes kernel_shape (or `kernel` where that is left out), strides, dilations, pads and auto_pad. `spatial`
/// are the input's extents. Refuses numbers that make no window.
Window windowOf(const Request& request, Dims kernel, std::span<const std::int64_t> spatial);

/// Another kernel that is given its first input with a border around it, made in scratch memory.
std::unique_ptr<Kernel> withPaddedInput(std::unique_ptr<Kernel> kernel, Dims dims, Dims padsBegin, Dims padsEnd, float value);

} // namespace arenascope::exec
