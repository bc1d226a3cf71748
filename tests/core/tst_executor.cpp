// SPDX-License-Identifier: MIT
// Running networks in their planned arenas: the same bits as without a plan.
#include "tests/support/run_networks.h"

#include <QtTest>

#include <array>
#include <cmath>
#include <cstring>

using namespace arenascope;
using namespace arenascope::test;

class TestExecutor : public QObject {
    Q_OBJECT
private slots:
    void samplesAreBitIdenticalInTheirArenas_data();
    void samplesAreBitIdenticalInTheirArenas();
    void computesByHand();
    void givenInputsAreUsed();
    void operandsAreCopiedWhereAKernelCannotRunInPlace();
    void saysWhatCannotRun();
    void sizesThatDoNotFitAreRefused_data();
    void sizesThatDoNotFitAreRefused();
    void wrongInputsAreRefused();
    void cancels();
    void stepsSeeWhatWasWritten();
    void memoryIsTheArenaAndTheWorkspace();
    void picturesShowChannels();
};

void TestExecutor::samplesAreBitIdenticalInTheirArenas_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("alias");
    QTest::addColumn<QString>("strategy");
    for (const char* model : {"chain.onnx", "residual.onnx", "inception.onnx", "unet.onnx"}) {
        for (const AliasMode alias : {AliasMode::None, AliasMode::Views, AliasMode::InPlace, AliasMode::All}) {
            for (const Planner* planner : planners()) {
                const std::string id(planner->info().id);
                QTest::addRow("%s, alias %s, %s", model, aliasName(alias).data(), id.c_str())
                    << QString::fromLatin1(model) << static_cast<int>(alias) << QString::fromStdString(id);
            }
        }
    }
    QTest::newRow("mobilenet_v2.onnx, alias all, greedy-by-size")
        << QStringLiteral("mobilenet_v2.onnx") << static_cast<int>(AliasMode::All) << QStringLiteral("greedy-by-size");
    QTest::newRow("mobilenet_v2.onnx, alias inplace, pingpong")
        << QStringLiteral("mobilenet_v2.onnx") << static_cast<int>(AliasMode::InPlace) << QStringLiteral("pingpong");
}

void TestExecutor::samplesAreBitIdenticalInTheirArenas()
{
    QFETCH(QString, model);
    QFETCH(int, alias);
    QFETCH(QString, strategy);
    const auto graph = sample(model.toLatin1());
    QVERIFY(graph);
    const auto study = studyOf(graph, static_cast<AliasMode>(alias));
    const auto planned = planStudy(study, strategy.toStdString(), briefly());
    if (!planned) { // buffers that are needed in part for a while are not for these two
        QCOMPARE(planned.error().code, ErrorCode::Unsupported);
        QCOMPARE(static_cast<AliasMode>(alias), AliasMode::All);
        QVERIFY2(strategy == QLatin1String("tflm") || strategy == QLatin1String("shared-objects"), qPrintable(strategy));
        return;
    }
    const Plan& plan = (*planned)->plan;
    RunOptions options;
    options.guard = model != "mobilenet_v2.onnx";
    const auto report = runNetwork(*study, &plan, {}, options);
    QVERIFY2(report, report ? "" : describe(report.error()).c_str());
    QVERIFY2(report->violations.empty(),
             report->violations.empty() ? "" : describe(report->violations.front(), *graph).c_str());
    QVERIFY(report->isCompared);
    QVERIFY2(report->bitIdentical,
             report->firstDifference ? graph->tensor(report->firstDifference->tensor).name.c_str() : "");
    QCOMPARE(report->operatorsRun, std::ssize(graph->operators()));
    QCOMPARE(report->arenaBytes, plan.arenaSize);
    for (const auto& [id, content] : report->outputs) {
        for (const float value : floatsOf(content))
            QVERIFY(std::isfinite(value));
    }
}

void TestExecutor::computesByHand()
{
    const Ladder ladder;
    std::vector<float> x(16);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i) / 8.0F;
    const Plan plan = planOf(ladder.study, "greedy-by-size");
    const auto report = runNetwork(*ladder.study, &plan, {{ladder.graph->inputs()[0], floats(x)}});
    QVERIFY(report && report->bitIdentical);
    const std::vector<float> d = floatsOf(report->outputs.at(ladder.d));
    for (std::size_t i = 0; i < x.size(); ++i)
        QCOMPARE(d[i], std::exp(-std::exp(x[i])) + std::exp(x[i]));
}

