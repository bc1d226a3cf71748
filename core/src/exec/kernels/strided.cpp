// SPDX-License-Identifier: MIT
#include "core/src/exec/strided.h"

#include "core/src/exec/elements.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace arenascope::exec {

namespace {

struct Loop {
    std::int64_t extent;
    std::int64_t target; ///< strides
    std::int64_t source;
};

/// Without extents of 1, neighbours that are one longer run joined.
std::vector<Loop> simplified(std::span<const std::int64_t> dims, std::span<const std::int64_t> target,
                             std::span<const std::int64_t> source)
{
    std::vector<Loop> loops;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] == 1)
            continue;
        if (!loops.empty() && loops.back().target == target[i] * dims[i] && loops.back().source == source[i] * dims[i]) {
            loops.back() = {loops.back().extent * dims[i], target[i], source[i]};
            continue;
        }
        loops.push_back({dims[i], target[i], source[i]});
    }
    return loops;
}

template <class T>
void copyInner(const Loop& loop, T* target, const T* source)
{
    for (std::int64_t i = 0; i < loop.extent; ++i)
        target[i * loop.target] = source[i * loop.source];
}

template <class T>
void copyLoops(std::span<const Loop> loops, T* target, const T* source)
{
    if (loops.empty()) {
        *target = *source;
        return;
    }
    const Loop& loop = loops.front();
    if (loops.size() > 1) {
        for (std::int64_t i = 0; i < loop.extent; ++i)
            copyLoops(loops.subspan(1), target + i * loop.target, source + i * loop.source);
        return;
    }
    if (loop.target != 1 || loop.source != 1)
        return copyInner(loop, target, source);
    if (target != source)
        std::memmove(target, source, static_cast<std::size_t>(loop.extent) * sizeof(T));
}

} // namespace

void copyStrided(ElementType type, std::span<const std::int64_t> dims, std::byte* target,
                 std::span<const std::int64_t> targetStrides, const std::byte* source,
                 std::span<const std::int64_t> sourceStrides)
{
    assert(dims.size() == targetStrides.size() && dims.size() == sourceStrides.size());
    if (std::ranges::find(dims, 0) != dims.end())
        return;
    const auto loops = simplified(dims, targetStrides, sourceStrides);
    withSize(type, [&](auto element) {
        using T = decltype(element);
        copyLoops<T>(loops, reinterpret_cast<T*>(target), reinterpret_cast<const T*>(source));
    });
}

void fillElements(std::byte* target, std::int64_t count, const std::byte* element, std::int64_t elementSize)
{
    if (count <= 0)
        return;
    const auto size = static_cast<std::size_t>(elementSize);
    std::memmove(target, element, size);
    // Doubling what is there already: as fast as memory is.
    const std::size_t total = static_cast<std::size_t>(count) * size;
    for (std::size_t done = size; done < total; done *= 2)
        std::memcpy(target + done, target, std::min(done, total - done));
}

} // namespace arenascope::exec
