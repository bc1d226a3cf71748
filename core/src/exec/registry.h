// SPDX-License-Identifier: MIT
// All operators that can run, one family a file in kernels/.
#pragma once

#include "core/src/exec/kernel.h"

namespace arenascope::exec {

std::span<const KernelEntry> convolutionKernels();
std::span<const KernelEntry> poolingKernels();
std::span<const KernelEntry> denseKernels();
std::span<const KernelEntry> normalizationKernels();
std::span<const KernelEntry> unaryKernels();
std::span<const KernelEntry> binaryKernels();
std::span<const KernelEntry> movementKernels();
std::span<const KernelEntry> creationKernels();
std::span<const KernelEntry> indexingKernels();
std::span<const KernelEntry> resizingKernels();
std::span<const KernelEntry> reductionKernels();
std::span<const KernelEntry> recurrentKernels();

/// The kernel of an operator, its fused activation included. Refusal: why there is none.
std::unique_ptr<Kernel> makeKernel(const Graph& graph, const Operator& op, ConstantStore& constants);

} // namespace arenascope::exec