void TestExecutor::givenInputsAreUsed()
{
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Float32, Shape::of({3}));
    const TensorId y = builder.tensor("y");
    builder.describe(y, ElementType::Float32, Shape::of({3}));
    Operator op;
    op.kind = "Neg";
    op.inputs = {x};
    op.outputs = {y};
    builder.addOperator(op);
    builder.addOutput(y);
    const auto study = studyOf(*std::move(builder).build(), AliasMode::InPlace);
    const auto report = runNetwork(*study, nullptr, {{x, floats({1.0F, -2.0F, 0.5F})}});
    QVERIFY(report);
    QVERIFY(!report->usedPlan && !report->isCompared);
    QCOMPARE(floatsOf(report->outputs.at(y)), (std::vector<float>{-1.0F, 2.0F, -0.5F}));
}

// x -> Neg a -> Pow with an integer exponent -> b: the planner lets b lie in a, the kernel for mixed types cannot.
void TestExecutor::operandsAreCopiedWhereAKernelCannotRunInPlace()
{
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Float32, Shape::of({1, 4}));
    const TensorId exponent = builder.addWeight("exponent", ElementType::Int32, Shape::of({1}));
    builder.setSource(exponent, TensorSource{{}, 0, 4, {std::byte{3}, {}, {}, {}}});
    const auto add = [&](const char* kind, const char* name, std::vector<TensorId> inputs) {
        const TensorId made = builder.tensor(name);
        builder.describe(made, ElementType::Float32, Shape::of({1, 4}));
        Operator op;
        op.kind = kind;
        op.inputs = std::move(inputs);
        op.outputs = {made};
        builder.addOperator(std::move(op));
        return made;
    };
    const TensorId a = add("Neg", "a", {x});
    const TensorId b = add("Pow", "b", {a, exponent});
    const TensorId c = add("Neg", "c", {b});
    const TensorId d = add("Concat", "d", {c}); // a network output is never in place
    builder.addOutput(d);
    const auto study = studyOf(*std::move(builder).build(), AliasMode::InPlace);
    QCOMPARE(study->bufferOf[a.index()], study->bufferOf[b.index()]);
    QCOMPARE(study->bufferOf[b.index()], study->bufferOf[c.index()]);
    const Plan plan = planOf(study, "naive");
    RunOptions options;
    options.guard = true;
    const auto report = runNetwork(*study, &plan, {{x, floats({1.0F, -2.0F, 0.5F, 0.0F})}}, options);
    QVERIFY2(report, report ? "" : describe(report.error()).c_str());
    QVERIFY(report->bitIdentical && report->violations.empty());
    QCOMPARE(floatsOf(report->outputs.at(d)), (std::vector<float>{1.0F, -8.0F, 0.125F, 0.0F}));
    QCOMPARE(report->operators[0].workspace, Bytes{0});
    QCOMPARE(report->operators[1].workspace, Bytes{128}); // 16 bytes of a, and the exponent as a double; each rounded up
    QCOMPARE(report->operators[2].workspace, Bytes{0});
}

void TestExecutor::saysWhatCannotRun()
{
    GraphBuilder builder;
    TensorId x = builder.addInput("x", ElementType::Float32, Shape::of({2, 2}));
    for (const char* kind : {"Relu", "Frobnicate", "Neg"}) {
        const TensorId y = builder.tensor(kind);
        builder.describe(y, ElementType::Float32, Shape::of({2, 2}));
        Operator op;
        op.name = std::string("my_") + kind;
        op.kind = kind;
        op.inputs = {x};
        op.outputs = {y};
        builder.addOperator(op);
        x = y;
    }
    builder.addOutput(x);
    const auto graph = *std::move(builder).build();
    const RunSupport support = runSupport(*graph);
    QCOMPARE(support.operators, 3);
    QCOMPARE(support.runnable, 2);
    QVERIFY(!support.isComplete());
    QCOMPARE(support.refusals.size(), std::size_t{1});
    QCOMPARE(support.refusals[0].error.code, ErrorCode::CannotRun);
    QCOMPARE(support.refusals[0].error.args[0], std::string("my_Frobnicate"));
    const auto report = runNetwork(*studyOf(graph, AliasMode::None), nullptr, {});
    QVERIFY(!report);
    QCOMPARE(report.error().code, ErrorCode::CannotRun);
}

