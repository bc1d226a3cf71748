// SPDX-License-Identifier: MIT
// Concurrency parallel: which buffers are kept apart, the bound, and what strategies make of it.
#include "support/parallel.h"
#include "support/parts_graph.h"
#include "support/problems.h"
#include "support/text_graph.h"

#include <arenascope/plan_io.h>
#include <arenascope/report.h>

#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

std::shared_ptr<const Study> studyOf(std::string_view picture, AliasMode alias = AliasMode::None)
{
    return *makeStudy(textGraph(picture), optionsOf(alias));
}

std::string pairsOf(const PlacementProblem& problem)
{
    std::string text;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        for (const BufferId other : problem.conflicts.of(BufferId::fromIndex(i))) {
            if (other.index() > i)
                text += (text.empty() ? "" : " ") + problem.buffers[i].name + "-" + problem.buffer(other).name;
        }
    }
    return text;
}

std::string groupsOf(const Study& study)
{
    std::string text;
    for (const AliasGroup& group : study.aliases.groups) {
        text += text.empty() ? "" : " ";
        for (const AliasMember& member : group.members)
            text += (&member == &group.members.front() ? "" : "+") + study.graph->tensor(member.tensor).name;
    }
    return text;
}

/// Whether two buffers may share bytes by the problem.
bool mayShare(const PlacementProblem& problem, std::size_t a, std::size_t b)
{
    const auto apart = problem.conflicts.of(BufferId::fromIndex(a));
    return !problem.buffers[a].live.meets(problem.buffers[b].live) && !std::ranges::binary_search(apart, BufferId::fromIndex(b));
}

/// The heaviest set of which no two may share bytes, by trying all.
Bytes heaviestByTrying(const PlacementProblem& problem)
{
    Bytes heaviest = 0;
    const std::size_t count = problem.buffers.size();
    for (std::uint32_t set = 0; set < (1u << count); ++set) {
        Bytes bytes = 0;
        bool isApart = true;
        for (std::size_t a = 0; a < count && isApart; ++a) {
            if (!(set >> a & 1))
                continue;
            bytes += problem.reserved(BufferId::fromIndex(a));
            for (std::size_t b = 0; b < a && isApart; ++b)
                isApart = !(set >> b & 1) || !mayShare(problem, a, b);
        }
        if (isApart)
            heaviest = std::max(heaviest, bytes);
    }
    return heaviest;
}

// Two branches from one input.
constexpr const char* kTwoBranches = R"(
    in:  x 4
    x    -> Conv A -> a 10
    a    -> Conv B -> b 1
    x    -> Conv C -> c 20
    c    -> Conv D -> d 1
    b, d -> Concat E -> e 1
    out: e
)";

} // namespace

class TestParallel : public QObject {
    Q_OBJECT

private slots:
    void conflictsAreKeptOnceBothWays();
    void conflictsByHand_data();
    void conflictsByHand();
    void crowdByHand();
    void inPlaceOnlyWherePathsAllowIt_data();
    void inPlaceOnlyWherePathsAllowIt();
    void partsOnlyWherePathsAllowIt();
    void crowdIsTheHeaviest();
    void crowdOfManyBuffers();
    void strategiesKeepApartOrRefuse();
    void lateViewsEndMemories();
    void clashesAreNamed();
    void partsNeverRaiseTheBound();
    void regionsKeepApart();
    void plansRememberIt();
    void tooBroadIsAnError();
};

void TestParallel::conflictsAreKeptOnceBothWays()
{
    const auto id = [](int i) { return BufferId(i); };
    const std::vector<Conflicts::Pair> pairs{{id(3), id(1)}, {id(0), id(3)}, {id(1), id(3)}, {id(3), id(1)}, {id(1), id(2)}};
    const Conflicts conflicts(5, pairs);
    QCOMPARE(conflicts.pairCount(), std::size_t(3));
    const auto row = [&](int i) {
        const auto others = conflicts.of(id(i));
        return std::vector<BufferId>(others.begin(), others.end());
    };
    QCOMPARE(row(0), std::vector{id(3)});
    QCOMPARE(row(1), (std::vector{id(2), id(3)}));
    QCOMPARE(row(3), (std::vector{id(0), id(1)}));
    QVERIFY(row(4).empty() && Conflicts().of(id(0)).empty() && Conflicts().isEmpty());

    const std::vector<BufferId> some{id(1), id(3), id(4)};
    const Conflicts among = conflicts.among(some);
    QCOMPARE(among.pairCount(), std::size_t(1));
    QCOMPARE(among.of(id(0)).front(), id(1));
}

