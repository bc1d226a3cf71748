// SPDX-License-Identifier: MIT
// Whole files in and out (POSIX).
#include <arenascope/plan_io.h>

#include "core/src/io/file_descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <system_error>

namespace arenascope {

namespace {

/// 0 or the number of the error.
int writeAll(int descriptor, std::string_view content)
{
    while (!content.empty()) {
        const auto count = retried([&] { return ::write(descriptor, content.data(), content.size()); });
        if (count < 0)
            return errno;
        content.remove_prefix(static_cast<std::size_t>(count));
    }
    return 0;
}

/// A new file beside the target, with the rights that new files get here. Its name is in `path`.
int openBeside(const std::filesystem::path& target, std::filesystem::path& path)
{
    static std::atomic<unsigned> counter{0};
    for (int attempt = 0; attempt < 100; ++attempt) {
        const std::string name = "." + target.filename().string().substr(0, 200) + "." + std::to_string(::getpid())
            + "-" + std::to_string(counter++) + ".part";
        path = target.parent_path() / name;
        const int descriptor
            = retried([&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/// The name in the folder is on the disk only when the folder is. Some file systems cannot do it: no reason to fail.
void syncFolder(const std::filesystem::path& folder)
{
    const FileDescriptor file(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file.isOpen())
        ::fsync(file.get());
}

/// Devices and pipes have no place beside them.
Status writeInto(const std::filesystem::path& path, std::string_view content)
{
    FileDescriptor file(retried([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); }));
    if (!file.isOpen())
        return fileError(ErrorCode::FileNotWritable, path, errno);
    if (const int error = writeAll(file.get(), content))
        return fileError(ErrorCode::FileNotWritable, path, error);
    if (!file.close())
        return fileError(ErrorCode::FileNotWritable, path, errno);
    return Ok{};
}

/// Writes, syncs and closes; `old` is the file to be replaced, if there is one. 0 or the number of the error.
int fillPart(FileDescriptor& file, std::string_view content, const struct stat* old)
{
    if (old && ::fchmod(file.get(), old->st_mode & 07777) != 0)
        return errno;
    if (const int error = writeAll(file.get(), content))
        return error;
    if (::fsync(file.get()) != 0 && errno != EINVAL && errno != ENOTSUP)
        return errno;
    return file.close() ? 0 : errno;
}

} // namespace

Result<std::string> readTextFile(const std::filesystem::path& path, Bytes limit)
{
    const FileDescriptor file(retried([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
    if (!file.isOpen())
        return openError(path, errno);
    std::string text;
    char block[1 << 16];
    for (;;) {
        const auto count = retried([&] { return ::read(file.get(), block, sizeof block); });
        if (count < 0)
            return fileError(ErrorCode::FileUnreadable, path, errno);
        if (count == 0)
            return text;
        if (static_cast<Bytes>(text.size()) + count > limit)
            return Error{ErrorCode::TooLarge, path.string(), {"The file", std::to_string(limit) + " bytes"}};
        text.append(block, static_cast<std::size_t>(count));
    }
}

Status writeFileAtomically(const std::filesystem::path& path, std::string_view content)
{
    // A link stays a link: what it points to is replaced.
    std::error_code failed;
    std::filesystem::path target = std::filesystem::weakly_canonical(path, failed);
    if (failed)
        target = path;
    struct stat old {};
    const bool exists = ::stat(target.c_str(), &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return fileError(ErrorCode::FileNotWritable, path, EISDIR);
    if (exists && !S_ISREG(old.st_mode))
        return writeInto(path, content);
    if (exists && ::access(target.c_str(), W_OK) != 0)
        return fileError(ErrorCode::FileNotWritable, path, errno);

    std::filesystem::path partPath;
    FileDescriptor part(openBeside(target, partPath));
    if (!part.isOpen())
        return fileError(ErrorCode::FileNotWritable, path, errno);
    int error = fillPart(part, content, exists ? &old : nullptr);
    if (error == 0 && std::rename(partPath.c_str(), target.c_str()) != 0)
        error = errno;
    if (error != 0) {
        ::unlink(partPath.c_str());
        return fileError(ErrorCode::FileNotWritable, path, error);
    }
    syncFolder(target.parent_path());
    return Ok{};
}

} // namespace arenascope