void TestExecutor::sizesThatDoNotFitAreRefused_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("operands"); // each 2 x 3 floats
    QTest::addColumn<QVector<qint64>>("out");
    QTest::newRow("an element more than there is to negate") << "Neg" << 1 << QVector<qint64>{7};
    QTest::newRow("a layer with a larger output") << "Sigmoid" << 1 << QVector<qint64>{3, 3};
    QTest::newRow("a sum that cannot be stretched") << "Add" << 2 << QVector<qint64>{4, 3};
    QTest::newRow("a transposition that keeps the order") << "Transpose" << 1 << QVector<qint64>{2, 3};
    QTest::newRow("a view of more bytes") << "Reshape" << 1 << QVector<qint64>{4, 3};
    QTest::newRow("a concatenation with room for more") << "Concat" << 2 << QVector<qint64>{2, 7};
    QTest::newRow("a split into more") << "Split" << 1 << QVector<qint64>{9, 3};
    QTest::newRow("an expansion that shrinks") << "Expand" << 1 << QVector<qint64>{2, 2};
    QTest::newRow("a sum over everything with two results") << "ReduceSum" << 1 << QVector<qint64>{2};
    QTest::newRow("a softmax with a larger output") << "Softmax" << 1 << QVector<qint64>{4, 3};
}

// Files declare shapes: a kernel that believed them would read and write what is not its own.
void TestExecutor::sizesThatDoNotFitAreRefused()
{
    QFETCH(QString, kind);
    QFETCH(int, operands);
    QFETCH(QVector<qint64>, out);
    GraphBuilder builder;
    Operator op;
    op.kind = kind.toStdString();
    for (int i = 0; i < operands; ++i)
        op.inputs.push_back(builder.addInput("x" + std::to_string(i), ElementType::Float32, Shape::of({2, 3})));
    const TensorId y = builder.tensor("y");
    builder.describe(y, ElementType::Float32, Shape::of({out.begin(), out.end()}));
    op.outputs = {y};
    builder.addOperator(op);
    builder.addOutput(y);
    const auto graph = *std::move(builder).build();
    const RunSupport support = runSupport(*graph);
    QCOMPARE(support.runnable, 0);
    QCOMPARE(support.refusals.size(), std::size_t{1});
    QCOMPARE(support.refusals[0].error.code, ErrorCode::CannotRun);
    QVERIFY(!runNetwork(*studyOf(graph, AliasMode::None), nullptr, {}));
}

void TestExecutor::wrongInputsAreRefused()
{
    const Ladder ladder;
    const TensorId x = ladder.graph->inputs()[0];
    auto report = runNetwork(*ladder.study, nullptr, {{x, floats({1.0F})}});
    QVERIFY(!report);
    QCOMPARE(report.error().code, ErrorCode::WrongInput);
    report = runNetwork(*ladder.study, nullptr, {{ladder.a, floats(std::vector<float>(16))}});
    QVERIFY(!report);
    QCOMPARE(report.error().code, ErrorCode::WrongInput);
    const auto zeros = makeInput(*ladder.graph, x, InputFill::Zeros, 0);
    QVERIFY(zeros);
    QCOMPARE(floatsOf(*zeros), std::vector<float>(16, 0.0F));
    const auto first = makeInput(*ladder.graph, x, InputFill::Random, 7);
    const auto second = makeInput(*ladder.graph, x, InputFill::Random, 7);
    QVERIFY(first && second && first->bytes == second->bytes);
    for (const float value : floatsOf(*first))
        QVERIFY(value >= -1.0F && value < 1.0F);
}

void TestExecutor::cancels()
{
    const Ladder ladder;
    std::stop_source stop;
    RunOptions options;
    int steps = 0;
    options.onStep = [&](const RunStep&) {
        ++steps;
        stop.request_stop();
    };
    const auto report = runNetwork(*ladder.study, nullptr, {}, options, stop.get_token());
    QVERIFY(!report);
    QCOMPARE(report.error().code, ErrorCode::Cancelled);
    QCOMPARE(steps, 1);
}