void TestParallel::conflictsByHand_data()
{
    QTest::addColumn<QString>("picture");
    QTest::addColumn<QString>("pairs");
    QTest::newRow("a chain has none") << "in: x 1\n x -> Conv -> a 1\n a -> Conv -> b 1\n b -> Conv -> c 1\n out: c" << "";
    // a is done before e begins; c may begin before a, and so on.
    QTest::newRow("two branches") << kTwoBranches << "x-d a-c a-d";
    QTest::newRow("what nobody reads is in use while its operator runs")
        << "in: x 1\n x -> Conv A -> a 1, u 1\n x -> Conv B -> b 1\n b -> Conv C -> c 1\n out: c" << "x-c a-b a-c u-b u-c";
    QTest::newRow("an input that nobody reads may be written over")
        << "in: x 1, y 1\n x -> Conv A -> a 1\n a -> Conv B -> b 1\n out: b" << "";
    // o is handed out: nothing takes over its bytes; p may begin before o or after it.
    QTest::newRow("outputs stay to the end")
        << "in: x 1\n x -> Conv A -> a 1\n a -> Conv P -> p 1\n p -> Conv Q -> q 1\n x -> Conv O -> o 1\n out: o" << "a-o p-o q-o";
    QTest::newRow("all readers count")
        << "in: x 1\n x -> Conv A -> a 1\n a -> Conv B -> b 1\n a -> Conv C -> c 1\n b -> Conv D -> d 1\n c, d -> Concat E -> e 1\n out: e"
        << "a-d";
}

void TestParallel::conflictsByHand()
{
    QFETCH(QString, picture);
    const auto study = studyOf(picture.toStdString());
    QTEST(QString::fromStdString(pairsOf(study->problem)), "pairs");
}

void TestParallel::crowdByHand()
{
    const auto study = studyOf(kTwoBranches);
    QCOMPARE(study->profile.peak, Bytes(4 + 1 + 20)); // while C runs
    QCOMPARE(study->problem.crowdBytes, Bytes(4 + 10 + 1 + 20 + 1)); // all but e
    QCOMPARE(study->lowerBound(), Bytes(36));
    const auto outcome = planStudy(study, "auto");
    QCOMPARE((*outcome)->plan.arenaSize, Bytes(36));
    QCOMPARE((*outcome)->plan.completion, Completion::Optimal);
    QCOMPARE((*outcome)->optimalityGap(), 0.0);
    PlannerOptions options;
    options.capacity = 35;
    const auto refused = planWith("auto", study->problem, options);
    QCOMPARE(refused->verdict, CapacityVerdict::CannotFit);
    QCOMPARE(refused->conflict, study->problem.crowd);
}

