// SPDX-License-Identifier: MIT
// Sub-graphs that IF, WHILE and CALL_ONCE call: who is alive together, and where the runtime puts them, against a second
// implementation of what TensorFlow Lite Micro does, on files made here.
#include <arenascope/importer.h>
#include <arenascope/study.h>

#include "tests/support/random_graph.h"
#include "tests/support/tflite_writer.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

/// Steps in which a tensor is needed, closed; -1: before the first operator.
struct Life {
    int first = -1;
    int last = -1;
    bool meets(const Life& other) const { return first <= other.last && other.first <= last; }
};

/// What TensorFlow Lite Micro works out before it plans, written from its documentation and behaviour: time goes on by one for
/// each operator and for each sub-graph that begins.
class Reference {
public:
    explicit Reference(const TfliteModel& model) : m_model(model)
    {
        for (const TfliteGraph& graph : model.graphs)
            m_lives.emplace_back(graph.tensors.size());
        walk(0);
    }
    Life lifeOf(std::size_t graph, std::size_t tensor) const { return m_lives[graph][tensor]; }

private:
    void born(std::size_t graph, int tensor)
    {
        if (tensor < 0) // left out
            return;
        Life& life = m_lives[graph][static_cast<std::size_t>(tensor)];
        life.first = life.first < 0 ? m_time : life.first;
    }
    void used(std::size_t graph, int tensor)
    {
        if (tensor >= 0)
            m_lives[graph][static_cast<std::size_t>(tensor)].last = m_time;
    }
    void walk(std::size_t index)
    {
        const TfliteGraph& graph = m_model.graphs[index];
        for (const int input : graph.inputs) {
            born(index, input);
            used(index, input);
        }
        for (const TfliteOp& op : graph.ops) {
            ++m_time;
            for (const int output : op.outputs)
                born(index, output);
            for (const int called : op.calls) {
                ++m_time;
                walk(static_cast<std::size_t>(called));
            }
            for (const int input : op.inputs)
                used(index, input);
            for (const int output : op.outputs)
                used(index, output);
        }
        for (const int output : graph.outputs) {
            born(index, output);
            used(index, output);
        }
    }

    const TfliteModel& m_model;
    std::vector<std::vector<Life>> m_lives;
    int m_time = 0;
};

/// A tensor for which that runtime reserves bytes.
struct Reserved {
    qint64 tensor = 0; ///< position among all tensors
    Bytes size = 0;
    Life life;
};

std::vector<Reserved> reservedTensors(const TfliteModel& model)
{
    const Reference reference(model);
    std::vector<Reserved> reserved;
    qint64 position = 0;
    for (std::size_t g = 0; g < model.graphs.size(); ++g) {
        for (std::size_t t = 0; t < model.graphs[g].tensors.size(); ++t, ++position) {
            const TfliteTensor& tensor = model.graphs[g].tensors[t];
            Bytes bytes = 1;
            for (const int dim : tensor.shape)
                bytes *= dim;
            if (tensor.content.empty() && !tensor.isVariable && bytes > 0)
                reserved.push_back({position, (bytes + 15) / 16 * 16, reference.lifeOf(g, t)});
        }
    }
    return reserved;
}

/// Its greedy planner, the slow way: every offset that could be the lowest is tried.
QHash<qint64, qint64> greedyOffsets(const std::vector<Reserved>& reserved)
{
    std::vector<std::size_t> order;
    for (std::size_t i = reserved.size(); i-- > 0;)
        order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return reserved[a].size > reserved[b].size; });
    QHash<qint64, qint64> offsets;
    std::vector<std::size_t> placed;
    for (const std::size_t i : order) {
        std::vector<qint64> candidates = {0};
        for (const std::size_t other : placed)
            candidates.push_back(offsets[reserved[other].tensor] + reserved[other].size);
        std::sort(candidates.begin(), candidates.end());
        const auto isFree = [&](qint64 offset) {
            return std::none_of(placed.begin(), placed.end(), [&](std::size_t other) {
                const qint64 begin = offsets[reserved[other].tensor];
                return reserved[other].life.meets(reserved[i].life) && begin < offset + reserved[i].size
                    && offset < begin + reserved[other].size;
            });
        };
        offsets[reserved[i].tensor] = *std::find_if(candidates.begin(), candidates.end(), isFree);
        placed.push_back(i);
    }
    return offsets;
}

