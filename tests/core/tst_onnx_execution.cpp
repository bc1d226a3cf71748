// SPDX-License-Identifier: MIT
// The executor against the ONNX project's own backend tests (Debian: libonnx-testdata): models, inputs and the outputs that
// a correct runtime makes. Each is run unplanned and in an arena with everything shared that can be, guarded.
#include "core/src/import/onnx/inference.h"

#include <arenascope/executor.h>
#include <arenascope/importer.h>

#include "tests/core/onnx_models.h"
#include "tests/support/onnx_testdata.h"

#include <QtTest>

#include <cmath>
#include <cstring>
#include <map>

using namespace arenascope;

namespace {

/// At least as many must pass: raise it when more do. (With libonnx-testdata 1.12; newer releases have more.)
constexpr int kPassing = 782;

// Those of the tests' own runner.
constexpr double kRelative = 1e-3;
constexpr double kAbsolute = 1e-5;

struct Tally {
    int models = 0;
    int passed = 0;
    int skipped = 0; ///< no tensors, or nothing left to run
    std::map<QString, int> refused; ///< by operator kind and reason
    QStringList wrong;
};

std::optional<TensorContent> contentOf(const onnx::TensorProto& tensor)
{
    std::vector<std::byte> bytes;
    if (const auto known = onnx_import::tensorBytes(tensor)) { // small ones, however they are written
        bytes = *known;
    } else if (tensor.has_raw_data()) {
        const auto* raw = reinterpret_cast<const std::byte*>(tensor.raw_data().data());
        bytes.assign(raw, raw + tensor.raw_data().size());
    } else {
        return std::nullopt;
    }
    return TensorContent{onnx_import::elementTypeFromOnnx(tensor.data_type()),
                         Shape::of({tensor.dims().begin(), tensor.dims().end()}), std::move(bytes)};
}

template <class Real>
double worst(const TensorContent& got, const TensorContent& wanted)
{
    double most = 0.0;
    for (std::size_t i = 0; i + sizeof(Real) <= got.bytes.size(); i += sizeof(Real)) {
        Real a, b;
        std::memcpy(&a, got.bytes.data() + i, sizeof a);
        std::memcpy(&b, wanted.bytes.data() + i, sizeof b);
        if (a == b || (std::isnan(a) && std::isnan(b)))
            continue;
        const double distance = std::abs(double(a) - double(b)) / (kAbsolute + kRelative * std::abs(double(b)));
        most = std::isnan(distance) ? std::numeric_limits<double>::infinity() : std::max(most, distance);
    }
    return most;
}

bool isEqual(const TensorContent& got, const TensorContent& wanted)
{
    if (got.bytes.size() != wanted.bytes.size())
        return false;
    if (got.type == ElementType::Float32)
        return worst<float>(got, wanted) <= 1.0;
    if (got.type == ElementType::Float64)
        return worst<double>(got, wanted) <= 1.0;
    return got.bytes == wanted.bytes;
}

class Case {
public:
    Case(QString folder, Tally& tally) : m_folder(std::move(folder)), m_name(QDir(m_folder).dirName()), m_tally(tally) {}

    void run()
    {
        if (!test::readMessage(m_folder + "/model.onnx", m_model))
            return;
        ++m_tally.models;
        for (int i = 0; i < m_model.graph().input_size(); ++i) {
            onnx::TensorProto tensor;
            const auto& declared = m_model.graph().input(i);
            if (!declared.type().has_tensor_type()
                || !test::readMessage(QStringLiteral("%1/test_data_set_0/input_%2.pb").arg(m_folder).arg(i), tensor))
                continue;
            // The files of some releases have bfloat16 tensors under the type of their bits.
            if (declared.type().tensor_type().elem_type() == onnx::TensorProto::BFLOAT16)
                tensor.set_data_type(onnx::TensorProto::BFLOAT16);
            tensor.set_name(declared.name());
            m_inputs.emplace(declared.name(), tensor);
        }
        // First with all inputs given while it runs; where that cannot be, with all but the first as weights.
        QString reason;
        if (attempt(m_model, reason))
            return;
        if (m_inputs.size() > 1) {
            QString second;
            if (attempt(withWeights(), second))
                return;
            reason = second;
        }
        if (reason.isEmpty())
            ++m_tally.skipped;
        else
            ++m_tally.refused[reason];
    }

private:
    onnx::ModelProto withWeights() const
    {
        onnx::ModelProto model = m_model;
        auto* inputs = model.mutable_graph()->mutable_input();
        for (int i = inputs->size() - 1; i > 0; --i) {
            const auto it = m_inputs.find(inputs->Get(i).name());
            if (it == m_inputs.end())
                continue;
            *model.mutable_graph()->add_initializer() = it->second;
            inputs->DeleteSubrange(i, 1);
        }
        return model;
    }

