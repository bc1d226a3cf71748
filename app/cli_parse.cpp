// SPDX-License-Identifier: MIT
// The command line. The only file that includes CLI11: it is long to compile.
#include "app/cli_parse.h"

#include "app/cli_output.h"
#include "app/cli_values.h"

#include <arenascope/version.h>

#include <CLI/CLI.hpp>

namespace arenascope::cli {

namespace {

constexpr char kDescription[] = "Tells how much memory a neural network needs while it runs, why, and how to make it less.";

constexpr char kFooter[] = R"(Examples:
  arenascope-cli plan model.onnx                      what the network needs, and where the peak is
  arenascope-cli plan model.onnx --budget 256K        exit code 1 when it needs more
  arenascope-cli plan *.onnx --json - --alias inplace  one JSON entry a model
  arenascope-cli plan model.onnx --export plan.svg --export plan.json
  arenascope-cli plan a.onnx b.onnx --one-arena --keep a:features    one arena for both
  arenascope-cli compare model.onnx                   all strategies side by side
  arenascope-cli inspect model.onnx --explain         every byte accounted for
  arenascope-cli run model.onnx --input cat.png       the network in its arena, compared bit for bit
  arenascope-cli solve problem.csv --capacity 1M      places bare buffers; exit code 1 when they do not fit
  arenascope-cli check plan.json                      replays a plan, names every clash
  arenascope-cli check vela.txt --model model.tflite  the same for plans by others
  arenascope-cli diff old.onnx new.onnx --fail-if-larger    what changed; exit code 1 when it needs more

Exit codes:
  0  good
  1  a plan is not valid, or larger than --budget or --capacity; a run differs, or writes what is not its own
  2  wrong usage, a file that cannot be read or written, a network that cannot be planned
  130  stopped with Ctrl+C before there was an answer (searches keep their best plan and end with 0 or 1))";

/// An option with a value and a default, which the help shows.
void addChoice(CLI::App& command, const char* name, std::string& value, const char* type, const char* help,
               const char* group = "Planning")
{
    command.add_option(name, value, help)->capture_default_str()->type_name(type)->group(group);
}

/// An option that may be given several times, each time with one value.
void addRepeatable(CLI::App& command, const char* name, std::vector<std::string>& values, const char* type,
                   const char* help, const char* group)
{
    command.add_option(name, values, help)->type_name(type)->allow_extra_args(false)->group(group);
}

void addModelOptions(CLI::App& command, RawOptions& raw)
{
    addRepeatable(command, "--shape", raw.shapes, "NAME=1x3x224x224", "Shape of a network input; repeatable", "Model");
    addRepeatable(command, "--dim", raw.dims, "NAME=N", "Value of a symbolic dimension; repeatable", "Model");
    addChoice(command, "--default-dim", raw.defaultDim, "N", "Value of dimensions that nothing names, or none", "Model");
    command.add_flag("-q,--quiet", raw.quiet, "No notes and warnings about the model")->group("Model");
}

void addStudyOptions(CLI::App& command, RawOptions& raw)
{
    addChoice(command, "--alias", raw.alias, "MODE",
              "Tensors that may share bytes: none, views, inplace, all (also parts of Concat, Split and Slice)");
    command.add_option("--align", raw.align, "Alignment of offsets and sizes, a power of two; 64, or 16 for .tflite files and with tflm")
        ->type_name("BYTES")->group("Planning");
    addChoice(command, "--io", raw.io, "WHERE",
              "Where network inputs and outputs live: arena, outside, inputs-outside, outputs-outside");
    addChoice(command, "--schedule", raw.schedule, "ORDER", "Order of the operators: file, depth-first, min-peak");
    addChoice(command, "--concurrency", raw.concurrency, "HOW",
              "How much of the order a runtime keeps: sequential, parallel (safe in any order)");
    addRepeatable(command, "--region", raw.regions, "NAME=256K",
                  "A memory with its capacity; repeatable, the first is filled first", "Planning");
    addChoice(command, "--join", raw.join, "RULE", "Which branch goes on through a join: longest, last, none");
    addChoice(command, "--workspace", raw.workspace, "HOW",
              "Scratch memory of operators: count (in the arena), apart");
}

void addStrategy(CLI::App& command, RawOptions& raw)
{
    addChoice(command, "--strategy", raw.strategy, "ID", "How buffers are placed (see strategies); file: as a .tflite file plans it itself");
}

void addSearchOptions(CLI::App& command, RawOptions& raw)
{
    command.add_option("--time", raw.time, "Wall time for each search")->type_name("SECONDS")->group("Search");
    command.add_option("--nodes", raw.nodes, "Positions that each search may look at: the same plan on every machine")
        ->type_name("N")->group("Search");
    command.add_option("--threads", raw.threads, "Threads of a search; all cores when not given")->type_name("N")->group("Search");
}

void addJson(CLI::App& command, RawOptions& raw)
{
    command.add_option("--json", raw.json, "Answer as JSON to a file, or to standard output instead of text (-)")
        ->type_name("FILE|-")->group("Answer");
}

void addExplain(CLI::App& command, RawOptions& raw)
{
    command.add_flag("--explain", raw.explain, "List every tensor that is counted, folded away or left out")
        ->group("Answer");
}

void addFiles(CLI::App& command, RawOptions& raw, const std::string& name, const std::string& help)
{
    command.add_option(name, raw.files, help)->required()->type_name("FILE");
}

enum class Strategies { One, All };

/// A command that plans models, with the options that all of them take.
CLI::App* addPlanning(CLI::App& app, RawOptions& raw, const char* name, const char* help, Strategies strategies,
                      const char* files = "Model files")
{
    CLI::App* command = app.add_subcommand(name, help);
    addFiles(*command, raw, "models", files);
    addModelOptions(*command, raw);
    if (strategies == Strategies::One)
        addStrategy(*command, raw);
    addStudyOptions(*command, raw);
    addSearchOptions(*command, raw);
    addJson(*command, raw);
    return command;
}

CLI::App* addPlan(CLI::App& app, RawOptions& raw)
{
    CLI::App* command = addPlanning(app, raw, "plan", "Plan the memory of one or more models", Strategies::One);
    command->add_option("--budget", raw.budget, "Exit with 1 when the arena is larger; K, M and G are binary")
        ->type_name("256K")->group("Answer");
    addChoice(*command, "--format", raw.format, "FORMAT",
              "What is written to standard output: text, json, github (an annotation a model, for workflows)", "Answer");
    addRepeatable(*command, "--export", raw.exports, "FILE",
                  "Write the plan as the suffix says (see formats); repeatable; {name} stands for the model's name",
                  "Answer");
    command->add_option("--export-as", raw.exportsAs, "Write the plan in the format of that id, whatever the suffix; repeatable")
        ->type_name("ID FILE")->allow_extra_args(false)->group("Answer");
    command->add_flag("--one-arena", raw.oneArena, "The models run one after the other in one arena")->group("Several models");
    addRepeatable(*command, "--keep", raw.keeps, "MODEL:TENSOR",
                  "Keep a tensor (or @outputs, @inputs) until all models have run; repeatable", "Several models");
    addExplain(*command, raw);
    return command;
}

CLI::App* addCompare(CLI::App& app, RawOptions& raw)
{
    CLI::App* command = addPlanning(app, raw, "compare", "Plan with every strategy, side by side", Strategies::All,
                                    "Model files, or placement problems (.csv)");
    command->add_option("--csv", raw.csv, "Answer as CSV to a file, or to standard output instead of text (-)")
        ->type_name("FILE|-")->group("Answer");
    return command;
}

CLI::App* addInspect(CLI::App& app, RawOptions& raw)
{
    CLI::App* command = addPlanning(app, raw, "inspect", "List operators, tensors, branches, regions and the peak",
                                    Strategies::One);
    addExplain(*command, raw);
    return command;
}

CLI::App* addRun(CLI::App& app, RawOptions& raw)
{
    CLI::App* command = addPlanning(app, raw, "run", "Run a model inside its planned arena, and compare with a run without a plan",
                                    Strategies::One, "The model file");
    command->get_option("models")->expected(1);
    constexpr const char* kGroup = "Run";
    command->add_option("--plan", raw.plan, "Take this plan (--export plan.json) and its options instead of planning anew")
        ->type_name("FILE")->group(kGroup);
    addRepeatable(*command, "--input", raw.inputs, "NAME=VALUE",
                  "zeros, random[:SEED], or a file (.npy, .pb, a picture); others are random; repeatable", kGroup);
    addChoice(*command, "--mean", raw.mean, "R,G,B", "Pictures: what is taken from the values of 0 to 255", kGroup);
    addChoice(*command, "--scale", raw.scale, "S", "Pictures: what the rest is multiplied by, one number or three", kGroup);
    addChoice(*command, "--channels", raw.channels, "ORDER", "Pictures: order of the channels, rgb or bgr", kGroup);
    command->add_flag("--guard", raw.guard, "Watch every byte: the run ends at the first that is written wrongly")->group(kGroup);
    addChoice(*command, "--repeat", raw.repeat, "N", "Runs of each kind; times are medians", kGroup);
    addChoice(*command, "--passes", raw.passes, "WHICH", "both, arena or unplanned: only one shows a process's memory alone", kGroup);
    command->add_option("--output", raw.outputFolder, "Write the network's outputs there, as .npy")->type_name("FOLDER")->group("Answer");
    addChoice(*command, "--top", raw.top, "K", "Tell the largest elements of each output", "Answer");
    command->add_option("--progress", raw.progress, "Lines of JSON while it runs, to a file or standard output (-)")
        ->type_name("FILE|-")->group("Answer");
    addChoice(*command, "--pictures", raw.pictures, "SIDE", "With --progress: a picture of what each operator has written", "Answer");
    command->add_flag("--explain", raw.explain, "List every operator")->group("Answer");
    return command;
}

CLI::App* addSolve(CLI::App& app, RawOptions& raw)
{
    CLI::App* command = app.add_subcommand("solve", "Place the buffers of bare placement problems");
    addFiles(*command, raw, "problems", "Problems as MiniMalloc's CSV: id,lower,upper,size[,alignment,gaps,offset]");
    addStrategy(*command, raw);
    command->add_option("--align", raw.align, "Alignment of offsets and sizes, a power of two; 1 when not given")
        ->type_name("BYTES")->group("Planning");
    command->add_option("--capacity", raw.capacity, "Ask only whether they fit; exit with 1 when they do not")
        ->type_name("256K")->group("Planning");
    addSearchOptions(*command, raw);
    addJson(*command, raw);
    command->add_option("-o,--output", raw.output,
                        "Write the problem with its offsets as CSV; {name} stands for the problem's name, - for standard output")
        ->type_name("FILE|-")->group("Answer");
    return command;
}

CLI::App* addCheck(CLI::App& app, RawOptions& raw)
{
    CLI::App* command = app.add_subcommand("check", "Check plans of any origin, name every clash, and tell how small they could be");
    addFiles(*command, raw, "plans", "Plans (JSON, MiniMalloc CSV, Vela table, XLA dump pair; see formats)");
    command->add_option("--model", raw.model, "The model: for plans that do not say where it is, or say it wrongly")->type_name("FILE");
    addModelOptions(*command, raw);
    addSearchOptions(*command, raw);
    addJson(*command, raw);
    return command;
}

CLI::App* addDiff(CLI::App& app, RawOptions& raw)
{
    CLI::App* command = addPlanning(app, raw, "diff", "Tell what changed between two models, or two plans", Strategies::One,
                                    "Two models or plans; options are for models, plans have their own");
    command->get_option("models")->expected(2);
    command->add_option("--model", raw.model, "The model of the plans, where it is not where they say")->type_name("FILE");
    command->add_flag("--fail-if-larger", raw.failIfLarger, "Exit with 1 when the second arena is larger")->group("Answer");
    command->add_flag("--explain", raw.explain, "List every difference")->group("Answer");
    return command;
}

int usageError(const CLI::ParseError& error, const CLI::App& app)
{
    std::string command = "arenascope-cli";
    for (const CLI::App* chosen : app.get_subcommands())
        command += " " + chosen->get_name();
    std::string what = error.what();
    while (!what.empty() && (what.back() == '\n' || what.back() == '.'))
        what.pop_back();
    complain(what + "; see " + command + " --help");
    return kBadInput;
}

/// An option that is given without a text, as scripts do with a variable that is not set; it must not count as left out.
std::optional<Error> emptyValue(const CLI::App& command)
{
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& value : option->results()) {
            if (value.empty())
                return Error{ErrorCode::BadOption, {}, {option->get_name(), value, option->get_type_name()}};
        }
    }
    return std::nullopt;
}