void TestExecutor::stepsSeeWhatWasWritten()
{
    const Ladder ladder(AliasMode::InPlace);
    const Plan plan = planOf(ladder.study, "greedy-by-size");
    std::map<TensorId, std::vector<std::byte>> arena, unplanned;
    RunOptions options;
    options.onStep = [&](const RunStep& step) {
        for (const WrittenTensor& written : step.written)
            (step.isArena ? arena : unplanned)[written.tensor].assign(written.bytes.begin(), written.bytes.end());
    };
    const auto report = runNetwork(*ladder.study, &plan, {}, options);
    QVERIFY(report && report->bitIdentical);
    QCOMPARE(arena.size(), std::size_t{4});
    QVERIFY(arena == unplanned);
    QVERIFY(arena.at(ladder.d) == report->outputs.at(ladder.d).bytes);
}

void TestExecutor::memoryIsTheArenaAndTheWorkspace()
{
    const auto graph = sample("residual.onnx");
    const auto study = studyOf(graph, AliasMode::None);
    const Plan plan = planOf(study, "greedy-by-size");
    RunOptions options;
    options.repeat = 3;
    const auto report = runNetwork(*study, &plan, {}, options);
    QVERIFY(report);
    QCOMPARE(report->arenaBytes, plan.arenaSize);
    QCOMPARE(report->outsideBytes, Bytes{0});
    Bytes tensors = 0;
    for (const Tensor& tensor : graph->tensors())
        tensors += tensor.isActivation() ? tensor.bytes : 0;
    QCOMPARE(report->unplannedBytes, tensors);
    QVERIFY(report->arenaBytes < report->unplannedBytes);
    QVERIFY(report->weightBytes > 0);
    Bytes most = 0;
    for (const OperatorRun& op : report->operators) {
        QVERIFY(op.secondsArena > 0.0 && op.secondsUnplanned > 0.0);
        QVERIFY(op.bytesRead > 0 && op.bytesWritten > 0);
        most = std::max(most, op.workspace);
    }
    QCOMPARE(report->workspaceBytes, most);
}

void TestExecutor::picturesShowChannels()
{
    // Two channels of 2 x 3: dark to bright, the last one no number.
    std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, std::numeric_limits<float>::quiet_NaN()};
    const TensorContent content = floats(values);
    const auto picture = tensorPicture(ElementType::Float32, Shape::of({1, 2, 2, 3}), content.bytes, 64);
    QVERIFY(picture);
    QCOMPARE(picture->rgb.size(), static_cast<std::size_t>(picture->width) * picture->height * 3);
    QCOMPARE(picture->width * picture->height, picture->height == 2 ? 7 * 2 : 3 * 5); // side by side, or one below the other
    const auto pixel = [&](int x, int y) {
        const auto at = static_cast<std::size_t>(y * picture->width + x) * 3;
        return std::array{picture->rgb[at], picture->rgb[at + 1], picture->rgb[at + 2]};
    };
    const auto brightness = [](const auto& rgb) { return rgb[0] + rgb[1] + rgb[2]; };
    QVERIFY(brightness(pixel(0, 0)) < brightness(pixel(2, 1)));
    const auto magenta = pixel(picture->width - 1, picture->height - 1);
    QVERIFY(magenta[0] == 255 && magenta[1] == 0 && magenta[2] == 255);
    for (const int side : {1, 5, 64}) {
        const auto small = tensorPicture(ElementType::Float32, Shape::of({3, 40, 50}),
                                         floats(std::vector<float>(6000, 1.0F)).bytes, side);
        QVERIFY(small);
        QVERIFY(small->width <= side && small->height <= side && small->width > 0 && small->height > 0);
    }
    QVERIFY(!tensorPicture(ElementType::String, Shape::of({1}), content.bytes, 64));
    QVERIFY(!tensorPicture(ElementType::Float32, Shape::of({100}), content.bytes, 64));
}

QTEST_GUILESS_MAIN(TestExecutor)
#include "tst_executor.moc"
