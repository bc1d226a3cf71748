// SPDX-License-Identifier: MIT
// An attachment for Netron 9: a list of metadata and one of metrics, each entry with kind (model, node, value), target (a name
// up to its first line break) and name. Source: source/metrics.js of lutzroeder/netron.
#include <arenascope/plan_export.h>

#include "core/src/io/plan_facts.h"

#include <nlohmann/json.hpp>

namespace arenascope {

namespace {

using Json = nlohmann::ordered_json;

class NetronWriter {
public:
    explicit NetronWriter(const PlanOutcome& outcome)
        : m_outcome(outcome)
        , m_study(*outcome.study)
    {
    }

    std::string write();

private:
    void add(Json& list, std::string_view kind, const std::string& target, std::string_view name, Json value);
    void addModel();
    void addOperators();
    void addTensors();

    const PlanOutcome& m_outcome;
    const Study& m_study;
    Json m_metadata = Json::array();
    Json m_metrics = Json::array();
};

/// What has no name is found by none, and an entry for it would be shown nowhere.
void NetronWriter::add(Json& list, std::string_view kind, const std::string& target, std::string_view name, Json value)
{
    const std::string line = target.substr(0, target.find('\n'));
    if (kind != "model" && line.empty())
        return;
    list.push_back({{"kind", kind}, {"target", line}, {"name", name}, {"value", std::move(value)}});
}

void NetronWriter::addModel()
{
    for (const std::string& line : io::factLines(m_outcome)) {
        const std::size_t colon = line.find(':');
        add(m_metadata, "model", {}, "plan: " + line.substr(0, colon), line.substr(line.find_first_not_of(' ', colon + 1)));
    }
    add(m_metrics, "model", {}, "arena bytes", m_outcome.plan.arenaSize);
    add(m_metrics, "model", {}, "lower bound bytes", m_study.lowerBound());
    add(m_metrics, "model", {}, "naive bytes", m_study.naive);
    add(m_metrics, "model", {}, "peak step", m_study.profile.peakStep);
}

void NetronWriter::addOperators()
{
    for (Step step = 0; step < m_study.schedule.stepCount(); ++step) {
        const Operator& op = m_study.graph->op(m_study.schedule.order[static_cast<std::size_t>(step)]);
        add(m_metrics, "node", op.name, "step", step);
        add(m_metrics, "node", op.name, "live bytes", m_study.profile.liveBytes[static_cast<std::size_t>(step)]);
        if (op.workspace > 0)
            add(m_metrics, "node", op.name, "workspace bytes", op.workspace);
    }
}

void NetronWriter::addTensors()
{
    for (const io::PlacedTensor& placed : io::placedTensors(m_outcome)) {
        if (!placed.buffer.isValid())
            continue;
        const Tensor& tensor = m_study.graph->tensor(placed.tensor);
        const Buffer& buffer = m_study.problem.buffer(placed.buffer);
        add(m_metrics, "value", tensor.name, "arena offset", placed.offset);
        add(m_metrics, "value", tensor.name, "bytes", tensor.bytes);
        add(m_metrics, "value", tensor.name, "first step", buffer.live.begin);
        add(m_metrics, "value", tensor.name, "last step", buffer.live.end - 1);
        add(m_metadata, "value", tensor.name, "buffer", std::to_string(placed.buffer.value()) + " " + buffer.name);
        if (io::hasSeveralRegions(m_outcome) && placed.region.index() < m_study.problem.regions.size())
            add(m_metadata, "value", tensor.name, "memory", m_study.problem.regions[placed.region.index()].name);
    }
}

std::string NetronWriter::write()
{
    addModel();
    addOperators();
    addTensors();
    const Json json = {{"signature", "netron:attachment"}, {"metadata", std::move(m_metadata)}, {"metrics", std::move(m_metrics)}};
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

Result<std::string> planToNetron(const PlanOutcome& outcome)
{
    return NetronWriter(outcome).write();
}

} // namespace arenascope
