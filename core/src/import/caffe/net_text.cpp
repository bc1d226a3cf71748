// SPDX-License-Identifier: MIT
#include "core/src/import/caffe/net_text.h"

#include "core/src/import/layered/failure.h"
#include "core/src/import/layered/text_file.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace arenascope::caffe {

namespace {

using layered::fail;

constexpr int kDeepest = 32;          // messages in messages; networks need four
constexpr int kMostMessages = 500'000; // each takes up to some hundred bytes, and three bytes of text

std::string placeOf(int line)
{
    return "line " + std::to_string(line);
}

/// Keeps the first error, with its line.
class FirstError : public google::protobuf::io::ErrorCollector {
public:
    void AddError(int line, google::protobuf::io::ColumnNumber, const std::string& message) override
    {
        if (text.empty()) {
            at = line + 1;
            text = message;
        }
    }
    void AddWarning(int, google::protobuf::io::ColumnNumber, const std::string&) override {}

    int at = 0;
    std::string text;
};

/// Walks over the text's strings and comments, and counts what it would make.
void checkNesting(std::string_view text)
{
    int depth = 0;
    int messages = 0;
    int line = 1;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        line += c == '\n';
        if (quote != 0) {
            i += c == '\\';
            if (c == quote || c == '\n')
                quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#') {
            i = std::min(text.find('\n', i), text.size()) - 1;
        } else if (c == '{' || c == '<' || c == '[') {
            ++messages;
            if (++depth > kDeepest)
                fail(ErrorCode::FileCorrupt, placeOf(line), {"messages lie more than " + std::to_string(kDeepest) + " deep in each other"});
        } else if (c == '}' || c == '>' || c == ']') {
            --depth;
        }
    }
    if (messages > kMostMessages)
        fail(ErrorCode::TooLarge, {}, {"The number of messages", std::to_string(kMostMessages)});
}

/// "INNER_PRODUCT" -> "InnerProduct".
std::string kindOf(V1LayerParameter::LayerType type)
{
    struct Name { std::string_view old; std::string_view now; };
    constexpr std::array kOdd = {Name{"ABSVAL", "AbsVal"}, Name{"ARGMAX", "ArgMax"}, Name{"BNLL", "BNLL"}, Name{"LRN", "LRN"},
                                 Name{"MVN", "MVN"}, Name{"RELU", "ReLU"}, Name{"TANH", "TanH"}, Name{"HDF5_DATA", "HDF5Data"},
                                 Name{"HDF5_OUTPUT", "HDF5Output"}, Name{"SOFTMAX_LOSS", "SoftmaxWithLoss"}};
    const std::string old = V1LayerParameter::LayerType_Name(type);
    const auto odd = std::ranges::find(kOdd, std::string_view(old), &Name::old);
    if (odd != kOdd.end())
        return std::string(odd->now);
    std::string kind;
    bool isFirst = true;
    for (const char c : old) {
        if (c != '_')
            kind += isFirst || c < 'A' || c > 'Z' ? c : static_cast<char>(c - 'A' + 'a');
        isFirst = c == '_';
    }
    return kind;
}

LayerParameter upgraded(const V1LayerParameter& old)
{
    LayerParameter layer;
    layer.ParseFromString(old.SerializeAsString()); // the shared fields have the same numbers
    layer.DiscardUnknownFields();
    layer.set_type(kindOf(old.type()));
    for (const std::string& name : old.param())
        layer.add_param()->set_name(name);
    return layer;
}

void upgrade(NetParameter& net)
{
    for (const V1LayerParameter& old : net.layers()) {
        if (old.has_layer())
            fail(ErrorCode::FormatUnsupported, {},
                 {"Caffe networks of the first generation (layers { layer {)", "Upgrade it with Caffe's upgrade_net_proto_text."});
        *net.add_layer() = upgraded(old);
    }
    net.clear_layers();
}

bool meets(const NetStateRule& rule, const NetState& state)
{
    const auto hasStage = [&state](const std::string& stage) {
        return std::ranges::find(state.stage(), stage) != state.stage().end();
    };
    return (!rule.has_phase() || rule.phase() == TEST) && (!rule.has_min_level() || state.level() >= rule.min_level())
        && (!rule.has_max_level() || state.level() <= rule.max_level()) && std::ranges::all_of(rule.stage(), hasStage)
        && std::ranges::none_of(rule.not_stage(), hasStage);
}

} // namespace

NetParameter readNet(const std::string& text)
{
    checkNesting(text);
    NetParameter net;
    FirstError error;
    google::protobuf::TextFormat::Parser parser;
    parser.RecordErrorsTo(&error);
    parser.AllowUnknownField(true); // what is not about sizes is not declared
    parser.SetRecursionLimit(kDeepest + 1);
    if (!parser.ParseFromString(text, &net))
        fail(ErrorCode::FileCorrupt, placeOf(std::max(error.at, 1)), {error.text.substr(0, 200)});
    if (net.has_net() || net.has_train_net())
        fail(ErrorCode::FormatUnsupported, {},
             {"Caffe solvers", "Open the network that it names: " + (net.has_net() ? net.net() : net.train_net()) + "."});
    upgrade(net);
    if (net.layer().empty())
        fail(ErrorCode::FileCorrupt, {}, {"it describes no network: there is no layer in it"});
    layered::checkLayerCount(static_cast<std::size_t>(net.layer_size()));
    return net;
}

bool isIncluded(const LayerParameter& layer, const NetParameter& net)
{
    const auto isMet = [&net](const NetStateRule& rule) { return meets(rule, net.state()); };
    if (layer.has_phase() && layer.phase() != TEST && layer.include().empty())
        return false;
    if (!layer.include().empty())
        return std::ranges::any_of(layer.include(), isMet);
    return std::ranges::none_of(layer.exclude(), isMet);
}

} // namespace arenascope::caffe