class TestTfliteControlFlow : public QObject {
    Q_OBJECT

private slots:
    void byHand_data();
    void byHand();
    void randomFilesAgreeWithTheRuntime();
    void everyStrategyIsValid();
    void ordersKeepCallsWhole();
    void selfCallsAreTold_data();
    void selfCallsAreTold();
    void callsThatMultiplyAreLimited();
    void stateKeepsItsOrder();

private:
    Result<ImportedModel> read(const TfliteModel& model);
    QString compare(const TfliteModel& model);
    QTemporaryDir m_folder;
};

Result<ImportedModel> TestTfliteControlFlow::read(const TfliteModel& model)
{
    const std::string path = m_folder.filePath("model.tflite").toStdString();
    writeBytes(path, tfliteFile(model));
    return importModel(path);
}

/// What differs from the runtime; empty: nothing.
QString TestTfliteControlFlow::compare(const TfliteModel& model)
{
    const auto imported = read(model);
    if (!imported)
        return QString::fromStdString(describe(imported.error()));
    const Graph& graph = *imported->graph;
    StudyOptions options;
    options.problem.alignment = 16;
    const auto study = makeStudy(imported->graph, options);
    if (!study)
        return QString::fromStdString(describe(study.error()));
    const std::vector<Reserved> reserved = reservedTensors(model);
    const std::vector<LiveRange> ranges = tensorLiveRanges(graph, (*study)->schedule);
    // Idle tensors and scratch are there before the first step.
    const auto ours = [&](qint64 tensor) {
        const LiveRange range = ranges[static_cast<std::size_t>(tensor)];
        const bool isScratch = graph.tensors()[static_cast<std::size_t>(tensor)].role == TensorRole::Scratch;
        return range.length() == 0 ? LiveRange{-2, -1} : LiveRange{isScratch ? -2 : range.begin, range.end};
    };
    for (std::size_t a = 0; a < reserved.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            const bool meet = ours(reserved[a].tensor).meets(ours(reserved[b].tensor));
            if (meet != reserved[a].life.meets(reserved[b].life))
                return QString("tensors %1 and %2 %3").arg(reserved[a].tensor).arg(reserved[b].tensor)
                    .arg(meet ? "meet here only" : "meet in the runtime only");
        }
    }
    const auto outcome = planStudy(*study, "tflm");
    if (!outcome)
        return QString::fromStdString(describe(outcome.error()));
    if (!(*outcome)->isValid())
        return "the plan is not valid";
    const QHash<qint64, qint64> expected = greedyOffsets(reserved);
    qint64 found = 0;
    const auto check = [&](const Buffer& buffer, Offset offset) {
        const qint64 tensor = buffer.tensors.front().tensor.value();
        found += buffer.size > 0;
        return buffer.size == 0 || expected.value(tensor, -1) == offset
            ? QString() : QString("tensor %1 at %2, by the runtime at %3").arg(tensor).arg(offset).arg(expected.value(tensor, -1));
    };
    QString text;
    for (std::size_t i = 0; i < (*study)->problem.buffers.size(); ++i)
        text += check((*study)->problem.buffers[i], (*outcome)->plan.placements[i].offset);
    for (std::size_t i = 0; i < (*study)->problem.idle.size(); ++i)
        text += check((*study)->problem.idle[i], (*outcome)->plan.idleOffsets[i]);
    if (found != expected.size())
        text += QString("%1 tensors are placed, %2 by the runtime").arg(found).arg(expected.size());
    return text;
}

TfliteTensor tensorOf(int bytes)
{
    return {.name = {}, .shape = {bytes}};
}

/// x -> [IF: then a -> b -> c, else d -> e] -> y -> z.
TfliteModel ifModel()
{
    TfliteModel model;
    TfliteGraph main{{tensorOf(1), tensorOf(100), tensorOf(200), tensorOf(30), tensorOf(300)}, {}, {0, 1}, {3}};
    main.ops = {{.code = kRelu, .inputs = {1}, .outputs = {4}},
                {.code = kIf, .inputs = {0, 4}, .outputs = {2}, .calls = {1, 2}},
                {.code = kRelu, .inputs = {2}, .outputs = {3}}};
    TfliteGraph then{{tensorOf(300), tensorOf(150), tensorOf(200)}, {}, {0}, {2}};
    then.ops = {{.code = kRelu, .inputs = {0}, .outputs = {1}}, {.code = kRelu, .inputs = {1}, .outputs = {2}}};
    TfliteGraph otherwise{{tensorOf(300), tensorOf(200)}, {}, {0}, {1}};
    otherwise.ops = {{.code = kRelu, .inputs = {0}, .outputs = {1}}};
    model.graphs = {main, then, otherwise};
    return model;
}

