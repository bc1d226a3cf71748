// SPDX-License-Identifier: MIT
#include <arenascope/diff.h>

#include "core/src/diff/pairing.h"

#include <arenascope/report.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <unordered_set>

namespace arenascope {

namespace {

std::string change(std::string_view what, const std::string& before, const std::string& after)
{
    return std::string(what) + " " + before + " -> " + after;
}

/// By how many bytes a difference changes what the arena has to hold, in either direction.
Bytes weightOf(const PlanDiff& diff, const Difference<TensorId>& difference)
{
    const auto bytesOf = [](const PlanOutcome& outcome, TensorId id) {
        return id.isValid() ? std::max<Bytes>(0, outcome.study->graph->tensor(id).bytes) : 0;
    };
    return std::abs(bytesOf(*diff.after, difference.after) - bytesOf(*diff.before, difference.before));
}

class Differ {
public:
    Differ(std::shared_ptr<const PlanOutcome> before, std::shared_ptr<const PlanOutcome> after)
        : m_before(*before->study), m_after(*after->study)
    {
        m_diff.before = std::move(before);
        m_diff.after = std::move(after);
        detail::Pairing pairing = detail::pairNetworks(*m_before.graph, *m_after.graph);
        m_diff.opAfter = std::move(pairing.ops);
        m_diff.tensorAfter = std::move(pairing.tensors);
    }

    PlanDiff run()
    {
        addOperators(false);
        addTensors(false);
        m_diff.isSameNetwork = m_diff.operators.empty() && m_diff.tensors.empty();
        if (m_diff.isSameNetwork) {
            addOperators(true);
            addTensors(true);
        }
        std::stable_sort(m_diff.tensors.begin(), m_diff.tensors.end(), [this](const auto& a, const auto& b) {
            return weightOf(m_diff, a) > weightOf(m_diff, b);
        });
        addPeaks();
        return std::move(m_diff);
    }

private:
    std::vector<std::string> operatorChanges(OpId before, OpId after, bool isPlan) const
    {
        const Operator& a = m_before.graph->op(before);
        const Operator& b = m_after.graph->op(after);
        std::vector<std::string> what;
        if (isPlan) {
            const Step from = m_before.schedule.stepOf[before.index()];
            const Step to = m_after.schedule.stepOf[after.index()];
            if (from != to)
                what.push_back(change("step", std::to_string(from), std::to_string(to)));
            return what;
        }
        if (a.inputs.size() != b.inputs.size())
            what.push_back(change("inputs", std::to_string(a.inputs.size()), std::to_string(b.inputs.size())));
        else if (readsOthers(a, b))
            what.emplace_back("reads other tensors");
        if (a.outputs.size() != b.outputs.size())
            what.push_back(change("outputs", std::to_string(a.outputs.size()), std::to_string(b.outputs.size())));
        for (std::size_t i = 0; i < std::min(a.outputs.size(), b.outputs.size()); ++i)
            addTypeAndShape(a.outputs[i], b.outputs[i], what);
        if (a.fusedActivation != b.fusedActivation)
            what.push_back(change("activation", a.fusedActivation.empty() ? "none" : a.fusedActivation,
                                  b.fusedActivation.empty() ? "none" : b.fusedActivation));
        if (a.workspace != b.workspace)
            what.push_back(change("workspace", formatBytes(a.workspace), formatBytes(b.workspace)));
        return what;
    }

    /// Whether an activation that one reads is not the partner of what the other reads in its place.
    bool readsOthers(const Operator& a, const Operator& b) const
    {
        for (std::size_t i = 0; i < a.inputs.size(); ++i) {
            const TensorId from = a.inputs[i];
            const TensorId to = b.inputs[i];
            if (from.isValid() != to.isValid())
                return true;
            const bool isActivation = from.isValid() && m_before.graph->tensor(from).isActivation();
            if (isActivation && m_diff.tensorAfter[from.index()] != to)
                return true;
        }
        return false;
    }

    void addTypeAndShape(TensorId before, TensorId after, std::vector<std::string>& what) const
    {
        if (!before.isValid() || !after.isValid())
            return;
        const Tensor& a = m_before.graph->tensor(before);
        const Tensor& b = m_after.graph->tensor(after);
        if (a.type != b.type)
            what.push_back(change("type", std::string(elementTypeName(a.type)), std::string(elementTypeName(b.type))));
        if (a.shape.rankKnown != b.shape.rankKnown || a.shape.dims != b.shape.dims)
            what.push_back(change("shape", toString(a.shape), toString(b.shape)));
    }

