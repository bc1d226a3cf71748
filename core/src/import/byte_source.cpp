// SPDX-License-Identifier: MIT
#include "core/src/import/byte_source.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>

namespace arenascope {

namespace {

// After a jump over content a little is enough: the next field is often one that is jumped over as well.
constexpr std::int64_t kSmallestStride = std::int64_t{4} << 10;

} // namespace

ByteSource::ByteSource(std::span<const std::byte> memory) : m_size(std::ssize(memory)), m_window(memory) {}

Result<ByteSource> ByteSource::open(const std::filesystem::path& path)
{
    auto file = openRegularFile(path);
    if (!file)
        return std::move(file).error();
    ByteSource source;
    source.m_file = std::move(file->descriptor);
    source.m_size = file->size;
    return source;
}

std::optional<std::span<const std::byte>> ByteSource::refill(std::int64_t at, std::int64_t count)
{
    assert(at >= 0 && count >= 0 && count <= m_size - at && m_file.isOpen());
    const bool goesOn = at >= m_windowAt && at <= m_windowAt + std::ssize(m_window);
    m_stride = goesOn ? std::clamp(2 * m_stride, kSmallestStride, kLargestStride) : kSmallestStride;
    const std::int64_t wanted = std::min(m_size - at, std::max(count, m_stride));
    if (std::ssize(m_buffer) < wanted)
        m_buffer.resize(static_cast<std::size_t>(wanted));

    std::int64_t got = 0;
    while (got < wanted) {
        const auto step = retried([&] {
            return ::pread(m_file.get(), m_buffer.data() + got, static_cast<std::size_t>(wanted - got), at + got);
        });
        if (step < 0)
            m_failure = fileError(ErrorCode::FileUnreadable, {}, errno);
        if (step <= 0)
            break;
        got += step;
    }
    m_window = std::span(m_buffer).first(static_cast<std::size_t>(got));
    m_windowAt = at;
    if (got >= count)
        return m_window.first(static_cast<std::size_t>(count));
    if (!m_failure)
        m_failure = Error{ErrorCode::FileTruncated, {}, {"it became shorter while it was read"}};
    return std::nullopt;
}

Result<std::string> readHead(const std::filesystem::path& path, std::int64_t limit)
{
    auto source = ByteSource::open(path);
    if (!source)
        return source.error();
    const auto head = source->read(0, std::min(limit, source->size()));
    if (!head)
        return Error{source->failure()->code, path.string(), source->failure()->args};
    return std::string(reinterpret_cast<const char*>(head->data()), head->size());
}

} // namespace arenascope
