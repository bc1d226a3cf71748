// SPDX-License-Identifier: MIT
// Shapes, types and values of single ONNX operators, with answers worked out by hand.
#include "core/src/import/onnx/inference.h"

#include <QtTest>

#include <cstring>
#include <limits>

using namespace arenascope;
using namespace arenascope::onnx_import;

namespace {

constexpr std::int64_t U = kUnknownDim;

ValueInfo tensor(ElementType type, std::vector<std::int64_t> dims)
{
    ValueInfo value;
    value.type = type;
    value.shape = Shape::of(std::move(dims));
    return value;
}

template <class Number>
ValueInfo constantOf(ElementType type, std::vector<std::int64_t> dims, const std::vector<Number>& numbers)
{
    ValueInfo value = tensor(type, std::move(dims));
    std::vector<std::byte> bytes(numbers.size() * sizeof(Number));
    if (!bytes.empty())
        std::memcpy(bytes.data(), numbers.data(), bytes.size());
    value.value = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    value.isConstant = true;
    return value;
}

ValueInfo ints(const std::vector<std::int64_t>& numbers)
{
    return constantOf(ElementType::Int64, { static_cast<std::int64_t>(numbers.size()) }, numbers);
}

ValueInfo scalar(std::int64_t number)
{
    return constantOf<std::int64_t>(ElementType::Int64, {}, { number });
}

ValueInfo floats(const std::vector<float>& numbers)
{
    return constantOf(ElementType::Float32, { static_cast<std::int64_t>(numbers.size()) }, numbers);
}

/// A node that is written in a line: Node("Conv").withInts("strides", {2, 2})...
class Node {
public:
    explicit Node(const char* kind, int outputs = 1, const char* domain = "")
    {
        m_proto.set_op_type(kind);
        m_proto.set_domain(domain);
        for (int o = 0; o < outputs; ++o)
            m_proto.add_output("y" + std::to_string(o));
    }
    Node& with(const char* name, std::int64_t number)
    {
        auto* attribute = add(name, onnx::AttributeProto::INT);
        attribute->set_i(number);
        return *this;
    }
    Node& withInts(const char* name, std::vector<std::int64_t> numbers)
    {
        auto* attribute = add(name, onnx::AttributeProto::INTS);
        attribute->mutable_ints()->Add(numbers.begin(), numbers.end());
        return *this;
    }
    Node& withText(const char* name, const char* text)
    {
        add(name, onnx::AttributeProto::STRING)->set_s(text);
        return *this;
    }
    Node& withGraph(const char* name)
    {
        add(name, onnx::AttributeProto::GRAPH)->mutable_g();
        return *this;
    }
    int outputCount() const { return m_proto.output_size(); }
    InferenceOutcome run(
        const std::vector<ValueInfo>& inputs, std::int64_t opset = 17, const SubgraphInference& body = {}) const
    {
        std::vector<const ValueInfo*> pointers;
        for (const ValueInfo& input : inputs)
            pointers.push_back(input.otherKind == "left out" ? nullptr : &input);
        return inferNode(m_proto, pointers, { { "", opset }, { "com.microsoft", 1 }, { "ai.onnx.ml", 3 } }, body);
    }

private:
    onnx::AttributeProto* add(const char* name, onnx::AttributeProto::AttributeType type)
    {
        auto* attribute = m_proto.add_attribute();
        attribute->set_name(name);
        attribute->set_type(type);
        return attribute;
    }
    onnx::NodeProto m_proto;
};

ValueInfo leftOut()
{
    ValueInfo value;
    value.otherKind = "left out";
    return value;
}

QString dimsOf(const InferenceOutcome& outcome, std::size_t o = 0)
{
    return QString::fromStdString(outcome.problem.empty() ? toString(outcome.outputs.at(o).shape) : "problem");
}

} // namespace

class TestOnnxInference : public QObject {
    Q_OBJECT
private slots:
    void elementTypesGoBothWays();
    void reshapeFindsTheOpenExtent();
    void shapeArithmeticOfAPartlyKnownShape();
    void resizeByScalesAndBySizes();
    void shapesByHand_data();
    void shapesByHand();
    void typesByHand();
    void valuesByHand_data();
    void valuesByHand();
    void mismatchesAreProblems_data();
    void mismatchesAreProblems();
    void absurdSizesAreProblemsAndCheap();
    void sequencesAndMapsAreNoTensors();
    void loopsSettleTheirShapes();
    void branchesAgreeOnWhatTheyShare();
    void constantsAndDynamicShapes();
    void unknownOperatorsAreSaidToBe();
};

void TestOnnxInference::elementTypesGoBothWays()
{
    for (int number = 1; number <= 16; ++number)
        QCOMPARE(onnxFromElementType(elementTypeFromOnnx(number)), number);
    QCOMPARE(elementTypeFromOnnx(22), ElementType::Int4);
    QCOMPARE(elementTypeFromOnnx(-1), ElementType::Undefined);
    QCOMPARE(elementTypeFromOnnx(1000), ElementType::Undefined);
}

