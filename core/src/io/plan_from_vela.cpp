// SPDX-License-Identifier: MIT
// Vela's tables of tensor allocations, wherever they stand in its output.
//
//     Tensor Allocation for mem_area Sram, of mem_type_set (Scratch), using allocator HillClimb, in NPU subgraph:
//     Start Time -   End Time: Start Addr -   End Addr: Tensor Size: Memory Usage: Purpose     : Name
//              0 -          5:        0x0 -     0x4000:       16384:        16384: FeatureMap  : input
//     Allocation Peak Tensor Size:      16384 (    0x4000) Bytes    16.00 KiB
//     Allocation Peak Memory Usage:     16384 (    0x4000) Bytes    16.00 KiB
#include <arenascope/plan_import.h>
#include <arenascope/problem_io.h>

#include "core/src/io/csv_problem.h"
#include "core/src/io/csv_text.h"
#include "core/src/io/foreign_plan.h"
#include "core/src/io/names.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

namespace arenascope {

namespace {

class VelaReader {
public:
    VelaReader(std::string_view text, const std::string& where)
        : m_text(text)
        , m_where(where)
    {
    }

    Result<ForeignPlan> read();

private:
    using Place = std::tuple<std::int32_t, Step, Step, Offset, Bytes>; ///< region, times, address, size

    Error corrupt(const std::string& what) const { return {ErrorCode::FileCorrupt, m_where, {"line " + std::to_string(m_line) + ", " + what}}; }
    std::optional<Error> take(std::string_view line);
    std::optional<Error> beginTable(std::string_view header);
    std::optional<Error> readRow(std::string_view line);
    std::optional<Error> number(std::string_view column, std::string_view text, std::int64_t& value) const;
    std::optional<Error> pair(std::string_view column, std::string_view text, std::int64_t& first, std::int64_t& second) const;
    std::optional<Error> place(Buffer buffer, Placement placement);
    void endTable(std::string_view line);

    std::string_view m_text;
    const std::string& m_where;
    std::int64_t m_line = 0;
    std::size_t m_fields = 0;        ///< before the name; 0: outside of tables
    std::int64_t m_tables = 0;
    std::size_t m_rows = 0;
    std::string m_area;              ///< of the title that was read last
    RegionId m_region;
    std::vector<Bytes> m_usage;      ///< by region: what a table says that it needs
    std::map<Place, std::size_t> m_buffers;
    ForeignPlan m_plan;
};

/// The word after `key` up to a comma.
std::string wordAfter(std::string_view line, std::string_view key)
{
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos)
        return {};
    const std::string_view rest = line.substr(at + key.size());
    return io::percentDecoded(io::trimmed(rest.substr(0, rest.find(','))), ",");
}

/// Decimal, or hexadecimal after 0x.
std::optional<std::int64_t> wholeNumber(std::string_view text)
{
    if (!text.starts_with("0x") && !text.starts_with("0X"))
        return io::parseWhole(text);
    std::int64_t value = 0;
    text.remove_prefix(2);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc() || end != text.data() + text.size() || text.starts_with('-'))
        return std::nullopt;
    return value;
}

std::optional<Error> VelaReader::number(std::string_view column, std::string_view text, std::int64_t& value) const
{
    const auto whole = wholeNumber(io::trimmed(text));
    if (whole && *whole >= 0) {
        value = *whole;
        return std::nullopt;
    }
    return corrupt("column '" + std::string(column) + "': '" + std::string(io::trimmed(text).substr(0, 40)) + "' is no whole number of at most 63 bits");
}

/// "0 -  5"
std::optional<Error> VelaReader::pair(std::string_view column, std::string_view text, std::int64_t& first, std::int64_t& second) const
{
    const std::size_t dash = text.find('-', 1);
    if (dash == std::string_view::npos)
        return corrupt("column '" + std::string(column) + "' has no '-'");
    if (auto error = number(column, text.substr(0, dash), first))
        return error;
    return number(column, text.substr(dash + 1), second);
}

std::optional<Error> VelaReader::beginTable(std::string_view header)
{
    const std::size_t name = header.rfind("Name");
    if (header.find("Start Addr") == std::string_view::npos || name == std::string_view::npos)
        return corrupt("the header has no columns 'Start Addr' and 'Name'");
    m_fields = static_cast<std::size_t>(std::count(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(name), ':'));
    if (m_fields < 4)
        return corrupt("the header has " + std::to_string(m_fields) + " columns before 'Name' instead of 4 or more");
    ++m_tables;
    const std::string area = m_area.empty() ? "arena" : m_area;
    // Several tables of one memory are of different sub-graphs, each with an arena of its own.
    std::string unique = area;
    const auto isTaken = [&](const std::string& text) {
        const auto& known = m_plan.document.problem.regions;
        return m_tables > 1 && std::any_of(known.begin(), known.end(), [&](const MemoryRegion& region) { return region.name == text; });
    };
    for (int number = 2; isTaken(unique); ++number)
        unique = area + " (" + std::to_string(number) + ")";
    auto& regions = m_plan.document.problem.regions;
    if (m_tables > 1)
        regions.emplace_back();
    regions.back().name = unique;
    m_region = RegionId::fromIndex(regions.size() - 1);
    m_usage.resize(regions.size());
    return std::nullopt;
}

