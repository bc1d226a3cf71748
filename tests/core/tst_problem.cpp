// SPDX-License-Identifier: MIT
#include <arenascope/problem.h>

#include "support/names.h"
#include "support/random_graph.h"
#include "support/text_graph.h"

#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

Result<PlacementProblem> tryProblem(const Graph& graph, const ProblemOptions& options, AliasMode mode = AliasMode::None)
{
    const Schedule order = test::schedule(graph);
    const AliasGroups aliases = makeAliasGroups(graph, order, mode);
    return makeProblem(graph, order, aliases, findBranches(graph, order, aliases), options);
}

PlacementProblem problemOf(const Graph& graph, const ProblemOptions& options, AliasMode mode = AliasMode::None)
{
    auto problem = tryProblem(graph, options, mode);
    if (!problem)
        qFatal("%s", describe(problem.error()).c_str());
    return *std::move(problem);
}

// "name:size[begin,end)" by buffer.
QString bufferText(const PlacementProblem& problem)
{
    QStringList texts;
    for (const Buffer& buffer : problem.buffers) {
        texts << QString("%1:%2[%3,%4)").arg(QString::fromStdString(buffer.name).replace(' ', '_')).arg(buffer.size)
                     .arg(buffer.live.begin).arg(buffer.live.end);
    }
    return texts.join(' ');
}

// "a b+c | - d": units of each branch with their buffers, '-' where a unit has none in the arena; sides as digits.
QString branchText(const PlacementProblem& problem)
{
    QStringList branches;
    for (const ProblemBranch& branch : problem.branches) {
        QStringList units;
        for (const ProblemBranch::Unit& unit : branch.units) {
            QStringList buffers;
            for (const BufferId id : unit.buffers)
                buffers << QString::fromStdString(problem.buffer(id).name);
            units << (buffers.isEmpty() ? "-" : buffers.join('+')) + (unit.side == PingPongSide::First ? "1" : "2");
        }
        branches << units.join(' ');
    }
    return branches.join(" | ");
}

PlacementProblem bareProblem(const std::vector<std::array<std::int64_t, 3>>& closedRecords)
{
    PlacementProblem problem;
    for (const auto& [first, last, size] : closedRecords) {
        Buffer buffer;
        buffer.size = size;
        buffer.live = {first, last + 1};
        problem.stepCount = std::max(problem.stepCount, buffer.live.end);
        problem.buffers.push_back(buffer);
    }
    return problem;
}

PlacementProblem randomProblem(std::uint64_t seed)
{
    Random random(seed);
    PlacementProblem problem;
    problem.stepCount = 1 + random.below(30);
    problem.alignment = Bytes(1) << random.below(4);
    const std::int64_t count = random.below(40);
    for (std::int64_t i = 0; i < count; ++i) {
        Buffer buffer;
        buffer.size = random.below(50);
        buffer.live.begin = random.below(problem.stepCount);
        buffer.live.end = buffer.live.begin + 1 + random.below(problem.stepCount - buffer.live.begin);
        problem.buffers.push_back(buffer);
    }
    return problem;
}

Bytes roundedUp(Bytes size, Bytes alignment)
{
    return size % alignment == 0 ? size : size + alignment - size % alignment;
}

} // namespace

class TestProblem : public QObject {
    Q_OBJECT

private slots:
    void placesInputsAndOutputs_data();
    void placesInputsAndOutputs();
    void unitesLiveRangesOfGroups();
    void buffersKnowTheirMembers();
    void countsWorkspaceWhereAsked();
    void branchUnitsHoldArenaBuffers_data();
    void branchUnitsHoldArenaBuffers();
    void roundsUpToTheAlignment();
    void refusesBadAlignments_data();
    void refusesBadAlignments();
    void namesTensorsOfUnknownSize();
    void reportsOverflowingSums();
    void boundsOfTheWorkedExample();
    void profileOfNothing();
    void profileCountsGaps();
    void boundsAgreeWithBruteForce();
    void sharedObjectBoundIsFastAndRightOnLongProblems();
};