void TestOnnxInference::reshapeFindsTheOpenExtent()
{
    const ValueInfo x = tensor(ElementType::Float32, { 2, 3, 4 });
    QCOMPARE(dimsOf(Node("Reshape").run({ x, ints({ 0, -1 }) })), "2x12");
    QCOMPARE(dimsOf(Node("Reshape").run({ x, ints({ -1, 5 }) })), "problem"); // 24 is not divisible by 5
    QCOMPARE(dimsOf(Node("Reshape").run({ x, ints({ -1, -1 }) })), "problem");
    QCOMPARE(dimsOf(Node("Reshape").run({ tensor(ElementType::Float32, { U, 3, 4 }), ints({ 0, -1 }) })), "?x12");
    QCOMPARE(dimsOf(Node("Reshape").withInts("shape", { 4, -1 }).run({ x }, 4)), "4x6");
}

void TestOnnxInference::shapeArithmeticOfAPartlyKnownShape()
{
    const ValueInfo x = tensor(ElementType::Float32, { U, 8, 4, 4 });
    const ValueInfo shape = Node("Shape").run({ x }).outputs[0];
    QCOMPARE(shape.partialValue, (std::vector<std::int64_t> { U, 8, 4, 4 }));
    QVERIFY(!shape.isConstant);
    const ValueInfo channels = Node("Gather").run({ shape, scalar(1) }).outputs[0];
    QCOMPARE(channels.partialValue, std::vector<std::int64_t> { 8 });
    const ValueInfo half = Node("Div").run({ channels, scalar(2) }).outputs[0];
    const ValueInfo row = Node("Unsqueeze").run({ half, ints({ 0 }) }).outputs[0];
    const ValueInfo target = Node("Concat").with("axis", 0).run({ ints({ 0 }), row, ints({ -1 }) }).outputs[0];
    QCOMPARE(dimsOf(Node("Reshape").run({ tensor(ElementType::Float32, { 2, 8, 4, 4 }), target })), "2x4x32");
}

void TestOnnxInference::resizeByScalesAndBySizes()
{
    const ValueInfo x = tensor(ElementType::Float32, { 1, 3, 5, 7 });
    QCOMPARE(dimsOf(Node("Resize").run({ x, leftOut(), floats({ 1, 1, 0.5f, 2 }) })), "1x3x2x14");
    QCOMPARE(dimsOf(Node("Resize").run({ x, leftOut(), leftOut(), ints({ 1, 3, 10, 10 }) })), "1x3x10x10");
    QCOMPARE(dimsOf(Node("Resize").run({ x, floats({ 1, 1, 2, 2 }) }, 10)), "1x3x10x14");
    QCOMPARE(dimsOf(Node("Resize")
                        .withText("keep_aspect_ratio_policy", "not_larger")
                        .withInts("axes", { 2, 3 })
                        .run({ x, leftOut(), leftOut(), ints({ 10, 21 }) }, 18)),
        "1x3x10x14");
}

/// One operator with what it is given and the shape of its first output (or of output `o`).
struct ShapeCase {
    Node node;
    std::vector<ValueInfo> inputs;
    std::int64_t opset = 17;
    QString shape = {};
    std::size_t output = 0;
};
Q_DECLARE_METATYPE(ShapeCase)