    /// False where it cannot be run so, with the reason.
    bool attempt(const onnx::ModelProto& model, QString& reason)
    {
        const onnx_test::ModelFile file(model);
        ImportOptions options;
        for (const auto& input : model.graph().input()) {
            const auto it = m_inputs.find(input.name());
            if (it != m_inputs.end())
                options.shapes[input.name()] = {it->second.dims().begin(), it->second.dims().end()};
        }
        const auto imported = importModel(file.path(), options);
        if (!imported) {
            reason = imported.error().code == ErrorCode::EmptyGraph ? QString()
                                                                     : QString::fromStdString(describe(imported.error())).section(QLatin1String(".onnx"), 1);
            return false;
        }
        const RunSupport support = runSupport(*imported->graph);
        if (!support.isComplete()) {
            const Error& error = support.refusals.front().error;
            reason = QString::fromStdString(error.args.size() > 1 ? error.args[1] : describe(error));
            if (error.args.size() > 2)
                reason += QString::fromStdString(" (" + error.args[2] + ")");
            return false;
        }
        StudyOptions study;
        study.alias = AliasMode::All;
        study.problem.alignment = 8; // so that results that hang on where a tensor lies show
        const auto made = makeStudy(imported->graph, study);
        if (!made) {
            reason = QStringLiteral("shapes are only known while it runs");
            return false;
        }
        const auto outcome = planStudy(*made, "greedy-by-size");
        QVERIFY2_RETURN(outcome.hasValue());
        check(**made, (*outcome)->plan);
        return true;
    }
    static void QVERIFY2_RETURN(bool ok) { QVERIFY(ok); }

    void check(const Study& study, const Plan& plan)
    {
        std::map<TensorId, TensorContent> inputs;
        for (const auto& [name, tensor] : m_inputs) {
            const TensorId id = study.graph->findTensor(name);
            if (id.isValid() && study.graph->tensor(id).role == TensorRole::Input) {
                auto content = contentOf(tensor);
                QVERIFY2(content, qPrintable(m_name));
                inputs.emplace(id, std::move(*content));
            }
        }
        RunOptions options;
        options.guard = true;
        const auto report = runNetwork(study, &plan, inputs, options);
        if (!report) {
            m_tally.wrong << m_name + ": " + QString::fromStdString(describe(report.error()));
            return;
        }
        if (!report->violations.empty()) {
            m_tally.wrong << m_name + ": " + QString::fromStdString(describe(report->violations.front(), *study.graph));
            return;
        }
        if (!report->bitIdentical) {
            m_tally.wrong << m_name + ": differs in the arena";
            return;
        }
        compare(study, *report);
    }

    void compare(const Study& study, const RunReport& report)
    {
        for (int o = 0; o < m_model.graph().output_size(); ++o) {
            onnx::TensorProto tensor;
            if (!test::readMessage(QStringLiteral("%1/test_data_set_0/output_%2.pb").arg(m_folder).arg(o), tensor))
                continue;
            const TensorId id = study.graph->findTensor(m_model.graph().output(o).name());
            const auto wanted = contentOf(tensor);
            const auto it = report.outputs.find(id);
            if (!wanted || it == report.outputs.end())
                continue; // a constant output is no activation
            if (!isEqual(it->second, *wanted)) {
                const double by = it->second.type == ElementType::Float32 && it->second.bytes.size() == wanted->bytes.size()
                    ? worst<float>(it->second, *wanted) : -1.0;
                m_tally.wrong << m_name + QStringLiteral(": output %1 differs (%2 of what is allowed; %3 bytes, wanted %4)")
                                              .arg(o).arg(by).arg(it->second.bytes.size()).arg(wanted->bytes.size());
                return;
            }
        }
        ++m_tally.passed;
    }

    QString m_folder;
    QString m_name;
    Tally& m_tally;
    onnx::ModelProto m_model;
    std::map<std::string, onnx::TensorProto> m_inputs;
};

} // namespace

class TestOnnxExecution : public QObject {
    Q_OBJECT
private slots:
    void computesWhatTheBackendTestsWant();
    void runsFoldedOperatorsThatMakeWeights();
    void saysThatAWeightIsMissing();
};