void TestProblem::placesInputsAndOutputs_data()
{
    QTest::addColumn<bool>("inputs");
    QTest::addColumn<bool>("outputs");
    QTest::addColumn<QString>("none");
    QTest::addColumn<QString>("views");
    // x -> a (view of x) -> b -> c (view of b, handed out); early is handed out, too.
    QTest::newRow("all inside") << true << true
        << "x:8[0,2) a:8[0,2) early:4[1,4) b:6[2,4) c:6[3,4)" << "x:8[0,2) early:4[1,4) b:6[2,4)";
    QTest::newRow("inputs outside") << false << true
        << "a:8[0,2) early:4[1,4) b:6[2,4) c:6[3,4)" << "early:4[1,4) b:6[2,4)";
    QTest::newRow("outputs outside") << true << false
        << "x:8[0,2) a:8[0,2) b:6[2,4)" << "x:8[0,2)";
    QTest::newRow("all outside") << false << false
        << "a:8[0,2) b:6[2,4)" << "";
}

void TestProblem::placesInputsAndOutputs()
{
    QFETCH(bool, inputs);
    QFETCH(bool, outputs);
    QFETCH(QString, none);
    QFETCH(QString, views);
    const auto graph = textGraph(R"(
        in: x 8
        x     -> Reshape -> a 8
        a, x  -> Conv    -> early 4
        early -> Conv    -> b 6
        b     -> Reshape -> c 6
        out: c, early
    )");
    const ProblemOptions options{.alignment = 1, .io = {inputs, outputs}};
    QCOMPARE(bufferText(problemOf(*graph, options)), none);
    QCOMPARE(bufferText(problemOf(*graph, options, AliasMode::Views)), views);
}

void TestProblem::unitesLiveRangesOfGroups()
{
    const auto graph = textGraph(R"(
        in: x 8
        x    -> Conv    -> a 8
        a    -> Reshape -> b 8
        x    -> Conv    -> c 4
        b, c -> Concat  -> d 12
        out: d
    )");
    QCOMPARE(bufferText(problemOf(*graph, {.alignment = 1}, AliasMode::Views)), QString("x:8[0,3) a:8[0,4) c:4[2,4) d:12[3,4)"));
}

void TestProblem::buffersKnowTheirMembers()
{
    const auto graph = textGraph("in: x 8\nx -> Conv -> a 8\na -> Relu -> b 8\nout: b");
    const PlacementProblem problem = problemOf(*graph, {.alignment = 1}, AliasMode::InPlace);
    QCOMPARE(problem.buffers.size(), std::size_t(2));
    const std::vector<AliasMember>& members = problem.buffers[1].tensors;
    QCOMPARE(members.size(), std::size_t(2));
    QCOMPARE(members[0].tensor, graph->findTensor("a"));
    QVERIFY(!members[0].sharesWith.isValid());
    QCOMPARE(members[1].tensor, graph->findTensor("b"));
    QCOMPARE(members[1].sharesWith, graph->findTensor("a"));
    QVERIFY(members[1].reason == AliasReason::InPlace);
}

void TestProblem::countsWorkspaceWhereAsked()
{
    const auto graph = textGraph("in: x 8\nx -> Conv a -> a 8\na -> If b @5 -> b 8\nout: b");
    QCOMPARE(bufferText(problemOf(*graph, {.alignment = 1})), QString("x:8[0,1) a:8[0,2) b:8[1,2)"));
    const PlacementProblem counted = problemOf(*graph, {.alignment = 1, .countWorkspace = true});
    QCOMPARE(bufferText(counted), QString("x:8[0,1) a:8[0,2) b:8[1,2) workspace_of_b:5[1,2)"));
    QVERIFY(counted.buffers[3].kind == BufferKind::Workspace);
    QCOMPARE(counted.buffers[3].op, OpId(1));
    QCOMPARE(liveProfile(counted).peak, Bytes(21));
}

