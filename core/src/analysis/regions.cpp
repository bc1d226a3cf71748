// SPDX-License-Identifier: MIT
#include <arenascope/regions.h>

#include <arenascope/report.h>

#include <algorithm>
#include <array>

namespace arenascope {

namespace {

constexpr std::string_view kAccepted = "NAME=SIZE, such as sram=256K, or NAME for one without a limit; each name once";

Result<MemoryRegion> regionFromText(std::string_view text, const std::vector<MemoryRegion>& others)
{
    const Error bad{ErrorCode::BadOption, {}, {"memories", std::string(text), std::string(kAccepted)}};
    const auto mark = text.find('=');
    MemoryRegion region;
    region.name = text.substr(0, mark);
    region.cost = static_cast<double>(others.size());
    const bool isKnown = std::any_of(others.begin(), others.end(), [&](const MemoryRegion& other) { return other.name == region.name; });
    if (region.name.empty() || isKnown)
        return bad;
    if (mark == std::string_view::npos)
        return region;
    const auto size = parseBytes(text.substr(mark + 1));
    if (!size)
        return bad;
    region.capacity = *size;
    return region;
}

std::string capacityText(Bytes bytes)
{
    constexpr std::array kUnits{std::pair{Bytes(1) << 30, 'G'}, std::pair{Bytes(1) << 20, 'M'}, std::pair{Bytes(1) << 10, 'K'}};
    for (const auto& [size, letter] : kUnits) {
        if (bytes >= size && bytes % size == 0)
            return std::to_string(bytes / size) + letter;
    }
    return std::to_string(bytes);
}

} // namespace

Result<std::vector<MemoryRegion>> regionsFromText(std::string_view text)
{
    std::vector<MemoryRegion> regions;
    constexpr std::string_view kSeparators = ", \t\n";
    while (true) {
        const auto begin = text.find_first_not_of(kSeparators);
        if (begin == std::string_view::npos)
            return regions;
        text.remove_prefix(begin);
        const auto end = std::min(text.find_first_of(kSeparators), text.size());
        auto region = regionFromText(text.substr(0, end), regions);
        if (!region)
            return std::move(region).error();
        regions.push_back(*std::move(region));
        text.remove_prefix(end);
    }
}

std::string regionsText(std::span<const MemoryRegion> regions)
{
    std::string text;
    for (const MemoryRegion& region : regions) {
        text += (text.empty() ? "" : ", ") + region.name;
        if (region.capacity)
            text += "=" + capacityText(*region.capacity);
    }
    return text;
}

Bytes firstMemoryBytes(const Plan& plan)
{
    return plan.regionSizes.size() > 1 ? plan.regionSizes.front() : plan.arenaSize;
}

Offset regionBase(const Plan& plan, RegionId region)
{
    Offset base = 0;
    for (std::size_t i = 0; region.isValid() && i < std::min(region.index(), plan.regionSizes.size()); ++i)
        base += plan.regionSizes[i];
    return base;
}

Offset stackedOffset(const Plan& plan, BufferId buffer)
{
    const Placement& placement = plan.placements[buffer.index()];
    return plan.regionSizes.size() > 1 ? regionBase(plan, placement.region) + placement.offset : placement.offset;
}

} // namespace arenascope
