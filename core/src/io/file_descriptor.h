// SPDX-License-Identifier: MIT
// What readers and writers of files share (POSIX).
#pragma once

#include <arenascope/result.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>

namespace arenascope {

/// A file descriptor that closes itself.
class FileDescriptor {
public:
    explicit FileDescriptor(int descriptor = -1) : m_descriptor(descriptor) {}
    ~FileDescriptor() { close(); }
    FileDescriptor(FileDescriptor&& other) noexcept;
    FileDescriptor& operator=(FileDescriptor&& other) noexcept;

    bool isOpen() const { return m_descriptor >= 0; }
    int get() const { return m_descriptor; }
    /// False if what was written could not be kept.
    bool close();

private:
    int m_descriptor;
};

/// The result of a system call that is made again where a signal came in between.
template <class Call>
auto retried(Call call)
{
    decltype(call()) result;
    do {
        result = call();
    } while (result < 0 && errno == EINTR);
    return result;
}

/// A regular file that is open for reading.
struct OpenFile {
    FileDescriptor descriptor;
    std::int64_t size = 0; ///< > 0
};
/// Errors: FileNotFound, FileUnreadable (folders, devices, permissions), FileTruncated (an empty file).
Result<OpenFile> openRegularFile(const std::filesystem::path& path);

/// `number` is errno's.
Error fileError(ErrorCode code, const std::filesystem::path& path, int number);
/// Why a file could not be opened for reading: FileNotFound or FileUnreadable, worded the same for all kinds of files.
Error openError(const std::filesystem::path& path, int number);

} // namespace arenascope