void TestProblem::branchUnitsHoldArenaBuffers_data()
{
    QTest::addColumn<bool>("inputs");
    QTest::addColumn<bool>("outputs");
    QTest::addColumn<int>("mode");
    QTest::addColumn<QString>("branches");
    const auto row = [](const char* name, bool inputs, bool outputs, AliasMode mode, const char* branches) {
        QTest::newRow(name) << inputs << outputs << static_cast<int>(mode) << QString(branches);
    };
    row("network inputs are beside the branches", true, true, AliasMode::None, "a2 b1 c2 d1");
    row("a view of an input takes nothing of the branch", true, true, AliasMode::Views, "-2 b1 c2 d1");
    row("an output outside leaves its unit empty, the sides follow from the rest", true, false, AliasMode::None, "a1 b2 c1 -2");
    row("both outside", false, false, AliasMode::Views, "-1 b2 c1 -2");
}

void TestProblem::branchUnitsHoldArenaBuffers()
{
    QFETCH(bool, inputs);
    QFETCH(bool, outputs);
    QFETCH(int, mode);
    QFETCH(QString, branches);
    // The largest unit, d, is designated; where it lies outside it is c.
    const auto graph = textGraph(R"(
        in: x 5
        x -> Reshape -> a 5
        a -> Conv    -> b 7
        b -> Conv    -> c 19
        c -> Conv    -> d 20
        out: d
    )");
    QCOMPARE(branchText(problemOf(*graph, {.alignment = 1, .io = {inputs, outputs}}, static_cast<AliasMode>(mode))), branches);
}

void TestProblem::roundsUpToTheAlignment()
{
    const auto graph = textGraph("in: x 1\nx -> Conv -> a 64\na -> Conv -> b 65\nout: b");
    const PlacementProblem problem = problemOf(*graph, {.alignment = 64});
    QCOMPARE(problem.reserved(BufferId(0)), Bytes(64));
    QCOMPARE(problem.reserved(BufferId(1)), Bytes(64));
    QCOMPARE(problem.reserved(BufferId(2)), Bytes(128));
    QCOMPARE(problem.alignmentOf(BufferId(2)), Bytes(64));
    QCOMPARE(naiveBytes(problem), Bytes(256));
    QCOMPARE(liveProfile(problem).peak, Bytes(192));
}

void TestProblem::refusesBadAlignments_data()
{
    QTest::addColumn<qint64>("alignment");
    QTest::newRow("zero") << qint64(0);
    QTest::newRow("negative") << qint64(-64);
    QTest::newRow("the most negative") << std::numeric_limits<qint64>::min();
    QTest::newRow("no power of two") << qint64(48);
}

void TestProblem::refusesBadAlignments()
{
    QFETCH(qint64, alignment);
    const auto problem = tryProblem(*chainGraph(2), {.alignment = alignment});
    QVERIFY(!problem);
    QVERIFY(problem.error().code == ErrorCode::BadOption);
}

void TestProblem::namesTensorsOfUnknownSize()
{
    const auto graph = textGraph("in: x 8\nx -> NonZero nz -> a\na -> Cast c -> b\nout: b");
    const auto problem = tryProblem(*graph, {});
    QVERIFY(!problem);
    QVERIFY(problem.error().code == ErrorCode::UnknownShape);
    const QString message = QString::fromStdString(describe(problem.error()));
    // b has no size because a has none: only the beginning is named, with what would give it.
    QVERIFY2(message.contains("'a'") && message.contains("nz") && message.contains("--shape a="), qPrintable(message));
    QVERIFY2(!message.contains("--shape b="), qPrintable(message));
}

void TestProblem::reportsOverflowingSums()
{
    const std::string half = std::to_string(std::int64_t(1) << 62);
    const auto graph = textGraph("in: x " + half + "\nx -> Conv -> a " + half + "\nout: a");
    const auto problem = tryProblem(*graph, {.alignment = 1});
    QVERIFY(!problem && problem.error().code == ErrorCode::SizeOverflow);
    const auto large = textGraph("in: x 9223372036854775807\nx -> Conv -> a 0\nout: a");
    QVERIFY(tryProblem(*large, {.alignment = 1}));
    const auto rounded = tryProblem(*large, {.alignment = 64}); // does not fit once it is rounded up
    QVERIFY(!rounded && rounded.error().code == ErrorCode::SizeOverflow);
}

