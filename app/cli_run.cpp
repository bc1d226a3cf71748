// SPDX-License-Identifier: MIT
// `run`: the network inside its planned arena, and beside it with every tensor in memory of its own.
#include "app/cli_run.h"

#include "app/cli_commands.h"
#include "app/cli_model.h"
#include "app/cli_output.h"
#include "app/cli_stop.h"

#include <arenascope/tensor_file.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace arenascope::cli {

namespace {

Result<PlannedModel> load(const std::string& path, const Request& request)
{
    if (request.run.plan.empty())
        return planModel(path, request);
    const auto document = readPlan(request.run.plan);
    if (!document)
        return document.error();
    return attachToModel(*document, path, request);
}

/// How many more operators cannot be run than the one that an error names.
void tellSupport(const Graph& graph, const std::string& path)
{
    const RunSupport support = runSupport(graph);
    complain(path + ": " + std::to_string(support.runnable) + " of " + std::to_string(support.operators) + " operators can be run here");
    std::set<std::string> kinds;
    for (const Diagnostic& refusal : support.refusals) {
        if (refusal.error.args.size() > 1)
            kinds.insert(refusal.error.args[1]);
    }
    std::string list;
    for (const std::string& kind : kinds)
        list += (list.empty() ? "" : ", ") + kind;
    if (!list.empty())
        complain(path + ": kinds that cannot: " + list);
}

/// A file name that no tensor's name can turn into a path to elsewhere.
std::string fileNameOf(const std::string& tensor, std::set<std::string>& taken)
{
    std::string name;
    for (const char c : tensor) {
        const bool isPlain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_' || c == '.';
        name += isPlain ? c : '_';
    }
    name = name.substr(0, 100);
    if (name.empty() || name.front() == '.')
        name.insert(name.begin(), '_');
    std::string unique = name;
    for (int i = 2; !taken.insert(unique).second; ++i)
        unique = name + "_" + std::to_string(i);
    return unique + ".npy";
}

int writeOutputs(RunAnswer& answer)
{
    const std::string& folder = answer.request.run.output;
    if (folder.empty())
        return kGood;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    std::set<std::string> taken;
    int code = kGood;
    for (const auto& [id, content] : answer.report.outputs) {
        const std::filesystem::path path = std::filesystem::path(folder) / fileNameOf(answer.planned.study->graph->tensor(id).name, taken);
        const Status written = writeNpy(path, content);
        if (written) {
            answer.files[id] = path.string();
            continue;
        }
        complain(written.error(), path.string());
        code = kBadInput;
    }
    return code;
}

int tellVerdict(const RunAnswer& answer, const std::string& path)
{
    const Graph& graph = *answer.planned.study->graph;
    const RunReport& report = answer.report;
    if (report.usedPlan && !answer.planned.isValid())
        tellClashes(answer.planned, path);
    for (const GuardViolation& violation : report.violations)
        complain(path + ": " + describe(violation, graph));
    if (report.isCompared && !report.bitIdentical) {
        std::string where;
        if (report.firstDifference && report.firstDifference->tensor.isValid())
            where = ", first in '" + graph.tensor(report.firstDifference->tensor).name + "' at step " + std::to_string(report.firstDifference->step);
        complain(path + ": results in the arena differ from those without a plan" + where);
    }
    return answer.isGood() ? kGood : kBadPlan;
}

RunOptions optionsFrom(const Request& request, const Study& study, RunProgress& progress)
{
    RunOptions options;
    options.guard = request.run.guard;
    options.compareUnplanned = request.run.isUnplanned;
    options.repeat = request.run.repeat;
    options.threads = request.planner.threads;
    if (progress.isWanted()) {
        options.beforeStep = [&](const RunStep& step) { progress.before(study, step); };
        options.onStep = [&](const RunStep& step) { progress.after(study, step); };
    }
    return options;
}

int finish(RunAnswer& answer, const std::string& path, RunProgress& progress)
{
    int code = writeOutputs(answer);
    progress.report(answer);
    if (!answer.request.json.empty() && !deliver(runJson(answer) + "\n", answer.request.json))
        code = kBadInput;
    if (answer.request.json != "-" && answer.request.run.progress != "-")
        print(runText(answer));
    return worse(code, tellVerdict(answer, path));
}

int fail(const Error& error, const std::string& path, RunProgress& progress)
{
    complain(error, path);
    progress.error(error);
    return exitCodeOf(error);
}

} // namespace

bool RunAnswer::isGood() const
{
    const bool isEqual = !report.isCompared || report.bitIdentical;
    return isEqual && report.violations.empty() && (!report.usedPlan || planned.isValid());
}

int runRun(const Request& request)
{
    const std::string& path = request.files.front();
    RunProgress progress(request);
    if (!progress.isOpen())
        return kBadInput;
    progress.stage("planning");
    const auto loaded = load(path, request);
    if (!loaded)
        return fail(loaded.error(), path, progress);
    tellDiagnostics(loaded->diagnostics, path, request);
    const Study& study = *loaded->outcome->study;
    const auto inputs = runInputs(*study.graph, request);
    if (!inputs)
        return fail(inputs.error(), path, progress);

    const Plan* plan = request.run.isArena ? &loaded->outcome->plan : nullptr;
    progress.start(study, plan != nullptr);
    const ProgressFn onProgress = [&](double, std::string_view stage) { progress.stage(stage); };
    const auto report = runNetwork(study, plan, *inputs, optionsFrom(request, study, progress), stopToken(), onProgress);
    const bool isBroken = plan && !loaded->outcome->isValid();
    if (!report && report.error().code == ErrorCode::RunFailed && isBroken) {
        // What a kernel says of operands that overlap is not the point.
        tellClashes(*loaded->outcome, path);
        progress.error(report.error());
        return kBadPlan;
    }
    if (!report) {
        const int code = fail(report.error(), path, progress);
        if (report.error().code == ErrorCode::CannotRun)
            tellSupport(*study.graph, path);
        return code;
    }
    RunAnswer answer{*loaded->outcome, *report, request, {}};
    return finish(answer, path, progress);
}

} // namespace arenascope::cli
