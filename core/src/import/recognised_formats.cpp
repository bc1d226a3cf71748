// SPDX-License-Identifier: MIT
#include "core/src/import/recognised_formats.h"

#include <algorithm>
#include <array>
#include <string>
#include <system_error>

namespace arenascope {

namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kTensorFlowRemedy =
    "Convert it to ONNX: python -m tf2onnx.convert --saved-model FOLDER --output model.onnx "
    "(or --graphdef FILE with --inputs and --outputs).";
constexpr std::string_view kTorchRemedy =
    "Load it in Python and write ONNX: torch.onnx.export(model, example_input, \"model.onnx\").";
constexpr std::string_view kUnpackRemedy = "Unpack it and open the model file inside.";
constexpr std::string_view kLaterRemedy = "Convert the model to ONNX with the tools that come with its framework.";
constexpr std::string_view kKerasRemedy =
    "Load it in Python and write ONNX with tf2onnx.convert.from_keras(model, output_path=\"model.onnx\").";
constexpr std::string_view kKeras3Remedy = "Load it in Python and write ONNX with model.export(\"model.onnx\", format=\"onnx\").";
constexpr std::string_view kCoreMlRemedy = "Export the original model to ONNX instead; Core ML has no way back.";
constexpr std::string_view kOpenVinoRemedy = "Open the ONNX file that it was converted from.";

/// How a file of a format begins, at a fixed distance from its start.
struct Magic {
    std::string_view bytes;
    std::size_t at;
    RecognisedFormat format;
};

// In the order in which they are tried: a special case stands before the general one.
constexpr std::array kMagics = {
    Magic{"version https://git-lfs"sv, 0,
          {"Git LFS pointer", "Fetch the real file first: git lfs pull.", 100}},
    Magic{"ORTM"sv, 4,
          {"ONNX Runtime (.ort)", "Open the ONNX file that it was made from.", 100}},
    Magic{"\x89HDF\r\n\x1a\n"sv, 0,
          {"Keras (HDF5)", kKerasRemedy, 100}},
    Magic{"\xdd\x85\x76\x00"sv, 0,
          {"ncnn networks in binary form", "", 100, ".param"}},
    Magic{"ET12"sv, 4,
          {"ExecuTorch", "Export the original PyTorch model to ONNX: torch.onnx.export(model, example_input, \"model.onnx\").", 100}},
    Magic{"GGUF"sv, 0,
          {"GGUF", "It holds weights without a graph of operators; export the original model to ONNX.", 100}},
    Magic{"\x1f\x8b"sv, 0, {"Compressed (gzip)", kUnpackRemedy, 90}},
    Magic{"\x28\xb5\x2f\xfd"sv, 0, {"Compressed (Zstandard)", kUnpackRemedy, 90}},
    Magic{"\xfd" "7zXZ"sv, 0, {"Compressed (xz)", kUnpackRemedy, 90}},
};

/// A format that its name alone suggests.
struct Suffix {
    std::string_view suffix; ///< lower case
    RecognisedFormat format;
};

constexpr std::array kSuffixes = {
    Suffix{".safetensors",
           {"Safetensors", "It holds weights without a graph of operators; export the model to ONNX.", 90}},
    Suffix{".pt", {"PyTorch", kTorchRemedy, 65}},
    Suffix{".pth", {"PyTorch", kTorchRemedy, 65}},
    Suffix{".pt2", {"PyTorch", kTorchRemedy, 65}},
    Suffix{".h5", {"Keras (HDF5)", kKerasRemedy, 65}},
    Suffix{".hdf5", {"Keras (HDF5)", kKerasRemedy, 65}},
    Suffix{".keras", {"Keras", kKeras3Remedy, 95}},
    Suffix{".pb", {"TensorFlow", kTensorFlowRemedy, 65}},
    Suffix{".pbtxt", {"TensorFlow", kTensorFlowRemedy, 65}},
    Suffix{".ckpt", {"TensorFlow checkpoint", "It holds weights without a graph; write a SavedModel, and convert that to ONNX with tf2onnx.", 65}},
    Suffix{".mlmodel", {"Core ML", kCoreMlRemedy, 90}},
    Suffix{".caffemodel", {"Caffe weights", "", 90, ".prototxt"}},
    Suffix{".weights", {"Darknet weights", "", 65, ".cfg"}},
    Suffix{".pte", {"ExecuTorch", "Export the original PyTorch model to ONNX: torch.onnx.export(model, example_input, \"model.onnx\").", 65}},
    Suffix{".pdmodel", {"PaddlePaddle", "Convert it: paddle2onnx --model_dir FOLDER --save_file model.onnx.", 90}},
    Suffix{".mnn", {"MNN", kLaterRemedy, 90}},
    Suffix{".engine", {"TensorRT engine", "Open the ONNX file that the engine was built from.", 90}},
    Suffix{".onnxtxt", {"ONNX text", "Load it with onnx.parser in Python and save it as binary ONNX.", 90}},
};

bool holds(std::string_view head, std::string_view text)
{
    return head.find(text) != std::string_view::npos;
}

/// Zip archives: PyTorch and Keras 3 keep telling names in the first entries.
std::optional<RecognisedFormat> recogniseZip(std::string_view head, std::string_view extension)
{
    if (!head.starts_with("PK\x03\x04"))
        return std::nullopt;
    if (holds(head, "serialized_exported_program.json") || holds(head, "archive_format") || extension == ".pt2")
        return RecognisedFormat{"PyTorch (torch.export)",
                                "Load it with torch.export.load() and write ONNX: torch.onnx.export(program.module(), ...).", 100};
    if (holds(head, "constants.pkl") || holds(head, "/code/"))
        return RecognisedFormat{"TorchScript",
                                "Load it with torch.jit.load() and write ONNX: torch.onnx.export(model, example_input, \"model.onnx\").",
                                100};
    if (holds(head, "data.pkl") || extension == ".pt" || extension == ".pth")
        return RecognisedFormat{"PyTorch", kTorchRemedy, 100};
    if (extension == ".keras" || (holds(head, "metadata.json") && holds(head, "model.weights.h5")))
        return RecognisedFormat{"Keras", kKeras3Remedy, 100};
    return RecognisedFormat{"Zip archive", kUnpackRemedy, 90};
}

std::optional<RecognisedFormat> recogniseText(std::string_view head)
{
    const std::size_t begin = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    const std::string_view text = begin == std::string_view::npos ? std::string_view() : head.substr(begin);
    if (text.starts_with("<!DOCTYPE html") || text.starts_with("<!doctype html") || text.starts_with("<html"))
        return RecognisedFormat{"Web page (HTML)", "The download gave a page instead of the model; download the file itself.", 100};
    if (text.starts_with('<') && holds(head, "<net ") && holds(head, "<layers"))
        return RecognisedFormat{"OpenVINO", kOpenVinoRemedy, 100};
    if (holds(head, "node {") && holds(head, "op: \""))
        return RecognisedFormat{"TensorFlow", kTensorFlowRemedy, 95};
    if (holds(head, "ir_version:") && holds(head, "graph {"))
        return RecognisedFormat{"ONNX text", "Load it with google.protobuf.text_format in Python and save it as binary ONNX.", 95};
    if (text.starts_with('{') && holds(head, "\"modelTopology\""))
        return RecognisedFormat{"TensorFlow.js", kTensorFlowRemedy, 100};
    if (text.starts_with('{') && holds(head, "\"nodes\"") && holds(head, "\"arg_nodes\""))
        return RecognisedFormat{"MXNet", "Convert it: mxnet.onnx.export_model(...) in Python.", 95};
    return std::nullopt;
}

/// Safetensors begin with the length of a JSON header, eight bytes, little-endian.
bool isSafetensors(std::string_view head)
{
    return head.size() > 9 && head[8] == '{' && head[9] == '"' && head[6] == '\0' && head[7] == '\0';
}

/// Pickles of protocol 2 and later, as torch.save wrote them before version 1.6.
bool isPickle(std::string_view head)
{
    return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

/// A TensorFlow GraphDef begins with its first node, whose first field is the node's name.
bool isGraphDef(std::string_view head)
{
    if (head.size() < 8 || head[0] != '\x0a')
        return false;
    const std::size_t at = (head[1] & '\x80') != 0 ? 3 : 2;
    return head[at] == '\x0a' && (holds(head, "Placeholder") || holds(head, "Const"));
}

/// Weights without a name of their own: what lies beside them tells.
std::optional<RecognisedFormat> recogniseBin(const std::filesystem::path& path, std::string_view extension)
{
    std::error_code error;
    const auto hasBeside = [&](const char* suffix) {
        std::filesystem::path beside = path;
        return std::filesystem::exists(beside.replace_extension(suffix), error);
    };
    if (extension != ".bin")
        return std::nullopt;
    if (hasBeside(".param"))
        return RecognisedFormat{"ncnn weights", "", 65, ".param"};
    if (hasBeside(".xml"))
        return RecognisedFormat{"OpenVINO weights", kOpenVinoRemedy, 65};
    return std::nullopt;
}

std::string lowerExtension(const std::filesystem::path& path)
{
    std::string extension = path.extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return extension;
}

} // namespace

std::optional<RecognisedFormat> recogniseFormat(std::string_view head, const std::filesystem::path& path)
{
    const std::string extension = lowerExtension(path);
    for (const Magic& magic : kMagics) {
        if (head.size() >= magic.at + magic.bytes.size() && head.substr(magic.at).starts_with(magic.bytes))
            return magic.format;
    }
    if (const auto zip = recogniseZip(head, extension))
        return zip;
    if (const auto text = recogniseText(head))
        return text;
    if (isSafetensors(head))
        return kSuffixes.front().format;
    if (isPickle(head))
        return RecognisedFormat{"PyTorch (or another Python pickle)", kTorchRemedy, 90};
    if (isGraphDef(head) || path.filename() == "saved_model.pb")
        return RecognisedFormat{"TensorFlow", kTensorFlowRemedy, 90};
    if (const auto weights = recogniseBin(path, extension))
        return weights;
    const auto named = std::ranges::find(kSuffixes, extension, &Suffix::suffix);
    return named == kSuffixes.end() ? std::nullopt : std::optional(named->format);
}

std::optional<RecognisedFormat> recogniseFolder(const std::filesystem::path& path)
{
    std::error_code error;
    // A path that ends with a slash has no file name.
    const std::string extension = lowerExtension(path.has_filename() ? path : path.parent_path());
    const auto holdsFile = [&](const char* name) { return std::filesystem::exists(path / name, error); };
    if (holdsFile("saved_model.pb") || holdsFile("saved_model.pbtxt"))
        return RecognisedFormat{"TensorFlow SavedModel", kTensorFlowRemedy, 100};
    if (extension == ".mlpackage" || (holdsFile("Manifest.json") && holdsFile("Data")))
        return RecognisedFormat{"Core ML package", kCoreMlRemedy, 100};
    if (extension == ".mlmodelc" || holdsFile("coremldata.bin"))
        return RecognisedFormat{"Compiled Core ML", kCoreMlRemedy, 100};
    return std::nullopt;
}

std::string remedyOf(const RecognisedFormat& format, const std::filesystem::path& path)
{
    if (format.networkSuffix.empty())
        return std::string(format.remedy);
    std::filesystem::path network = path.filename();
    if (lowerExtension(network) == ".bin" && lowerExtension(network.stem()) == ".param")
        network = network.stem(); // net.param.bin
    network.replace_extension(format.networkSuffix);
    return "Open the text of the network instead: " + network.string() + ".";
}

} // namespace arenascope
