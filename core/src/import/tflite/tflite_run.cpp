// SPDX-License-Identifier: MIT
#include "core/src/import/tflite/tflite_run.h"

#include "core/src/import/tflite/tflite_options.h"

#include <algorithm>
#include <initializer_list>
#include <unordered_set>

namespace arenascope::tflite_import {

namespace {

constexpr std::size_t kMostRepeated = 200'000; ///< operators that further calls of sub-graphs add
constexpr std::size_t kDeepestCall = 64;

using Indices = flatbuffers::Vector<std::int32_t>;

/// All that is there of some lists, each once, in order.
std::vector<TensorId> together(std::initializer_list<const std::vector<TensorId>*> lists)
{
    std::vector<TensorId> all;
    std::unordered_set<TensorId> seen;
    for (const auto* list : lists) {
        for (const TensorId tensor : *list) {
            if (tensor.isValid() && seen.insert(tensor).second)
                all.push_back(tensor);
        }
    }
    return all;
}

/// What the parts of a call are called, behind the name of the operator that calls.
struct PartNames {
    const char* first;
    const char* second;
};

PartNames partNames(std::int32_t code)
{
    switch (static_cast<Builtin>(code)) {
    case Builtin::If: return {"then", "else"};
    case Builtin::While: return {"condition", "body"};
    default: return {"called", ""};
    }
}

class Runner {
public:
    Runner(const TfliteFile& file, const std::vector<std::string>& names, GraphBuilder& builder)
        : m_file(file)
        , m_names(names)
        , m_builder(builder)
        , m_isMade(names.size(), false)
        , m_isGiven(names.size(), false)
        , m_isVariable(names.size(), false)
        , m_isHandle(names.size(), false)
        , m_hasRun(file.subgraphCount(), false)
        , m_isRunning(file.subgraphCount(), false)
        , m_lastUse(names.size())
    {
        for (std::size_t s = 0; s < file.subgraphCount(); ++s) {
            for (std::size_t i = 0; i < file.tensorCount(s); ++i) {
                const auto& tensor = file.tensor(s, i);
                const ElementType type = elementTypeFromTflite(tensor.type());
                const std::size_t position = file.firstTensor(s) + i;
                m_isVariable[position] = tensor.is_variable();
                m_isGiven[position] = tensor.is_variable() || file.isConstant(tensor);
                m_isHandle[position] = type == ElementType::Resource || type == ElementType::Variant;
            }
        }
    }

    Status run()
    {
        for (std::size_t i = 0; i < sizeOf(m_file.subgraph(0).inputs()); ++i)
            m_isMade[idAt(m_file.subgraph(0).inputs(), i, 0).index()] = true;
        m_hasRun[0] = true;
        addUnreadInputs();
        if (auto done = runBody(0, false); !done)
            return done;
        for (std::size_t i = 0; i < m_names.size(); ++i) {
            if (!m_isMade[i] && !m_isGiven[i])
                m_builder.setRole(TensorId::fromIndex(i), TensorRole::Scratch);
        }
        listOmissions();
        return Ok{};
    }

private:
    TensorId idOf(std::int32_t index, std::size_t subgraph) const
    {
        if (index < 0) // an operand that is left out
            return {};
        return TensorId::fromIndex(m_file.firstTensor(subgraph) + static_cast<std::size_t>(index));
    }
    TensorId idAt(const Indices* indices, std::size_t position, std::size_t subgraph) const
    {
        return idOf(indices->Get(static_cast<flatbuffers::uoffset_t>(position)), subgraph);
    }
    std::vector<TensorId> idsOf(const Indices* indices, std::size_t subgraph) const
    {
        std::vector<TensorId> ids;
        for (std::size_t i = 0; i < sizeOf(indices); ++i)
            ids.push_back(idAt(indices, i, subgraph));
        return ids;
    }

    /// Inputs that nobody reads are there before the first operator runs, not while it does.
    void addUnreadInputs()
    {
        const auto& main = m_file.subgraph(0);
        if (sizeOf(main.operators()) == 0) // no network
            return;
        std::vector<bool> isUsed(m_file.tensorCount(0), false);
        const auto use = [&isUsed](const Indices* indices) {
            for (std::size_t i = 0; i < sizeOf(indices); ++i) {
                if (const std::int32_t index = indices->Get(static_cast<flatbuffers::uoffset_t>(i)); index >= 0)
                    isUsed[static_cast<std::size_t>(index)] = true;
            }
        };
        for (std::size_t i = 0; i < sizeOf(main.operators()); ++i)
            use(main.operators()->Get(static_cast<flatbuffers::uoffset_t>(i))->inputs());
        use(main.outputs());
        std::vector<TensorId> unread = idsOf(main.inputs(), 0);
        std::erase_if(unread, [&](TensorId input) { return isUsed[input.index()] || m_isGiven[input.index()]; });
        if (unread.empty())
            return;
        Operator begin;
        begin.name = "unread inputs";
        begin.kind = "BEGIN";
        begin.domain = kControlDomain;
        begin.inputs = together({&unread});
        add(std::move(begin), true);
    }

