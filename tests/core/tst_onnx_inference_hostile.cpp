// SPDX-License-Identifier: MIT
// Random and absurd nodes: inference must end, stay small, and never say less consistent things when it is told less.
#include "core/src/import/onnx/inference.h"
#include "core/src/import/onnx/shape_rules.h"

#include <QtTest>

#include <onnx/defs/schema.h>

#include <cstring>
#include <limits>
#include <random>

using namespace arenascope;
using namespace arenascope::onnx_import;

namespace {

#ifndef ARENASCOPE_HOSTILE_ROUNDS
#define ARENASCOPE_HOSTILE_ROUNDS 60
#endif

struct Kind {
    std::string domain, name;
    const onnx::OpSchema* schema = nullptr;
};

/// Every operator that libonnx or a rule of ours knows, in a stable order.
std::vector<Kind> allKinds()
{
    std::map<std::pair<std::string, std::string>, const onnx::OpSchema*> kinds;
    for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas())
        kinds[{ schema.domain(), schema.Name() }] = onnx::OpSchemaRegistry::Schema(schema.Name(), schema.domain());
    const auto add = [&kinds](const char* domain, std::span<const ShapeRuleEntry> entries) {
        for (const ShapeRuleEntry& entry : entries)
            kinds.emplace(std::pair(std::string(domain), std::string(entry.kind)), nullptr);
    };
    for (const auto entries : { elementwiseRules(), creationRules(), movementRules(), indexingRules(), resizingRules(),
             spatialRules(), matrixRules(), normalizationRules(), reductionRules(), quantizationRules(),
             recurrentRules(), attentionRules(), controlRules(), sequenceRules(), textRules() })
        add("", entries);
    add("com.microsoft", microsoftRules());
    add("ai.onnx.ml", machineLearningRules());
    std::vector<Kind> list;
    for (const auto& [key, schema] : kinds)
        list.push_back({ key.first, key.second, schema });
    return list;
}

class Dice {
public:
    explicit Dice(std::uint64_t seed)
        : m_engine(seed)
    {
    }
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(m_engine() % count); }
    bool oneIn(std::size_t count) { return below(count) == 0; }
    template <class T, std::size_t N>
    T of(const T (&choices)[N])
    {
        return choices[below(N)];
    }

    std::int64_t extent()
    {
        static constexpr std::int64_t kTame[] = { 1, 2, 3, 4, 6, 8 };
        static constexpr std::int64_t kWild[] = { -1, 0, 5, 7, 1000, std::int64_t { 1 } << 31, std::int64_t { 1 } << 62,
            std::numeric_limits<std::int64_t>::max() };
        return oneIn(6) ? of(kWild) : of(kTame);
    }
    std::int64_t number()
    {
        static constexpr std::int64_t kTame[] = { -2, -1, 0, 1, 2, 3, 4, 8 };
        static constexpr std::int64_t kWild[]
            = { std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                  std::int64_t { 1 } << 31, -(std::int64_t { 1 } << 31), 1000000, 65536, -7 };
        return oneIn(8) ? of(kWild) : of(kTame);
    }
    float real()
    {
        static constexpr float kChoices[] = { 0.f, 1.f, 2.f, 0.5f, -1.f, 1e30f, -1e30f, 3.7f, 1e-30f,
            std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN() };
        return of(kChoices);
    }

private:
    std::mt19937_64 m_engine;
};

template <class Number>
void fill(ValueInfo& value, std::size_t count, Dice& dice)
{
    std::vector<std::byte> bytes(count * sizeof(Number));
    for (std::size_t i = 0; i < count; ++i) {
        Number number;
        if constexpr (std::is_floating_point_v<Number>)
            number = static_cast<Number>(dice.real());
        else
            number = static_cast<Number>(dice.number());
        std::memcpy(bytes.data() + i * sizeof(Number), &number, sizeof(Number));
    }
    value.value = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    value.isConstant = true;
}

