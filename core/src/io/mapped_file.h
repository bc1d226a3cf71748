// SPDX-License-Identifier: MIT
// A file as bytes in memory, without copying it (POSIX).
#pragma once

#include <arenascope/result.h>

#include <cstddef>
#include <filesystem>
#include <span>

namespace arenascope {

/// A regular file, mapped read-only for as long as the object lives.
///
/// If another program cuts the file short meanwhile, touching what is gone ends this program (SIGBUS); there is no check that
/// helps. So a map is kept for the milliseconds of an import or an export only, never while a model is open, and what is read
/// later (weights) goes through ByteSource, for which a shorter file is an error like any other. Changes by another program
/// may show in a map, too: readers copy what they check before they rely on it, or check where they use it.
class MappedFile {
public:
    /// Errors: those of openRegularFile(), OutOfMemory (no room in the address space).
    static Result<MappedFile> open(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;

    std::span<const std::byte> bytes() const { return m_bytes; }

private:
    MappedFile() = default;
    void unmap();

    std::span<const std::byte> m_bytes;
};

} // namespace arenascope
