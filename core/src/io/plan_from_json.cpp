// SPDX-License-Identifier: MIT
// Arenascope's own JSON in. Offsets, regions and memories may be wrong: finding that out is the checker's job.
#include <arenascope/plan_io.h>
#include <arenascope/problem_io.h>

#include "core/src/io/json_cursor.h"
#include "core/src/io/plan_words.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace arenascope {

namespace {

using io::JsonCursor;

/// Bounds of offsets and sizes in a file: sums of a few of them still fit 63 bits, wherever they are added up later.
constexpr Bytes kMostBytes = Bytes(1) << 60;

template <class Words>
auto wordAt(const JsonCursor& cursor, const Words& words)
{
    const std::string text = cursor.string();
    const auto value = io::valueOf(words, text);
    if (value)
        return *value;
    std::string known;
    for (const auto& word : words)
        known += (known.empty() ? "" : ", ") + std::string(word.word);
    cursor.fail("is '" + text.substr(0, 40) + "', not one of " + known);
    return words.front().value;
}

template <class Value>
Value namedAt(const JsonCursor& cursor, std::optional<Value> (*fromName)(std::string_view), Value otherwise)
{
    const std::string text = cursor.string();
    const auto value = fromName(text);
    if (!value)
        cursor.fail("is '" + text.substr(0, 40) + "', which is not known");
    return value.value_or(otherwise);
}

class PlanReader {
public:
    explicit PlanReader(const JsonCursor& root)
        : m_root(root)
    {
    }

    PlanDocument read();

private:
    void readHeader() const;
    void readModel();
    void readOptions();
    void readPlan();
    void readRegions();
    void readBranches();
    void readBranch(const JsonCursor& json);
    void readMemories();
    void readBuffers();
    void readBuffer(const JsonCursor& json, std::size_t index);
    void readGaps(const JsonCursor& json, Buffer& buffer) const;
    void readTensors(const JsonCursor& json);
    Placement readPlacement(const JsonCursor& json) const;
    LiveRange readSteps(const JsonCursor& json) const;
    void readIdle();
    void sumRegions();

