// SPDX-License-Identifier: MIT
// A file's bytes as memory, read only where they are touched.
#pragma once

#include <arenascope/result.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace arenascope {

/// A read-only map of a whole regular file. Pages are read when they are touched, so a map of many gigabytes costs
/// address space only. The file must not be cut short while it is mapped (the system would end the program).
class MappedFile {
public:
    /// Errors: FileNotFound, FileUnreadable (folders, devices, permissions), FileTruncated (an empty file).
    static Result<MappedFile> open(const std::filesystem::path& path);

    MappedFile(MappedFile&&) noexcept;
    MappedFile& operator=(MappedFile&&) noexcept;
    ~MappedFile();

    std::span<const std::byte> bytes() const;

private:
    MappedFile();
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// The file's first bytes, at most `limit`; fewer where it is shorter. Errors: as MappedFile::open.
Result<std::string> readHead(const std::filesystem::path& path, std::size_t limit);

} // namespace arenascope
