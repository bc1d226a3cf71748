// SPDX-License-Identifier: MIT
#include "core/src/io/json_cursor.h"

#include <algorithm>

namespace arenascope::io {

namespace {

std::string lineAndColumn(std::string_view text, std::size_t position)
{
    const std::string_view before = text.substr(0, std::min(position, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t lineBegin = before.rfind('\n');
    const std::size_t column = lineBegin == std::string_view::npos ? before.size() + 1 : before.size() - lineBegin;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Looks at brackets and commas outside of strings, so that the parser is never given what it could drown in.
std::optional<Error> checkBounds(std::string_view text, const std::string& where)
{
    int depth = 0;
    std::int64_t values = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        switch (text[i]) {
        case '"':
            for (++i; i < text.size() && text[i] != '"'; ++i)
                i += text[i] == '\\' ? 1 : 0;
            break;
        case '[':
        case '{':
            ++values;
            if (++depth > kMaxJsonDepth)
                return Error{ErrorCode::FileCorrupt,
                             where,
                             {"brackets are nested deeper than " + std::to_string(kMaxJsonDepth) + " at "
                              + lineAndColumn(text, i)}};
            break;
        case ']':
        case '}': --depth; break;
        case ',': ++values; break;
        default: break;
        }
    }
    if (values > kMaxJsonValues)
        return Error{ErrorCode::TooLarge, where, {"The JSON document", std::to_string(kMaxJsonValues) + " values"}};
    return std::nullopt;
}

} // namespace

Result<Json> parseJson(std::string_view text, const std::string& where)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    if (auto error = checkBounds(text, where))
        return std::move(*error);
    try {
        return Json::parse(text.begin(), text.end());
    } catch (const Json::parse_error& error) {
        const std::size_t position = error.byte > 0 ? error.byte - 1 : 0;
        return Error{ErrorCode::FileCorrupt, where, {"no JSON from " + lineAndColumn(text, position) + " on"}};
    } catch (const Json::exception&) {
        return Error{ErrorCode::FileCorrupt, where, {"a number of the JSON document is out of range"}};
    }
}

std::string JsonCursor::path() const
{
    if (!m_parent)
        return "$";
    if (m_key.empty())
        return m_parent->path() + "[" + std::to_string(m_position) + "]";
    return m_parent->path() + "." + std::string(m_key.substr(0, 80));
}

JsonCursor JsonCursor::at(std::string_view key) const
{
    if (!m_value)
        return {nullptr, this, key, 0, *m_failure};
    if (!m_value->is_object()) {
        fail("is no object");
        return {nullptr, this, key, 0, *m_failure};
    }
    const auto found = m_value->find(key);
    if (found == m_value->end()) {
        fail("has no member '" + std::string(key) + "'");
        return {nullptr, this, key, 0, *m_failure};
    }
    return {&*found, this, key, 0, *m_failure};
}

bool JsonCursor::has(std::string_view key) const
{
    return m_value && m_value->is_object() && m_value->find(key) != m_value->end();
}

JsonCursor JsonCursor::at(std::size_t index) const
{
    const bool exists = m_value && m_value->is_array() && index < m_value->size();
    return {exists ? &(*m_value)[index] : nullptr, this, {}, index, *m_failure};
}

bool JsonCursor::isArray() const
{
    if (m_value && m_value->is_array())
        return true;
    fail("is no array");
    return false;
}

std::string JsonCursor::string() const
{
    if (m_value && m_value->is_string())
        return m_value->get<std::string>();
    fail("is no string");
    return {};
}

bool JsonCursor::flag() const
{
    if (m_value && m_value->is_boolean())
        return m_value->get<bool>();
    fail("is neither true nor false");
    return false;
}

double JsonCursor::number() const
{
    if (m_value && m_value->is_number())
        return m_value->get<double>();
    fail("is no number");
    return 0.0;
}

std::int64_t JsonCursor::whole(std::int64_t least, std::int64_t most) const
{
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const bool isWhole = m_value && m_value->is_number_integer()
        && !(m_value->is_number_unsigned() && m_value->get<std::uint64_t>() > kLargest);
    if (!isWhole) {
        fail("is no whole number of at most 63 bits");
        return std::max<std::int64_t>(least, 0);
    }
    const auto value = m_value->get<std::int64_t>();
    if (value >= least && value <= most)
        return value;
    fail("is " + std::to_string(value)
         + (value < least ? ", below " + std::to_string(least) : ", above " + std::to_string(most)));
    return least;
}

std::int32_t JsonCursor::index(std::size_t count) const
{
    if (count == 0) {
        fail("is an index into an empty list");
        return -1;
    }
    return static_cast<std::int32_t>(whole(0, static_cast<std::int64_t>(count) - 1));
}

} // namespace arenascope::io
