// SPDX-License-Identifier: MIT
// Memory straight from the system, and back to it at once: so that what the process has resident tells what is in use.
#pragma once

#include <arenascope/types.h>

#include <cstddef>
#include <utility>

namespace arenascope::exec {

class PageMemory {
public:
    PageMemory() = default;
    /// `bytes` zeros at the start of a page. Failure: OutOfMemory.
    explicit PageMemory(Bytes bytes);
    ~PageMemory();
    PageMemory(PageMemory&& other) noexcept { swap(other); }
    PageMemory& operator=(PageMemory&& other) noexcept
    {
        swap(other);
        return *this;
    }
    std::byte* data() const { return m_data; }
    Bytes bytes() const { return m_bytes; }

private:
    void swap(PageMemory& other)
    {
        std::swap(m_data, other.m_data);
        std::swap(m_bytes, other.m_bytes);
    }
    std::byte* m_data = nullptr;
    Bytes m_bytes = 0;
};

/// Most bytes that the process has had resident since resetPeakRss(); 0 where the system does not tell.
Bytes peakRss();
/// Whether the system let the peak begin anew, at what is resident now.
bool resetPeakRss();

} // namespace arenascope::exec