    std::string placeOf(const PlanOutcome& outcome, TensorId id) const
    {
        const auto offset = tensorOffset(*outcome.study, outcome.plan, id);
        return offset ? std::to_string(*offset) : "outside";
    }

    static std::string liveOf(const Study& study, TensorId id)
    {
        const BufferId buffer = study.bufferOf[id.index()];
        if (!buffer.isValid())
            return "outside";
        const LiveRange live = study.problem.buffer(buffer).live;
        return "[" + std::to_string(live.begin) + ", " + std::to_string(live.end) + ")";
    }

    std::vector<std::string> tensorChanges(TensorId before, TensorId after, bool isPlan) const
    {
        std::vector<std::string> what;
        if (!isPlan) {
            addTypeAndShape(before, after, what);
            const Bytes from = m_before.graph->tensor(before).bytes;
            const Bytes to = m_after.graph->tensor(after).bytes;
            if (from != to && what.empty())
                what.push_back(change("size", formatBytes(from), formatBytes(to)));
            return what;
        }
        if (const auto from = placeOf(*m_diff.before, before), to = placeOf(*m_diff.after, after); from != to)
            what.push_back(change("offset", from, to));
        if (const auto from = liveOf(m_before, before), to = liveOf(m_after, after); from != to)
            what.push_back(change("live steps", from, to));
        return what;
    }

    void addOperators(bool isPlan)
    {
        std::vector<bool> isPartner(m_after.graph->operators().size(), false);
        for (std::size_t i = 0; i < m_diff.opAfter.size(); ++i) {
            const OpId before = OpId::fromIndex(i);
            const OpId after = m_diff.opAfter[i];
            if (after.isValid())
                isPartner[after.index()] = true;
            std::vector<std::string> what = after.isValid() ? operatorChanges(before, after, isPlan) : std::vector<std::string>();
            if (!after.isValid() || !what.empty())
                m_diff.operators.push_back({before, after, std::move(what)});
        }
        for (std::size_t i = 0; i < isPartner.size(); ++i) {
            if (!isPartner[i])
                m_diff.operators.push_back({OpId(), OpId::fromIndex(i), {}});
        }
    }

    void addTensors(bool isPlan)
    {
        std::vector<bool> isPartner(m_after.graph->tensors().size(), false);
        for (std::size_t i = 0; i < m_diff.tensorAfter.size(); ++i) {
            const TensorId before = TensorId::fromIndex(i);
            const TensorId after = m_diff.tensorAfter[i];
            if (after.isValid())
                isPartner[after.index()] = true;
            const bool isActivation = m_before.graph->tensor(before).isActivation()
                || (after.isValid() && m_after.graph->tensor(after).isActivation());
            if (!isActivation)
                continue;
            std::vector<std::string> what = after.isValid() ? tensorChanges(before, after, isPlan) : std::vector<std::string>();
            if (!after.isValid() || !what.empty())
                m_diff.tensors.push_back({before, after, std::move(what)});
        }
        for (std::size_t i = 0; i < isPartner.size(); ++i) {
            if (!isPartner[i] && m_after.graph->tensors()[i].isActivation())
                m_diff.tensors.push_back({TensorId(), TensorId::fromIndex(i), {}});
        }
    }

    void addPeaks()
    {
        const auto before = peakReport(m_before).tensors;
        const auto after = peakReport(m_after).tensors;
        std::unordered_set<std::int32_t> later;
        std::unordered_set<std::int32_t> stayed;
        for (const TensorId id : after)
            later.insert(id.value());
        for (const TensorId id : before) {
            const TensorId other = m_diff.tensorAfter[id.index()];
            if (other.isValid() && later.contains(other.value()))
                stayed.insert(other.value());
            else
                m_diff.leftPeak.push_back(id);
        }
        for (const TensorId id : after) {
            if (!stayed.contains(id.value()))
                m_diff.joinedPeak.push_back(id);
        }
    }

    const Study& m_before;
    const Study& m_after;
    PlanDiff m_diff;
};

} // namespace

bool PlanDiff::isEmpty() const
{
    return operators.empty() && tensors.empty() && arenaGrowth() == 0;
}

Bytes PlanDiff::arenaGrowth() const
{
    return after->plan.arenaSize - before->plan.arenaSize;
}

PlanDiff diffPlans(std::shared_ptr<const PlanOutcome> before, std::shared_ptr<const PlanOutcome> after)
{
    return Differ(std::move(before), std::move(after)).run();
}

} // namespace arenascope
