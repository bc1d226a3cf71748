// SPDX-License-Identifier: MIT
// Running networks in their planned arenas: the same bits as without a plan, and plans that are broken on purpose caught at
// the step that breaks them.
#include <arenascope/executor.h>
#include <arenascope/graph_builder.h>
#include <arenascope/importer.h>

#include <QtTest>

#include <array>
#include <cmath>
#include <cstring>

using namespace arenascope;

namespace {

std::shared_ptr<const Graph> sample(const char* name)
{
    const auto imported = importModel(std::string(ARENASCOPE_SOURCE_DIR "/samples/") + name);
    return imported ? imported->graph : nullptr;
}

std::shared_ptr<const Study> studyOf(std::shared_ptr<const Graph> graph, AliasMode alias,
                                     ScheduleKind schedule = ScheduleKind::File)
{
    StudyOptions options;
    options.alias = alias;
    options.schedule = schedule;
    auto made = makeStudy(std::move(graph), options);
    return made ? *made : nullptr;
}

Plan planOf(const std::shared_ptr<const Study>& study, const char* strategy)
{
    PlannerOptions options;
    options.nodeBudget = 20000;
    auto outcome = planStudy(study, strategy, options);
    return outcome ? (*outcome)->plan : Plan();
}

TensorContent floats(std::vector<float> values)
{
    TensorContent content{ElementType::Float32, Shape::of({std::ssize(values)}), {}};
    content.bytes.resize(values.size() * sizeof(float));
    std::memcpy(content.bytes.data(), values.data(), content.bytes.size());
    return content;
}

std::vector<float> floatsOf(const TensorContent& content)
{
    std::vector<float> values(content.bytes.size() / sizeof(float));
    std::memcpy(values.data(), content.bytes.data(), content.bytes.size());
    return values;
}

/// x -> Exp a -> Neg b -> Exp c, and d = c + a: while b and c are made, a must be kept. 16 floats each.
struct Ladder {
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const Study> study;
    TensorId a, b, c, d;

    explicit Ladder(AliasMode alias = AliasMode::None)
    {
        GraphBuilder builder;
        const Shape shape = Shape::of({1, 16});
        const TensorId x = builder.addInput("x", ElementType::Float32, shape);
        const auto add = [&](const char* kind, const char* name, std::vector<TensorId> inputs) {
            const TensorId made = builder.tensor(name);
            builder.describe(made, ElementType::Float32, shape);
            Operator op;
            op.name = std::string("make_") + name;
            op.kind = kind;
            op.inputs = std::move(inputs);
            op.outputs = {made};
            builder.addOperator(std::move(op));
            return made;
        };
        a = add("Exp", "a", {x});
        b = add("Neg", "b", {a});
        c = add("Exp", "c", {b});
        d = add("Add", "d", {c, a});
        builder.addOutput(d);
        graph = *std::move(builder).build();
        study = studyOf(graph, alias);
    }
    Plan plan() const { return planOf(study, "naive"); }
    void move(Plan& plan, TensorId tensor, TensorId onto, Offset by = 0) const
    {
        auto& places = plan.placements;
        places[study->bufferOf[tensor.index()].index()].offset = places[study->bufferOf[onto.index()].index()].offset + by;
    }
};

RunReport guarded(const Study& study, const Plan& plan)
{
    RunOptions options;
    options.guard = true;
    auto report = runNetwork(study, &plan, {}, options);
    return report ? std::move(*report) : RunReport();
}

} // namespace

class TestExecutor : public QObject {
    Q_OBJECT
private slots:
    void samplesAreBitIdenticalInTheirArenas_data();
    void samplesAreBitIdenticalInTheirArenas();
    void computesByHand();
    void givenInputsAreUsed();
    void operandsAreCopiedWhereAKernelCannotRunInPlace();
    void brokenPlansAreCaught_data();
    void brokenPlansAreCaught();
    void comparingFindsTheFirstDifference();
    void aSmallArenaIsRefusedUnguarded();
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
    const Plan plan = planOf(study, strategy.toLatin1());
    if (plan.placements.empty())
        QSKIP("The strategy has no plan for this problem.");
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
    QCOMPARE(report->operators[1].workspace, Bytes{64}); // 16 bytes, rounded up
    QCOMPARE(report->operators[2].workspace, Bytes{0});
}

