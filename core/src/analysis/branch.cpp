// SPDX-License-Identifier: MIT
#include <arenascope/branch.h>

#include "core/src/analysis/ping_pong.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace arenascope {

namespace {

using UnitIndex = std::int32_t;
constexpr UnitIndex kNoUnit = -1;

// Sets of operators that write into common alias groups.
class OperatorSets {
public:
    explicit OperatorSets(std::size_t count) : m_parent(count) { std::iota(m_parent.begin(), m_parent.end(), 0u); }

    std::uint32_t find(std::uint32_t op)
    {
        while (m_parent[op] != op)
            op = m_parent[op] = m_parent[m_parent[op]];
        return op;
    }
    void unite(std::uint32_t a, std::uint32_t b) { m_parent[find(a)] = find(b); }

private:
    std::vector<std::uint32_t> m_parent;
};

struct Unit {
    BranchUnit unit;
    OpId soleReader;         ///< the one operator outside that reads it; invalid: none or several
    bool hasManyReaders = false;
    bool isHandedOut = false; ///< one of its tensors is a network output
    UnitIndex before = kNoUnit;
    UnitIndex after = kNoUnit;
    std::int64_t chainLength = 0; ///< operators of the chain that ends here

    OpId first() const { return unit.operators.front(); }
    OpId last() const { return unit.operators.back(); }
};

// Units in the order of their first operators (claim 2: each with the bytes that it outputs).
class UnitTable {
public:
    UnitTable(const Graph& graph, const Schedule& schedule, const AliasGroups& aliases)
        : m_graph(graph), m_schedule(schedule), m_aliases(aliases), m_unitOf(graph.operators().size(), kNoUnit)
    {
        makeUnits();
        for (Unit& unit : m_units) {
            sumBytes(unit.unit);
            findReaders(unit);
        }
    }

    std::vector<Unit>& units() { return m_units; }
    UnitIndex unitOf(OpId op) const { return m_unitOf[op.index()]; }

private:
    void makeUnits()
    {
        OperatorSets sets(m_graph.operators().size());
        for (const AliasGroup& group : m_aliases.groups) {
            OpId known;
            for (const AliasMember& member : group.members) {
                const OpId producer = m_graph.tensor(member.tensor).producer;
                if (producer.isValid() && known.isValid())
                    sets.unite(static_cast<std::uint32_t>(producer.index()), static_cast<std::uint32_t>(known.index()));
                known = producer.isValid() ? producer : known;
            }
        }
        std::vector<UnitIndex> unitOfSet(m_graph.operators().size(), kNoUnit);
        for (const OpId op : m_schedule.order) {
            UnitIndex& index = unitOfSet[sets.find(static_cast<std::uint32_t>(op.index()))];
            if (index == kNoUnit) {
                index = static_cast<UnitIndex>(m_units.size());
                m_units.emplace_back();
            }
            m_unitOf[op.index()] = index;
            BranchUnit& unit = m_units[static_cast<std::size_t>(index)].unit;
            unit.operators.push_back(op);
            for (const TensorId output : m_graph.op(op).outputs) {
                if (output.isValid() && m_graph.tensor(output).isActivation())
                    unit.tensors.push_back(output);
            }
        }
    }

    // Each alias group counts once; one that holds a network input is memory of the caller, not of the branch.
    void sumBytes(BranchUnit& unit) const
    {
        std::vector<std::int32_t> groups;
        for (const TensorId tensor : unit.tensors)
            groups.push_back(m_aliases.groupOf[tensor.index()]);
        std::sort(groups.begin(), groups.end());
        groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
        for (const std::int32_t index : groups) {
            const AliasGroup& group = m_aliases.groups[static_cast<std::size_t>(index)];
            const bool isGiven = m_graph.tensor(group.members.front().tensor).role == TensorRole::Input;
            const Bytes bytes = isGiven ? 0 : std::max<Bytes>(group.bytes, 0);
            unit.bytes = checkedAdd(unit.bytes, bytes).value_or(std::numeric_limits<Bytes>::max());
        }
    }

    void findReaders(Unit& unit) const
    {
        const UnitIndex self = unitOf(unit.first());
        for (const TensorId tensor : unit.unit.tensors) {
            unit.isHandedOut = unit.isHandedOut || m_graph.tensor(tensor).isOutput;
            for (const OpId reader : m_graph.tensor(tensor).consumers) {
                if (unitOf(reader) == self || reader == unit.soleReader)
                    continue;
                unit.hasManyReaders = unit.hasManyReaders || unit.soleReader.isValid();
                unit.soleReader = reader;
            }
        }
        if (unit.hasManyReaders)
            unit.soleReader = OpId();
    }

