// SPDX-License-Identifier: MIT
// XLA's dump pair (--xla_dump_to with --xla_dump_hlo_as_text). Source: BufferAssignment::ToString() and HloLiveRange::ToString()
// of openxla/xla.
//
//     allocation 3: size 192, preallocated-temp:
//      value: <21 fusion.1 @0> (size=128,offset=0): f32[32]{0}           one file
//
//       BufferLiveRange:
//         fusion.1{}:4-6                                                  the other; both ends belong to it
#include <arenascope/plan_import.h>
#include <arenascope/problem_io.h>

#include "core/src/io/csv_problem.h"
#include "core/src/io/csv_text.h"
#include "core/src/io/foreign_plan.h"

#include <algorithm>
#include <map>
#include <set>

namespace arenascope {

namespace {

struct Value {
    std::string name; ///< with its index: "fusion.1{}"
    std::int64_t line = 0;
    std::size_t allocation = 0;
    Bytes size = 0;
    Offset offset = 0;
};

struct Allocation {
    std::int64_t number = 0;
    Bytes size = 0;
    Offset begin = 0; ///< in the one arena that they are laid into
};

class XlaReader {
public:
    explicit XlaReader(const std::string& where) : m_where(where) {}

    Result<ForeignPlan> read(std::string_view assignment, std::string_view liveRanges);

private:
    Error corrupt(const std::string& file, std::int64_t line, const std::string& what) const
    {
        return {ErrorCode::FileCorrupt, m_where, {file + ", line " + std::to_string(line) + ", " + what}};
    }
    std::optional<Error> readAssignment(std::string_view text);
    std::optional<Error> readAllocation(std::string_view line, std::int64_t number);
    std::optional<Error> readValue(std::string_view line, std::int64_t number);
    std::optional<Error> readRanges(std::string_view text);
    std::optional<Error> readRange(std::string_view line, std::int64_t number);
    void join();
    void addBuffer(const std::vector<const Value*>& values, LiveRange live);
    void addShared(std::vector<const Value*> values);

