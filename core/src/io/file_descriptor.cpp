// SPDX-License-Identifier: MIT
#include "core/src/io/file_descriptor.h"

#include <unistd.h>

#include <system_error>
#include <utility>

namespace arenascope {

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept
{
    if (this != &other) {
        close();
        m_descriptor = std::exchange(other.m_descriptor, -1);
    }
    return *this;
}

bool FileDescriptor::close()
{
    const int descriptor = std::exchange(m_descriptor, -1);
    return descriptor < 0 || ::close(descriptor) == 0;
}

Error fileError(ErrorCode code, const std::filesystem::path& path, int number)
{
    return {code, path.string(), {std::generic_category().message(number)}};
}

Error openError(const std::filesystem::path& path, int number)
{
    if (number == ENOENT || number == ENOTDIR)
        return {ErrorCode::FileNotFound, path.string(), {"there is no such file"}};
    return fileError(ErrorCode::FileUnreadable, path, number);
}

} // namespace arenascope