void TestParallel::inPlaceOnlyWherePathsAllowIt_data()
{
    QTest::addColumn<QString>("picture");
    QTest::addColumn<QString>("groups");
    QTest::newRow("the only reader") << "in: x 4\n x -> Conv -> a 4\n a -> Relu -> b 4\n b -> Relu -> c 4\n c -> Conv -> d 4\n out: d"
                                     << "x a+b+c d";
    QTest::newRow("another reader, before it only by schedule")
        << "in: x 4\n x -> Conv -> a 4\n a -> Conv R -> r 4\n a -> Relu -> b 4\n b, r -> Concat -> c 8\n out: c" << "x a r b c";
    QTest::newRow("another reader, before it on a path")
        << "in: x 4\n x -> Conv -> a 4\n a -> Conv R -> r 4\n r, a -> Add -> s 4\n s -> Conv -> d 4\n out: d" << "x a r+s d";
    QTest::newRow("the second operand, done with on a path")
        << "in: x 4\n x -> Conv -> a 4\n a -> Conv R -> r 2\n r, a -> Mul -> s 4\n s -> Conv -> d 4\n out: d" << "x a+s r d";
    QTest::newRow("a view that may run later")
        << "in: x 4\n x -> Conv -> a 4\n a -> Reshape V -> v 4\n v -> Conv U -> u 4\n a -> Relu -> b 4\n b, u -> Concat -> c 8\n out: c"
        << "x a+v u b c";
    QTest::newRow("readers from before an earlier in-place operator")
        << "in: x 4\n x -> Conv -> a 4\n a -> Conv R -> r 1\n a, r -> Mul -> b 4\n b -> Relu -> c 4\n c -> Conv -> d 4\n out: d"
        << "x a+b+c r d";
}

void TestParallel::inPlaceOnlyWherePathsAllowIt()
{
    QFETCH(QString, picture);
    QTEST(QString::fromStdString(groupsOf(*studyOf(picture.toStdString(), AliasMode::InPlace))), "groups");
}

void TestParallel::partsOnlyWherePathsAllowIt()
{
    GraphBuilder builder;
    const auto tensor = [&](const char* name, std::int64_t channels) {
        const TensorId id = builder.tensor(name);
        builder.describe(id, ElementType::UInt8, Shape::of({1, channels, 4}));
        return id;
    };
    const TensorId x = builder.addInput("x", ElementType::UInt8, Shape::of({1, 1, 4}));
    const auto add = [&](const char* kind, std::vector<TensorId> inputs, TensorId output) {
        Operator op;
        op.name = "make" + std::to_string(output.value());
        op.kind = kind;
        op.inputs = std::move(inputs);
        op.outputs = {output};
        if (op.kind == "Concat")
            op.attributes["axis"] = std::int64_t(1);
        builder.addOperator(std::move(op));
        return output;
    };
    const TensorId a = add("Conv", {x}, tensor("a", 2));
    const TensorId b = add("Conv", {x}, tensor("b", 3));
    const TensorId c = add("Concat", {a, b}, tensor("c", 5));
    builder.addOutput(add("Conv", {c}, tensor("d", 1)));
    const auto study = *makeStudy(*std::move(builder).build(), optionsOf(AliasMode::All));
    QCOMPARE(QString::fromStdString(groupsOf(*study)), QString("x a+b+c d"));
    QCOMPARE(study->aliases.elisions.size(), std::size_t(2));
    const Buffer& whole = study->problem.buffers[1];
    QVERIFY(whole.gaps.empty()); // in another order b comes first
    QCOMPARE(whole.live, (LiveRange{0, 4}));
}

void TestParallel::crowdIsTheHeaviest()
{
    int larger = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        RandomGraphOptions options = broadGraph(seed);
        options.operators = 3 + static_cast<int>(seed % 7);
        options.multiOutputChance = 0.0;
        const auto study = *makeStudy(randomGraph(seed, options), optionsFor(seed, Concurrency::Parallel));
        if (study->problem.buffers.size() > 14)
            continue;
        QCOMPARE(study->lowerBound(), heaviestByTrying(study->problem));
        larger += study->problem.crowdBytes > 0;
    }
    QVERIFY2(larger > 30, qPrintable(QString::number(larger)));
}

