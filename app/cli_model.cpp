// SPDX-License-Identifier: MIT
#include "app/cli_model.h"

#include "app/cli_output.h"
#include "app/cli_stop.h"

#include <arenascope/runtime.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace arenascope::cli {

namespace {

constexpr std::size_t kMaxDiagnostics = 5;
constexpr std::size_t kMaxClashes = 5;

std::string_view severityText(Severity severity)
{
    switch (severity) {
    case Severity::Note: return "note: ";
    case Severity::Warning: return "warning: ";
    case Severity::Error: break;
    }
    return "error: ";
}

std::string defaultText(const Request& request)
{
    return request.import.defaultDim ? std::to_string(*request.import.defaultDim) : "a default";
}

/// Whether it says that the default stands in for an open dimension; others assume a number of their own.
bool isDefaultDim(const Error& error, const Request& request)
{
    return error.code == ErrorCode::AssumedDim && error.args.size() >= 3 && error.args[1] == defaultText(request);
}

/// Each option once, in the order in which the diagnostics of that code name them; of assumed dimensions those that take the
/// default.
std::string optionsNamed(const Diagnostics& diagnostics, ErrorCode code, const Request& request)
{
    std::vector<std::string> options;
    for (const Diagnostic& diagnostic : diagnostics) {
        const Error& error = diagnostic.error;
        if (error.code != code || error.args.size() < 3 || (code == ErrorCode::AssumedDim && !isDefaultDim(error, request)))
            continue;
        const std::string& text = error.args[2];
        const std::string option = text.substr(0, text.find(" (")); // without "(with numbers for N)"
        if (option.starts_with("--") && std::find(options.begin(), options.end(), option) == options.end())
            options.push_back(option);
    }
    std::string list;
    for (const std::string& option : options)
        list += (list.empty() ? "" : ", ") + option;
    return list;
}

/// The importer has seen where the first size was lost; that says more than the tensor whose size is missed in the end.
Error rootCause(const Error& error, const Diagnostics& diagnostics, const Request& request)
{
    if (error.code != ErrorCode::UnknownShape)
        return error;
    for (const Diagnostic& diagnostic : diagnostics) {
        Error cause = diagnostic.error;
        if (cause.code == ErrorCode::ShapeMismatch && cause.args.size() >= 2) {
            const std::string assumed = optionsNamed(diagnostics, ErrorCode::AssumedDim, request);
            if (!assumed.empty())
                cause.args[1] += " (" + defaultText(request) + " is assumed for " + assumed + ")";
            return cause;
        }
        if (cause.code == ErrorCode::UnknownShape && cause.args.size() >= 3) {
            const std::string needed = optionsNamed(diagnostics, ErrorCode::UnknownShape, request);
            if (!needed.empty())
                cause.args[2] = needed + " (with numbers for N)";
            return cause;
        }
        if (cause.code == ErrorCode::UnknownOperator)
            return cause;
    }
    return error;
}

} // namespace

Result<LoadedStudy> loadStudy(const std::string& path, const Request& request)
{
    auto model = importModel(path, request.import, stopToken());
    if (!model)
        return std::move(model).error();
    StudyOptions options = request.study;
    if (!request.hasAlignment) // as the strategy or the format's runtime has it
        options.problem.alignment = std::min(options.problem.alignment, preferredAlignment(*model->graph));
    auto study = makeStudy(model->graph, options, stopToken());
    if (!study)
        return rootCause(study.error(), model->diagnostics, request);
    return LoadedStudy{std::move(*study), std::move(model->diagnostics)};
}

Result<PlannedModel> planModel(const std::string& path, const Request& request)
{
    const auto begin = std::chrono::steady_clock::now();
    auto loaded = loadStudy(path, request);
    if (!loaded)
        return std::move(loaded).error();
    auto outcome = planStudy(loaded->study, request.strategy, request.planner, stopToken());
    if (!outcome)
        return std::move(outcome).error();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    return PlannedModel{std::move(*outcome), std::move(loaded->diagnostics), seconds.count()};
}

Result<PlanDocument> readPlan(const std::string& path)
{
    const auto text = readTextFile(path);
    if (!text)
        return text.error();
    return planFromJson(*text, path);
}

Result<PlannedModel> attachToModel(const PlanDocument& document, const std::filesystem::path& path, const Request& request)
{
    const auto begin = std::chrono::steady_clock::now();
    ImportOptions options = request.import;
    options.shapes = document.shapes;
    options.dims = document.dims;
    auto model = importModel(path, options, stopToken());
    if (!model)
        return std::move(model).error();
    auto outcome = attachPlan(document, model->graph);
    if (!outcome)
        return std::move(outcome).error();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    return PlannedModel{std::move(*outcome), std::move(model->diagnostics), seconds.count()};
}

void tellClashes(const PlanOutcome& outcome, const std::string& path)
{
    const Study& study = *outcome.study;
    const Validation& found = outcome.placement.isValid() ? outcome.replay : outcome.placement;
    complain(fmt::format("{}: the plan of strategy {} is not valid: {} found by the checker, {} by the replay", path,
                         outcome.plan.strategy, outcome.placement.clashCount, outcome.replay.clashCount));
    for (std::size_t i = 0; i < std::min(found.clashes.size(), kMaxClashes); ++i)
        complain(path + ": " + describe(found.clashes[i], study.problem, study.graph.get()));
}

void tellDiagnostics(const Diagnostics& diagnostics, const std::string& path, const Request& request)
{
    if (request.quiet)
        return;
    if (const std::string assumed = optionsNamed(diagnostics, ErrorCode::AssumedDim, request); !assumed.empty()) {
        complain("note: " + path + ": " + defaultText(request) + " is assumed for dimensions that the file leaves open; give others with "
                 + assumed);
    }
    std::size_t told = 0;
    for (const Diagnostic& diagnostic : diagnostics) {
        if (isDefaultDim(diagnostic.error, request) || ++told > kMaxDiagnostics)
            continue;
        complain(std::string(severityText(diagnostic.severity)) + errorLine(diagnostic.error, path));
    }
    if (told > kMaxDiagnostics)
        complain("note: " + path + ": " + std::to_string(told - kMaxDiagnostics) + " more; --json lists all of them");
}

int exitCodeOf(const Error& error)
{
    return error.code == ErrorCode::Cancelled ? kStopped : kBadInput;
}

} // namespace arenascope::cli
