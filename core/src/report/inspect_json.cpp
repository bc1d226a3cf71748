// SPDX-License-Identifier: MIT
#include "core/src/report/json.h"

namespace arenascope {

namespace {

using namespace report;

Json sideJson(PingPongSide side)
{
    switch (side) {
    case PingPongSide::First: return "first";
    case PingPongSide::Second: return "second";
    case PingPongSide::None: break;
    }
    return nullptr;
}

Json tensorNames(const Graph& graph, std::span<const TensorId> ids)
{
    Json names = Json::array();
    for (const TensorId id : ids)
        names.push_back(id.isValid() ? Json(graph.tensor(id).name) : Json(nullptr));
    return names;
}

Json operatorNames(const Graph& graph, std::span<const OpId> ids)
{
    Json names = Json::array();
    for (const OpId id : ids)
        names.push_back(graph.op(id).name);
    return names;
}

Json operatorList(const Study& study)
{
    Json list = Json::array();
    for (std::size_t step = 0; step < study.schedule.order.size(); ++step) {
        const OpId id = study.schedule.order[step];
        const Operator& op = study.graph->op(id);
        list.push_back({{"step", step},
                        {"name", op.name},
                        {"kind", op.kind},
                        {"domain", op.domain},
                        {"inputs", tensorNames(*study.graph, op.inputs)},
                        {"outputs", tensorNames(*study.graph, op.outputs)},
                        {"captures", tensorNames(*study.graph, op.captures)},
                        {"live_bytes", study.profile.liveBytes[step]},
                        {"workspace_bytes", op.workspace},
                        {"branch", study.branches.branchOf[id.index()].value()},
                        {"unit", study.branches.unitOf[id.index()]},
                        {"dead", op.isDead}});
    }
    return list;
}

Json tensorList(const PlanOutcome& outcome)
{
    const Study& study = *outcome.study;
    const std::vector<LiveRange> ranges = tensorLiveRanges(*study.graph, study.schedule);
    Json list = Json::array();
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const Tensor& tensor = study.graph->tensor(TensorId::fromIndex(i));
        Json entry;
        entry["name"] = tensor.name;
        entry["type"] = elementTypeName(tensor.type);
        entry["shape"] = tensor.shape.dims;
        entry["bytes"] = tensor.bytes;
        entry["role"] = roleName(tensor.role);
        entry["output"] = tensor.isOutput;
        entry["producer"] = tensor.producer.isValid() ? Json(study.graph->op(tensor.producer).name) : Json(nullptr);
        entry["consumers"] = operatorNames(*study.graph, tensor.consumers);
        if (tensor.isActivation()) {
            const auto offset = tensorOffset(study, outcome.plan, TensorId::fromIndex(i));
            entry["live"] = {ranges[i].begin, ranges[i].end};
            entry["buffer"] = study.bufferOf[i].isValid() ? Json(study.bufferOf[i].value()) : Json(nullptr);
            entry["offset"] = offset ? Json(*offset) : Json(nullptr);
        }
        list.push_back(std::move(entry));
    }
    return list;
}

Json branchList(const Study& study)
{
    Json list = Json::array();
    for (const Branch& branch : study.branches.branches) {
        Json units = Json::array();
        for (const BranchUnit& unit : branch.units) {
            units.push_back({{"operators", operatorNames(*study.graph, unit.operators)},
                             {"tensors", tensorNames(*study.graph, unit.tensors)},
                             {"bytes", unit.bytes},
                             {"memory", sideJson(unit.side)}});
        }
        list.push_back({{"id", branch.id.value()},
                        {"first_memory_bytes", branch.firstMemory},
                        {"second_memory_bytes", branch.secondMemory},
                        {"designated_unit", branch.designatedUnit < 0 ? Json(nullptr) : Json(branch.designatedUnit)},
                        {"units", std::move(units)}});
    }
    return list;
}

Json regionList(const Study& study)
{
    Json list = Json::array();
    for (const GraphRegion& region : study.cuts.regions) {
        list.push_back({{"entry", region.entry.isValid() ? Json(study.graph->op(region.entry).name) : Json(nullptr)},
                        {"chain", region.isChain},
                        {"operators", operatorNames(*study.graph, region.operators)}});
    }
    return list;
}

Json omissionList(const Graph& graph)
{
    Json list = Json::array();
    for (const Omission& omission : graph.omissions()) {
        list.push_back({{"what", omission.what == Omission::What::Operator ? "operator" : "tensor"},
                        {"name", omission.name},
                        {"kind", omission.kind},
                        {"reason", omission.reason},
                        {"bytes", omission.bytes < 0 ? Json(nullptr) : Json(omission.bytes)}});
    }
    return list;
}

Json elisionList(const Study& study)
{
    Json list = Json::array();
    for (const Elision& elision : study.problem.elisions) {
        list.push_back({{"operator", study.graph->op(elision.op).name},
                        {"kind", study.graph->op(elision.op).kind},
                        {"reason", elision.reason == AliasReason::ConcatPart ? "concat-part" : "split-part"},
                        {"part", study.graph->tensor(elision.part).name},
                        {"whole", study.graph->tensor(elision.whole).name},
                        {"offset", elision.offset},
                        {"bytes", elision.bytes}});
    }
    return list;
}

Json accountJson(const Study& study)
{
    const ByteAccount account = accountBytes(study);
    return {{"tensor_bytes", account.tensorBytes},       {"shared_bytes", account.sharedBytes},
            {"workspace_bytes", account.workspaceBytes}, {"padding_bytes", account.paddingBytes},
            {"naive_bytes", account.naive},              {"workspace_apart_bytes", account.workspaceApart}};
}

} // namespace

std::string inspectJson(const PlanOutcome& outcome, const ReportContext& context)
{
    const Study& study = *outcome.study;
    const Graph& graph = *study.graph;
    Json json;
    json["summary"] = summaryObject(outcome, context);
    json["account"] = accountJson(study);
    json["elisions"] = elisionList(study);
    json["operators"] = operatorList(study);
    json["tensors"] = tensorList(outcome);
    json["branches"] = branchList(study);
    json["regions"] = regionList(study);
    json["cut_operators"] = operatorNames(graph, study.cuts.cutOperators);
    json["forks"] = operatorNames(graph, study.cuts.forks);
    json["joins"] = operatorNames(graph, study.cuts.joins);
    json["omitted"] = omissionList(graph);
    return dump(json, context.indent);
}

} // namespace arenascope
