// SPDX-License-Identifier: MIT
// Counts the memory that OpenCV's layers take for matrices of their own while they run: workspace that they do not report.
#pragma once

#include <arenascope/types.h>

namespace arenascope::exec {

/// While one lives, OpenCV's matrices are counted, whichever thread makes them. One at a time.
class MatMeter {
public:
    MatMeter();
    ~MatMeter();
    MatMeter(const MatMeter&) = delete;
    MatMeter& operator=(const MatMeter&) = delete;

    void restart(); ///< the peak begins anew
    Bytes peak() const; ///< most bytes at once since restart(), beside what was taken before it
};

} // namespace arenascope::exec