    Status runBody(std::size_t subgraph, bool isRepeated)
    {
        if (m_depth == kDeepestCall)
            return Error{ErrorCode::TooLarge, "subgraph " + std::to_string(subgraph),
                         {"the number of calls inside of each other", std::to_string(kDeepestCall)}};
        ++m_depth;
        m_isRunning[subgraph] = true;
        for (std::size_t i = 0; i < sizeOf(m_file.subgraph(subgraph).operators()); ++i) {
            if (auto done = runOperator(subgraph, i, isRepeated); !done)
                return done;
        }
        m_isRunning[subgraph] = false;
        --m_depth;
        return Ok{};
    }

    Status runOperator(std::size_t subgraph, std::size_t index, bool isRepeated)
    {
        const auto& from = *m_file.subgraph(subgraph).operators()->Get(static_cast<flatbuffers::uoffset_t>(index));
        if (isRepeated && ++m_repeated > kMostRepeated)
            return Error{ErrorCode::TooLarge, placeOfOperator(m_file, subgraph, index),
                         {"the number of operators that calls repeat", std::to_string(kMostRepeated)}};
        Operator op;
        op.kind = m_file.kindOf(from);
        op.opset = m_file.versionOf(from);
        op.fileIndex = static_cast<std::int32_t>(index);
        op.subgraph = static_cast<std::int32_t>(subgraph);
        op.inputs = idsOf(from.inputs(), subgraph);
        op.outputs = idsOf(from.outputs(), subgraph);
        readOptions(from, op);
        const auto named = std::find_if(op.outputs.begin(), op.outputs.end(), [](TensorId id) { return id.isValid(); });
        op.name = named != op.outputs.end() ? m_names[named->index()] : op.kind + '_' + std::to_string(index);
        if (isRepeated) {
            repeat(op);
        } else if (auto error = make(op)) {
            return *error;
        }
        const std::vector<std::int32_t> calls = m_file.callsOf(from);
        if (!calls.empty())
            return runCalls(std::move(op), m_file.codeOf(from), calls);
        keepOrderOfState(op);
        add(std::move(op), isRepeated);
        return Ok{};
    }

    /// Notes what an operator makes. What has content in the file cannot be made as well.
    std::optional<Error> make(const Operator& op)
    {
        for (const TensorId output : op.outputs) {
            if (!output.isValid())
                continue;
            m_isMade[output.index()] = true;
            if (m_isGiven[output.index()] && !m_isVariable[output.index()])
                return Error{ErrorCode::FileCorrupt, placeOf(op),
                             {"it writes tensor '" + m_names[output.index()] + "', which has content in the file"}};
        }
        return std::nullopt;
    }

    /// A further run of an operator: it needs all that it needed before, and makes it again in the same place.
    static void repeat(Operator& op)
    {
        op.inputs = together({&op.inputs, &op.outputs});
        op.outputs.clear();
        op.name += " (again)";
        op.domain = kControlDomain;
    }

    Status runCalls(Operator caller, std::int32_t code, const std::vector<std::int32_t>& calls)
    {
        const std::string name = caller.name;
        const PartNames parts = partNames(code);
        const std::vector<TensorId> kept = together({&caller.inputs, &caller.outputs}); // through the whole call
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const auto called = static_cast<std::size_t>(calls[i]);
            if (m_isRunning[called])
                return Error{ErrorCode::FileCorrupt, placeOf(caller),
                             {"it runs sub-graph " + std::to_string(called) + ", which is running already"}};
            const bool isRepeated = m_hasRun[called];
            m_hasRun[called] = true;
            const std::string part = name + '/' + (i == 0 ? parts.first : parts.second);
            Operator entry = i == 0 ? std::move(caller) : marker(caller, part, "CALL");
            enter(entry, called, isRepeated);
            Operator end = marker(entry, i + 1 == calls.size() ? name + "/end" : part + " end", "END");
            if (i == 0)
                caller = marker(entry, name, "CALL"); // its place in the file, for what follows
            add(std::move(entry), true);
            if (auto done = runBody(called, isRepeated); !done)
                return done;
            leave(end, called);
            if (i + 1 == calls.size())
                end.inputs = together({&end.inputs, &kept});
            add(std::move(end), true);
        }
        return Ok{};
    }

    static Operator marker(const Operator& of, std::string name, const char* kind)
    {
        Operator op;
        op.name = std::move(name);
        op.kind = kind;
        op.domain = kControlDomain;
        op.fileIndex = of.fileIndex;
        op.subgraph = of.subgraph;
        return op;
    }

