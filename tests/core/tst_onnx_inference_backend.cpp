// SPDX-License-Identifier: MIT
// Inference against the ONNX project's own backend tests (Debian: libonnx-testdata): each has a model, inputs and the
// outputs that a correct runtime makes. What inferNode says must never contradict those, whatever it is told of the
// inputs.
#include "core/src/import/onnx/inference.h"
#include "tests/support/onnx_testdata.h"

#include <QtTest>

#include <cmath>
#include <cstring>
#include <set>

using namespace arenascope;
using namespace arenascope::onnx_import;

namespace {

/// How much of the network's inputs inference is told.
enum class Told {
    Content, ///< everything: the inputs are constants
    Shape, ///< type and shape
    Rank, ///< type and number of dimensions
    Type, ///< type alone
};

/// Operators whose output shapes depend on contents that inference does not look at, or (sequences) on their length.
const std::set<std::string> kMayStayUnknown = {
    "NonMaxSuppression", // how many boxes remain
    "Unique", // how many elements differ
    "StringNormalizer", // how many strings remain
    "Gradient", // a whole training step
    "SequenceMap",
    "ConcatFromSequence",
    "SequenceAt",
    "Loop",
    "If",
    "OptionalGetElement",
    "Optional",
};

struct Tally {
    int models = 0;
    int outputs = 0;
    int shapes = 0; ///< outputs whose whole shape was found
    int values = 0; ///< outputs whose content was worked out and compared
    QStringList contradictions;
    QStringList unknown;
};

ValueInfo valueOf(const onnx::TensorProto& tensor)
{
    ValueInfo value;
    value.type = elementTypeFromOnnx(tensor.data_type());
    value.shape = Shape::of({ tensor.dims().begin(), tensor.dims().end() });
    value.value = tensorBytes(tensor);
    value.isConstant = true;
    return value;
}

/// Element type and kind that the graph declares; no shape.
ValueInfo declaredOf(const onnx::TypeProto& type)
{
    ValueInfo value;
    const onnx::TypeProto* element = &type;
    if (element->has_optional_type()) {
        value.otherKind = "optional";
        element = &element->optional_type().elem_type();
    }
    if (element->has_sequence_type()) {
        value.otherKind += value.otherKind.empty() ? "sequence" : " sequence";
        element = &element->sequence_type().elem_type();
    }
    value.type = elementTypeFromOnnx(element->tensor_type().elem_type());
    return value;
}

ValueInfo told(ValueInfo value, Told how)
{
    if (how == Told::Content)
        return value;
    value.value.reset();
    value.isConstant = false;
    if (how == Told::Rank)
        std::fill(value.shape.dims.begin(), value.shape.dims.end(), kUnknownDim);
    if (how == Told::Type)
        value.shape = {};
    return value;
}

/// Walks a graph as the importer does, with the values around it in reach of its bodies.
class Walk {
public:
    Walk(const Opsets& opsets, QStringList& problems)
        : m_opsets(opsets)
        , m_problems(problems)
    {
    }

    using Values = std::map<std::string, ValueInfo>;
    void run(const onnx::GraphProto& graph, Values& values) const
    {
        for (const onnx::TensorProto& initializer : graph.initializer())
            values[initializer.name()] = valueOf(initializer); // old models list them among the inputs, too
        for (const onnx::NodeProto& node : graph.node())
            runNode(node, values);
    }

private:
    void runNode(const onnx::NodeProto& node, Values& values) const
    {
        std::vector<const ValueInfo*> inputs;
        for (const std::string& name : node.input())
            inputs.push_back(name.empty() ? nullptr : &values[name]);
        const SubgraphInference body = [&](const onnx::GraphProto& graph, std::span<const ValueInfo> formal) {
            Values inner = values;
            for (int i = 0; i < graph.input_size(); ++i)
                inner[graph.input(i).name()] = static_cast<std::size_t>(i) < formal.size() ? formal[i] : ValueInfo();
            run(graph, inner);
            std::vector<ValueInfo> outputs;
            for (const auto& output : graph.output())
                outputs.push_back(inner[output.name()]);
            return outputs;
        };
        InferenceOutcome outcome = inferNode(node, inputs, m_opsets, body);
        if (!outcome.operatorKnown)
            m_problems << QString::fromStdString(node.op_type() + ": not known");
        if (!outcome.problem.empty())
            m_problems << QString::fromStdString(node.op_type() + ": " + outcome.problem);
        for (int o = 0; o < node.output_size(); ++o)
            values[node.output(o)] = std::move(outcome.outputs[static_cast<std::size_t>(o)]);
    }