void TestExecutor::brokenPlansAreCaught_data()
{
    QTest::addColumn<int>("what");
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("step");
    QTest::addColumn<QString>("lost");
    QTest::addColumn<QString>("by");
    QTest::addColumn<int>("begin");
    QTest::addColumn<int>("end");
    const int overwritten = static_cast<int>(GuardKind::Overwritten);
    const int outside = static_cast<int>(GuardKind::OutsideArena);
    // Naive offsets: x 0, a 64, b 128, c 192, d 256.
    QTest::newRow("c on a, which d still reads") << 0 << overwritten << 2 << "a" << "c" << 64 << 128;
    QTest::newRow("c on the upper half of a") << 1 << overwritten << 2 << "a" << "c" << 96 << 128;
    QTest::newRow("b on a, which it reads meanwhile and d later") << 2 << overwritten << 1 << "a" << "b" << 64 << 128;
    QTest::newRow("c on b, which it reads meanwhile for the last time") << 3 << overwritten << 2 << "b" << "c" << 128 << 192;
    QTest::newRow("an arena without room for d") << 4 << outside << 3 << "" << "d" << 256 << 320;
    QTest::newRow("an arena with room for half of c") << 5 << outside << 2 << "" << "c" << 224 << 256;
}

void TestExecutor::brokenPlansAreCaught()
{
    QFETCH(int, what);
    QFETCH(int, kind);
    QFETCH(int, step);
    QFETCH(QString, lost);
    QFETCH(QString, by);
    QFETCH(int, begin);
    QFETCH(int, end);
    const Ladder ladder;
    Plan plan = ladder.plan();
    QVERIFY(guarded(*ladder.study, plan).violations.empty());
    switch (what) {
    case 0: ladder.move(plan, ladder.c, ladder.a); break;
    case 1: ladder.move(plan, ladder.c, ladder.a, 32); break;
    case 2: ladder.move(plan, ladder.b, ladder.a); break;
    case 3: ladder.move(plan, ladder.c, ladder.b); break;
    case 4: plan.arenaSize = 256; break;
    default: plan.arenaSize = 224;
    }
    const RunReport report = guarded(*ladder.study, plan);
    QCOMPARE(report.operatorsRun, step + 1);
    QVERIFY(!report.bitIdentical);
    QVERIFY(!report.violations.empty());
    const GuardViolation& found = report.violations.front();
    const auto name = [&](TensorId id) {
        return id.isValid() ? QString::fromStdString(ladder.graph->tensor(id).name) : QString();
    };
    QCOMPARE(static_cast<int>(found.kind), kind);
    QCOMPARE(found.step, step);
    QCOMPARE(name(found.tensor), lost);
    QCOMPARE(name(found.by), by);
    QCOMPARE(found.begin, begin);
    QCOMPARE(found.end, end);
    QVERIFY(describe(found, *ladder.graph).find(by.toStdString()) != std::string::npos);
}

void TestExecutor::comparingFindsTheFirstDifference()
{
    const Ladder ladder;
    Plan plan = ladder.plan();
    ladder.move(plan, ladder.c, ladder.a); // d then adds c to itself
    const auto report = runNetwork(*ladder.study, &plan, {});
    QVERIFY(report);
    QVERIFY(report->isCompared && !report->bitIdentical);
    QVERIFY(report->firstDifference.has_value());
    QCOMPARE(report->firstDifference->step, 3);
    QCOMPARE(report->firstDifference->tensor, ladder.d);
}

void TestExecutor::aSmallArenaIsRefusedUnguarded()
{
    const Ladder ladder;
    Plan plan = ladder.plan();
    plan.arenaSize = 256;
    auto report = runNetwork(*ladder.study, &plan, {});
    QVERIFY(!report);
    QCOMPARE(report.error().code, ErrorCode::InvalidPlan);
    plan = ladder.plan();
    plan.placements[0].offset = -64;
    report = runNetwork(*ladder.study, &plan, {});
    QVERIFY(!report);
    QCOMPARE(report.error().code, ErrorCode::InvalidPlan);
    plan.placements.pop_back();
    report = runNetwork(*ladder.study, &plan, {});
    QVERIFY(!report);
    QCOMPARE(report.error().code, ErrorCode::InvalidPlan);
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