    const JsonCursor& m_root;
    PlanDocument m_document;
    Bytes m_sum = 0;
};

void PlanReader::readHeader() const
{
    if (m_root.at("format").string() != io::kPlanFormat)
        m_root.at("format").fail("is not '" + std::string(io::kPlanFormat) + "': this is no plan of Arenascope");
    if (m_root.at("version").whole(1) > io::kPlanVersion)
        m_root.at("version").fail("is newer than " + std::to_string(io::kPlanVersion) + ", the newest that is known");
}

void PlanReader::readModel()
{
    const JsonCursor model = m_root.at("model");
    m_document.modelName = model.at("name").string();
    m_document.modelPath = model.at("path").string();
    m_document.modelFormat = model.at("format").string();
    m_document.modelHash = model.at("hash").string();
    model.at("shapes").forEachMember([this](std::string_view name, const JsonCursor& shape) {
        std::vector<std::int64_t>& dims = m_document.shapes[std::string(name)];
        if (!shape.isArray())
            return;
        for (std::size_t i = 0; i < shape.size(); ++i)
            dims.push_back(shape.at(i).whole(0));
    });
    model.at("dims").forEachMember([this](std::string_view name, const JsonCursor& extent) {
        m_document.dims[std::string(name)] = extent.whole(0);
    });
}

void PlanReader::readOptions()
{
    const JsonCursor json = m_root.at("options");
    StudyOptions& options = m_document.options;
    options.schedule = namedAt(json.at("schedule"), scheduleFromName, ScheduleKind::File);
    options.alias = namedAt(json.at("alias"), aliasFromName, AliasMode::None);
    options.branches.join = wordAt(json.at("join"), io::kJoinWords);
    options.branches.style = wordAt(json.at("branch_style"), io::kStyleWords);
    options.problem.alignment = json.at("alignment").whole(1, kMostBytes);
    if (!std::has_single_bit(static_cast<std::uint64_t>(options.problem.alignment)))
        json.at("alignment").fail("is no power of two");
    options.problem.io.inputsInArena = json.at("inputs_in_arena").flag();
    options.problem.io.outputsInArena = json.at("outputs_in_arena").flag();
    options.problem.countWorkspace = json.at("count_workspace").flag();
    if (json.has("concurrency")) // files written before it was an option have none
        options.problem.concurrency = namedAt(json.at("concurrency"), concurrencyFromName, Concurrency::Sequential);
    m_document.problem.concurrency = options.problem.concurrency;
    m_document.problem.alignment = options.problem.alignment;
}

void PlanReader::readPlan()
{
    Plan& plan = m_document.plan;
    plan.strategy = m_root.at("strategy").string();
    plan.chosen = m_root.at("chosen").string();
    plan.completion = wordAt(m_root.at("completion"), io::kCompletionWords);
    plan.arenaSize = m_root.at("arena_bytes").whole(0, kMostBytes);
    plan.planningSeconds = m_root.at("planning_seconds").number();
    m_document.problem.stepCount = m_root.at("steps").whole(0, kMaxProblemSteps);
    m_document.problem.name = m_document.modelName;
    const JsonCursor schedule = m_root.at("schedule");
    if (!schedule.isArray())
        return;
    for (std::size_t i = 0; i < schedule.size(); ++i)
        m_document.order.push_back(schedule.at(i).string());
}

void PlanReader::readRegions()
{
    const JsonCursor regions = m_root.at("regions");
    if (!regions.isArray())
        return;
    m_document.problem.regions.clear();
    for (std::size_t i = 0; i < regions.size(); ++i) {
        const JsonCursor json = regions.at(i);
        MemoryRegion region;
        region.name = json.at("name").string();
        region.alignment = json.at("alignment").whole(0, kMostBytes);
        region.cost = json.at("cost").number();
        if (json.has("capacity"))
            region.capacity = json.at("capacity").whole(0, kMostBytes);
        m_document.problem.regions.push_back(std::move(region));
    }
    if (regions.size() == 0)
        regions.fail("is empty");
}

void PlanReader::readBranches()
{
    const JsonCursor branches = m_root.at("branches");
    if (!branches.isArray())
        return;
    for (std::size_t i = 0; i < branches.size() && !m_root.hasFailed(); ++i)
        readBranch(branches.at(i));
}

void PlanReader::readBranch(const JsonCursor& json)
{
    ProblemBranch branch;
    branch.id = BranchId(static_cast<std::int32_t>(json.at("id").whole(0, std::numeric_limits<std::int32_t>::max())));
    const JsonCursor units = json.at("units");
    for (std::size_t u = 0; u < units.size(); ++u) {
        const JsonCursor unit = units.at(u);
        ProblemBranch::Unit made;
        made.side = wordAt(unit.at("side"), io::kSideWords);
        const JsonCursor buffers = unit.at("buffers");
        for (std::size_t b = 0; b < buffers.size(); ++b)
            made.buffers.push_back(BufferId(buffers.at(b).index(m_document.problem.buffers.size())));
        branch.units.push_back(std::move(made));
    }
    m_document.problem.branches.push_back(std::move(branch));
}

void PlanReader::readMemories()
{
    const JsonCursor memories = m_root.at("memories");
    if (!memories.isArray())
        return;
    for (std::size_t i = 0; i < memories.size() && !m_root.hasFailed(); ++i) {
        const JsonCursor json = memories.at(i);
        PlanMemory memory;
        memory.branch
            = BranchId(static_cast<std::int32_t>(json.at("branch").whole(-1, std::numeric_limits<std::int32_t>::max())));
        memory.side = wordAt(json.at("side"), io::kSideWords);
        memory.offset = json.at("offset").whole(-kMostBytes, kMostBytes);
        memory.size = json.at("size").whole(0, kMostBytes);
        memory.live = readSteps(json);
        m_document.plan.memories.push_back(memory);
    }
}

LiveRange PlanReader::readSteps(const JsonCursor& json) const
{
    LiveRange steps;
    steps.begin = json.at("begin").whole(0, m_document.problem.stepCount);
    steps.end = json.at("end").whole(0, m_document.problem.stepCount);
    if (steps.begin > steps.end)
        json.fail("ends before it begins");
    return steps;
}

void PlanReader::readBuffers()
{
    const JsonCursor buffers = m_root.at("buffers");
    if (!buffers.isArray())
        return;
    for (std::size_t i = 0; i < buffers.size() && !m_root.hasFailed(); ++i)
        readBuffer(buffers.at(i), i);
}

void PlanReader::readBuffer(const JsonCursor& json, std::size_t index)
{
    const auto position = static_cast<std::int64_t>(index);
    json.at("id").whole(position, position);
    Buffer buffer;
    buffer.name = json.at("name").string();
    buffer.kind = wordAt(json.at("kind"), io::kKindWords);
    buffer.size = json.at("size").whole(0, kMostBytes);
    buffer.live = readSteps(json);
    if (json.has("alignment"))
        buffer.alignment = json.at("alignment").whole(1, kMostBytes);
    if (json.has("fixed_offset"))
        buffer.fixedOffset = json.at("fixed_offset").whole(0, kMostBytes);
    if (json.has("gaps"))
        readGaps(json.at("gaps"), buffer);
    readTensors(json.at("tensors"));

    const auto reserved = checkedAlignUp(buffer.size, m_document.problem.alignment);
    const auto sum = reserved ? checkedAdd(m_sum, *reserved) : std::nullopt;
    if (!sum || *sum > kMostBytes)
        json.at("size").fail("is too large together with the sizes before");
    else
        m_sum = *sum;
    m_document.problem.buffers.push_back(std::move(buffer));
    m_document.plan.placements.push_back(readPlacement(json));
}

void PlanReader::readGaps(const JsonCursor& json, Buffer& buffer) const
{
    if (!json.isArray())
        return;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const JsonCursor gap = json.at(i);
        const LiveRange steps = readSteps(gap);
        const Bytes most = checkedAlignUp(buffer.size, m_document.problem.alignment).value_or(buffer.size);
        const Bytes low = gap.at("low").whole(0, most);
        buffer.gaps.push_back({steps, low, gap.at("high").whole(low, most)});
    }
}