void TestOnnxInference::shapesByHand_data()
{
    QTest::addColumn<ShapeCase>("given");
    const auto f = [](std::vector<std::int64_t> dims) { return tensor(ElementType::Float32, std::move(dims)); };
    const auto row = [](const char* name, ShapeCase given) { QTest::newRow(name) << given; };
    const ValueInfo image = f({ 1, 3, 224, 224 });

    row("convolution with stride 2 and padding 3",
        { Node("Conv").withInts("strides", { 2, 2 }).withInts("pads", { 3, 3, 3, 3 }), { image, f({ 64, 3, 7, 7 }) },
            17, "1x64x112x112" });
    row("dilated convolution: (3-1)*2+1 = 5 wide",
        { Node("Conv").withInts("dilations", { 2, 2 }), { image, f({ 8, 3, 3, 3 }) }, 17, "1x8x220x220" });
    row("depthwise convolution", { Node("Conv").with("group", 3), { image, f({ 6, 1, 3, 3 }) }, 17, "1x6x222x222" });
    row("convolution of an unknown batch", { Node("Conv"), { f({ U, 3, 8, 8 }), f({ 4, 3, 3, 3 }) }, 17, "?x4x6x6" });
    row("SAME rounds up",
        { Node("Conv").withText("auto_pad", "SAME_UPPER").withInts("strides", { 2, 2 }),
            { f({ 1, 3, 7, 7 }), f({ 4, 3, 3, 3 }) }, 17, "1x4x4x4" });
    row("pooling rounds down",
        { Node("MaxPool").withInts("kernel_shape", { 2, 2 }).withInts("strides", { 2, 2 }), { f({ 1, 4, 7, 7 }) }, 17,
            "1x4x3x3" });
    row("pooling rounds up on request",
        { Node("MaxPool").withInts("kernel_shape", { 2, 2 }).withInts("strides", { 2, 2 }).with("ceil_mode", 1),
            { f({ 1, 4, 7, 7 }) }, 17, "1x4x4x4" });
    row("no window begins in the padding at the end",
        { Node("AveragePool")
                .withInts("kernel_shape", { 1 })
                .withInts("strides", { 3 })
                .withInts("pads", { 0, 2 })
                .with("ceil_mode", 1),
            { f({ 1, 1, 3 }) }, 19, "1x1x2" });
    row("average pooling with holes (opset 19)",
        { Node("AveragePool").withInts("kernel_shape", { 3 }).withInts("dilations", { 2 }), { f({ 1, 1, 9 }) }, 19,
            "1x1x5" });
    row("transposed convolution",
        { Node("ConvTranspose").withInts("strides", { 2, 2 }).withInts("output_padding", { 1, 1 }),
            { f({ 1, 8, 5, 5 }), f({ 8, 4, 3, 3 }) }, 17, "1x4x12x12" });
    row("transposed convolution to a wanted shape",
        { Node("ConvTranspose").withInts("strides", { 3, 3 }).withInts("output_shape", { 10, 8 }),
            { f({ 1, 1, 3, 3 }), f({ 1, 2, 3, 3 }) }, 17, "1x2x10x8" });
    row("deformable convolution (opset 19)",
        { Node("DeformConv").withInts("pads", { 1, 1, 1, 1 }),
            { f({ 1, 4, 6, 6 }), f({ 8, 4, 3, 3 }), f({ 1, 18, 6, 6 }) }, 19, "1x8x6x6" });
    row("pooling over everything", { Node("GlobalAveragePool"), { image }, 17, "1x3x1x1" });

    row("broadcasting of partly known shapes", { Node("Add"), { f({ U, 1, 5 }), f({ 4, U }) }, 17, "?x4x5" });
    row("the old second operand is stretched to the first",
        { Node("Add").with("broadcast", 1).with("axis", 1), { f({ 2, 3, 4 }), f({ 3 }) }, 6, "2x3x4" });
    row("product of batches", { Node("MatMul"), { f({ 2, 1, 3, 4 }), f({ 5, 4, 6 }) }, 17, "2x5x3x6" });
    row("vector times matrix", { Node("MatMul"), { f({ 4 }), f({ 4, 6 }) }, 17, "6" });
    row("transposed product",
        { Node("Gemm").with("transA", 1).with("transB", 1), { f({ 4, 2 }), f({ 6, 4 }) }, 17, "2x6" });
    row("equation with batches",
        { Node("Einsum").withText("equation", "...ij,...jk->...ik"), { f({ 7, 2, 3 }), f({ 3, 4 }) }, 17, "7x2x4" });
    row("equation without an output sums what is repeated",
        { Node("Einsum").withText("equation", "ij,jk"), { f({ 2, 3 }), f({ 3, 4 }) }, 17, "2x4" });

    row("concatenation", { Node("Concat").with("axis", -1), { f({ 2, 3 }), f({ 2, 5 }) }, 17, "2x8" });
    row("concatenation learns an extent from a neighbour",
        { Node("Concat").with("axis", 1), { f({ U, 3 }), f({ 2, 5 }) }, 17, "2x8" });
    row("split into unlike parts by number (opset 18)",
        { Node("Split", 3).with("num_outputs", 3), { f({ 7 }) }, 18, "1", 2 });
    row("split by sizes", { Node("Split", 2).with("axis", 1), { f({ 2, 5 }), ints({ 2, 3 }) }, 17, "2x3", 1 });
    row("slice backwards",
        { Node("Slice"), { f({ 10 }), ints({ -1 }), ints({ -100 }), ints({ 0 }), ints({ -3 }) }, 17, "4" });
    row("slice of attributes",
        { Node("Slice").withInts("starts", { 1 }).withInts("ends", { 1000 }).withInts("axes", { 1 }), { f({ 2, 5 }) },
            9, "2x4" });
    row("slice to the end keeps an unknown extent",
        { Node("Slice"), { f({ U, 5 }), ints({ 0 }), ints({ std::numeric_limits<std::int64_t>::max() }), ints({ 0 }) },
            17, "?x5" });
    row("padding of some axes (opset 18)",
        { Node("Pad"), { f({ 2, 3, 4 }), ints({ 1, 2 }), leftOut(), ints({ -1 }) }, 18, "2x3x7" });
    row("padding by an old attribute",
        { Node("Pad").withInts("paddings", { 0, 0, 1, 1, 0, 0, 1, 1 }), { f({ 1, 1, 4, 4 }) }, 1, "1x1x6x6" });
    row("negative padding crops", { Node("Pad"), { f({ 5 }), ints({ -1, -2 }) }, 17, "2" });
    row("tiles", { Node("Tile"), { f({ 2, 3 }), ints({ 2, 1 }) }, 17, "4x3" });
    row("expansion keeps what is larger", { Node("Expand"), { f({ 3, 1 }), ints({ 2, 1, 6 }) }, 17, "2x3x6" });
    row("unsqueeze by input", { Node("Unsqueeze"), { f({ 3, 4 }), ints({ 0, -1 }) }, 17, "1x3x4x1" });
    row("squeeze of all ones", { Node("Squeeze"), { f({ 1, 3, 1 }) }, 17, "3" });
    row("flatten behind the last axis", { Node("Flatten").with("axis", 2), { f({ 2, 3 }) }, 17, "6x1" });
    row("gather puts the indices' shape in",
        { Node("Gather").with("axis", 1), { f({ 5, 6, 7 }), tensor(ElementType::Int64, { 2, 3 }) }, 17, "5x2x3x7" });
    row("gather of tuples",
        { Node("GatherND").with("batch_dims", 1), { f({ 2, 3, 4, 5 }), tensor(ElementType::Int64, { 2, 9, 2 }) }, 17,
            "2x9x5" });
    row("depth to space", { Node("DepthToSpace").with("blocksize", 2), { f({ 1, 8, 3, 3 }) }, 17, "1x2x6x6" });
    row("experimental crop",
        { Node("Crop").withInts("border", { 1, 2, 3, 4 }), { f({ 1, 3, 10, 10 }) }, 6, "1x3x4x6" });
    row("crop or pad about the middle (opset 18)",
        { Node("CenterCropPad").withInts("axes", { 0, 1 }), { f({ 10, 5, 3 }), ints({ 7, 9 }) }, 18, "7x9x3" });
    row("columns to image (opset 18)",
        { Node("Col2Im"), { f({ 1, 12, 9 }), ints({ 5, 5 }), ints({ 2, 2 }) }, 18, "1x3x5x5" });
    row("sampling of a volume (opset 20)",
        { Node("GridSample"), { f({ 1, 2, 4, 4, 4 }), f({ 1, 3, 5, 6, 3 }) }, 20, "1x2x3x5x6" });
    row("grid of an affine map (opset 20)",
        { Node("AffineGrid"), { f({ 2, 2, 3 }), ints({ 2, 3, 5, 6 }) }, 20, "2x5x6x2" });

    row("reduction by attribute",
        { Node("ReduceMean").withInts("axes", { -1 }).with("keepdims", 0), { f({ 2, 3, 4 }) }, 17, "2x3" });
    row("reduction by input (opset 18)", { Node("ReduceMean"), { f({ 2, 3, 4 }), ints({ 0, 2 }) }, 18, "1x3x1" });
    row("reduction of nothing", { Node("ReduceSum").with("noop_with_empty_axes", 1), { f({ 2, 3 }) }, 17, "2x3" });
    row("index of the largest", { Node("ArgMax").with("axis", 1).with("keepdims", 0), { f({ 2, 3, 4 }) }, 17, "2x4" });
    row("the k largest", { Node("TopK", 2), { f({ 3, 10 }), ints({ 4 }) }, 17, "3x4", 1 });
    row("layer normalisation's mean",
        { Node("LayerNormalization", 3).with("axis", -2), { f({ 2, 3, 4 }), f({ 3, 4 }) }, 17, "2x1x1", 1 });
    row("batch normalisation's statistics",
        { Node("BatchNormalization", 3), { f({ 2, 5, 4 }), f({ 5 }), f({ 5 }), f({ 5 }), f({ 5 }) }, 15, "5", 2 });
    row("group normalisation (opset 18)",
        { Node("GroupNormalization").with("num_groups", 2), { f({ 2, 4, 9 }), f({ 4 }), f({ 4 }) }, 21, "2x4x9" });
    row("a two-way recurrent layer",
        { Node("LSTM", 3).with("hidden_size", 16).withText("direction", "bidirectional"),
            { f({ 7, 2, 10 }), f({ 2, 64, 10 }), f({ 2, 64, 16 }) }, 17, "7x2x2x16" });
    row("its last state",
        { Node("GRU", 2).with("hidden_size", 16), { f({ 7, 2, 10 }), f({ 1, 48, 10 }), f({ 1, 48, 16 }) }, 17, "1x2x16",
            1 });
    row("attention with folded heads (opset 23)",
        { Node("Attention").with("q_num_heads", 4).with("kv_num_heads", 2),
            { f({ 2, 5, 32 }), f({ 2, 7, 16 }), f({ 2, 7, 20 }) }, 23, "2x5x40" });
    row("attention's keys with a past (opset 23)",
        { Node("Attention", 3),
            { f({ 2, 4, 5, 8 }), f({ 2, 2, 1, 8 }), f({ 2, 2, 1, 8 }), leftOut(), f({ 2, 2, 6, 8 }),
                f({ 2, 2, 6, 8 }) },
            23, "2x2x7x8", 1 });
    row("half of a real signal's spectrum",
        { Node("DFT").with("onesided", 1).with("axis", 1), { f({ 1, 10, 1 }) }, 17, "1x6x2" });
    row("frames of a signal", { Node("STFT"), { f({ 1, 128, 1 }), scalar(8), leftOut(), scalar(16) }, 17, "1x15x9x2" });
    row("range of integers, rounded up", { Node("Range"), { scalar(3), scalar(10), scalar(2) }, 17, "4" });
    row("range downwards", { Node("Range"), { scalar(10), scalar(3), scalar(-3) }, 17, "3" });
    row("one-hot",
        { Node("OneHot").with("axis", 1), { tensor(ElementType::Int64, { 2, 3 }), scalar(10), f({ 2 }) }, 17,
            "2x10x3" });
    row("positions of what is not 0", { Node("NonZero"), { ints({ 0, 3, 0, 4, 5 }) }, 17, "1x3" });

    row("fused product (com.microsoft)",
        { Node("FusedMatMul", 1, "com.microsoft").with("transB", 1), { f({ 2, 3, 4 }), f({ 2, 5, 4 }) }, 17, "2x3x5" });
    row("quantised sum (com.microsoft)",
        { Node("QLinearAdd", 1, "com.microsoft"), { f({ 2, 1 }), f({}), f({}), f({ 3 }), f({}), f({}), f({}), f({}) },
            17, "2x3" });
    row("quantised concatenation (com.microsoft)",
        { Node("QLinearConcat", 1, "com.microsoft").with("axis", 1),
            { f({}), f({}), f({ 2, 3 }), f({}), f({}), f({ 2, 4 }), f({}), f({}) }, 17, "2x7" });
    row("self-attention (com.microsoft)",
        { Node("Attention", 1, "com.microsoft").with("num_heads", 4), { f({ 2, 5, 16 }), f({ 16, 96 }) }, 17,
            "2x5x32" });
    row("embedding (com.microsoft)",
        { Node("EmbedLayerNormalization", 2, "com.microsoft"),
            { tensor(ElementType::Int32, { 2, 8 }), leftOut(), f({ 100, 16 }) }, 17, "2x8x16" });
    row("pooling with the channels last (com.microsoft)",
        { Node("NhwcMaxPool", 1, "com.microsoft").withInts("kernel_shape", { 2, 2 }).withInts("strides", { 2, 2 }),
            { f({ 1, 8, 6, 3 }) }, 17, "1x4x3x3" });
    row("scores of a classifier (ai.onnx.ml)",
        { Node("LinearClassifier", 2, "ai.onnx.ml").withInts("classlabels_ints", { 0, 1, 2 }), { f({ 5, 4 }) }, 17,
            "5x3", 1 });
    row("features by index (ai.onnx.ml)",
        { Node("ArrayFeatureExtractor", 1, "ai.onnx.ml"), { f({ 3, 4 }), ints({ 0, 2 }) }, 17, "3x2" });
}