    const Graph& m_graph;
    const Schedule& m_schedule;
    const AliasGroups& m_aliases;
    std::vector<UnitIndex> m_unitOf; ///< by OpId
    std::vector<Unit> m_units;
};

// Claim 1: units of different layers, connected one to the next. What the claims leave open: a unit is continued only by
// its sole reader, and only where that begins a unit; a network output ends a branch; of several chains that meet, one
// goes on. Then an output is next overwritten two units later, after its only reader: safe for this schedule, and for
// every other one where units are single operators.
class Linker {
public:
    Linker(const Graph& graph, const Schedule& schedule, UnitTable& table, const BranchOptions& options)
        : m_graph(graph), m_schedule(schedule), m_table(table), m_options(options)
    {
    }

    void run()
    {
        for (std::size_t i = 0; i < m_table.units().size(); ++i) {
            Unit& unit = m_table.units()[i];
            const UnitIndex chosen = predecessor(unit);
            unit.chainLength = static_cast<std::int64_t>(unit.unit.operators.size());
            if (chosen == kNoUnit)
                continue;
            unit.before = chosen;
            at(chosen).after = static_cast<UnitIndex>(i);
            unit.chainLength += at(chosen).chainLength;
        }
    }

private:
    Unit& at(UnitIndex index) { return m_table.units()[static_cast<std::size_t>(index)]; }
    Step stepOf(OpId op) const { return m_schedule.stepOf[op.index()]; }

    UnitIndex predecessor(const Unit& unit)
    {
        // Branches follow data: what must merely run before does not feed the unit.
        std::vector<UnitIndex> writers;
        const Operator& op = m_graph.op(unit.first());
        for (const auto* list : {&op.inputs, &op.captures}) {
            for (const TensorId tensor : *list) {
                if (tensor.isValid() && m_graph.tensor(tensor).producer.isValid())
                    writers.push_back(m_table.unitOf(m_graph.tensor(tensor).producer));
            }
        }
        std::sort(writers.begin(), writers.end());
        writers.erase(std::unique(writers.begin(), writers.end()), writers.end());
        if (m_options.join == JoinRule::None && writers.size() > 1)
            return kNoUnit;
        UnitIndex best = kNoUnit;
        for (const UnitIndex writer : writers) {
            if (mayContinue(at(writer), unit) && (best == kNoUnit || isBetter(at(writer), at(best))))
                best = writer;
        }
        return best;
    }

    bool mayContinue(const Unit& from, const Unit& to) const
    {
        // Everything in the unit must be done before its memory is left behind: a late view would read what is gone.
        if (from.isHandedOut || from.after != kNoUnit || stepOf(from.last()) >= stepOf(to.first()))
            return false;
        return m_options.style == BranchStyle::Path || from.soleReader == to.first();
    }

    bool isBetter(const Unit& a, const Unit& b) const
    {
        if (m_options.join == JoinRule::Longest && a.chainLength != b.chainLength)
            return a.chainLength > b.chainLength;
        return stepOf(a.last()) > stepOf(b.last());
    }

    const Graph& m_graph;
    const Schedule& m_schedule;
    UnitTable& m_table;
    const BranchOptions& m_options;
};

// Claims 1 and 3: sizes of the two memories, the designated unit, and who writes which.
void assignMemories(Branch& branch)
{
    std::vector<Bytes> sizes;
    for (const BranchUnit& unit : branch.units)
        sizes.push_back(unit.bytes);
    const detail::PingPong memories = detail::pingPong(sizes);
    branch.firstMemory = memories.first;
    branch.secondMemory = memories.second;
    branch.designatedUnit = memories.designated;
    for (std::size_t i = 0; i < branch.units.size(); ++i)
        branch.units[i].side = memories.sides[i];
}

} // namespace

Branches findBranches(const Graph& graph, const Schedule& schedule, const AliasGroups& aliases, const BranchOptions& options)
{
    UnitTable table(graph, schedule, aliases);
    Linker(graph, schedule, table, options).run();

    Branches result;
    result.options = options;
    result.branchOf.assign(graph.operators().size(), BranchId());
    result.unitOf.assign(graph.operators().size(), kNoUnit);
    std::vector<Unit>& units = table.units();
    for (std::size_t start = 0; start < units.size(); ++start) {
        if (units[start].before != kNoUnit)
            continue;
        Branch branch;
        branch.id = BranchId::fromIndex(result.branches.size());
        for (auto i = static_cast<UnitIndex>(start); i != kNoUnit;) {
            Unit& unit = units[static_cast<std::size_t>(i)];
            for (const OpId op : unit.unit.operators) {
                result.branchOf[op.index()] = branch.id;
                result.unitOf[op.index()] = static_cast<std::int32_t>(branch.units.size());
            }
            branch.units.push_back(std::move(unit.unit));
            i = unit.after;
        }
        assignMemories(branch);
        result.branches.push_back(std::move(branch));
    }
    return result;
}

} // namespace arenascope
