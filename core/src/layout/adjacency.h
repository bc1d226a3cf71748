// SPDX-License-Identifier: MIT
// Lists of lists in two arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arenascope::layout {

/// The items of list `i` are items[begin[i]] to items[begin[i + 1] - 1].
struct Lists {
    std::vector<std::int32_t> begin = { 0 };
    std::vector<std::int32_t> items;

    std::size_t size() const { return begin.size() - 1; }
    std::span<const std::int32_t> operator[](std::size_t i) const
    {
        const auto first = static_cast<std::size_t>(begin[i]);
        return std::span(items).subspan(first, static_cast<std::size_t>(begin[i + 1]) - first);
    }
    std::span<std::int32_t> mutableList(std::size_t i)
    {
        const auto first = static_cast<std::size_t>(begin[i]);
        return std::span(items).subspan(first, static_cast<std::size_t>(begin[i + 1]) - first);
    }
};

/// Positions 0 .. itemCount - 1 sorted into `listCount` lists by `key(position)`, ascending in each list; a negative
/// key leaves the position out. Linear.
template <class Key>
Lists groupBy(std::size_t listCount, std::size_t itemCount, const Key& key)
{
    Lists lists;
    lists.begin.assign(listCount + 1, 0);
    for (std::size_t i = 0; i < itemCount; ++i) {
        if (const std::int32_t list = key(i); list >= 0)
            ++lists.begin[static_cast<std::size_t>(list) + 1];
    }
    for (std::size_t list = 0; list < listCount; ++list)
        lists.begin[list + 1] += lists.begin[list];
    lists.items.resize(static_cast<std::size_t>(lists.begin[listCount]));
    std::vector<std::int32_t> next(lists.begin.begin(), lists.begin.end() - 1);
    for (std::size_t i = 0; i < itemCount; ++i) {
        if (const std::int32_t list = key(i); list >= 0)
            lists.items[static_cast<std::size_t>(next[static_cast<std::size_t>(list)]++)]
                = static_cast<std::int32_t>(i);
    }
    return lists;
}

} // namespace arenascope::layout