void TestParallel::crowdOfManyBuffers()
{
    // 900 blocks of two branches, 6,301 buffers of 10 bytes: in some order both branches' first and second ones are alive, and
    // what the block reads.
    GraphBuilder builder;
    TensorId last = builder.addInput("x", ElementType::Undefined, {});
    builder.setBytes(last, 10);
    for (int i = 0; i < 900; ++i) {
        std::vector<TensorId> ends;
        for (const char* side : {"l", "r"}) {
            TensorId at = last;
            for (const char* step : {"1", "2", "3"})
                at = builder.addSimple("Conv", {at}, side + std::string(step) + "_" + std::to_string(i), 10);
            ends.push_back(at);
        }
        last = builder.addSimple("Concat", ends, "c" + std::to_string(i), 10);
    }
    builder.addOutput(last);
    const auto study = *makeStudy(*std::move(builder).build(), optionsOf(AliasMode::None));
    QCOMPARE(study->problem.buffers.size(), std::size_t(6301));
    const auto outcome = planStudy(study, "greedy-by-size");
    QVERIFY((*outcome)->isValid());
    QCOMPARE(study->lowerBound(), (*outcome)->plan.arenaSize);
    QVERIFY(study->lowerBound() > study->profile.peak);
}

void TestParallel::strategiesKeepApartOrRefuse()
{
    const auto study = studyOf(kTwoBranches);
    int good = 0;
    for (const Planner* planner : planners()) {
        const std::string id(planner->info().id);
        const auto outcome = planStudy(study, id);
        if (std::ranges::find(kHonouring, id) == kHonouring.end()) {
            QVERIFY2(!outcome && outcome.error().code == ErrorCode::Unsupported, id.c_str());
            continue;
        }
        QVERIFY2(outcome && (*outcome)->isValid() && (*outcome)->plan.arenaSize >= 36, id.c_str());
        ++good;
    }
    QCOMPARE(good, static_cast<int>(kHonouring.size()));
    // Where any order is like the schedule, nothing is asked of a strategy.
    const auto chain = studyOf("in: x 1\n x -> Conv -> a 1\n a -> Conv -> b 1\n out: b");
    for (const Planner* planner : planners())
        QVERIFY2(planStudy(chain, planner->info().id), planner->info().id.data());
}

void TestParallel::lateViewsEndMemories()
{
    // v is read by nobody, so that a has one reader beside it, C; in another order v comes when c's successor has a's bytes.
    const auto study = studyOf("in: x 4\n x -> Conv A -> a 4\n a -> Reshape V -> v 4\n a -> Conv C -> c 4\n c -> Conv D -> d 4\n"
                               "d -> Conv E -> e 4\n out: e", AliasMode::Views);
    for (const char* id : {"pingpong", "pingpong-tight", "pingpong-arena", "pingpong-pooled", "pingpong-escape"}) {
        const auto outcome = planStudy(study, id);
        QVERIFY2(outcome ? (*outcome)->isValid() : outcome.error().code == ErrorCode::Unsupported, id);
    }
    QVERIFY(!planStudy(study, "pingpong"));
    QVERIFY((*planStudy(study, "auto"))->isValid());
}

void TestParallel::clashesAreNamed()
{
    const auto study = studyOf(kTwoBranches);
    Plan plan;
    plan.arenaSize = 200;
    for (const Offset offset : {0, 4, 100, 4, 101, 102}) // c over a
        plan.placements.push_back({offset, RegionId(0), {}, PingPongSide::None});
    const auto texts = [&](const Validation& found) {
        QStringList lines;
        for (const Clash& clash : found.clashes)
            lines << QString::fromStdString(describe(clash, study->problem, study->graph.get()));
        return lines;
    };
    QCOMPARE(texts(validatePlan(study->problem, plan)),
             QStringList{"Buffers 'a' and 'c' share bytes [4, 14), but nothing in the network makes one come after the other."});
    const QString text = "Operator 'C' may write 'c' over 'a' in bytes [4, 14) before operator '%1' is done: no path of the network orders them.";
    QCOMPARE(texts(replayPlan(*study->graph, study->schedule, study->problem, plan)), (QStringList{text.arg("A"), text.arg("B")}));

    PlacementProblem sequential = study->problem;
    sequential.concurrency = Concurrency::Sequential;
    sequential.conflicts = {};
    QVERIFY(validatePlan(sequential, plan).isValid());
    QVERIFY(replayPlan(*study->graph, study->schedule, sequential, plan).isValid());
}