    /// The inputs of a sub-graph are copied in when it begins.
    void enter(Operator& entry, std::size_t subgraph, bool isRepeated)
    {
        std::vector<TensorId> inputs = idsOf(m_file.subgraph(subgraph).inputs(), subgraph);
        std::erase_if(inputs, [this](TensorId input) { return m_isGiven[input.index()]; });
        for (const TensorId input : inputs)
            m_isMade[input.index()] = true;
        if (sizeOf(m_file.subgraph(subgraph).operators()) == 0) { // begins and ends at once
            for (const TensorId output : idsOf(m_file.subgraph(subgraph).outputs(), subgraph)) {
                if (!m_isGiven[output.index()])
                    inputs.push_back(output);
                m_isMade[output.index()] = true;
            }
        }
        const std::vector<TensorId> once = together({&inputs});
        auto& list = isRepeated ? entry.inputs : entry.outputs;
        list.insert(list.end(), once.begin(), once.end());
    }

    /// Its outputs are copied out when it ends. Those that it does not make at all are born only there.
    void leave(Operator& end, std::size_t subgraph)
    {
        const std::vector<TensorId> outputs = idsOf(m_file.subgraph(subgraph).outputs(), subgraph);
        for (const TensorId output : together({&outputs})) {
            const bool isThere = m_isMade[output.index()] || m_isGiven[output.index()];
            (isThere ? end.inputs : end.outputs).push_back(output);
            m_isMade[output.index()] = true;
        }
    }

    std::string placeOf(const Operator& op) const
    {
        return placeOfOperator(m_file, static_cast<std::size_t>(op.subgraph), static_cast<std::size_t>(op.fileIndex));
    }

    /// Operators that change the same state keep their order, which their operands do not show.
    void keepOrderOfState(Operator& op)
    {
        const auto id = OpId::fromIndex(m_added);
        for (const TensorId input : op.inputs) {
            if (!input.isValid())
                continue;
            if (m_isVariable[input.index()]) {
                if (m_lastUse[input.index()].isValid() && m_lastUse[input.index()] != id)
                    op.runsAfter.push_back(m_lastUse[input.index()]);
                m_lastUse[input.index()] = id;
            }
            if (m_isHandle[input.index()] && m_lastHandleUse != id) {
                if (m_lastHandleUse.isValid())
                    op.runsAfter.push_back(m_lastHandleUse);
                m_lastHandleUse = id;
            }
        }
    }

    /// A barrier runs after all that was added before it, and before all that is added after it.
    void add(Operator op, bool isBarrier)
    {
        if (isBarrier)
            op.runsAfter.insert(op.runsAfter.end(), m_sinceBarrier.begin(), m_sinceBarrier.end());
        if (m_barrier.isValid() && (!isBarrier || m_sinceBarrier.empty()))
            op.runsAfter.push_back(m_barrier);
        const OpId id = m_builder.addOperator(std::move(op));
        ++m_added;
        if (!isBarrier) {
            m_sinceBarrier.push_back(id);
            return;
        }
        m_barrier = id;
        m_sinceBarrier.clear();
    }

    void listOmissions()
    {
        for (std::size_t s = 0; s < m_file.subgraphCount(); ++s) {
            if (m_hasRun[s])
                continue;
            const auto* operators = m_file.subgraph(s).operators();
            for (std::size_t i = 0; i < sizeOf(operators); ++i) {
                const auto& op = *operators->Get(static_cast<flatbuffers::uoffset_t>(i));
                const bool isNamed = sizeOf(op.outputs()) > 0 && op.outputs()->Get(0) >= 0;
                const std::string kind = m_file.kindOf(op);
                m_builder.addOmission({Omission::What::Operator,
                                       isNamed ? m_names[idAt(op.outputs(), 0, s).index()] : kind + '_' + std::to_string(i), kind,
                                       "sub-graph " + std::to_string(s) + " is not called by the main one", kUnknownBytes});
            }
        }
    }

    const TfliteFile& m_file;
    const std::vector<std::string>& m_names;
    GraphBuilder& m_builder;
    std::vector<bool> m_isMade;    ///< by tensor: an operator added so far makes it
    std::vector<bool> m_isGiven;   ///< by tensor: a constant or a variable
    std::vector<bool> m_isVariable; ///< by tensor
    std::vector<bool> m_isHandle;   ///< by tensor: a resource, or another thing that operators change behind their operands
    std::vector<bool> m_hasRun;    ///< by sub-graph
    std::vector<bool> m_isRunning; ///< by sub-graph
    std::vector<OpId> m_lastUse;   ///< by tensor: of variables
    OpId m_lastHandleUse;
    OpId m_barrier;
    std::vector<OpId> m_sinceBarrier;
    std::size_t m_added = 0;
    std::size_t m_repeated = 0;
    std::size_t m_depth = 0;
};

} // namespace

Status addOperators(const TfliteFile& file, const std::vector<std::string>& names, GraphBuilder& builder)
{
    return Runner(file, names, builder).run();
}

} // namespace arenascope::tflite_import