void TestOnnxInference::shapesByHand()
{
    QFETCH(ShapeCase, given);
    const InferenceOutcome outcome = given.node.run(given.inputs, given.opset);
    QVERIFY(outcome.operatorKnown);
    QCOMPARE(QString::fromStdString(outcome.problem), QString());
    QCOMPARE(dimsOf(outcome, given.output), given.shape);
}

void TestOnnxInference::typesByHand()
{
    using enum ElementType;
    const auto typeOf = [](InferenceOutcome outcome, std::size_t o = 0) { return outcome.outputs.at(o).type; };
    const ValueInfo x = tensor(Float32, { 2 });
    const ValueInfo q = tensor(Int8, { 2 });
    QCOMPARE(typeOf(Node("Cast").with("to", 22).run({ x }, 21)), Int4);
    QCOMPARE(typeOf(Node("Cast").withText("to", "DOUBLE").run({ x }, 5)), Float64);
    QCOMPARE(typeOf(Node("CastLike").run({ x, q })), Int8);
    QCOMPARE(typeOf(Node("Equal").run({ x, x })), Bool);
    QCOMPARE(typeOf(Node("Shape").run({ x })), Int64);
    QCOMPARE(typeOf(Node("QuantizeLinear").run({ x, x })), UInt8);
    QCOMPARE(typeOf(Node("QuantizeLinear").run({ x, x, q })), Int8);
    QCOMPARE(typeOf(Node("QuantizeLinear").with("output_dtype", 17).run({ x, x }, 21)), Float8);
    QCOMPARE(typeOf(Node("DequantizeLinear").run({ q, tensor(Float16, {}) }, 19)), Float16);
    QCOMPARE(typeOf(Node("DequantizeLinear").run({ q, x }, 13)), Float32);
    QCOMPARE(typeOf(Node("MatMulInteger").run({ tensor(UInt8, { 2, 2 }), tensor(Int8, { 2, 2 }) })), Int32);
    QCOMPARE(typeOf(Node("Dropout", 2).run({ x }, 13), 1), Bool);
    QCOMPARE(typeOf(Node("Dropout", 2).run({ x }, 7), 1), Float32);
    QCOMPARE(typeOf(Node("Where").run({ tensor(Bool, { 2 }), q, q })), Int8);
    QCOMPARE(typeOf(Node("Pow").run({ q, x })), Int8);
    QCOMPARE(
        typeOf(Node("LayerNormalization", 2).run({ tensor(Float16, { 2, 4 }), tensor(Float16, { 4 }) }), 1), Float32);
    QCOMPARE(typeOf(Node("StringConcat").run({ tensor(String, { 2 }), tensor(String, { 2 }) }, 20)), String);
    QCOMPARE(typeOf(Node("RegexFullMatch").run({ tensor(String, { 2 }) }, 20)), Bool);
}