void TestParallel::partsNeverRaiseTheBound()
{
    int lower = 0;
    int refused = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        const auto graph = partsGraph(seed, 4 + static_cast<int>(seed % 30));
        const auto all = *makeStudy(graph, optionsOf(AliasMode::All));
        const auto inPlace = *makeStudy(graph, optionsOf(AliasMode::InPlace));
        QVERIFY2(all->lowerBound() <= inPlace->lowerBound(), qPrintable(QString("seed %1").arg(seed)));
        QCOMPARE(all->aliases.mode, AliasMode::All);
        lower += all->lowerBound() < inPlace->lowerBound();
        const auto joined = makeAliasGroups(*graph, all->schedule, AliasMode::All, {}, Concurrency::Parallel);
        refused += !joined.elisions.empty() && all->aliases.elisions.empty();
    }
    QVERIFY2(lower > 60 && refused > 0, qPrintable(QString("%1 %2").arg(lower).arg(refused)));
}

void TestParallel::regionsKeepApart()
{
    int spilled = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        StudyOptions options = optionsFor(seed, Concurrency::Parallel);
        const auto graph = randomGraph(seed, broadGraph(seed));
        const Bytes half = (*makeStudy(graph, options))->lowerBound() / 2;
        options.problem.regions = {{"fast", half, 0, 0.0}, {"slow", {}, 0, 1.0}};
        const auto outcome = planStudy(*makeStudy(graph, options), "greedy-by-size");
        QVERIFY(outcome && (*outcome)->isValid());
        spilled += !(*outcome)->plan.spills.empty();
    }
    QVERIFY(spilled > 20);
}

void TestParallel::plansRememberIt()
{
    const auto study = studyOf(kTwoBranches);
    const auto outcome = *planStudy(study, "auto");
    const std::string json = planToJson(*outcome);
    QVERIFY(json.find("\"concurrency\": \"parallel\"") != std::string::npos);
    const auto document = planFromJson(json, "plan.json");
    QVERIFY(document);
    QCOMPARE(document->options.problem.concurrency, Concurrency::Parallel);
    const auto attached = attachPlan(*document, study->graph);
    QVERIFY(attached && (*attached)->isValid());
    QCOMPARE((*attached)->study->problem.conflicts.pairCount(), std::size_t(3));

    // A file from before there was the option, and one that says what nobody knows.
    std::string older = json;
    older.erase(older.find(",\n  \"concurrency\""), std::string(",\n  \"concurrency\": \"parallel\"").size());
    QCOMPARE(planFromJson(older, "plan.json")->options.problem.concurrency, Concurrency::Sequential);
    std::string wrong = json;
    wrong.replace(wrong.find("\"parallel\""), 10, "\"perhaps\"");
    QCOMPARE(planFromJson(wrong, "plan.json").error().code, ErrorCode::FileCorrupt);

    QVERIFY(summaryText(*outcome).find("parallel: safe in every order, also at the same time; 3 pairs of buffers kept apart")
            != std::string::npos);
    QVERIFY(summaryJson(*outcome).find("\"concurrency\": \"parallel\"") != std::string::npos);
    QVERIFY(explainText(*outcome).find("what may be alive at once in some order") != std::string::npos);
}

void TestParallel::tooBroadIsAnError()
{
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Undefined, {});
    builder.setBytes(x, 1);
    for (int i = 0; i < 9000; ++i) {
        const std::string name = std::to_string(i);
        builder.addOutput(builder.addSimple("Conv", {builder.addSimple("Conv", {x}, "a" + name, 1)}, "b" + name, 1));
    }
    const auto graph = *std::move(builder).build();
    const auto study = makeStudy(graph, optionsOf(AliasMode::InPlace));
    QVERIFY(!study);
    QCOMPARE(study.error().code, ErrorCode::TooLarge);
    QVERIFY(makeStudy(graph, optionsOf(AliasMode::InPlace, Concurrency::Sequential)));
}

QTEST_APPLESS_MAIN(TestParallel)
#include "tst_parallel.moc"