ValueInfo randomValue(Dice& dice)
{
    using enum ElementType;
    static constexpr ElementType kTypes[] = { Float32, Float32, Float32, Int64, Int64, Int32, Float64, UInt8, Int8,
        Bool, UInt64, Float16, BFloat16, String, Undefined, Int4 };
    static constexpr const char* kKinds[] = { "sequence", "optional", "optional sequence", "sparse tensor", "map" };
    ValueInfo value;
    value.type = dice.of(kTypes);
    if (dice.oneIn(15))
        value.otherKind = dice.of(kKinds);
    value.isDynamic = dice.oneIn(10);
    if (dice.oneIn(12))
        return value;
    const bool content = dice.oneIn(2);
    std::vector<std::int64_t> dims(dice.below(content ? 3 : 6));
    std::int64_t count = 1;
    for (std::int64_t& extent : dims) {
        extent = content ? static_cast<std::int64_t>(dice.below(5)) : dice.extent();
        count *= content ? extent : 1;
    }
    value.shape = Shape::of(dims);
    if (!content || !value.otherKind.empty())
        return value;
    switch (value.type) {
    case Float32:
        fill<float>(value, static_cast<std::size_t>(count), dice);
        break;
    case Float64:
        fill<double>(value, static_cast<std::size_t>(count), dice);
        break;
    case Int32:
        fill<std::int32_t>(value, static_cast<std::size_t>(count), dice);
        break;
    case Int64:
    case UInt64:
        fill<std::int64_t>(value, static_cast<std::size_t>(count), dice);
        break;
    case UInt8:
    case Int8:
    case Bool:
        fill<std::uint8_t>(value, static_cast<std::size_t>(count), dice);
        break;
    default:
        break;
    }
    if (value.type == Int64 && dims.size() == 1 && dice.oneIn(4)) { // partly known
        value.partialValue = *integers(value);
        value.value.reset();
        value.isConstant = false;
        if (!value.partialValue.empty())
            value.partialValue[dice.below(value.partialValue.size())] = kUnknownDim;
    }
    return value;
}

void addAttribute(onnx::NodeProto& node, const std::string& name, int type, Dice& dice)
{
    static constexpr const char* kTexts[] = { "", "SAME_UPPER", "SAME_LOWER", "VALID", "ij,jk->ik", "...ij->...",
        "bidirectional", "not_larger", "tf_crop_and_resize", "i,", "->", "none", "FLOAT" };
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(static_cast<onnx::AttributeProto::AttributeType>(type));
    const std::size_t count = dice.below(6);
    switch (type) {
    case onnx::AttributeProto::INT:
        attribute->set_i(dice.number());
        break;
    case onnx::AttributeProto::FLOAT:
        attribute->set_f(dice.real());
        break;
    case onnx::AttributeProto::STRING:
        attribute->set_s(dice.of(kTexts));
        break;
    case onnx::AttributeProto::INTS:
        for (std::size_t i = 0; i < count; ++i)
            attribute->add_ints(dice.number());
        break;
    case onnx::AttributeProto::FLOATS:
        for (std::size_t i = 0; i < count; ++i)
            attribute->add_floats(dice.real());
        break;
    case onnx::AttributeProto::STRINGS:
        for (std::size_t i = 0; i < count; ++i)
            attribute->add_strings(dice.of(kTexts));
        break;
    case onnx::AttributeProto::TENSOR:
        attribute->mutable_t()->set_data_type(static_cast<int>(dice.below(30)));
        for (std::size_t i = 0; i < count; ++i)
            attribute->mutable_t()->add_dims(dice.number());
        attribute->mutable_t()->add_int64_data(dice.number());
        break;
    case onnx::AttributeProto::GRAPH:
        attribute->mutable_g()->add_node()->set_op_type("Relu");
        break;
    default:
        break;
    }
}