void TestOnnxInference::valuesByHand_data()
{
    using Numbers = std::vector<std::int64_t>;
    QTest::addColumn<ShapeCase>("given");
    QTest::addColumn<Numbers>("numbers");
    const auto row
        = [](const char* name, ShapeCase given, Numbers numbers) { QTest::newRow(name) << given << numbers; };
    const ValueInfo x = tensor(ElementType::Float32, { 2, 3, 5, 7 });
    const ValueInfo matrix = constantOf<std::int64_t>(ElementType::Int64, { 2, 3 }, { 1, 2, 3, 4, 5, 6 });

    row("part of a shape", { Node("Shape").with("start", 1).with("end", -1), { x } }, { 3, 5 });
    row("number of elements", { Node("Size"), { x } }, { 210 });
    row("columns", { Node("Gather").with("axis", 1), { matrix, ints({ 2, -3 }) } }, { 3, 1, 6, 4 });
    row("elements",
        { Node("GatherElements").with("axis", 1),
            { matrix, constantOf<std::int64_t>(ElementType::Int64, { 2, 1 }, { 2, 0 }) } },
        { 3, 4 });
    row("tuples",
        { Node("GatherND"), { matrix, constantOf<std::int64_t>(ElementType::Int64, { 2, 2 }, { 0, 1, 1, 2 }) } },
        { 2, 6 });
    row("side by side", { Node("Concat").with("axis", 1), { matrix, matrix } }, { 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6 });
    row("every second, backwards",
        { Node("Slice"), { ints({ 1, 2, 3, 4, 5 }), ints({ -1 }), ints({ -100 }), ints({ 0 }), ints({ -2 }) } },
        { 5, 3, 1 });
    row("turned", { Node("Transpose"), { matrix } }, { 1, 4, 2, 5, 3, 6 });
    row("repeated", { Node("Tile"), { ints({ 1, 2 }), ints({ 2 }) } }, { 1, 2, 1, 2 });
    row("stretched",
        { Node("Expand"), { constantOf<std::int64_t>(ElementType::Int64, { 2, 1 }, { 1, 2 }), ints({ 2, 2 }) } },
        { 1, 1, 2, 2 });
    row("second part", { Node("Split", 2), { ints({ 1, 2, 3, 4 }) }, 17, {}, 1 }, { 3, 4 });
    row("counted down", { Node("Range"), { scalar(5), scalar(0), scalar(-2) } }, { 5, 3, 1 });
    row("division rounds to 0", { Node("Div"), { ints({ 7, -7 }), ints({ 2 }) } }, { 3, -3 });
    row("the rest has the divisor's sign", { Node("Mod"), { ints({ -4, 7, 5 }), ints({ 2, -3, 8 }) } }, { 0, -2, 5 });
    row("the rest has the dividend's sign", { Node("Mod").with("fmod", 1), { ints({ -4, 7, 5 }), ints({ 3, -3, 8 }) } },
        { -1, 1, 5 });
    row("wrapping sum", { Node("Add"), { ints({ std::numeric_limits<std::int64_t>::max() }), ints({ 1 }) } },
        { std::numeric_limits<std::int64_t>::min() });
    row("power", { Node("Pow"), { ints({ 2, 3 }), ints({ 10, 3 }) } }, { 1024, 27 });
    row("largest of three", { Node("Max"), { ints({ 1, 9, 3 }), ints({ 4 }), ints({ 2, 5, 6 }) } }, { 4, 9, 6 });
    row("chosen",
        { Node("Where"),
            { constantOf<std::uint8_t>(ElementType::Bool, { 3 }, { 1, 0, 1 }), ints({ 1, 2, 3 }), ints({ 9 }) } },
        { 1, 9, 3 });
    row("product of a shape", { Node("ReduceProd").with("keepdims", 0), { ints({ 2, 3, 5 }) } }, { 30 });
    row("sums of rows", { Node("ReduceSum"), { matrix, ints({ 1 }) } }, { 6, 15 });
    row("running sum, without the element itself, from the end",
        { Node("CumSum").with("exclusive", 1).with("reverse", 1), { ints({ 1, 2, 3 }), scalar(0) } }, { 5, 3, 0 });
    row("last of equal largest", { Node("ArgMax").with("select_last_index", 1), { ints({ 3, 7, 7, 1 }) } }, { 2 });
    row("where it is not 0",
        { Node("NonZero"), { constantOf<std::int64_t>(ElementType::Int64, { 2, 2 }, { 0, 1, 1, 0 }) } },
        { 0, 1, 1, 0 });
    row("indices of the two smallest",
        { Node("TopK", 2).with("largest", 0), { ints({ 5, 1, 4, 1 }), ints({ 2 }) }, 17, {}, 1 }, { 1, 3 });
    row("placed", { Node("ScatterElements"), { ints({ 0, 0, 0 }), ints({ 2, 0 }), ints({ 7, 8 }) } }, { 8, 0, 7 });
    row("placed by tuples",
        { Node("ScatterND"),
            { ints({ 1, 2, 3, 4 }), constantOf<std::int64_t>(ElementType::Int64, { 2, 1 }, { 3, 0 }),
                ints({ 9, 8 }) } },
        { 8, 2, 3, 9 });
    row("cut off", { Node("Cast").with("to", 7), { floats({ 1.9f, -1.9f }) } }, { 1, -1 });
    row("wrapped to a byte", { Node("Cast").with("to", 2), { ints({ 257, -1 }) } }, { 1, 255 });
}

