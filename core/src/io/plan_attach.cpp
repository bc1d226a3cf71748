// SPDX-License-Identifier: MIT
// A plan from a file laid over its model.
#include <arenascope/bare_study.h>
#include <arenascope/plan_io.h>

#include "core/src/io/names.h"

#include <algorithm>

namespace arenascope {

namespace {

Error mismatch(const PlanDocument& document, const std::string& what)
{
    return {ErrorCode::PlanMismatch, document.modelName, {what}};
}

std::string counts(std::size_t inPlan, std::size_t inModel, const std::string& things)
{
    return "it has " + std::to_string(inPlan) + " " + things + ", the model has " + std::to_string(inModel);
}

std::optional<Error> compareOrder(const PlanDocument& document, const Study& study)
{
    const auto& order = study.schedule.order;
    if (document.problem.stepCount != study.problem.stepCount)
        return mismatch(document, counts(static_cast<std::size_t>(document.problem.stepCount), order.size(), "steps"));
    if (document.order.empty())
        return std::nullopt;
    if (document.order.size() != order.size())
        return mismatch(document, counts(document.order.size(), order.size(), "operators"));
    for (std::size_t step = 0; step < order.size(); ++step) {
        const std::string name = io::validUtf8(study.graph->op(order[step]).name);
        if (document.order[step] != name)
            return mismatch(document,
                            "at step " + std::to_string(step) + " it runs '" + document.order[step] + "', the model '"
                                + name + "'");
    }
    return std::nullopt;
}

std::optional<Error> compareBuffer(const PlanDocument& document, const Study& study, std::size_t index)
{
    const Buffer& mine = study.problem.buffers[index];
    const Buffer& theirs = document.problem.buffers[index];
    const std::string name = io::validUtf8(mine.name);
    if (theirs.name != name)
        return mismatch(document,
                        "buffer " + std::to_string(index) + " is '" + theirs.name + "', in the model '" + name + "'");
    if (theirs.kind != mine.kind)
        return mismatch(document, "buffer '" + name + "' is of another kind");
    if (theirs.size != mine.size)
        return mismatch(document, "buffer '" + name + "' has " + std::to_string(theirs.size) + " bytes, in the model "
                        + std::to_string(mine.size));
    if (theirs.live != mine.live)
        return mismatch(document, "buffer '" + name + "' lives in other steps than in the model");
    const std::vector<std::string>& names = document.tensorNames[index];
    const bool sameTensors = std::equal(names.begin(), names.end(), mine.tensors.begin(), mine.tensors.end(),
                                        [&study](const std::string& given, const AliasMember& member) {
                                            return given == io::validUtf8(study.graph->tensor(member.tensor).name);
                                        });
    if (!sameTensors)
        return mismatch(document, "buffer '" + name + "' holds other tensors than in the model");
    for (std::size_t i = 0; i < names.size() && i < document.tensorOffsets[index].size(); ++i) {
        if (document.tensorOffsets[index][i] != mine.tensors[i].offset)
            return mismatch(document, "tensor '" + names[i] + "' lies at " + std::to_string(document.tensorOffsets[index][i])
                            + " in buffer '" + name + "', in the model at " + std::to_string(mine.tensors[i].offset));
    }
    return std::nullopt;
}

std::optional<Error> compareIdle(const PlanDocument& document, const Study& study)
{
    const auto isSame = [](const Buffer& theirs, const Buffer& mine) { return theirs.name == io::validUtf8(mine.name) && theirs.size == mine.size; };
    const auto& theirs = document.problem.idle;
    const auto& mine = study.problem.idle;
    if (theirs.empty() || std::equal(theirs.begin(), theirs.end(), mine.begin(), mine.end(), isSame))
        return std::nullopt;
    return mismatch(document, "other tensors are used by nothing than in the model");
}

std::optional<Error> compare(const PlanDocument& document, const Study& study)
{
    if (auto error = compareIdle(document, study))
        return error;
    if (auto error = compareOrder(document, study))
        return error;
    const std::size_t count = study.problem.buffers.size();
    if (document.problem.buffers.size() != count)
        return mismatch(document, counts(document.problem.buffers.size(), count, "buffers"));
    for (std::size_t i = 0; i < count; ++i) {
        if (auto error = compareBuffer(document, study, i))
            return error;
    }
    return std::nullopt;
}

/// The study with what only the file knows: regions, and what was asked of single buffers.
std::shared_ptr<const Study> withLimits(std::shared_ptr<const Study> study, const PlanDocument& document)
{
    auto changed = std::make_shared<Study>(*study);
    changed->problem.regions = document.problem.regions;
    for (std::size_t i = 0; i < changed->problem.buffers.size(); ++i) {
        Buffer& buffer = changed->problem.buffers[i];
        buffer.alignment = document.problem.buffers[i].alignment;
        buffer.fixedOffset = document.problem.buffers[i].fixedOffset;
        buffer.gaps = document.problem.buffers[i].gaps;
    }
    changed->profile = liveProfile(changed->problem);
    return changed;
}

} // namespace

Result<std::shared_ptr<const PlanOutcome>> attachPlan(const PlanDocument& document, std::shared_ptr<const Graph> graph)
{
    const std::string hash = graph->info().hash;
    auto study = makeStudy(std::move(graph), document.options);
    if (!study && !document.modelHash.empty() && document.modelHash != hash)
        return mismatch(document, "it was made for another file"); // whose shapes it brings
    if (!study)
        return study.error();
    if (auto error = compare(document, **study))
        return std::move(*error);
    return provePlan(withLimits(*study, document), document.plan);
}

} // namespace arenascope
