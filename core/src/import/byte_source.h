// SPDX-License-Identifier: MIT
// The bytes of a file at 64-bit positions, read only where they are asked for.
#pragma once

#include "core/src/io/file_descriptor.h"

#include <arenascope/result.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace arenascope {

/// A regular file, or bytes in memory. The file is read piece by piece and never mapped: when another program cuts it
/// short meanwhile, that is an error here like any other (touching a map of it would end this program).
class ByteSource {
public:
    /// The memory must outlive the source.
    explicit ByteSource(std::span<const std::byte> memory);
    /// Errors: FileNotFound, FileUnreadable (folders, devices, permissions), FileTruncated (an empty file).
    static Result<ByteSource> open(const std::filesystem::path& path);

    std::int64_t size() const { return m_size; }
    /// The `count` bytes at `at`, both within size(); valid until the next call. All of them are held in memory: longer
    /// content goes through forEachPiece(). Nothing where the file cannot give them (any more), see failure().
    std::optional<std::span<const std::byte>> read(std::int64_t at, std::int64_t count)
    {
        const std::int64_t begin = at - m_windowAt;
        if (begin >= 0 && begin + count <= std::ssize(m_window))
            return m_window.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
        return refill(at, count);
    }
    /// Calls `use(std::span<const std::byte>)` for one piece after the other. False where the file could not be read.
    template <class Use>
    bool forEachPiece(std::int64_t at, std::int64_t count, Use use)
    {
        while (count > 0) {
            const std::int64_t length = count < kLargestStride ? count : kLargestStride;
            const auto piece = read(at, length);
            if (!piece)
                return false;
            use(*piece);
            at += length;
            count -= length;
        }
        return true;
    }
    /// Why read() gave nothing: FileTruncated or FileUnreadable, without the file's path.
    const std::optional<Error>& failure() const { return m_failure; }

private:
    static constexpr std::int64_t kLargestStride = std::int64_t{64} << 10;

    ByteSource() = default;
    std::optional<std::span<const std::byte>> refill(std::int64_t at, std::int64_t count);

    FileDescriptor m_file;
    std::int64_t m_size = 0;
    std::span<const std::byte> m_window; ///< what is in memory, from m_windowAt on
    std::int64_t m_windowAt = 0;
    std::int64_t m_stride = 0; ///< how much is read at once; grows while reading goes straight on
    std::vector<std::byte> m_buffer;
    std::optional<Error> m_failure;
};

/// The file's first bytes, at most `limit`; fewer where it is shorter. Errors: as ByteSource::open.
Result<std::string> readHead(const std::filesystem::path& path, std::int64_t limit);

} // namespace arenascope