void TestOnnxInference::valuesByHand()
{
    QFETCH(ShapeCase, given);
    QFETCH(std::vector<std::int64_t>, numbers);
    const InferenceOutcome outcome = given.node.run(given.inputs, given.opset);
    QCOMPARE(QString::fromStdString(outcome.problem), QString());
    const ValueInfo& output = outcome.outputs.at(given.output);
    QVERIFY(output.isConstant);
    QVERIFY(output.value);
    QCOMPARE(integers(output).value(), numbers);
}

void TestOnnxInference::mismatchesAreProblems_data()
{
    QTest::addColumn<ShapeCase>("given");
    const auto f = [](std::vector<std::int64_t> dims) { return tensor(ElementType::Float32, std::move(dims)); };
    const auto row = [](const char* name, ShapeCase given) { QTest::newRow(name) << given; };
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    row("extents that cannot be broadcast", { Node("Add"), { f({ 2 }), f({ 3 }) } });
    row("a stride of 0", { Node("Conv").withInts("strides", { 0, 0 }), { f({ 1, 1, 4, 4 }), f({ 1, 1, 3, 3 }) } });
    row("a group of 0", { Node("Conv").with("group", 0), { f({ 1, 1, 4, 4 }), f({ 1, 1, 3, 3 }) } });
    row("a kernel without elements", { Node("MaxPool").withInts("kernel_shape", { 0 }), { f({ 1, 1, 4 }) } });
    row("a window larger than the data", { Node("MaxPool").withInts("kernel_shape", { 9 }), { f({ 1, 1, 4 }) } });
    row("a slice with a step of 0",
        { Node("Slice"), { f({ 4 }), ints({ 0 }), ints({ 4 }), ints({ 0 }), ints({ 0 }) } });
    row("a range with a step of 0", { Node("Range"), { scalar(0), scalar(9), scalar(0) } });
    row("an axis given twice", { Node("Transpose").withInts("perm", { 0, 0 }), { f({ 2, 3 }) } });
    row("an extent that is not 1", { Node("Squeeze"), { f({ 2, 3 }), ints({ 0 }) } });
    row("more than there are", { Node("TopK", 2), { f({ 3 }), ints({ 4 }) } });
    row("padding below nothing", { Node("Pad"), { f({ 3 }), ints({ -2, -2 }) } });
    row("a block of 0", { Node("SpaceToDepth").with("blocksize", 0), { f({ 1, 1, 4, 4 }) } });
    row("a negative extent", { Node("ConstantOfShape"), { ints({ 2, -3 }) } });
    row("a shape that overflows", { Node("ConstantOfShape"), { ints({ huge, huge }) } });
    row("tiles that overflow", { Node("Tile"), { f({ huge }), ints({ huge }) } });
    row("padding that overflows", { Node("Pad"), { f({ huge }), ints({ huge, huge }) } });
    row("a frame step of 0", { Node("STFT"), { f({ 1, 128, 1 }), scalar(0), leftOut(), scalar(16) } });
}