void TestOnnxExecution::computesWhatTheBackendTestsWant()
{
    const QStringList folders = test::backendTestFolders();
    if (folders.isEmpty())
        QSKIP("The package libonnx-testdata is not installed.");
    Tally tally;
    for (const QString& folder : folders)
        Case(folder, tally).run();
    int refused = 0;
    for (const auto& [reason, count] : tally.refused) {
        refused += count;
        qInfo("cannot run: %d x %s", count, qPrintable(reason));
    }
    for (const QString& line : tally.wrong)
        qWarning("wrong: %s", qPrintable(line));
    qInfo("%d models: %d pass, %d wrong, %d cannot run, %d have nothing to run", tally.models, tally.passed,
          static_cast<int>(tally.wrong.size()), refused, tally.skipped);
    QCOMPARE(tally.wrong, QStringList());
    QVERIFY(tally.passed >= kPassing);
}

// y = x * transpose(w), where w is ConstantOfShape: too large to be worked out while importing.
void TestOnnxExecution::runsFoldedOperatorsThatMakeWeights()
{
    onnx::ModelProto model = onnx_test::model(13);
    onnx::GraphProto& graph = *model.mutable_graph();
    onnx_test::addInput(graph, "x", {1, 100});
    onnx_test::addInts(graph, "shape", {80, 100});
    auto& made = onnx_test::addNode(graph, "ConstantOfShape", {"shape"}, {"w"});
    auto* value = made.add_attribute();
    value->set_name("value");
    value->set_type(onnx::AttributeProto::TENSOR);
    value->mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
    value->mutable_t()->add_dims(1);
    value->mutable_t()->add_float_data(0.5F);
    onnx_test::addNode(graph, "Transpose", {"w"}, {"wt"});
    onnx_test::addNode(graph, "MatMul", {"x", "wt"}, {"y"});
    onnx_test::addOutput(graph, "y");
    const onnx_test::ModelFile file(model);
    const auto imported = importModel(file.path());
    QVERIFY(imported);
    QCOMPARE(imported->graph->operators().size(), std::size_t{1});
    QVERIFY(imported->graph->constantNetwork() != nullptr);
    QCOMPARE(imported->graph->constantNetwork()->operators().size(), std::size_t{2});
    QVERIFY(runSupport(*imported->graph).isComplete());

    TensorContent x{ElementType::Float32, Shape::of({1, 100}), std::vector<std::byte>(400)};
    for (int i = 0; i < 100; ++i) {
        const auto element = static_cast<float>(i);
        std::memcpy(x.bytes.data() + 4 * i, &element, 4);
    }
    const auto study = makeStudy(imported->graph, {});
    QVERIFY(study);
    const auto report = runNetwork(**study, nullptr, {{imported->graph->inputs()[0], x}});
    QVERIFY2(report, report ? "" : describe(report.error()).c_str());
    const TensorContent& y = report->outputs.begin()->second;
    QCOMPARE(y.bytes.size(), std::size_t{320});
    for (int i = 0; i < 80; ++i) {
        float element;
        std::memcpy(&element, y.bytes.data() + 4 * i, 4);
        QCOMPARE(element, 0.5F * 99 * 100 / 2); // half the sum of 0 to 99
    }
}

void TestOnnxExecution::saysThatAWeightIsMissing()
{
    onnx::ModelProto model = onnx_test::model(13);
    onnx::GraphProto& graph = *model.mutable_graph();
    onnx_test::addInput(graph, "x", {1, 100});
    auto& weight = onnx_test::addFloats(graph, "w", {100, 100});
    weight.clear_raw_data();
    weight.set_data_location(onnx::TensorProto::EXTERNAL);
    auto* entry = weight.add_external_data();
    entry->set_key("location");
    entry->set_value("elsewhere.bin");
    onnx_test::addNode(graph, "MatMul", {"x", "w"}, {"y"});
    onnx_test::addOutput(graph, "y");
    const onnx_test::ModelFile file(model);
    const auto imported = importModel(file.path());
    QVERIFY(imported);
    const auto study = makeStudy(imported->graph, {});
    QVERIFY(study);
    const auto report = runNetwork(**study, nullptr, {});
    QVERIFY(!report);
    QCOMPARE(report.error().code, ErrorCode::MissingData);
    QCOMPARE(report.error().args.at(0), std::string("w"));
}

QTEST_GUILESS_MAIN(TestOnnxExecution)
#include "tst_onnx_execution.moc"