class RandomModel {
public:
    explicit RandomModel(std::uint64_t seed) : m_random(seed) {}

    TfliteModel make()
    {
        const std::size_t graphs = static_cast<std::size_t>(1 + m_random.below(5));
        for (std::size_t g = 0; g < graphs; ++g)
            m_model.graphs.push_back(graph(g, graphs));
        return std::move(m_model);
    }

private:
    int add(TfliteGraph& graph)
    {
        TfliteTensor tensor = tensorOf(static_cast<int>(m_random.below(5) == 0 ? m_random.below(3) : 1 + m_random.below(200)));
        const std::int64_t kind = m_random.below(20);
        if (kind == 0)
            tensor.content = {1, 2, 3};
        else if (kind == 1)
            tensor.isVariable = true;
        graph.tensors.push_back(tensor);
        return static_cast<int>(graph.tensors.size()) - 1;
    }
    int addPlain(TfliteGraph& graph)
    {
        graph.tensors.push_back(tensorOf(static_cast<int>(1 + m_random.below(200))));
        return static_cast<int>(graph.tensors.size()) - 1;
    }

    TfliteGraph graph(std::size_t index, std::size_t graphs)
    {
        TfliteGraph made;
        std::vector<int> known;
        for (std::int64_t i = m_random.below(4); i-- > 0;) {
            known.push_back(add(made));
            made.inputs.push_back(known.back());
        }
        if (index == 0) {
            known.push_back(addPlain(made));
            made.inputs.push_back(known.back());
        }
        for (std::int64_t i = index == 0 ? 1 + m_random.below(6) : m_random.below(6); i-- > 0;)
            addOp(made, known, index, graphs);
        for (std::int64_t i = m_random.below(3); i-- > 0 && !known.empty();) {
            const int output = known[static_cast<std::size_t>(m_random.below(std::ssize(known)))];
            if (std::find(made.outputs.begin(), made.outputs.end(), output) == made.outputs.end())
                made.outputs.push_back(output);
        }
        if (index > 0 && made.ops.empty() && m_random.chance(0.3))
            made.outputs.push_back(addPlain(made)); // nobody makes it
        return made;
    }

    void addOp(TfliteGraph& graph, std::vector<int>& known, std::size_t index, std::size_t graphs)
    {
        TfliteOp op;
        for (std::int64_t i = m_random.below(4); i-- > 0 && !known.empty();)
            op.inputs.push_back(m_random.chance(0.05) ? -1 : known[static_cast<std::size_t>(m_random.below(std::ssize(known)))]);
        if (m_random.chance(0.1)) // scratch of a compiled kernel
            op.inputs.push_back(addPlain(graph));
        if (m_random.chance(0.1)) // nothing touches it
            addPlain(graph);
        for (std::int64_t i = m_random.below(3); i-- > 0;)
            op.outputs.push_back(addPlain(graph));
        if (m_random.chance(0.1))
            op.outputs.push_back(-1);
        if (index + 1 < graphs && m_random.chance(0.4)) {
            const auto below = static_cast<std::int64_t>(graphs - index - 1);
            const auto callee = [&] { return static_cast<int>(index + 1) + static_cast<int>(m_random.below(below)); };
            op.code = m_random.chance(0.2) ? kCallOnce : m_random.chance(0.5) ? kIf : kWhile;
            op.calls = op.code == kCallOnce ? std::vector<int>{callee()} : std::vector<int>{callee(), callee()};
        }
        for (const int output : op.outputs) {
            if (output >= 0)
                known.push_back(output);
        }
        graph.ops.push_back(op);
    }

    Random m_random;
    TfliteModel m_model;
};

} // namespace

void TestTfliteControlFlow::byHand_data()
{
    QTest::addColumn<int>("which");
    QTest::newRow("a choice") << 0;
    QTest::newRow("both choices are one sub-graph") << 1;
    QTest::newRow("a loop") << 2;
    QTest::newRow("an initialisation, and a sub-graph that never runs") << 3;
    QTest::newRow("a sub-graph that hands its input through") << 4;
    QTest::newRow("an input that nobody reads") << 5;
}