    const Opsets& m_opsets;
    QStringList& m_problems;
};

bool sameNumber(double a, double b)
{
    // The relative bound is the one of the tests' own runner; windows written out with a rounded pi need it, and an
    // absolute one where they come down to 0.
    return (std::isnan(a) && std::isnan(b)) || a == b
        || std::abs(a - b) <= std::max(1e-5, 1e-3 * std::max(std::abs(a), std::abs(b)));
}

template <class Real>
bool sameReals(const std::vector<std::byte>& a, const std::vector<std::byte>& b)
{
    for (std::size_t i = 0; i + sizeof(Real) <= a.size(); i += sizeof(Real)) {
        Real x, y;
        std::memcpy(&x, a.data() + i, sizeof(Real));
        std::memcpy(&y, b.data() + i, sizeof(Real));
        if (!sameNumber(x, y))
            return false;
    }
    return true;
}

bool sameContent(const ValueInfo& a, const ValueInfo& b)
{
    if (a.value->size() != b.value->size())
        return false;
    if (a.type == ElementType::Float32)
        return sameReals<float>(*a.value, *b.value);
    if (a.type == ElementType::Float64)
        return sameReals<double>(*a.value, *b.value);
    return *a.value == *b.value;
}

/// "" or how what was inferred contradicts the truth.
QString contradiction(const ValueInfo& said, const ValueInfo& truth)
{
    if (said.type != ElementType::Undefined && said.type != truth.type)
        return QStringLiteral("type %1 instead of %2")
            .arg(elementTypeName(said.type).data(), elementTypeName(truth.type).data());
    const QString shapes = QString::fromStdString(toString(said.shape) + " instead of " + toString(truth.shape));
    if (said.shape.rankKnown && said.shape.dims.size() != truth.shape.dims.size())
        return shapes;
    for (std::size_t d = 0; said.shape.rankKnown && d < said.shape.dims.size(); ++d) {
        if (said.shape.dims[d] != kUnknownDim && said.shape.dims[d] != truth.shape.dims[d])
            return shapes;
    }
    if (said.value && truth.value && !sameContent(said, truth))
        return QStringLiteral("another content");
    for (std::size_t i = 0; i < said.partialValue.size(); ++i) {
        const auto exact = integers(truth);
        if (exact && said.partialValue[i] != kUnknownDim && said.partialValue[i] != exact->at(i))
            return QStringLiteral("another partly known content");
    }
    return {};
}

class Case {
public:
    explicit Case(const QString& folder)
        : m_folder(folder)
    {
    }

    bool load()
    {
        if (!test::readMessage(m_folder + "/model.onnx", m_model))
            return false;
        for (const auto& import : m_model.opset_import())
            m_opsets[import.domain() == "ai.onnx" ? "" : import.domain()] = import.version();
        return true;
    }

