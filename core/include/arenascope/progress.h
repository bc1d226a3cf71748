// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string_view>

namespace arenascope {

/// Called by long work from its own thread: fraction in [0, 1] (negative: unknown) and what is being done.
/// May be empty. Must return quickly; it may be called thousands of times a second.
using ProgressFn = std::function<void(double fraction, std::string_view stage)>;

} // namespace arenascope
