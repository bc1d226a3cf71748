// SPDX-License-Identifier: MIT
// Reading JSON values with the path of what is wrong.
#pragma once

#include <arenascope/result.h>
#include <arenascope/types.h>

#include <nlohmann/json.hpp>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace arenascope::io {

/// Members by name: looking one up stays cheap however many there are.
using Json = nlohmann::json;

/// What bounds a hostile document: nesting and number of values, both counted before anything is allocated for them.
inline constexpr int kMaxJsonDepth = 64;
inline constexpr std::int64_t kMaxJsonValues = std::int64_t(4) << 20;

/// Parses a whole document. Errors: FileCorrupt with line and column, TooLarge.
Result<Json> parseJson(std::string_view text, const std::string& where);

/// The first thing that is wrong; later ones are ignored.
class JsonFailure {
public:
    explicit JsonFailure(std::string where) : m_where(std::move(where)) {}
    bool isSet() const { return m_error.has_value(); }
    const Error& error() const { return *m_error; }
    void set(const std::string& what)
    {
        if (!m_error)
            m_error = Error{ErrorCode::FileCorrupt, m_where, {what}};
    }
    void set(Error error)
    {
        if (!m_error) {
            m_error = std::move(error);
            m_error->where = m_where;
        }
    }

private:
    std::string m_where;
    std::optional<Error> m_error;
};

/// A value in a document and the way to it. What is asked of it in vain is noted in the JsonFailure, and an empty value
/// is given instead, so that a reader goes straight on and looks at the failure once in a while.
/// A cursor refers to its parent and must not outlive it.
class JsonCursor {
public:
    JsonCursor(const Json& root, JsonFailure& failure) : JsonCursor(&root, nullptr, {}, 0, failure) {}

    /// "$.buffers[3].size"
    std::string path() const;
    void fail(const std::string& what) const { m_failure->set(path() + " " + what); }
    bool hasFailed() const { return m_failure->isSet(); }

    /// A member that must be there.
    JsonCursor at(std::string_view key) const;
    bool has(std::string_view key) const;
    std::size_t size() const { return isArray() ? m_value->size() : 0; }
    /// An element of an array.
    JsonCursor at(std::size_t index) const;
    /// visit(key, cursor) for each member of an object; notes a failure where it is none.
    template <class Visit>
    void forEachMember(Visit&& visit) const
    {
        if (!m_value || !m_value->is_object())
            return fail("is no object");
        for (const auto& [key, value] : m_value->items())
            visit(key, JsonCursor(&value, this, key, 0, *m_failure));
    }

    std::string string() const;
    bool flag() const;
    double number() const;
    std::int64_t whole(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
    /// An index below `count`.
    std::int32_t index(std::size_t count) const;
    /// Notes a failure where it is no array.
    bool isArray() const;

private:
    JsonCursor(const Json* value, const JsonCursor* parent, std::string_view key, std::size_t position,
               JsonFailure& failure)
        : m_value(value)
        , m_parent(parent)
        , m_key(key)
        , m_position(position)
        , m_failure(&failure)
    {
    }

    const Json* m_value; // null: what was asked for is not there
    const JsonCursor* m_parent;
    std::string_view m_key; // empty: an element of an array
    std::size_t m_position;
    JsonFailure* m_failure;
};

} // namespace arenascope::io
