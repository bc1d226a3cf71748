// SPDX-License-Identifier: MIT
#include "app/cli_values.h"

#include "app/cli_export.h"

#include <arenascope/plan_export.h>
#include <arenascope/regions.h>
#include <arenascope/report.h>
#include <arenascope/runtime.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

namespace arenascope::cli {

namespace {

Error badOption(std::string_view option, std::string_view value, std::string_view accepted)
{
    return {ErrorCode::BadOption, {}, {std::string(option), std::string(value), std::string(accepted)}};
}

/// A whole decimal number from 0 to 2^63 - 1.
std::optional<std::int64_t> numberFrom(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
        return std::nullopt;
    return value;
}

constexpr char kShapeForms[] = "NAME=1x3x224x224, extents of at least 1, or NAME=scalar";
constexpr char kDimForms[] = "NAME=N, N at least 1";

std::optional<std::vector<std::int64_t>> extentsFrom(std::string_view text)
{
    std::vector<std::int64_t> extents;
    if (text == "scalar")
        return extents;
    while (true) {
        const auto at = text.find_first_of("x,");
        const auto extent = numberFrom(text.substr(0, at));
        if (!extent || *extent < 1)
            return std::nullopt;
        extents.push_back(*extent);
        if (at == std::string_view::npos)
            return extents;
        text.remove_prefix(at + 1);
    }
}

/// "name=value" at the last '=', since names of tensors may hold one.
std::optional<std::pair<std::string, std::string>> splitAssignment(const std::string& text)
{
    const auto at = text.rfind('=');
    if (at == std::string::npos || at == 0)
        return std::nullopt;
    return std::pair(text.substr(0, at), text.substr(at + 1));
}

std::optional<Error> readShapes(const RawOptions& raw, ImportOptions& options)
{
    for (const std::string& text : raw.shapes) {
        const auto parts = splitAssignment(text);
        const auto extents = parts ? extentsFrom(parts->second) : std::nullopt;
        if (!extents)
            return badOption("--shape", text, kShapeForms);
        if (!options.shapes.emplace(parts->first, *extents).second)
            return badOption("--shape", text, "one shape for each input");
    }
    return std::nullopt;
}

std::optional<Error> readDims(const RawOptions& raw, ImportOptions& options)
{
    for (const std::string& text : raw.dims) {
        const auto parts = splitAssignment(text);
        const auto value = parts ? numberFrom(parts->second) : std::nullopt;
        if (!value || *value < 1)
            return badOption("--dim", text, kDimForms);
        if (!options.dims.emplace(parts->first, *value).second)
            return badOption("--dim", text, "one value for each dimension");
    }
    if (raw.defaultDim == "none") {
        options.defaultDim.reset();
        return std::nullopt;
    }
    options.defaultDim = numberFrom(raw.defaultDim);
    if (!options.defaultDim || *options.defaultDim < 1)
        return badOption("--default-dim", raw.defaultDim, "a number of at least 1, or none");
    return std::nullopt;
}

std::optional<Error> readIo(const RawOptions& raw, IoPlacement& io)
{
    const bool both = raw.io == "arena";
    if (!both && raw.io != "outside" && raw.io != "inputs-outside" && raw.io != "outputs-outside")
        return badOption("--io", raw.io, "arena, outside, inputs-outside, outputs-outside");
    io.inputsInArena = both || raw.io == "outputs-outside";
    io.outputsInArena = both || raw.io == "inputs-outside";
    return std::nullopt;
}

std::optional<Error> readJoin(const RawOptions& raw, BranchOptions& options)
{
    if (raw.join == "longest")
        options.join = JoinRule::Longest;
    else if (raw.join == "last")
        options.join = JoinRule::LastScheduled;
    else if (raw.join == "none")
        options.join = JoinRule::None;
    else
        return badOption("--join", raw.join, "longest, last, none");
    return std::nullopt;
}

/// NAME, or NAME=SIZE; the first is the cheapest.
std::optional<Error> readRegions(const RawOptions& raw, std::vector<MemoryRegion>& regions)
{
    std::string all;
    for (const std::string& text : raw.regions)
        all += text + ",";
    auto read = regionsFromText(all);
    if (!read)
        return badOption("--region", read.error().args[1], read.error().args[2]);
    regions = *std::move(read);
    return std::nullopt;
}

std::optional<Error> readStudy(const RawOptions& raw, StudyOptions& options)
{
    const auto schedule = scheduleFromName(raw.schedule);
    if (!schedule)
        return badOption("--schedule", raw.schedule, "file, depth-first, min-peak");
    options.schedule = *schedule;
    const auto concurrency = concurrencyFromName(raw.concurrency);
    if (!concurrency)
        return badOption("--concurrency", raw.concurrency, "sequential, parallel");
    options.problem.concurrency = *concurrency;
    const auto alias = aliasFromName(raw.alias);
    if (!alias)
        return badOption("--alias", raw.alias, "none, views, inplace, all");
    options.alias = *alias;
    if (raw.workspace != "apart" && raw.workspace != "count")
        return badOption("--workspace", raw.workspace, "apart, count");
    options.problem.countWorkspace = raw.workspace == "count";
    if (const auto error = readIo(raw, options.problem.io))
        return error;
    if (const auto error = readRegions(raw, options.problem.regions))
        return error;
    return readJoin(raw, options.branches);
}

/// A network's tensors are aligned as desktops like it, or as TensorFlow Lite Micro does it (see loadStudy()); bare problems are
/// taken as they are.
std::optional<Error> readAlignment(const RawOptions& raw, Request& request)
{
    request.study.problem.alignment = raw.strategy == "tflm" ? 16 : 64;
    if (raw.align.empty())
        return std::nullopt;
    const auto alignment = parseBytes(raw.align);
    if (!alignment || *alignment < 1 || (*alignment & (*alignment - 1)) != 0)
        return badOption("--align", raw.align, "a power of two, such as 1, 16 or 64");
    request.study.problem.alignment = *alignment;
    request.problemAlignment = *alignment;
    request.hasAlignment = true;
    return std::nullopt;
}

constexpr double kMostSeconds = 1e6;
constexpr std::int64_t kMostThreads = 1024;

std::optional<Error> readSearch(const RawOptions& raw, PlannerOptions& options)
{
    if (!raw.time.empty()) {
        double seconds = 0.0;
        const char* end = raw.time.data() + raw.time.size();
        const auto read = std::from_chars(raw.time.data(), end, seconds);
        if (read.ec != std::errc() || read.ptr != end || !(seconds >= 0.0 && seconds <= kMostSeconds))
            return badOption("--time", raw.time, "seconds from 0 to 1000000, such as 10 or 0.5");
        options.timeBudgetSeconds = seconds;
    }
    if (!raw.nodes.empty()) {
        options.nodeBudget = numberFrom(raw.nodes);
        if (!options.nodeBudget)
            return badOption("--nodes", raw.nodes, "a whole number");
    }
    if (!raw.threads.empty()) {
        const auto threads = numberFrom(raw.threads);
        if (!threads || *threads < 1 || *threads > kMostThreads)
            return badOption("--threads", raw.threads, "a whole number from 1 to 1024");
        options.threads = static_cast<int>(*threads);
    }
    return std::nullopt;
}

std::optional<Error> readStrategy(Command command, const RawOptions& raw)
{
    if (findPlanner(raw.strategy) != nullptr || (raw.strategy == kFilePlan && command != Command::Solve))
        return std::nullopt;
    std::string known = command == Command::Solve ? "" : std::string(kFilePlan);
    for (const Planner* planner : planners())
        known += (known.empty() ? "" : ", ") + std::string(planner->info().id);
    return Error{ErrorCode::UnknownName, {}, {"strategy", raw.strategy, known}};
}

/// Whether both name one file, as far as that can be told before they are written.
bool isSameFile(const std::string& a, const std::string& b)
{
    std::error_code ignored;
    const auto whole = [&ignored](const std::string& path) { // a file that is not there yet keeps its relative form
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
    };
    return std::filesystem::equivalent(a, b, ignored) || whole(a) == whole(b);
}

/// Everything that is written, by the option that asks for it.
class Targets {
public:
    explicit Targets(const std::vector<std::string>& inputs) : m_inputs(inputs) {}

