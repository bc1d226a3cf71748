// SPDX-License-Identifier: MIT
#include "app/cli_joint.h"

#include "app/cli_commands.h"
#include "app/cli_export.h"
#include "app/cli_model.h"
#include "app/cli_output.h"
#include "app/cli_stop.h"

#include <arenascope/joint.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace arenascope::cli {

namespace {

using Studies = std::vector<std::shared_ptr<const Study>>;

/// How a model may be named before the colon: its number, its path, its file name with or without the suffix.
std::vector<std::string> namesOf(const std::string& path, std::size_t index)
{
    const std::filesystem::path file(path);
    return {path, file.filename().string(), file.stem().string(), std::to_string(index + 1)};
}

/// The number of a later model that goes by the same name, 0: none does. Numbers are nobody's else.
std::size_t otherNamed(const std::vector<std::string>& files, std::size_t index, const std::string& name)
{
    if (name == std::to_string(index + 1))
        return 0;
    for (std::size_t i = index + 1; i < files.size(); ++i) {
        const std::vector<std::string> names = namesOf(files[i], i);
        if (std::find(names.begin(), names.end(), name) != names.end())
            return i + 1;
    }
    return 0;
}

/// What may be named after the colon: a tensor, or all inputs or outputs of the network.
std::optional<std::vector<TensorId>> tensorsNamed(const Graph& graph, const std::string& name)
{
    if (name == "@outputs")
        return std::vector<TensorId>(graph.outputs().begin(), graph.outputs().end());
    if (name == "@inputs")
        return std::vector<TensorId>(graph.inputs().begin(), graph.inputs().end());
    const TensorId found = graph.findTensor(name);
    if (!found.isValid())
        return std::nullopt;
    return std::vector{found};
}

/// Names of tensors may hold colons, and paths too: every way to cut the text is looked at, the first that fits counts.
Result<std::vector<KeptTensor>> keptFrom(const std::string& text, const std::vector<std::string>& files, const Studies& studies)
{
    bool isModelKnown = false;
    for (auto colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
        const std::string model = text.substr(0, colon);
        for (std::size_t i = 0; i < files.size(); ++i) {
            const std::vector<std::string> names = namesOf(files[i], i);
            if (std::find(names.begin(), names.end(), model) == names.end())
                continue;
            isModelKnown = true;
            if (const std::size_t other = otherNamed(files, i, model))
                return Error{ErrorCode::BadOption, {}, {"--keep", text, fmt::format("a model by its number, here {} or {}: both have that name", i + 1, other)}};
            const auto tensors = tensorsNamed(*studies[i]->graph, text.substr(colon + 1));
            if (!tensors)
                continue;
            std::vector<KeptTensor> kept;
            for (const TensorId tensor : *tensors)
                kept.push_back({i, tensor});
            return kept;
        }
    }
    const char* accepted = isModelKnown ? "MODEL:TENSOR with a tensor of that model, @outputs or @inputs"
                                        : "MODEL:TENSOR with one of the models, by its number from 1 or its file name";
    return Error{ErrorCode::BadOption, {}, {"--keep", text, accepted}};
}

int tellVerdict(const JointPlan& joint, const Request& request)
{
    int code = kGood;
    for (std::size_t i = 0; i < joint.models.size(); ++i) {
        if (joint.models[i]->isValid())
            continue;
        tellClashes(*joint.models[i], request.files[i]);
        code = kBadPlan;
    }
    if (!joint.placement.isValid()) {
        complain("the models together are not valid: " + describe(joint.placement.clashes.front(), joint.problem, nullptr));
        code = kBadPlan;
    }
    if (request.budget && joint.arenaBytes > *request.budget) {
        const auto largest = std::max_element(joint.modelBytes.begin(), joint.modelBytes.end()) - joint.modelBytes.begin();
        complain(fmt::format("over the budget of {} by {} bytes: the arena needs {}; {} of it for '{}', {} kept", formatBytes(*request.budget),
                             formatExact(joint.arenaBytes - *request.budget), formatExact(joint.arenaBytes), formatExact(joint.sharedBytes),
                             request.files[static_cast<std::size_t>(largest)], formatExact(joint.keptBytes)));
        code = kBadPlan;
    }
    return code;
}

int report(const JointPlan& joint, const Request& request)
{
    int code = kGood;
    if (!request.json.empty() && !deliver(jointJson(joint, request.budget) + "\n", request.json))
        code = kBadInput;
    if (request.json != "-") {
        std::string text = jointText(joint, request.budget);
        for (const auto& model : joint.models)
            text += request.explain ? "\n" + printable(model->study->graph->info().name) + "\n" + explainText(*model) : "";
        print(text);
    }
    for (std::size_t i = 0; i < joint.models.size(); ++i)
        code = worse(code, exportAll(joint.models[i], request.files[i], request));
    return code;
}

} // namespace

int runJoint(const Request& request)
{
    Studies studies;
    for (const std::string& path : request.files) {
        auto loaded = loadStudy(path, request);
        if (!loaded) {
            complain(loaded.error(), path);
            return exitCodeOf(loaded.error());
        }
        tellDiagnostics(loaded->diagnostics, path, request);
        studies.push_back(std::move(loaded->study));
    }
    std::vector<KeptTensor> kept;
    for (const std::string& text : request.keeps) {
        const auto more = keptFrom(text, request.files, studies);
        if (!more) {
            complain(more.error(), {});
            return kBadInput;
        }
        kept.insert(kept.end(), more->begin(), more->end());
    }
    const auto joint = planJointly(studies, kept, request.strategy, request.planner, stopToken());
    if (!joint) {
        complain(joint.error(), {});
        return exitCodeOf(joint.error());
    }
    return worse(tellVerdict(*joint, request), report(*joint, request));
}

} // namespace arenascope::cli