void TestTfliteControlFlow::byHand()
{
    QFETCH(int, which);
    TfliteModel model = ifModel();
    if (which == 1)
        model.graphs[0].ops[1].calls = {1, 1};
    if (which == 2)
        model.graphs[0].ops[1].code = kWhile;
    if (which == 3) {
        model.graphs[0].ops[1].code = kCallOnce;
        model.graphs[0].ops[1].calls = {2};
    }
    if (which == 4) {
        model.graphs[2].ops.clear();
        model.graphs[2].outputs = {0};
    }
    if (which == 5)
        model.graphs[0].ops[1].inputs = {4};
    QCOMPARE(compare(model), QString());
    if (which != 0)
        return;
    // Times there: 0 inputs, 1 relu, 2 IF, 3 then begins, 4, 5, 6 else begins, 7, 8 relu.
    const Reference reference(model);
    const auto life = [&](std::size_t graph, std::size_t tensor) {
        return std::pair(reference.lifeOf(graph, tensor).first, reference.lifeOf(graph, tensor).last);
    };
    QCOMPARE(life(0, 0), std::pair(0, 7)); // the condition, kept through the call
    QCOMPARE(life(0, 4), std::pair(1, 7)); // the argument, too
    QCOMPARE(life(0, 2), std::pair(2, 8)); // what IF makes, from the call on
    QCOMPARE(life(1, 0), std::pair(3, 4));
    QCOMPARE(life(1, 2), std::pair(5, 5)); // gone before the other branch begins
    QCOMPARE(life(2, 0), std::pair(6, 7));
    const auto imported = read(model);
    QVERIFY(imported);
    QStringList names;
    for (const Operator& op : imported->graph->operators()) {
        names << QString::fromStdString(op.name + ":" + op.kind);
        QVERIFY2(!op.isDead, op.name.c_str());
    }
    QCOMPARE(names, (QStringList{"tensor_4:RELU", "tensor_2:IF", "subgraph_1/tensor_1:RELU", "subgraph_1/tensor_2:RELU",
                                 "tensor_2/then end:END", "tensor_2/else:CALL", "subgraph_2/tensor_1:RELU", "tensor_2/end:END",
                                 "tensor_3:RELU"}));
}

void TestTfliteControlFlow::randomFilesAgreeWithTheRuntime()
{
    int calls = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const TfliteModel model = RandomModel(seed).make();
        const QString text = compare(model);
        QVERIFY2(text.isEmpty(), qPrintable(QString("seed %1: %2").arg(seed).arg(text)));
        for (const TfliteOp& op : model.graphs[0].ops)
            calls += op.calls.empty() ? 0 : 1;
    }
    QVERIFY(calls > 100);
}

void TestTfliteControlFlow::everyStrategyIsValid()
{
    for (std::uint64_t seed = 1000; seed < 1040; ++seed) {
        const auto model = read(RandomModel(seed).make());
        QVERIFY2(model, model ? "" : describe(model.error()).c_str());
        for (const AliasMode alias : {AliasMode::None, AliasMode::Views, AliasMode::InPlace, AliasMode::All}) {
            for (const ScheduleKind schedule : {ScheduleKind::File, ScheduleKind::DepthFirst, ScheduleKind::MinPeak}) {
                StudyOptions options;
                options.alias = alias;
                options.schedule = schedule;
                const auto study = makeStudy(model->graph, options);
                QVERIFY2(study, study ? "" : describe(study.error()).c_str());
                QVERIFY(isTopological(*model->graph, (*study)->schedule));
                for (const char* strategy : {"pingpong", "pingpong-pooled", "pingpong-escape", "greedy-by-size", "shared-objects"}) {
                    const auto outcome = planStudy(*study, strategy);
                    QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
                    QVERIFY2((*outcome)->isValid(), qPrintable(QString("seed %1, %2").arg(seed).arg(strategy)));
                }
            }
        }
        StudyOptions parallel;
        parallel.problem.concurrency = Concurrency::Parallel;
        const auto study = makeStudy(model->graph, parallel);
        QVERIFY2(study, study ? "" : describe(study.error()).c_str());
        const auto outcome = planStudy(*study, "greedy-by-size");
        QVERIFY2(outcome && (*outcome)->isValid(), qPrintable(QString("seed %1, parallel").arg(seed)));
    }
}

