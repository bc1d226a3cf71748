// SPDX-License-Identifier: MIT
// Shapes, types and values of single ONNX operators, with answers worked out by hand.
#include "core/src/import/onnx/inference.h"

#include <QtTest>

#include <cstring>

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
    return constantOf(ElementType::Int64, {static_cast<std::int64_t>(numbers.size())}, numbers);
}

ValueInfo scalar(std::int64_t number)
{
    return constantOf<std::int64_t>(ElementType::Int64, {}, {number});
}

ValueInfo floats(const std::vector<float>& numbers)
{
    return constantOf(ElementType::Float32, {static_cast<std::int64_t>(numbers.size())}, numbers);
}

/// A node that is written in a line: Node("Conv").with("strides", {2, 2})...
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
    Node& with(const char* name, std::vector<std::int64_t> numbers)
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
    InferenceOutcome run(const std::vector<ValueInfo>& inputs, std::int64_t opset = 17)
    {
        std::vector<const ValueInfo*> pointers;
        for (const ValueInfo& input : inputs)
            pointers.push_back(input.otherKind == "left out" ? nullptr : &input);
        return inferNode(m_proto, pointers, {{"", opset}, {"com.microsoft", 1}, {"ai.onnx.ml", 3}}, {});
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
    const ValueInfo x = tensor(ElementType::Float32, {2, 3, 4});
    QCOMPARE(dimsOf(Node("Reshape").run({x, ints({0, -1})})), "2x12");
    QCOMPARE(dimsOf(Node("Reshape").run({x, ints({-1, 5})})), "problem"); // 24 is not divisible by 5
    QCOMPARE(dimsOf(Node("Reshape").run({x, ints({-1, -1})})), "problem");
    QCOMPARE(dimsOf(Node("Reshape").run({tensor(ElementType::Float32, {U, 3, 4}), ints({0, -1})})), "?x12");
    QCOMPARE(dimsOf(Node("Reshape").with("shape", {4, -1}).run({x}, 4)), "4x6");
}

void TestOnnxInference::shapeArithmeticOfAPartlyKnownShape()
{
    const ValueInfo x = tensor(ElementType::Float32, {U, 8, 4, 4});
    const ValueInfo shape = Node("Shape").run({x}).outputs[0];
    QCOMPARE(shape.partialValue, (std::vector<std::int64_t>{U, 8, 4, 4}));
    QVERIFY(!shape.isConstant);
    const ValueInfo channels = Node("Gather").run({shape, scalar(1)}).outputs[0];
    QCOMPARE(channels.partialValue, std::vector<std::int64_t>{8});
    const ValueInfo half = Node("Div").run({channels, scalar(2)}).outputs[0];
    const ValueInfo row = Node("Unsqueeze").run({half, ints({0})}).outputs[0];
    const ValueInfo target = Node("Concat").with("axis", 0).run({ints({0}), row, ints({-1})}).outputs[0];
    QCOMPARE(dimsOf(Node("Reshape").run({tensor(ElementType::Float32, {2, 8, 4, 4}), target})), "2x4x32");
}

void TestOnnxInference::resizeByScalesAndBySizes()
{
    const ValueInfo x = tensor(ElementType::Float32, {1, 3, 5, 7});
    QCOMPARE(dimsOf(Node("Resize").run({x, leftOut(), floats({1, 1, 0.5f, 2})})), "1x3x2x14");
    QCOMPARE(dimsOf(Node("Resize").run({x, leftOut(), leftOut(), ints({1, 3, 10, 10})})), "1x3x10x10");
    QCOMPARE(dimsOf(Node("Resize").run({x, floats({1, 1, 2, 2})}, 10)), "1x3x10x14");
    QCOMPARE(dimsOf(Node("Resize").withText("keep_aspect_ratio_policy", "not_larger").with("axes", {2, 3})
                        .run({x, leftOut(), leftOut(), ints({10, 21})}, 18)), "1x3x10x14");
}

void TestOnnxInference::unknownOperatorsAreSaidToBe()
{
    const InferenceOutcome outcome = Node("Foo", 2).run({tensor(ElementType::Float32, {1})});
    QVERIFY(!outcome.operatorKnown);
    QCOMPARE(outcome.outputs.size(), 2u);
    QVERIFY(!outcome.outputs[0].shape.rankKnown);
}

QTEST_APPLESS_MAIN(TestOnnxInference)
#include "tst_onnx_inference.moc"
