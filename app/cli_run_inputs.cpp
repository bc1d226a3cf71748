// SPDX-License-Identifier: MIT
// --input NAME=VALUE: zeros, random, tensors from files, pictures.
#include "app/cli_run.h"

#include <arenascope/image_input.h>
#include <arenascope/tensor_file.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace arenascope::cli {

namespace {

Error badInput(const std::string& text, std::string accepted)
{
    return {ErrorCode::BadOption, {}, {"--input", text, std::move(accepted)}};
}

std::string inputNames(const Graph& graph)
{
    std::string names;
    for (const TensorId id : graph.inputs())
        names += (names.empty() ? "" : ", ") + graph.tensor(id).name;
    return names;
}

struct Assignment {
    TensorId input;
    std::string value;
};

/// Names and file names may hold '=': the first cut that leaves an input's name counts. A single input needs no name.
std::optional<Assignment> assignmentFrom(const std::string& text, const Graph& graph)
{
    for (auto at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
        const TensorId id = graph.findTensor(text.substr(0, at));
        if (std::find(graph.inputs().begin(), graph.inputs().end(), id) != graph.inputs().end() && id.isValid())
            return Assignment{id, text.substr(at + 1)};
    }
    std::error_code ignored;
    const bool isMisnamed = text.find('=') != std::string::npos && !std::filesystem::exists(text, ignored);
    if (graph.inputs().size() == 1 && !isMisnamed)
        return Assignment{graph.inputs().front(), text};
    return std::nullopt;
}

/// The seed in "random" or "random:7"; nothing where it is something else.
std::optional<std::uint64_t> seedFrom(const std::string& value)
{
    if (value == "random")
        return 1;
    if (!value.starts_with("random:"))
        return std::nullopt;
    std::uint64_t seed = 0;
    const char* end = value.data() + value.size();
    const auto [last, error] = std::from_chars(value.data() + 7, end, seed);
    return error == std::errc() && last == end ? std::optional(seed) : std::nullopt;
}

bool isPicture(const std::string& path)
{
    std::string suffix = std::filesystem::path(path).extension().string();
    std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view kSuffixes[] = {".png", ".jpg", ".jpeg", ".bmp", ".ppm", ".pgm", ".webp", ".tif", ".tiff"};
    return std::find(std::begin(kSuffixes), std::end(kSuffixes), suffix) != std::end(kSuffixes);
}

std::string describeContent(ElementType type, const Shape& shape)
{
    return std::string(elementTypeName(type)) + " " + toString(shape);
}

/// A file may leave out or add dimensions of 1, as exports of single examples do; everything else must fit.
Result<TensorContent> fitted(TensorContent content, const Tensor& input, const std::string& path)
{
    const auto withoutOnes = [](std::vector<std::int64_t> dims) {
        std::erase(dims, 1);
        return dims;
    };
    if (content.type != input.type || withoutOnes(content.shape.dims) != withoutOnes(input.shape.dims))
        return Error{ErrorCode::WrongInput, path,
                     {input.name, "it is " + describeContent(content.type, content.shape) + " instead of " + describeContent(input.type, input.shape)}};
    content.shape = input.shape;
    return content;
}

Result<TensorContent> contentFor(const Graph& graph, const Assignment& assignment, const std::string& text, const Request& request)
{
    const Tensor& input = graph.tensor(assignment.input);
    if (assignment.value == "zeros")
        return makeInput(graph, assignment.input, InputFill::Zeros, 0);
    if (const auto seed = seedFrom(assignment.value))
        return makeInput(graph, assignment.input, InputFill::Random, *seed);
    if (assignment.value.empty() || assignment.value.starts_with("random:"))
        return badInput(text, "zeros, random, random:SEED, or a file (.npy, .pb or a picture)");
    if (isPicture(assignment.value))
        return readImage(assignment.value, input.name, input.shape, input.type, request.run.image);
    auto content = readTensorFile(assignment.value);
    if (!content)
        return content;
    return fitted(std::move(*content), input, assignment.value);
}

} // namespace

Result<std::map<TensorId, TensorContent>> runInputs(const Graph& graph, const Request& request)
{
    std::map<TensorId, TensorContent> inputs;
    for (const std::string& text : request.run.inputs) {
        const auto assignment = assignmentFrom(text, graph);
        if (!assignment)
            return badInput(text, "NAME=VALUE with NAME one of " + inputNames(graph));
        if (inputs.contains(assignment->input))
            return badInput(text, "one value for each input");
        auto content = contentFor(graph, *assignment, text, request);
        if (!content)
            return content.error();
        inputs.emplace(assignment->input, std::move(*content));
    }
    return inputs;
}

} // namespace arenascope::cli