void addAttributes(onnx::NodeProto& node, const Kind& kind, Dice& dice)
{
    static constexpr const char* kNames[] = { "axis", "axes", "kernel_shape", "strides", "pads", "dilations", "group",
        "auto_pad", "ceil_mode", "perm", "split", "num_outputs", "keepdims", "to", "value", "blocksize", "num_heads",
        "kv_num_heads", "q_num_heads", "body", "num_scan_inputs", "layout", "hidden_size", "equation", "shape",
        "scales", "border", "scale", "transA", "transB" };
    static constexpr int kTypes[] = { onnx::AttributeProto::INT, onnx::AttributeProto::INTS,
        onnx::AttributeProto::STRING, onnx::AttributeProto::FLOAT, onnx::AttributeProto::FLOATS,
        onnx::AttributeProto::TENSOR, onnx::AttributeProto::GRAPH, onnx::AttributeProto::STRINGS };
    if (kind.schema) {
        for (const auto& [name, attribute] : kind.schema->attributes()) {
            if (!dice.oneIn(3))
                addAttribute(node, name, dice.oneIn(20) ? dice.of(kTypes) : static_cast<int>(attribute.type), dice);
        }
        return;
    }
    for (std::size_t i = dice.below(8); i > 0; --i) {
        const char* name = dice.of(kNames);
        const bool plural = std::string(name).ends_with("s") && std::string(name) != "axis";
        addAttribute(node, name,
            dice.oneIn(6) ? dice.of(kTypes)
                : plural  ? int(onnx::AttributeProto::INTS)
                          : int(onnx::AttributeProto::INT),
            dice);
    }
}

struct Trial {
    onnx::NodeProto node;
    std::vector<std::optional<ValueInfo>> inputs;
    std::int64_t opset = 1;

    InferenceOutcome run(std::vector<ValueInfo> bodyOutputs) const
    {
        std::vector<const ValueInfo*> pointers;
        for (const auto& input : inputs)
            pointers.push_back(input ? &*input : nullptr);
        const auto body = [&bodyOutputs](const onnx::GraphProto&, std::span<const ValueInfo>) { return bodyOutputs; };
        return inferNode(node, pointers, { { node.domain(), opset } }, body);
    }
};

Trial randomTrial(const Kind& kind, Dice& dice)
{
    Trial trial;
    trial.node.set_op_type(kind.name);
    trial.node.set_domain(kind.domain);
    trial.opset = static_cast<std::int64_t>(dice.below(26));
    addAttributes(trial.node, kind, dice);
    std::size_t count = dice.below(7);
    if (kind.schema && !dice.oneIn(6)) {
        const auto least = static_cast<std::size_t>(kind.schema->min_input());
        const auto most = std::min<std::size_t>(static_cast<std::size_t>(kind.schema->max_input()), least + 4);
        count = least + dice.below(most - least + 1);
    }
    for (std::size_t i = 0; i < count; ++i) {
        trial.node.add_input("x" + std::to_string(i));
        trial.inputs.push_back(dice.oneIn(15) ? std::nullopt : std::optional(randomValue(dice)));
    }
    for (std::size_t o = 1 + dice.below(4); o > 0; --o)
        trial.node.add_output("y" + std::to_string(o));
    return trial;
}

/// "" or what is wrong with an outcome, whatever the node.
QString defect(const Trial& trial, const InferenceOutcome& outcome)
{
    if (outcome.outputs.size() != static_cast<std::size_t>(trial.node.output_size()))
        return "another number of outputs";
    for (const ValueInfo& output : outcome.outputs) {
        if (output.shape.rankKnown && output.shape.dims.size() > 64)
            return "too many dimensions";
        for (const std::int64_t extent : output.shape.dims) {
            if (extent < kUnknownDim)
                return "an extent below -1";
        }
        if (!output.shape.symbols.empty() && output.shape.symbols.size() != output.shape.dims.size())
            return "symbols do not fit the dimensions";
        const auto count = output.shape.elementCount();
        if (output.shape.isStatic() && !count)
            return "an overflowing shape";
        if (output.value
            && (!count || static_cast<std::int64_t>(output.value->size()) * 8 != *count * bitsPerElement(output.type)))
            return "a content that does not fit the shape";
        if (output.value && !output.isConstant)
            return "a content that is no constant";
        if (!output.partialValue.empty() && (!count || *count != static_cast<std::int64_t>(output.partialValue.size())))
            return "a partly known content that does not fit the shape";
    }
    return {};
}