void PlanReader::readTensors(const JsonCursor& json)
{
    std::vector<std::string> names;
    std::vector<Offset> offsets;
    if (!json.isArray())
        return;
    for (std::size_t i = 0; i < json.size(); ++i) {
        names.push_back(json.at(i).at("name").string());
        offsets.push_back(json.at(i).at("offset").whole(0, kMostBytes));
    }
    m_document.tensorNames.push_back(std::move(names));
    m_document.tensorOffsets.push_back(std::move(offsets));
}

Placement PlanReader::readPlacement(const JsonCursor& json) const
{
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    Placement placement;
    placement.offset = json.at("offset").whole(-kMostBytes, kMostBytes);
    if (json.has("region"))
        placement.region = RegionId(static_cast<std::int32_t>(json.at("region").whole(0, kMost)));
    if (json.has("memory"))
        placement.memory = MemoryId(static_cast<std::int32_t>(json.at("memory").whole(0, kMost)));
    if (json.has("side"))
        placement.side = wordAt(json.at("side"), io::kSideWords);
    return placement;
}

void PlanReader::readIdle()
{
    if (!m_root.has("idle"))
        return;
    const JsonCursor idle = m_root.at("idle");
    if (!idle.isArray())
        return;
    for (std::size_t i = 0; i < idle.size() && !m_root.hasFailed(); ++i) {
        const JsonCursor json = idle.at(i);
        Buffer buffer;
        buffer.name = json.at("name").string();
        buffer.size = json.at("size").whole(0, kMostBytes);
        m_document.problem.idle.push_back(std::move(buffer));
        m_document.plan.idleOffsets.push_back(json.at("offset").whole(0, kMostBytes));
    }
}

/// What each of several regions holds follows from the placements. Those in regions that do not exist are the checker's.
void PlanReader::sumRegions()
{
    const std::size_t regions = m_document.problem.regions.size();
    if (regions < 2)
        return;
    m_document.plan.regionSizes.assign(regions, 0);
    for (std::size_t i = 0; i < m_document.plan.placements.size(); ++i) {
        const Placement& placement = m_document.plan.placements[i];
        if (placement.region.index() >= regions)
            continue;
        Bytes& size = m_document.plan.regionSizes[placement.region.index()];
        size = std::max(size, placement.offset + m_document.problem.reserved(BufferId::fromIndex(i)));
    }
}

PlanDocument PlanReader::read()
{
    readHeader();
    // Each part rests on those before it, so the first failure ends the reading.
    using Part = void (PlanReader::*)();
    for (const Part part :
         {&PlanReader::readModel, &PlanReader::readOptions, &PlanReader::readPlan, &PlanReader::readRegions,
          &PlanReader::readBuffers, &PlanReader::readBranches, &PlanReader::readMemories, &PlanReader::readIdle}) {
        if (m_root.hasFailed())
            break;
        (this->*part)();
    }
    if (!m_root.hasFailed())
        sumRegions();
    return std::move(m_document);
}

} // namespace

Result<PlanDocument> planFromJson(std::string_view json, const std::string& where)
{
    const auto root = io::parseJson(json, where);
    if (!root)
        return root.error();
    io::JsonFailure failure(where);
    const JsonCursor cursor(*root, failure);
    PlanDocument document = PlanReader(cursor).read();
    if (failure.isSet())
        return failure.error();
    return document;
}

} // namespace arenascope
