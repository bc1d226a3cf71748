// SPDX-License-Identifier: MIT
#include "core/src/io/mapped_file.h"

#include "core/src/io/file_descriptor.h"

#include <sys/mman.h>

#include <utility>

namespace arenascope {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    const auto file = openRegularFile(path);
    if (!file)
        return file.error();
    const auto size = static_cast<std::size_t>(file->size);
    void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file->descriptor.get(), 0);
    if (memory == MAP_FAILED) {
        if (errno == ENOMEM)
            return Error{ErrorCode::OutOfMemory, path.string(), {"a map of the file"}};
        return fileError(ErrorCode::FileUnreadable, path, errno);
    }
    MappedFile map;
    map.m_bytes = {static_cast<const std::byte*>(memory), size};
    return map;
}

MappedFile::~MappedFile()
{
    unmap();
}

MappedFile::MappedFile(MappedFile&& other) noexcept : m_bytes(std::exchange(other.m_bytes, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
    if (this != &other) {
        unmap();
        m_bytes = std::exchange(other.m_bytes, {});
    }
    return *this;
}

void MappedFile::unmap()
{
    if (!m_bytes.empty())
        ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
    m_bytes = {};
}

} // namespace arenascope
