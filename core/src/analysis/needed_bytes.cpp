// SPDX-License-Identifier: MIT
#include "core/src/analysis/needed_bytes.h"

#include <algorithm>
#include <numeric>

namespace arenascope::detail {

namespace {

/// Stretches of time between two births or deaths, each with the first value that it is given.
class FirstValues {
public:
    FirstValues(const std::vector<Step>& borders) : m_borders(borders), m_values(borders.size(), -1), m_next(borders.size() + 1)
    {
        std::iota(m_next.begin(), m_next.end(), std::size_t{0});
    }

    /// Gives the value to the stretches of these steps that have none. Amortised O(log n).
    void give(LiveRange steps, Offset value)
    {
        const std::size_t end = indexOf(steps.end);
        for (std::size_t i = next(indexOf(steps.begin)); i < end; i = next(i)) {
            m_values[i] = value;
            m_next[i] = i + 1;
        }
    }
    Offset at(std::size_t stretch) const { return m_values[stretch]; }

private:
    std::size_t indexOf(Step step) const
    {
        return static_cast<std::size_t>(std::lower_bound(m_borders.begin(), m_borders.end(), step) - m_borders.begin());
    }
    std::size_t next(std::size_t stretch)
    {
        while (m_next[stretch] != stretch)
            stretch = m_next[stretch] = m_next[m_next[stretch]];
        return stretch;
    }

    const std::vector<Step>& m_borders;
    std::vector<Offset> m_values;
    std::vector<std::size_t> m_next; ///< stretches without a value, by halved paths
};

} // namespace

std::vector<BufferPiece> neededBytes(std::vector<BufferPiece> tensors, Bytes alignment)
{
    std::erase_if(tensors, [](const BufferPiece& t) { return t.steps.length() <= 0 || t.low >= t.high; });
    std::vector<Step> borders;
    borders.reserve(2 * tensors.size());
    for (const BufferPiece& tensor : tensors) {
        borders.push_back(tensor.steps.begin);
        borders.push_back(tensor.steps.end);
    }
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    FirstValues lows(borders);
    std::sort(tensors.begin(), tensors.end(), [](const BufferPiece& a, const BufferPiece& b) { return a.low < b.low; });
    for (const BufferPiece& tensor : tensors)
        lows.give(tensor.steps, tensor.low / alignment * alignment);
    FirstValues highs(borders);
    std::sort(tensors.begin(), tensors.end(), [](const BufferPiece& a, const BufferPiece& b) { return a.high > b.high; });
    for (const BufferPiece& tensor : tensors)
        highs.give(tensor.steps, checkedAlignUp(tensor.high, alignment).value_or(tensor.high));

    std::vector<BufferPiece> needs;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
        const BufferPiece need{{borders[i], borders[i + 1]}, lows.at(i), highs.at(i)};
        if (need.high < 0) // nothing is alive
            continue;
        BufferPiece* last = needs.empty() ? nullptr : &needs.back();
        if (last && last->steps.end == need.steps.begin && last->low == need.low && last->high == need.high)
            last->steps.end = need.steps.end;
        else
            needs.push_back(need);
    }
    return needs;
}

} // namespace arenascope::detail