/// The first argument where it is neither an option nor a command, or where there is none at all.
std::optional<Error> wrongCommand(int argc, const char* const* argv, const CLI::App& app)
{
    const std::string_view first = argc > 1 ? argv[1] : "";
    std::string known;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_name() == first)
            return std::nullopt;
        known += (known.empty() ? "" : ", ") + command->get_name();
    }
    if (first.starts_with("-"))
        return std::nullopt;
    return Error{ErrorCode::UnknownName, {}, {"command", std::string(first), known + "; see arenascope-cli --help"}};
}

} // namespace

std::variant<Request, int> parseCommandLine(int argc, const char* const* argv)
{
    CLI::App app(kDescription, "arenascope-cli");
    app.footer(kFooter);
    app.set_version_flag("--version", std::string("arenascope-cli ") + kVersion);
    app.require_subcommand(1);
    app.get_formatter()->column_width(32);

    RawOptions raw;
    const std::pair<CLI::App*, Command> commands[] = {
        {addPlan(app, raw), Command::Plan},
        {addCompare(app, raw), Command::Compare},
        {addInspect(app, raw), Command::Inspect},
        {addRun(app, raw), Command::Run},
        {addSolve(app, raw), Command::Solve},
        {addCheck(app, raw), Command::Check},
        {addDiff(app, raw), Command::Diff},
        {app.add_subcommand("strategies", "List the strategies"), Command::Strategies},
        {app.add_subcommand("formats", "List the formats that can be read and written"), Command::Formats},
    };
    for (const auto& [command, id] : commands) {
        if (id == Command::Strategies || id == Command::Formats)
            addJson(*command, raw);
    }
    if (const auto error = wrongCommand(argc, argv, app)) {
        complain(*error, {});
        return kBadInput;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0)
            return app.exit(error); // --help, --version
        return usageError(error, app);
    }
    for (const auto& [chosen, command] : commands) {
        if (!chosen->parsed())
            continue;
        const auto empty = emptyValue(*chosen);
        const Result<Request> request = empty ? Result<Request>(*empty) : requestFrom(command, raw);
        if (request)
            return *request;
        complain(request.error(), {});
        break;
    }
    return kBadInput;
}

} // namespace arenascope::cli