    const std::string& m_where;
    std::vector<Allocation> m_allocations;
    std::vector<Value> m_values;
    std::map<std::string, LiveRange, std::less<>> m_ranges;
    ForeignPlan m_plan;
};

const std::string kAssignment = "buffer-assignment.txt";
const std::string kRanges = "live-range.txt";

/// The number that follows `key` up to `end`, taken off the front; nothing where it is not so.
std::optional<std::int64_t> takeNumber(std::string_view& text, std::string_view key, std::string_view end)
{
    if (!text.starts_with(key))
        return std::nullopt;
    const std::size_t at = text.find(end, key.size());
    if (at == std::string_view::npos)
        return std::nullopt;
    const auto value = io::parseWhole(text.substr(key.size(), at - key.size()));
    text.remove_prefix(at);
    return value && *value >= 0 ? value : std::nullopt;
}

/// "allocation 3: size 192, preallocated-temp:"
std::optional<Error> XlaReader::readAllocation(std::string_view line, std::int64_t number)
{
    const std::string_view whole = line;
    const auto index = takeNumber(line, "allocation ", ":");
    // Older versions have an address before the size.
    line.remove_prefix(std::min(line.find("size "), line.size()));
    const auto size = index ? takeNumber(line, "size ", line.find(',') == std::string_view::npos ? ":" : ",") : std::nullopt;
    if (!size)
        return corrupt(kAssignment, number, "'" + std::string(whole.substr(0, 60)) + "' is not of the form 'allocation 3: size 192, ...:'");
    Allocation allocation{*index, *size, 0};
    if (!m_allocations.empty())
        allocation.begin = m_allocations.back().begin + m_allocations.back().size;
    if (*size > io::kMostPlanBytes - allocation.begin)
        return Error{ErrorCode::TooLarge, m_where, {"The sum of the allocations up to line " + std::to_string(number), std::to_string(io::kMostPlanBytes) + " bytes"}};
    m_allocations.push_back(allocation);
    return std::nullopt;
}

/// "value: <21 fusion.1 @0> (size=128,offset=0): f32[32]{0}"
std::optional<Error> XlaReader::readValue(std::string_view line, std::int64_t number)
{
    const Error form = corrupt(kAssignment, number, "'" + std::string(line.substr(0, 80)) + "' is not of the form 'value: <21 name @0> (size=128,offset=0): shape'");
    if (m_allocations.empty())
        return corrupt(kAssignment, number, "a value comes before the first allocation");
    const std::size_t open = line.find('<');
    const std::size_t blank = open == std::string_view::npos ? open : line.find(' ', open);
    const std::size_t close = line.find("> (size=");
    const std::size_t at = close == std::string_view::npos ? close : line.rfind(" @", close);
    if (blank == std::string_view::npos || at == std::string_view::npos || at <= blank)
        return form;
    Value value;
    value.line = number;
    value.name = line.substr(blank + 1, at - blank - 1);
    if (!value.name.ends_with('}'))
        value.name += "{}";
    line.remove_prefix(close + 3);
    const auto size = takeNumber(line, "size=", ",");
    line.remove_prefix(line.starts_with(",") ? 1 : 0);
    const auto offset = size ? takeNumber(line, "offset=", ")") : std::nullopt;
    if (!offset)
        return form;
    value.allocation = m_allocations.size() - 1;
    value.size = *size;
    value.offset = *offset;
    if (value.offset > m_allocations.back().size || value.size > m_allocations.back().size - value.offset)
        return corrupt(kAssignment, number, "value '" + value.name + "' does not fit its allocation of " + std::to_string(m_allocations.back().size) + " bytes");
    if (m_values.size() >= io::kMostBuffers)
        return io::tooManyBuffers(m_where);
    m_values.push_back(std::move(value));
    return std::nullopt;
}

std::optional<Error> XlaReader::readAssignment(std::string_view text)
{
    std::int64_t number = 0;
    while (const auto whole = io::takeLine(text)) {
        ++number;
        const std::string_view line = io::trimmed(*whole);
        std::optional<Error> error;
        if (whole->starts_with("allocation "))
            error = readAllocation(line, number);
        else if (line.starts_with("value: "))
            error = readValue(line, number);
        else if (!line.empty() && whole->front() != ' ' && !m_allocations.empty())
            break; // the listing of all uses, which names the values again
        if (error)
            return error;
    }
    if (m_allocations.empty())
        return Error{ErrorCode::FileCorrupt, m_where, {kAssignment + " has no line 'allocation N: size S, ...:'"}};
    return std::nullopt;
}

/// "fusion.1{}:4-6", both ends belong to it
std::optional<Error> XlaReader::readRange(std::string_view line, std::int64_t number)
{
    const std::size_t colon = line.rfind(':');
    const std::size_t dash = colon == std::string_view::npos ? colon : line.find('-', colon);
    const auto begin = dash == std::string_view::npos ? std::nullopt : io::parseWhole(line.substr(colon + 1, dash - colon - 1));
    const auto last = begin ? io::parseWhole(line.substr(dash + 1)) : std::nullopt;
    if (!last || *begin < 0 || *last < *begin)
        return corrupt(kRanges, number, "'" + std::string(line.substr(0, 60)) + "' is not of the form 'name{}:4-6'");
    if (*last >= kMaxProblemSteps)
        return Error{ErrorCode::TooLarge, m_where, {kRanges + ", line " + std::to_string(number) + ", step " + std::to_string(*last), std::to_string(kMaxProblemSteps) + " steps"}};
    std::string name(line.substr(0, colon));
    if (!name.ends_with('}'))
        name += "{}";
    if (m_ranges.size() >= io::kMostBuffers)
        return io::tooManyBuffers(m_where);
    if (!m_ranges.emplace(name, LiveRange{*begin, *last + 1}).second)
        return Error{ErrorCode::DuplicateName, m_where, {"live ranges", name}};
    return std::nullopt;
}

std::optional<Error> XlaReader::readRanges(std::string_view text)
{
    bool isWithin = false;
    std::int64_t number = 0;
    while (const auto whole = io::takeLine(text)) {
        ++number;
        const std::string_view line = io::trimmed(*whole);
        if (line == "BufferLiveRange:") {
            isWithin = true;
            continue;
        }
        if (!isWithin || line.empty())
            continue;
        if (line.starts_with("Live ranges at"))
            break; // the peak
        if (auto error = readRange(line, number))
            return error;
    }
    if (!isWithin)
        return Error{ErrorCode::FileCorrupt, m_where, {kRanges + " has no line 'BufferLiveRange:'"}};
    return std::nullopt;
}

void XlaReader::addBuffer(const std::vector<const Value*>& values, LiveRange live)
{
    PlanDocument& document = m_plan.document;
    const Value& first = *values.front();
    Buffer buffer;
    buffer.name = first.name.ends_with("{}") ? first.name.substr(0, first.name.size() - 2) : first.name;
    buffer.size = first.size;
    buffer.live = live;
    document.problem.stepCount = std::max(document.problem.stepCount, live.end);
    std::vector<std::string> names;
    for (const Value* value : values)
        names.push_back(value->name.ends_with("{}") ? value->name.substr(0, value->name.size() - 2) : value->name);
    document.tensorOffsets.emplace_back(names.size());
    document.tensorNames.push_back(std::move(names));
    document.problem.buffers.push_back(std::move(buffer));
    Placement placement;
    placement.offset = m_allocations[first.allocation].begin + first.offset;
    document.plan.placements.push_back(placement);
}

/// Values of one size in one place: those that live at the same time share their bytes on purpose (a result over its operand,
/// the values of a loop), the others take them in turn.
void XlaReader::addShared(std::vector<const Value*> values)
{
    const auto liveOf = [this](const Value* value) { return m_ranges.find(value->name)->second; };
    std::stable_sort(values.begin(), values.end(), [&](const Value* a, const Value* b) { return liveOf(a).begin < liveOf(b).begin; });
    std::vector<const Value*> together;
    LiveRange live;
    for (const Value* value : values) {
        const LiveRange own = liveOf(value);
        if (!together.empty() && own.begin >= live.end) {
            addBuffer(together, live);
            together.clear();
        }
        live = together.empty() ? own : LiveRange{live.begin, std::max(live.end, own.end)};
        together.push_back(value);
    }
    if (!together.empty())
        addBuffer(together, live);
}

void XlaReader::join()
{
    using Place = std::tuple<std::size_t, Offset, Bytes>;
    std::map<Place, std::vector<const Value*>> places;
    std::set<std::string_view> seen;
    std::int64_t without = 0;
    std::string example;
    for (const Value& value : m_values) {
        if (!m_ranges.contains(value.name)) {
            example = without++ == 0 ? value.name : example;
            continue;
        }
        if (seen.insert(value.name).second)
            places[{value.allocation, value.offset, value.size}].push_back(&value);
    }
    for (auto& [place, values] : places)
        addShared(std::move(values));
    if (without > 0)
        m_plan.diagnostics.push_back({Severity::Warning, {ErrorCode::Unsupported, m_where,
            {"A value without a live range", std::to_string(without) + " of " + kAssignment + " are left out, the first is '" + example + "'."}}});
}

Result<ForeignPlan> XlaReader::read(std::string_view assignment, std::string_view liveRanges)
{
    m_plan.format = "xla";
    m_plan.source = m_where;
    m_plan.document.problem.name = m_where;
    if (auto error = readAssignment(assignment))
        return std::move(*error);
    if (auto error = readRanges(liveRanges))
        return std::move(*error);
    join();
    if (m_plan.document.problem.buffers.empty())
        return Error{ErrorCode::FileCorrupt, m_where, {"no value of " + kAssignment + " has a live range in " + kRanges}};
    m_plan.document.plan.arenaSize = m_allocations.back().begin + m_allocations.back().size;
    return io::summedUp(std::move(m_plan));
}

} // namespace

Result<ForeignPlan> planFromXla(std::string_view assignment, std::string_view liveRanges, const std::string& where)
{
    return XlaReader(where).read(assignment, liveRanges);
}

} // namespace arenascope
