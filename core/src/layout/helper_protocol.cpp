// SPDX-License-Identifier: MIT
#include "core/src/layout/helper_protocol.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace arenascope::layout {
namespace {

constexpr std::uint32_t kMagic = 0x31'4C'53'41; // "ASL1": another version of the protocol has another number

template <class T>
void put(std::string& out, const T& value)
{
    static_assert(std::is_trivially_copyable_v<T>);
    out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <class T>
void putAll(std::string& out, const std::vector<T>& values)
{
    put(out, static_cast<std::uint32_t>(values.size()));
    if (!values.empty())
        out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

class Reader {
public:
    explicit Reader(std::string_view body)
        : m_rest(body)
    {
    }

    template <class T>
    bool get(T& value)
    {
        if (m_rest.size() < sizeof(T))
            return false;
        std::memcpy(&value, m_rest.data(), sizeof(T));
        m_rest.remove_prefix(sizeof(T));
        return true;
    }

    template <class T>
    bool getAll(std::vector<T>& values)
    {
        std::uint32_t count = 0;
        if (!get(count) || m_rest.size() / sizeof(T) < count)
            return false;
        values.resize(count);
        if (count > 0)
            std::memcpy(values.data(), m_rest.data(), count * sizeof(T));
        m_rest.remove_prefix(count * sizeof(T));
        return true;
    }

    bool atEnd() const { return m_rest.empty(); }

private:
    std::string_view m_rest;
};

bool isInOrder(const LayeredPiece& piece)
{
    const auto count = static_cast<std::int64_t>(piece.widths.size());
    const auto isElement = [&](std::int32_t element) { return element >= 0 && element < count; };
    const auto isWidth = [](double width) { return std::isfinite(width) && width >= 0 && width <= 1e6; };
    const auto isRank = [&](std::int32_t rank) { return rank >= 0 && rank < piece.rankCount; };
    const auto isSegment = [&](const Segment& s) {
        return isElement(s.upper) && isElement(s.lower) && piece.rank(s.lower) == piece.rank(s.upper) + 1;
    };
    return piece.ranks.size() == piece.widths.size() && piece.boxCount >= 0 && piece.boxCount <= count
        && isWidth(piece.nodeGap) && std::ranges::all_of(piece.widths, isWidth)
        && std::ranges::all_of(piece.ranks, isRank) && std::ranges::all_of(piece.segments, isSegment);
}

} // namespace

std::string frameOf(std::string_view body)
{
    std::string frame;
    frame.reserve(kFrameHeader + body.size());
    put(frame, kMagic);
    put(frame, static_cast<std::uint32_t>(body.size()));
    frame.append(body);
    return frame;
}

std::optional<std::size_t> bodyLength(std::string_view header)
{
    Reader reader(header);
    std::uint32_t magic = 0;
    std::uint32_t length = 0;
    if (!reader.get(magic) || !reader.get(length) || magic != kMagic || length > kLargestFrame)
        return std::nullopt;
    return length;
}

std::string encodeRequest(const LayeredPiece& piece)
{
    std::string body;
    put(body, piece.boxCount);
    put(body, piece.rankCount);
    put(body, piece.nodeGap);
    putAll(body, piece.widths);
    putAll(body, piece.ranks);
    putAll(body, piece.segments);
    return body;
}

std::optional<LayeredPiece> decodeRequest(std::string_view body)
{
    Reader reader(body);
    LayeredPiece piece;
    const bool isComplete = reader.get(piece.boxCount) && reader.get(piece.rankCount) && reader.get(piece.nodeGap)
        && reader.getAll(piece.widths) && reader.getAll(piece.ranks) && reader.getAll(piece.segments) && reader.atEnd();
    if (!isComplete || !isInOrder(piece))
        return std::nullopt;
    return piece;
}

std::string encodeAnswer(const std::vector<std::int32_t>& positions)
{
    std::string body;
    putAll(body, positions);
    return body;
}

std::optional<std::vector<std::int32_t>> decodeAnswer(std::string_view body, std::size_t count)
{
    Reader reader(body);
    std::vector<std::int32_t> positions;
    if (!reader.getAll(positions) || !reader.atEnd() || positions.size() != count)
        return std::nullopt;
    return positions;
}

} // namespace arenascope::layout