// Whatever the order, nothing of outside runs between the begin of a call and its end.
void TestTfliteControlFlow::ordersKeepCallsWhole()
{
    TfliteModel model = ifModel();
    TfliteGraph& main = model.graphs[0];
    main.tensors.push_back(tensorOf(500)); // 5: could run any time, were it not for the call
    main.ops.insert(main.ops.begin() + 2, {.code = kRelu, .inputs = {1}, .outputs = {5}});
    const auto imported = read(model);
    QVERIFY(imported);
    for (const ScheduleKind kind : {ScheduleKind::File, ScheduleKind::DepthFirst, ScheduleKind::MinPeak}) {
        const auto schedule = makeSchedule(*imported->graph, kind);
        QVERIFY(schedule);
        const auto stepOf = [&](const char* name) { return schedule->stepOf[imported->graph->findOperator(name).index()]; };
        QCOMPARE(stepOf("tensor_2/end") - stepOf("tensor_2"), Step(6));
        QVERIFY(stepOf("tensor_3") > stepOf("tensor_2/end"));
    }
}

void TestTfliteControlFlow::selfCallsAreTold_data()
{
    QTest::addColumn<int>("callee");
    QTest::addColumn<int>("called");
    QTest::newRow("a sub-graph that calls itself") << 1 << 1;
    QTest::newRow("a sub-graph that calls the main one") << 1 << 0;
    QTest::newRow("two that call each other") << 1 << 2;
}

void TestTfliteControlFlow::selfCallsAreTold()
{
    QFETCH(int, callee);
    QFETCH(int, called);
    TfliteModel model = ifModel();
    model.graphs[static_cast<std::size_t>(callee)].ops.push_back({.code = kCallOnce, .calls = {called}});
    if (called == 2)
        model.graphs[2].ops.push_back({.code = kCallOnce, .calls = {1}});
    const auto imported = read(model);
    QVERIFY(!imported);
    const QString text = QString::fromStdString(describe(imported.error()));
    QVERIFY2(text.contains("(CALL_ONCE): The file is damaged: it runs sub-graph") && text.contains("which is running already"),
             qPrintable(text));
}

// Each sub-graph calls the next one twice: 2^20 runs of the last.
void TestTfliteControlFlow::callsThatMultiplyAreLimited()
{
    TfliteModel model = ifModel();
    model.graphs.resize(1);
    for (int i = 1; i <= 20; ++i) {
        TfliteGraph graph{{tensorOf(8)}, {}, {0}, {0}};
        if (i < 20)
            graph.ops.push_back({.code = kWhile, .inputs = {0}, .calls = {i + 1, i + 1}});
        else
            graph.ops.push_back({.code = kRelu, .inputs = {0}});
        model.graphs.push_back(graph);
    }
    model.graphs[0].ops[1].calls = {1, 1};
    const auto imported = read(model);
    QVERIFY(!imported);
    QCOMPARE(imported.error().code, ErrorCode::TooLarge);
}

void TestTfliteControlFlow::stateKeepsItsOrder()
{
    TfliteModel model;
    TfliteGraph graph{{tensorOf(16), tensorOf(16), tensorOf(16), tensorOf(16), {.name = "state", .shape = {64}, .isVariable = true},
                       {.name = "handle", .shape = {}, .type = kResource}},
                      {}, {0}, {3}};
    graph.ops = {{.code = kVarHandle, .outputs = {5}},
                 {.code = kAssignVariable, .inputs = {5, 0}},
                 {.code = kRelu, .inputs = {0, 4}, .outputs = {1}},
                 {.code = kRelu, .inputs = {0, 4}, .outputs = {2}},
                 {.code = kReadVariable, .inputs = {5}, .outputs = {3}}};
    model.graphs = {graph};
    const auto imported = read(model);
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    const auto ops = imported->graph->operators();
    QCOMPARE(ops[3].runsAfter, std::vector<OpId>{OpId(2)}); // both change the variable
    QCOMPARE(ops[4].runsAfter, std::vector<OpId>{OpId(1)}); // reads what was assigned
    QVERIFY(!ops[1].isDead);                                // runs for what it does
    QCOMPARE(imported->graph->tensor(TensorId(5)).bytes, Bytes(4));
    QCOMPARE(imported->graph->tensor(TensorId(4)).role, TensorRole::Variable);
}

QTEST_GUILESS_MAIN(TestTfliteControlFlow)
#include "tst_tflite_control_flow.moc"