std::optional<Error> VelaReader::readRow(std::string_view line)
{
    std::vector<std::string_view> fields;
    std::string_view rest = line;
    while (fields.size() < m_fields) {
        const std::size_t colon = rest.find(':');
        if (colon == std::string_view::npos)
            return corrupt(std::to_string(fields.size() + 1) + " columns instead of " + std::to_string(m_fields + 1));
        fields.push_back(rest.substr(0, colon));
        rest.remove_prefix(colon + 1);
    }
    if (++m_rows > io::kMostBuffers)
        return io::tooManyBuffers(m_where);
    Buffer buffer;
    buffer.name = io::percentDecoded(io::trimmed(rest));
    Step last = 0;
    Offset end = 0;
    Placement placement;
    placement.region = m_region;
    if (auto error = pair("Time", fields[0], buffer.live.begin, last))
        return error;
    if (auto error = pair("Addr", fields[1], placement.offset, end))
        return error;
    if (auto error = number("Tensor Size", fields[2], buffer.size))
        return error;
    if (last >= kMaxProblemSteps)
        return Error{ErrorCode::TooLarge, m_where, {"line " + std::to_string(m_line) + ", step " + std::to_string(last), std::to_string(kMaxProblemSteps) + " steps"}};
    if (buffer.live.begin > last + 1 || placement.offset > end)
        return corrupt("the end is before the begin");
    if (end - placement.offset > buffer.size)
        return corrupt("addresses are further apart than the tensor's size");
    buffer.live.end = last + 1;
    return place(std::move(buffer), placement);
}

std::optional<Error> VelaReader::place(Buffer buffer, Placement placement)
{
    PlanDocument& document = m_plan.document;
    document.problem.stepCount = std::max(document.problem.stepCount, buffer.live.end);
    const Place key{placement.region.value(), buffer.live.begin, buffer.live.end, placement.offset, buffer.size};
    const auto [at, isNew] = m_buffers.emplace(key, document.problem.buffers.size());
    if (!isNew && buffer.size > 0) {
        document.tensorNames[at->second].push_back(buffer.name);
        document.tensorOffsets[at->second].push_back(0);
        return std::nullopt;
    }
    document.tensorNames.push_back({buffer.name});
    document.tensorOffsets.push_back({0});
    document.problem.buffers.push_back(std::move(buffer));
    document.plan.placements.push_back(placement);
    return std::nullopt;
}

/// "Allocation Peak Memory Usage:   1012 (...": what the arena takes, which may be more than the tensors reach.
void VelaReader::endTable(std::string_view line)
{
    constexpr std::string_view kUsage = "Allocation Peak Memory Usage:";
    if (line.starts_with(kUsage) && m_region.isValid()) {
        const std::string_view rest = io::trimmed(line.substr(kUsage.size()));
        const auto value = io::parseWhole(rest.substr(0, rest.find(' ')));
        if (value && *value >= 0 && *value <= io::kMostPlanBytes)
            m_usage[m_region.index()] = *value;
    }
    m_fields = 0;
}

std::optional<Error> VelaReader::take(std::string_view line)
{
    const std::string_view text = io::trimmed(line);
    if (text.starts_with("Start Time"))
        return beginTable(text);
    if (text.starts_with("Allocation ")) {
        endTable(text);
        return std::nullopt;
    }
    for (const std::string_view title : {"Tensor Allocation for mem_area ", "Allocation, memory "}) {
        if (text.starts_with(title)) {
            m_area = wordAfter(text, title);
            m_fields = 0;
        }
    }
    if (text.empty() || text.front() == '#')
        return std::nullopt;
    return m_fields > 0 ? readRow(text) : std::nullopt;
}

Result<ForeignPlan> VelaReader::read()
{
    m_plan.format = "vela";
    m_plan.source = m_where;
    m_plan.document.problem.name = m_where;
    while (const auto line = io::takeLine(m_text)) {
        ++m_line;
        if (auto error = take(*line))
            return std::move(*error);
    }
    if (m_tables == 0)
        return Error{ErrorCode::FileCorrupt, m_where, {"there is no table of tensor allocations in it (Vela prints it with --verbose-allocation)"}};
    auto plan = io::summedUp(std::move(m_plan));
    if (!plan)
        return plan;
    auto& sizes = plan->document.plan.regionSizes;
    Bytes sum = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        sum += sizes[i] = std::max(sizes[i], m_usage[i]);
    plan->document.plan.arenaSize = std::max(plan->document.plan.arenaSize, sizes.empty() ? m_usage.front() : sum);
    return plan;
}

} // namespace

Result<ForeignPlan> planFromVela(std::string_view text, const std::string& where)
{
    return VelaReader(text, where).read();
}

} // namespace arenascope