void TestProblem::boundsOfTheWorkedExample()
{
    // Step:        0   1   2   3   4   5   6   7
    const PlacementProblem problem = bareProblem({{0, 1, 32}, {1, 4, 28}, {2, 5, 36}, {3, 5, 16}, {4, 5, 8}, {5, 7, 64}, {6, 8, 10}, {7, 8, 40}});
    QCOMPARE(naiveBytes(problem), Bytes(234));
    const LiveProfile profile = liveProfile(problem);
    QCOMPARE(profile.liveBytes, (std::vector<Bytes>{32, 60, 64, 80, 88, 124, 74, 114, 50}));
    QCOMPARE(profile.peak, Bytes(124));
    QCOMPARE(profile.peakStep, Step(5));
    QCOMPARE(profile.alive, (std::vector<BufferId>{BufferId(5), BufferId(2), BufferId(3), BufferId(4)}));
    QCOMPARE(sharedObjectBound(problem), Bytes(128)); // 64 + 40 + 16 + 8
}

void TestProblem::profileOfNothing()
{
    const LiveProfile profile = liveProfile(PlacementProblem{});
    QCOMPARE(profile.peak, Bytes(0));
    QVERIFY(profile.liveBytes.empty() && profile.alive.empty());
    QCOMPARE(naiveBytes(PlacementProblem{}), Bytes(0));
    QCOMPARE(sharedObjectBound(PlacementProblem{}), Bytes(0));
}

void TestProblem::profileCountsGaps()
{
    PlacementProblem problem = bareProblem({{0, 3, 10}, {1, 2, 8}});
    problem.buffers[0].gaps.push_back({{1, 3}, 2, 5}); // only three bytes are needed in steps 1 and 2
    QCOMPARE(liveProfile(problem).liveBytes, (std::vector<Bytes>{10, 11, 11, 10}));
}

void TestProblem::boundsAgreeWithBruteForce()
{
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        const PlacementProblem problem = randomProblem(seed);
        std::vector<Bytes> live;
        std::vector<Bytes> largest; // k-th largest alive at once
        Bytes sum = 0;
        for (const Buffer& buffer : problem.buffers)
            sum += roundedUp(buffer.size, problem.alignment);
        for (Step step = 0; step < problem.stepCount; ++step) {
            std::vector<Bytes> sizes;
            for (const Buffer& buffer : problem.buffers) {
                if (buffer.live.begin <= step && step < buffer.live.end)
                    sizes.push_back(roundedUp(buffer.size, problem.alignment));
            }
            std::sort(sizes.rbegin(), sizes.rend());
            live.push_back(0);
            for (std::size_t k = 0; k < sizes.size(); ++k) {
                live.back() += sizes[k];
                if (k == largest.size())
                    largest.push_back(0);
                largest[k] = std::max(largest[k], sizes[k]);
            }
        }
        const LiveProfile profile = liveProfile(problem);
        QCOMPARE(profile.liveBytes, live);
        QCOMPARE(profile.peakStep, std::max_element(live.begin(), live.end()) - live.begin());
        QCOMPARE(profile.peak, *std::max_element(live.begin(), live.end()));
        Bytes bound = 0;
        for (const Bytes size : largest)
            bound += size;
        QCOMPARE(sharedObjectBound(problem), bound);
        QCOMPARE(naiveBytes(problem), sum);
        QVERIFY(bound >= profile.peak && bound <= sum);
    }
}

void TestProblem::sharedObjectBoundIsFastAndRightOnLongProblems()
{
    // A staircase: buffer i of size i lives [i, i + 1000); all of a step's are alive at once.
    PlacementProblem problem;
    const Step count = 50000;
    for (Step i = 0; i < count; ++i) {
        Buffer buffer;
        buffer.size = i;
        buffer.live = {i, i + 1000};
        problem.buffers.push_back(buffer);
    }
    problem.stepCount = count + 1000;
    // The 1,000 largest live together, and never more than 1,000 do: 49,999 + ... + 49,000.
    QCOMPARE(sharedObjectBound(problem), Bytes(1000) * (49999 + 49000) / 2);
    QCOMPARE(liveProfile(problem).peak, Bytes(1000) * (49999 + 49000) / 2);
}

QTEST_APPLESS_MAIN(TestProblem)
#include "tst_problem.moc"
