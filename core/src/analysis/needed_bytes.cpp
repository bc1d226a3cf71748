// SPDX-License-Identifier: MIT
#include "core/src/analysis/needed_bytes.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace arenascope::detail {

std::vector<ByteNeed> neededBytes(const std::vector<ByteNeed>& tensors, Bytes alignment)
{
    std::vector<std::tuple<Step, bool, std::size_t>> changes; // (step, is birth, tensor)
    changes.reserve(2 * tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].steps.length() <= 0 || tensors[i].low >= tensors[i].high)
            continue;
        changes.emplace_back(tensors[i].steps.begin, true, i);
        changes.emplace_back(tensors[i].steps.end, false, i);
    }
    std::sort(changes.begin(), changes.end());

    std::vector<ByteNeed> needs;
    std::multiset<Offset> lows;
    std::multiset<Offset> highs;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const auto& [step, isBirth, tensor] = changes[i];
        if (isBirth) {
            lows.insert(tensors[tensor].low);
            highs.insert(tensors[tensor].high);
        } else {
            lows.erase(lows.find(tensors[tensor].low));
            highs.erase(highs.find(tensors[tensor].high));
        }
        const Step until = i + 1 < changes.size() ? std::get<0>(changes[i + 1]) : step;
        if (until == step || lows.empty())
            continue;
        const Offset low = *lows.begin() / alignment * alignment;
        const Offset high = checkedAlignUp(*highs.rbegin(), alignment).value_or(*highs.rbegin());
        if (!needs.empty() && needs.back().steps.end == step && needs.back().low == low && needs.back().high == high)
            needs.back().steps.end = until;
        else
            needs.push_back({{step, until}, low, high});
    }
    return needs;
}

std::vector<ByteNeed> needsOf(const Buffer& buffer, Bytes reserved)
{
    std::vector<ByteNeed> needs;
    const auto add = [&needs](Step begin, Step end, Bytes low, Bytes high) {
        if (begin < end && low < high)
            needs.push_back({{begin, end}, low, high});
    };
    std::vector<BufferGap> gaps = buffer.gaps;
    std::stable_sort(gaps.begin(), gaps.end(),
                     [](const BufferGap& a, const BufferGap& b) { return a.steps.begin < b.steps.begin; });
    Step from = buffer.live.begin;
    for (const BufferGap& gap : gaps) {
        const Step begin = std::clamp(gap.steps.begin, from, std::max(from, buffer.live.end));
        const Step end = std::clamp(gap.steps.end, begin, std::max(begin, buffer.live.end));
        add(from, begin, 0, reserved);
        add(begin, end, std::max<Bytes>(gap.low, 0), std::min(gap.high, reserved));
        from = end;
    }
    add(from, buffer.live.end, 0, reserved);
    return needs;
}

} // namespace arenascope::detail