    void check(Told how, Tally& tally) const
    {
        const onnx::GraphProto& graph = m_model.graph();
        Walk::Values values;
        for (int i = 0; i < graph.input_size(); ++i)
            values[graph.input(i).name()] = told(truth(graph.input(i), QStringLiteral("input_%1.pb").arg(i)), how);
        QStringList problems;
        Walk(m_opsets, problems).run(graph, values);
        const QString name = QDir(m_folder).dirName();
        for (const QString& problem : problems)
            tally.contradictions << name + ": " + problem;
        ++tally.models;
        for (int o = 0; o < graph.output_size(); ++o)
            compare(name, values[graph.output(o).name()], truth(graph.output(o), QStringLiteral("output_%1.pb").arg(o)),
                tally);
    }

private:
    /// Content and shape of a file of the test; type and kind alone for what is no tensor.
    ValueInfo truth(const onnx::ValueInfoProto& declared, const QString& file) const
    {
        onnx::TensorProto tensor;
        if (!declared.type().has_tensor_type() || !test::readMessage(m_folder + "/test_data_set_0/" + file, tensor))
            return declaredOf(declared.type());
        // The files of some releases have bfloat16 tensors under the type of their bits.
        if (declared.type().tensor_type().elem_type() == onnx::TensorProto::BFLOAT16)
            tensor.set_data_type(onnx::TensorProto::BFLOAT16);
        return valueOf(tensor);
    }

    void compare(const QString& name, const ValueInfo& said, const ValueInfo& right, Tally& tally) const
    {
        ++tally.outputs;
        if (said.otherKind != right.otherKind) {
            tally.contradictions << QStringLiteral("%1: kind '%2' instead of '%3'")
                                        .arg(name, said.otherKind.data(), right.otherKind.data());
            return;
        }
        if (!right.otherKind.empty()) {
            ++tally.shapes; // no shape of its own
            return;
        }
        const QString wrong = contradiction(said, right);
        if (!wrong.isEmpty())
            tally.contradictions << name + ": " + wrong;
        if (said.value)
            ++tally.values;
        if (said.shape.isStatic() && said.type != ElementType::Undefined)
            ++tally.shapes;
        else if (!mayStayUnknown())
            tally.unknown
                << QStringLiteral("%1: %2 of %3").arg(name, toString(said.shape).data(), toString(right.shape).data());
    }

    bool mayStayUnknown() const
    {
        const auto& nodes = m_model.graph().node();
        return std::any_of(
            nodes.begin(), nodes.end(), [](const auto& node) { return kMayStayUnknown.contains(node.op_type()); });
    }

    QString m_folder;
    onnx::ModelProto m_model;
    Opsets m_opsets;
};

} // namespace

class TestOnnxInferenceBackend : public QObject {
    Q_OBJECT
private slots:
    void neverContradictsTheBackendTests_data();
    void neverContradictsTheBackendTests();
};

void TestOnnxInferenceBackend::neverContradictsTheBackendTests_data()
{
    QTest::addColumn<int>("how");
    QTest::newRow("told the inputs' content") << static_cast<int>(Told::Content);
    QTest::newRow("told the inputs' shapes") << static_cast<int>(Told::Shape);
    QTest::newRow("told the inputs' ranks") << static_cast<int>(Told::Rank);
    QTest::newRow("told the inputs' types") << static_cast<int>(Told::Type);
}

void TestOnnxInferenceBackend::neverContradictsTheBackendTests()
{
    QFETCH(int, how);
    const QStringList folders = test::backendTestFolders();
    if (folders.isEmpty())
        QSKIP("The package libonnx-testdata is not installed.");
    Tally tally;
    for (const QString& folder : folders) {
        Case one(folder);
        if (one.load())
            one.check(static_cast<Told>(how), tally);
    }
    qInfo("%d models, %d outputs: %d whole shapes, %d contents, %d contradictions, %d unknown that should not be",
        tally.models, tally.outputs, tally.shapes, tally.values, static_cast<int>(tally.contradictions.size()),
        how == static_cast<int>(Told::Content) ? static_cast<int>(tally.unknown.size()) : 0);
    for (const QString& line : tally.contradictions)
        qWarning("%s", qPrintable(line));
    const bool mustKnow = how == static_cast<int>(Told::Content);
    for (const QString& line : mustKnow ? tally.unknown : QStringList())
        qWarning("unknown: %s", qPrintable(line));
    QVERIFY(tally.models > 0);
    QCOMPARE(tally.contradictions, QStringList());
    if (mustKnow)
        QCOMPARE(tally.unknown, QStringList());
}

QTEST_GUILESS_MAIN(TestOnnxInferenceBackend)
#include "tst_onnx_inference_backend.moc"
