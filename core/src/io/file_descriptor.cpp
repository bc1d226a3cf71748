// SPDX-License-Identifier: MIT
#include "core/src/io/file_descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
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

Result<OpenFile> openRegularFile(const std::filesystem::path& path)
{
    const auto unreadable = [&path](const char* reason) {
        return Error{ErrorCode::FileUnreadable, path.string(), {reason}};
    };
    OpenFile file;
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    file.descriptor = FileDescriptor(retried([&] { return ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); }));
    if (!file.descriptor.isOpen() && errno == ENXIO) // a socket
        return unreadable("it is not a regular file");
    if (!file.descriptor.isOpen())
        return openError(path, errno);
    struct stat status = {};
    if (::fstat(file.descriptor.get(), &status) != 0)
        return fileError(ErrorCode::FileUnreadable, path, errno);
    if (S_ISDIR(status.st_mode))
        return unreadable("it is a folder");
    if (!S_ISREG(status.st_mode))
        return unreadable("it is not a regular file");
    if (status.st_size == 0)
        return Error{ErrorCode::FileTruncated, path.string(), {"it is empty"}};
    file.size = status.st_size;
    return file;
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
