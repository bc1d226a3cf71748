// SPDX-License-Identifier: MIT
#include "core/src/exec/page_memory.h"

#include "core/src/exec/failure.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <sys/mman.h>

namespace arenascope::exec {

PageMemory::PageMemory(Bytes bytes) : m_bytes(std::max<Bytes>(bytes, 1))
{
    void* memory = mmap(nullptr, static_cast<std::size_t>(m_bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        throw Failure({ErrorCode::OutOfMemory, {}, {std::to_string(bytes) + " bytes of tensors"}});
    m_data = static_cast<std::byte*>(memory);
}

PageMemory::~PageMemory()
{
    if (m_data != nullptr)
        munmap(m_data, static_cast<std::size_t>(m_bytes));
}

Bytes peakRss()
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        Bytes kibibytes = 0;
        if (word == "VmHWM:" && status >> kibibytes)
            return kibibytes * 1024;
    }
    return 0;
}

bool resetPeakRss()
{
    std::ofstream refs("/proc/self/clear_refs");
    refs << "5" << std::flush; // see proc(5)
    return refs.good();
}

} // namespace arenascope::exec