void TestOnnxInference::mismatchesAreProblems()
{
    QFETCH(ShapeCase, given);
    const InferenceOutcome outcome = given.node.run(given.inputs, given.opset);
    QVERIFY(!outcome.problem.empty());
    QCOMPARE(outcome.outputs.size(), static_cast<std::size_t>(given.node.outputCount()));
}

void TestOnnxInference::absurdSizesAreProblemsAndCheap()
{
    // A large constant keeps type, shape and that it is one, but no content.
    const InferenceOutcome large = Node("ConstantOfShape").run({ ints({ 1000, 1000 }) });
    QCOMPARE(dimsOf(large), "1000x1000");
    QVERIFY(large.outputs[0].isConstant);
    QVERIFY(!large.outputs[0].value);
    const InferenceOutcome range
        = Node("Range").run({ scalar(0), scalar(std::numeric_limits<std::int64_t>::max()), scalar(1) });
    QCOMPARE(range.outputs[0].shape.dims, std::vector<std::int64_t> { std::numeric_limits<std::int64_t>::max() });
    QVERIFY(!range.outputs[0].value);
}

void TestOnnxInference::sequencesAndMapsAreNoTensors()
{
    const ValueInfo x = tensor(ElementType::Float32, { 2, 3 });
    const ValueInfo sequence = Node("SequenceConstruct").run({ x, tensor(ElementType::Float32, { 2, 4 }) }).outputs[0];
    QCOMPARE(sequence.otherKind, "sequence");
    QCOMPARE(dimsOf(Node("SequenceAt").run({ sequence, scalar(0) })), "2x?");
    const ValueInfo maybe = Node("Optional").run({ sequence }).outputs[0];
    QCOMPARE(maybe.otherKind, "optional sequence");
    QCOMPARE(Node("OptionalGetElement").run({ maybe }).outputs[0].otherKind, "sequence");
    QCOMPARE(Node("ZipMap", 1, "ai.onnx.ml").run({ x }).outputs[0].otherKind, "sequence of maps");
    QVERIFY(!Node("Relu").run({ sequence }).outputs[0].shape.rankKnown);
}

