// SPDX-License-Identifier: MIT
// MiniMalloc's CSV as a plan: what is a fixed offset in a problem is a placement here, which a better plan need not keep.
#include <arenascope/plan_import.h>

#include "core/src/io/csv_problem.h"
#include "core/src/io/csv_text.h"
#include "core/src/io/foreign_plan.h"

#include <algorithm>
#include <bit>

namespace arenascope {

namespace {

/// The alignment that all rows have, if sizes are rounded to it already.
std::optional<Bytes> commonAlignment(const PlacementProblem& problem)
{
    if (problem.buffers.empty())
        return std::nullopt;
    const Bytes alignment = problem.buffers.front().alignment;
    if (alignment < 1 || !std::has_single_bit(static_cast<std::uint64_t>(alignment)))
        return std::nullopt;
    const bool isCommon = std::all_of(problem.buffers.begin(), problem.buffers.end(), [&](const Buffer& buffer) {
        return buffer.alignment == alignment && buffer.size % alignment == 0;
    });
    return isCommon ? std::optional(alignment) : std::nullopt;
}

/// Names by buffer: planToCsv() numbers them and has the name in a column of its own.
void nameBuffer(Buffer& buffer, const io::CsvRow& row)
{
    buffer.name = row.name.empty() ? io::nameFromField(buffer.name) : row.name;
}

std::optional<Error> missingOffset(const PlacementProblem& problem, const std::string& where)
{
    std::size_t with = 0;
    const Buffer* without = nullptr;
    for (const Buffer& buffer : problem.buffers) {
        with += buffer.fixedOffset ? 1 : 0;
        without = buffer.fixedOffset || without ? without : &buffer;
    }
    if (with == 0 || !without)
        return std::nullopt;
    return Error{ErrorCode::FileCorrupt, where, {"buffer '" + without->name + "' has no offset, others have"}};
}

} // namespace

Result<ForeignPlan> planFromCsv(std::string_view text, const std::string& where)
{
    auto read = io::readCsvProblem(text, where);
    if (!read)
        return std::move(read).error();
    if (auto error = missingOffset(read->problem, where))
        return std::move(*error);
    ForeignPlan plan;
    plan.format = "csv";
    plan.source = where;
    plan.document.problem = std::move(read->problem);
    PlacementProblem& problem = plan.document.problem;
    plan.hasOffsets = std::any_of(problem.buffers.begin(), problem.buffers.end(), [](const Buffer& b) { return b.fixedOffset.has_value(); });
    plan.alignment = commonAlignment(problem);
    problem.alignment = plan.alignment.value_or(1);
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        Buffer& buffer = problem.buffers[i];
        io::CsvRow& row = read->rows[i];
        nameBuffer(buffer, row);
        buffer.alignment = plan.alignment ? 0 : buffer.alignment;
        Placement placement;
        if (i == 0 && !row.region.empty())
            problem.regions.front().name = row.region;
        placement.region = row.region.empty() ? RegionId(0) : io::regionNamed(plan, row.region);
        placement.offset = buffer.fixedOffset.value_or(0);
        buffer.fixedOffset.reset();
        if (plan.hasOffsets)
            plan.document.plan.placements.push_back(placement);
        if (row.tensors.empty())
            row = {{}, {buffer.name}, {0}, {}};
        plan.document.tensorNames.push_back(std::move(row.tensors));
        plan.document.tensorOffsets.push_back(std::move(row.tensorOffsets));
    }
    return io::summedUp(std::move(plan));
}

} // namespace arenascope