    std::optional<Error> add(const char* option, const std::string& path)
    {
        if (path.empty() || path == "-" || isDevice(path))
            return std::nullopt;
        const auto isIt = [&path](const std::string& other) { return isSameFile(path, other); };
        if (std::ranges::any_of(m_inputs, isIt) || path.ends_with(".onnx"))
            return badOption(option, path, "a file that is no model and no plan to be read, since it is written over");
        if (std::ranges::any_of(m_written, isIt))
            return badOption(option, path, "a file that nothing else is written to");
        m_written.push_back(path);
        return std::nullopt;
    }

private:
    /// What is written to a device or a pipe replaces nothing.
    static bool isDevice(const std::string& path)
    {
        std::error_code ignored;
        return std::filesystem::is_other(path, ignored);
    }

    const std::vector<std::string>& m_inputs;
    std::vector<std::string> m_written;
};

std::optional<Error> checkExport(Targets& targets, const char* option, const std::string& path, const std::vector<std::string>& models)
{
    std::set<std::string> expanded;
    for (const std::string& model : models) {
        const std::string target = expandExportPath(path, model);
        if (!expanded.insert(target).second)
            return badOption(option, path, "a file for each model, such as {name}.svg");
        if (auto error = targets.add(option, target))
            return error;
    }
    return std::nullopt;
}

/// Suffixes are known, several models do not write one file, and nothing is written over what is read.
std::optional<Error> checkTargets(const RawOptions& raw)
{
    Targets targets(raw.files);
    for (const auto& [option, path] : {std::pair("--json", &raw.json), std::pair("--csv", &raw.csv), std::pair("--progress", &raw.progress)}) {
        if (auto error = targets.add(option, *path))
            return error;
    }
    if (raw.output == "-" && raw.json == "-")
        return badOption("--output", "-", "a file, since --json has standard output");
    std::set<std::string> solutions;
    for (const std::string& problem : raw.files) {
        const std::string target = expandExportPath(raw.output, problem);
        if (!raw.output.empty() && !solutions.insert(target).second)
            return badOption("--output", raw.output, "a file for each problem, such as {name}.csv");
        if (auto error = targets.add("--output", target))
            return error;
    }
    for (const std::string& path : raw.exports) {
        if (!isExportPath(path))
            return badOption("--export", path, "a file that ends in " + exportSuffixes());
        if (auto error = checkExport(targets, "--export", path, raw.files))
            return error;
    }
    for (const auto& [format, path] : raw.exportsAs) {
        if (!findPlanExport(format))
            return badOption("--export-as", format, exportIds());
        if (auto error = checkExport(targets, "--export-as", path, raw.files))
            return error;
    }
    return std::nullopt;
}

std::optional<Error> readCapacity(const RawOptions& raw, Request& request)
{
    if (raw.capacity.empty())
        return std::nullopt;
    const auto capacity = parseBytes(raw.capacity);
    if (!capacity)
        return badOption("--capacity", raw.capacity, capacity.error().args.back());
    request.planner.capacity = *capacity;
    return std::nullopt;
}

std::optional<Error> readFormat(const RawOptions& raw, Request& request)
{
    if (raw.format == "text")
        return std::nullopt;
    if (raw.format == "github" && raw.json != "-") {
        request.format = AnswerFormat::GitHub;
        return std::nullopt;
    }
    if (raw.format == "json" && (raw.json.empty() || raw.json == "-")) {
        request.format = AnswerFormat::Json;
        request.json = "-";
        return std::nullopt;
    }
    return badOption("--format", raw.format, "text, json, github; standard output takes one of them");
}

std::optional<Error> readBudget(const RawOptions& raw, Request& request)
{
    if (raw.budget.empty())
        return std::nullopt;
    const auto budget = parseBytes(raw.budget);
    if (!budget)
        return badOption("--budget", raw.budget, budget.error().args.back());
    request.budget = *budget;
    return std::nullopt;
}

/// One number for all channels, or three.
std::optional<std::array<double, 3>> channelsFrom(std::string_view text)
{
    std::array<double, 3> values{};
    std::size_t count = 0;
    while (count < values.size()) {
        const auto comma = text.find(',');
        const std::string_view part = text.substr(0, comma);
        const auto read = std::from_chars(part.data(), part.data() + part.size(), values[count]);
        if (read.ec != std::errc() || read.ptr != part.data() + part.size() || !std::isfinite(values[count]))
            return std::nullopt;
        ++count;
        if (comma == std::string_view::npos)
            break;
        text.remove_prefix(comma + 1);
        if (count == values.size())
            return std::nullopt;
    }
    if (count == 1)
        values = {values[0], values[0], values[0]};
    return count == 2 ? std::nullopt : std::optional(values);
}

std::optional<Error> readImageOptions(const RawOptions& raw, ImageOptions& options)
{
    const auto mean = channelsFrom(raw.mean);
    if (!mean)
        return badOption("--mean", raw.mean, "a number, or three with commas between, such as 123.7,116.3,103.5");
    const auto scale = channelsFrom(raw.scale);
    if (!scale)
        return badOption("--scale", raw.scale, "a number, or three with commas between, such as 0.017");
    if (raw.channels != "rgb" && raw.channels != "bgr")
        return badOption("--channels", raw.channels, "rgb, bgr");
    options = {*mean, *scale, raw.channels == "rgb" ? ChannelOrder::Rgb : ChannelOrder::Bgr};
    return std::nullopt;
}

std::optional<Error> readCount(const char* option, const std::string& text, std::int64_t least, std::int64_t most, int& value)
{
    const auto number = numberFrom(text);
    if (!number || *number < least || *number > most)
        return badOption(option, text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    value = static_cast<int>(*number);
    return std::nullopt;
}

std::optional<Error> readRun(const RawOptions& raw, RunRequest& run)
{
    run.plan = raw.plan;
    run.inputs = raw.inputs;
    run.output = raw.outputFolder;
    run.guard = raw.guard;
    run.progress = raw.progress;
    if (raw.passes != "both" && raw.passes != "arena" && raw.passes != "unplanned")
        return badOption("--passes", raw.passes, "both, arena, unplanned");
    run.isArena = raw.passes != "unplanned";
    run.isUnplanned = raw.passes != "arena";
    if (raw.progress == "-" && raw.json == "-")
        return badOption("--progress", "-", "a file, since --json has standard output");
    if (run.guard && !run.isArena)
        return badOption("--guard", raw.passes, "a run in the arena (--passes arena or both)");
    for (const auto& error : {readImageOptions(raw, run.image), readCount("--top", raw.top, 0, 1000, run.top),
                              readCount("--repeat", raw.repeat, 1, 100000, run.repeat), readCount("--pictures", raw.pictures, 0, 1024, run.pictures)}) {
        if (error)
            return error;
    }
    return std::nullopt;
}

std::optional<Error> checkOneArena(const RawOptions& raw)
{
    if (!raw.oneArena && !raw.keeps.empty())
        return badOption("--keep", raw.keeps.front(), "only together with --one-arena");
    if (raw.oneArena && !raw.regions.empty())
        return badOption("--region", raw.regions.front(), "no memory regions together with --one-arena");
    return std::nullopt;
}

/// A plan brings all of these itself.
std::optional<Error> checkPlanAlone(const RawOptions& raw)
{
    if (raw.plan.empty())
        return std::nullopt;
    for (const auto& [name, values] : {std::pair("--shape", &raw.shapes), std::pair("--dim", &raw.dims), std::pair("--region", &raw.regions)}) {
        if (!values->empty())
            return badOption(name, values->front(), "nothing, since --plan says it");
    }
    const std::pair<const char*, std::string RawOptions::*> options[] = {
        {"--align", &RawOptions::align},       {"--alias", &RawOptions::alias},
        {"--io", &RawOptions::io},             {"--schedule", &RawOptions::schedule},
        {"--concurrency", &RawOptions::concurrency}, {"--join", &RawOptions::join},
        {"--workspace", &RawOptions::workspace}, {"--strategy", &RawOptions::strategy},
    };
    for (const auto& [name, value] : options) {
        if (raw.*value != RawOptions().*value)
            return badOption(name, raw.*value, "nothing, since --plan says it");
    }
    return std::nullopt;
}

} // namespace

Result<Request> requestFrom(Command command, const RawOptions& raw)
{
    Request request;
    request.command = command;
    request.files = raw.files;
    request.strategy = raw.strategy;
    request.json = raw.json;
    request.csv = raw.csv;
    request.output = raw.output;
    request.model = raw.model;
    for (const std::string& path : raw.exports)
        request.exports.push_back({{}, path});
    for (const auto& [format, path] : raw.exportsAs)
        request.exports.push_back({format, path});
    request.oneArena = raw.oneArena;
    request.keeps = raw.keeps;
    request.failIfLarger = raw.failIfLarger;
    request.explain = raw.explain;
    request.quiet = raw.quiet;
    for (const auto& error :
         {readStrategy(command, raw), readStudy(raw, request.study), readAlignment(raw, request), readShapes(raw, request.import),
          readDims(raw, request.import), readSearch(raw, request.planner), readCapacity(raw, request), readBudget(raw, request), readFormat(raw, request),
          checkOneArena(raw), checkPlanAlone(raw), readRun(raw, request.run), checkTargets(raw)}) {
        if (error)
            return *error;
    }
    if (raw.json == "-" && raw.csv == "-")
        return badOption("--csv", "-", "a file, since --json has standard output");
    return request;
}

} // namespace arenascope::cli
