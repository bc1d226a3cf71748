// SPDX-License-Identifier: MIT
// Who holds the bytes: the peak and the sum of all.
#include <arenascope/report.h>

#include <limits>

namespace arenascope {

namespace {

/// The sum, or the largest size there is: members of alias groups can be larger together than what 63 bits hold.
Bytes saturatingAdd(Bytes a, Bytes b)
{
    return checkedAdd(a, b).value_or(std::numeric_limits<Bytes>::max());
}

void countBuffer(const Study& study, BufferId id, ByteAccount& account)
{
    const Buffer& buffer = study.problem.buffer(id);
    account.paddingBytes += study.problem.reserved(id) - buffer.size;
    if (buffer.kind == BufferKind::Workspace)
        account.workspaceBytes += buffer.size;
    if (buffer.tensors.empty())
        return;
    Bytes members = 0;
    for (const AliasMember& member : buffer.tensors) {
        account.counted.push_back({member.tensor, id, member.reason, member.sharesWith});
        members = saturatingAdd(members, study.graph->tensor(member.tensor).bytes);
    }
    account.tensorBytes = saturatingAdd(account.tensorBytes, members);
    account.sharedBytes = saturatingAdd(account.sharedBytes, members - buffer.size);
}

void findWorkspaceApart(const Study& study, ByteAccount& account)
{
    if (study.options.problem.countWorkspace)
        return;
    const auto operators = study.graph->operators();
    for (std::size_t i = 0; i < operators.size(); ++i) {
        if (operators[i].workspace <= account.workspaceApart)
            continue;
        account.workspaceApart = operators[i].workspace;
        account.workspaceOp = OpId::fromIndex(i);
    }
}

} // namespace

PeakReport peakReport(const Study& study)
{
    PeakReport peak;
    peak.step = study.profile.peakStep;
    peak.liveBytes = study.profile.peak;
    peak.buffers = study.profile.alive;
    if (peak.step < study.schedule.stepCount())
        peak.op = study.schedule.order[static_cast<std::size_t>(peak.step)];
    const std::vector<LiveRange> ranges = tensorLiveRanges(*study.graph, study.schedule);
    for (const BufferId id : peak.buffers) {
        for (const AliasMember& member : study.problem.buffer(id).tensors) {
            if (ranges[member.tensor.index()].contains(peak.step))
                peak.tensors.push_back(member.tensor);
        }
    }
    return peak;
}

ByteAccount accountBytes(const Study& study)
{
    ByteAccount account;
    account.naive = study.naive;
    for (std::size_t i = 0; i < study.problem.buffers.size(); ++i)
        countBuffer(study, BufferId::fromIndex(i), account);
    const std::size_t tensors = study.graph->tensors().size();
    for (std::size_t i = 0; i < tensors; ++i) {
        const TensorId id = TensorId::fromIndex(i);
        if (!study.bufferOf[i].isValid())
            account.leftOut.push_back({id, {}, AliasReason::Alone, {}});
    }
    findWorkspaceApart(study, account);
    for (const Elision& elision : study.problem.elisions) {
        ++account.elidedParts;
        account.elidedBytes = saturatingAdd(account.elidedBytes, elision.bytes);
    }
    return account;
}

Completion provenCompletion(const PlanOutcome& outcome)
{
    // Below the bound is only what a model file has placed over each other on purpose; that proves nothing.
    const bool meetsBound = outcome.plan.arenaSize == outcome.study->lowerBound();
    return meetsBound && outcome.isValid() ? Completion::Optimal : outcome.plan.completion;
}

} // namespace arenascope