/// The same trial, told less.
Trial blurred(const Trial& trial, Dice& dice)
{
    Trial less = trial;
    for (auto& input : less.inputs) {
        if (!input)
            continue;
        if (dice.oneIn(2)) {
            input->value.reset();
            input->partialValue.clear();
            input->isConstant = false;
        }
        for (std::int64_t& extent : input->shape.dims) {
            if (!input->value && input->partialValue.empty() && dice.oneIn(3))
                extent = kUnknownDim;
        }
        if (!input->value && input->partialValue.empty() && dice.oneIn(8))
            input->shape = {};
    }
    return less;
}

/// "" or how the second outcome contradicts the first, which knows more.
QString conflict(const InferenceOutcome& more, const InferenceOutcome& less)
{
    for (std::size_t o = 0; o < more.outputs.size(); ++o) {
        const ValueInfo& a = more.outputs[o];
        const ValueInfo& b = less.outputs[o];
        const QString text = QString::fromStdString(toString(a.shape) + " but told less " + toString(b.shape));
        if (!a.shape.rankKnown || !b.shape.rankKnown)
            continue;
        if (a.shape.dims.size() != b.shape.dims.size())
            return text;
        for (std::size_t d = 0; d < a.shape.dims.size(); ++d) {
            if (a.shape.dims[d] != kUnknownDim && b.shape.dims[d] != kUnknownDim && a.shape.dims[d] != b.shape.dims[d])
                return text;
        }
        if (a.value && b.value && *a.value != *b.value)
            return "another content when told less";
    }
    return {};
}

QByteArray described(const Trial& trial)
{
    std::string text = trial.node.ShortDebugString() + " opset " + std::to_string(trial.opset);
    for (const auto& input : trial.inputs) {
        text += input
            ? "\n  " + std::string(elementTypeName(input->type)) + " " + toString(input->shape) + " " + input->otherKind
            : std::string("\n  none");
        const auto known = input ? integers(*input) : std::nullopt;
        for (std::size_t i = 0; known && i < known->size(); ++i)
            text += " " + std::to_string((*known)[i]);
        for (std::size_t i = 0; input && i < input->partialValue.size(); ++i)
            text += " ~" + std::to_string(input->partialValue[i]);
    }
    return QByteArray::fromStdString(text);
}

} // namespace

class TestOnnxInferenceHostile : public QObject {
    Q_OBJECT
private slots:
    void randomNodesGiveConsistentOutcomes();
};

void TestOnnxInferenceHostile::randomNodesGiveConsistentOutcomes()
{
    const std::vector<Kind> kinds = allKinds();
    QVERIFY(kinds.size() > 250);
    QStringList failures;
    std::size_t good = 0;
    std::size_t compared = 0;
    for (int round = 0; round < ARENASCOPE_HOSTILE_ROUNDS; ++round) {
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            Dice dice(static_cast<std::uint64_t>(round) * 1000 + k);
            const Trial trial = randomTrial(kinds[k], dice);
            const std::vector<ValueInfo> body(dice.below(4), randomValue(dice));
            if (qEnvironmentVariableIsSet("ARENASCOPE_VERBOSE"))
                qInfo("%s", described(trial).constData());
            const InferenceOutcome outcome = trial.run(body);
            const QString wrong = defect(trial, outcome);
            if (!wrong.isEmpty())
                failures << wrong + ": " + described(trial);
            if (!outcome.problem.empty())
                continue;
            ++good;
            const Trial less = blurred(trial, dice);
            const InferenceOutcome blurredOutcome = less.run(body);
            if (!blurredOutcome.problem.empty())
                continue;
            ++compared;
            const QString clash = conflict(outcome, blurredOutcome);
            if (!clash.isEmpty())
                failures << clash + ": " + described(trial);
        }
    }
    qInfo("%zu kinds, %zu nodes that fit their inputs, %zu compared with what is said when told less", kinds.size(),
        good, compared);
    for (const QString& failure : failures.mid(0, 30))
        qWarning("%s", qPrintable(failure));
    QCOMPARE(failures.size(), 0);
    QVERIFY(good > kinds.size());
}

QTEST_APPLESS_MAIN(TestOnnxInferenceHostile)
#include "tst_onnx_inference_hostile.moc"