void TestOnnxInference::loopsSettleTheirShapes()
{
    // The body appends 2 columns to its state in each round and hands out a 4x1 tensor.
    const SubgraphInference body = [](const onnx::GraphProto&, std::span<const ValueInfo> inputs) {
        ValueInfo state = inputs[2];
        if (state.shape.rankKnown && state.shape.dims[1] != U)
            state.shape.dims[1] += 2;
        return std::vector<ValueInfo> { constantOf<std::uint8_t>(ElementType::Bool, {}, { 1 }), state,
            tensor(ElementType::Float32, { 4, 1 }) };
    };
    const InferenceOutcome outcome = Node("Loop", 2).withGraph("body").run(
        { scalar(10), constantOf<std::uint8_t>(ElementType::Bool, {}, { 1 }), tensor(ElementType::Float32, { 3, 5 }) },
        16, body);
    QCOMPARE(dimsOf(outcome, 0), "3x?");
    QCOMPARE(dimsOf(outcome, 1), "10x4x1");
    QVERIFY(outcome.outputs[0].isDynamic);

    const SubgraphInference step = [](const onnx::GraphProto&, std::span<const ValueInfo> inputs) {
        return std::vector<ValueInfo> { inputs[0], inputs[1] };
    };
    const InferenceOutcome scan
        = Node("Scan", 2)
              .withGraph("body")
              .with("num_scan_inputs", 1)
              .withInts("scan_input_axes", { 1 })
              .run({ tensor(ElementType::Float32, { 7 }), tensor(ElementType::Float32, { 4, 9, 2 }) }, 16, step);
    QCOMPARE(dimsOf(scan, 0), "7");
    QCOMPARE(dimsOf(scan, 1), "9x4x2");
}

void TestOnnxInference::branchesAgreeOnWhatTheyShare()
{
    int calls = 0;
    const SubgraphInference bodies = [&calls](const onnx::GraphProto&, std::span<const ValueInfo>) {
        return std::vector<ValueInfo> { tensor(ElementType::Float32, { 2, ++calls }) };
    };
    const auto node = [] { return Node("If").withGraph("then_branch").withGraph("else_branch"); };
    QCOMPARE(dimsOf(node().run({ tensor(ElementType::Bool, {}) }, 16, bodies)), "2x?");
    calls = 0;
    QCOMPARE(dimsOf(node().run({ constantOf<std::uint8_t>(ElementType::Bool, {}, { 0 }) }, 16, bodies)), "2x2");
    // A branch that cannot run is not taken.
    calls = 0;
    const SubgraphInference oneFails = [&calls](const onnx::GraphProto&, std::span<const ValueInfo>) {
        return ++calls == 1 ? std::vector<ValueInfo>() : std::vector<ValueInfo> { tensor(ElementType::Float32, { 6 }) };
    };
    QCOMPARE(dimsOf(node().run({ tensor(ElementType::Bool, {}) }, 16, oneFails)), "6");
}

void TestOnnxInference::constantsAndDynamicShapes()
{
    const ValueInfo x = tensor(ElementType::Float32, { 2, 3 });
    QVERIFY(Node("Shape").run({ x }).outputs[0].isConstant);
    QVERIFY(!Node("Relu").run({ x }).outputs[0].isConstant);
    QVERIFY(Node("Relu").run({ floats({ -1, 1 }) }).outputs[0].isConstant);
    QVERIFY(!Node("RandomNormal").withInts("shape", { 2, 2 }).run({}).outputs[0].isConstant);
    QVERIFY(Node("Relu").run({ x }).outputs[0].isDynamic == false);
    const ValueInfo found = Node("NonZero").run({ x }).outputs[0];
    QVERIFY(found.isDynamic);
    const ValueInfo shape = Node("Shape").run({ found }).outputs[0];
    QVERIFY(!shape.isConstant);
    QCOMPARE(shape.partialValue, (std::vector<std::int64_t> { 2, U }));
    // A shape operand that is no constant makes the shape dynamic even where its content is known.
    ValueInfo wanted = tensor(ElementType::Int64, { 1 });
    wanted.partialValue = { 6 };
    const ValueInfo flat = Node("Reshape").run({ x, wanted }).outputs[0];
    QCOMPARE(flat.shape.dims, std::vector<std::int64_t> { 6 });
    QVERIFY(flat.isDynamic);
}

void TestOnnxInference::unknownOperatorsAreSaidToBe()
{
    const InferenceOutcome outcome = Node("Foo", 2).run({ tensor(ElementType::Float32, { 1 }) });
    QVERIFY(!outcome.operatorKnown);
    QCOMPARE(outcome.outputs.size(), 2u);
    QVERIFY(!outcome.outputs[0].shape.rankKnown);
}

QTEST_APPLESS_MAIN(TestOnnxInference)
#include "tst_onnx_inference.moc"
