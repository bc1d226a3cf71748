// SPDX-License-Identifier: MIT
#include "support/problems.h"
#include "support/text_graph.h"

#include <arenascope/study.h>
#include <arenascope/validator.h>

#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

StudyOptions optionsOf(AliasMode alias, BranchStyle style = BranchStyle::Chain)
{
    StudyOptions options;
    options.alias = alias;
    options.problem.alignment = 1;
    options.branches.style = style;
    return options;
}

std::shared_ptr<const Study> studyOf(std::string_view picture, StudyOptions options = optionsOf(AliasMode::None))
{
    return *makeStudy(textGraph(picture), options);
}

/// Offsets by tensor name, in a plan whose arena is as large as needed.
Plan planOf(const Study& study, const std::vector<std::pair<std::string, Offset>>& offsets)
{
    Plan plan;
    plan.placements.resize(study.problem.buffers.size());
    for (const auto& [name, offset] : offsets) {
        for (std::size_t i = 0; i < study.problem.buffers.size(); ++i) {
            if (study.problem.buffers[i].name == name) {
                plan.placements[i].offset = offset;
                plan.arenaSize = std::max(plan.arenaSize, offset + study.problem.reserved(BufferId::fromIndex(i)));
            }
        }
    }
    return plan;
}

std::string text(const Study& study, const Plan& plan, std::size_t most = 1000)
{
    const Validation result = replayPlan(*study.graph, study.schedule, study.problem, plan, most);
    std::string all;
    for (const Clash& clash : result.clashes)
        all += (all.empty() ? "" : "\n") + describe(clash, study.problem, study.graph.get());
    return all;
}

// A fork: `a` is read by B and, later, by D.
constexpr const char* kFork = R"(
    in:  x 4
    x     -> Conv A -> a 4
    a     -> Conv B -> b 4
    b     -> Conv C -> c 4
    a, c  -> Concat D -> d 8
    out: d
)";

} // namespace

class TestReplay : public QObject {
    Q_OBJECT

private slots:
    void aSoundPlanIsSilent();
    void brokenPlans_data();
    void brokenPlans();
    void theOutputMayNotCoverALivingInput();
    void inPlaceIsAllowedOnlyAsPlanned();
    void viewsReadWhatTheyView();
    void networkOutputsMustLastToTheEnd();
    void networkInputsMustLastToTheirReaders();
    void workspacesAreBytesToo();
    void capturesAreReads();
    void pathBranchesClash();
    void listsAtMostSoMany();
};

void TestReplay::aSoundPlanIsSilent()
{
    const auto study = studyOf(kFork);
    QCOMPARE(text(*study, planOf(*study, {{"x", 4}, {"a", 0}, {"b", 4}, {"c", 8}, {"d", 12}})), std::string());
}

void TestReplay::brokenPlans_data()
{
    QTest::addColumn<int>("what");
    QTest::addColumn<QString>("message");
    QTest::newRow("one buffer moved over a living one")
        << 0 << "Operator 'D' at step 3 wants 'a' but finds 'c' in bytes [2, 4).";
    QTest::newRow("misaligned") << 1 << "Buffer 'c' begins at 9, which is no multiple of its alignment, 4.";
    QTest::newRow("arena shrunk") << 2 << "The bytes [12, 20) of 'd' do not fit the arena or the capacity.";
    QTest::newRow("a buffer dropped") << 3 << "Buffer 'd' has no place.";
    QTest::newRow("negative") << 4 << "Buffer 'b' begins at the negative offset -4.";
}

void TestReplay::brokenPlans()
{
    QFETCH(int, what);
    QFETCH(QString, message);
    StudyOptions options = optionsOf(AliasMode::None);
    options.problem.alignment = what == 0 ? 1 : 4;
    const auto study = studyOf(kFork, options);
    Plan plan = planOf(*study, {{"x", 4}, {"a", 0}, {"b", 4}, {"c", what == 0 ? 2 : what == 1 ? 9 : 8}, {"d", 12 + (what == 1 ? 4 : 0)}});
    if (what == 2)
        plan.arenaSize -= 4;
    if (what == 3)
        plan.placements.pop_back();
    if (what == 4)
        plan.placements[2].offset = -4;
    QVERIFY(!validatePlan(study->problem, plan).isValid());
    QVERIFY2(QString::fromStdString(text(*study, plan)).contains(message), text(*study, plan).c_str());
}

void TestReplay::theOutputMayNotCoverALivingInput()
{
    // b is written over a while B still reads a: no later read would notice.
    const auto study = studyOf(kFork);
    const Plan plan = planOf(*study, {{"x", 4}, {"a", 0}, {"b", 4}, {"c", 6}, {"d", 12}});
    QCOMPARE(text(*study, plan), std::string("Operator 'C' at step 2 wants 'b' but finds 'c' in bytes [6, 8)."));
}

void TestReplay::inPlaceIsAllowedOnlyAsPlanned()
{
    constexpr const char* kPicture = R"(
        in: x 4
        x -> Conv A -> a 4
        a -> Relu R -> r 4
        r -> Conv B -> b 4
        out: b
    )";
    const auto apart = studyOf(kPicture);
    const Plan wrong = planOf(*apart, {{"x", 4}, {"a", 0}, {"r", 0}, {"b", 4}});
    QCOMPARE(text(*apart, wrong), std::string("Operator 'R' at step 1 wants 'a' but finds 'r' in bytes [0, 4)."));

    const auto inPlace = studyOf(kPicture, optionsOf(AliasMode::InPlace));
    QCOMPARE(inPlace->problem.buffers.size(), std::size_t(3));
    QCOMPARE(text(*inPlace, planOf(*inPlace, {{"x", 4}, {"a", 0}, {"b", 4}})), std::string());

    // A group that is wrong, because `a` is read once more: only replay can know.
    const auto forked = studyOf(R"(
        in: x 4
        x    -> Conv A -> a 4
        a    -> Relu R -> r 4
        a, r -> Concat B -> b 8
        out: b
    )");
    PlacementProblem problem = forked->problem;
    problem.buffers[1].tensors.push_back({problem.buffers[2].tensors[0].tensor, 0, AliasReason::InPlace, problem.buffers[1].tensors[0].tensor});
    problem.buffers[2].tensors.clear();
    const Validation result = replayPlan(*forked->graph, forked->schedule, problem, planOf(*forked, {{"x", 4}, {"a", 0}, {"r", 40}, {"b", 20}}));
    QCOMPARE(result.clashCount, std::int64_t(1));
    QCOMPARE(describe(result.clashes[0], problem, forked->graph.get()),
             std::string("Operator 'B' at step 2 wants 'a' but finds 'r' in bytes [0, 4)."));
}

void TestReplay::viewsReadWhatTheyView()
{
    const auto study = studyOf(R"(
        in: x 4
        x    -> Conv A -> a 4
        a    -> Reshape V -> v 4
        v    -> Conv B -> b 4
        a, b -> Concat C -> c 8
        out: c
    )", optionsOf(AliasMode::Views));
    QCOMPARE(study->problem.buffers.size(), std::size_t(4));
    QCOMPARE(text(*study, planOf(*study, {{"x", 4}, {"a", 0}, {"b", 4}, {"c", 8}})), std::string());
    QCOMPARE(text(*study, planOf(*study, {{"x", 4}, {"a", 0}, {"b", 3}, {"c", 8}})),
             std::string("Operator 'B' at step 2 wants 'v' but finds 'b' in bytes [3, 4).\n"
                         "Operator 'C' at step 3 wants 'a' but finds 'b' in bytes [3, 4)."));
}

void TestReplay::networkOutputsMustLastToTheEnd()
{
    const auto study = studyOf(R"(
        in: x 4
        x -> Conv A -> a 4
        x -> Conv B -> b 4
        out: a, b
    )");
    QCOMPARE(text(*study, planOf(*study, {{"x", 8}, {"a", 0}, {"b", 0}})),
             std::string("The end of the run at step 2 wants 'a' but finds 'b' in bytes [0, 4)."));
}

void TestReplay::networkInputsMustLastToTheirReaders()
{
    const auto study = studyOf(R"(
        in: x 4, y 4
        x    -> Conv A -> a 4
        a, y -> Add B -> b 4
        out: b
    )");
    QCOMPARE(text(*study, planOf(*study, {{"x", 8}, {"y", 0}, {"a", 1}, {"b", 12}})),
             std::string("Operator 'B' at step 1 wants 'y' but finds 'a' in bytes [1, 4)."));
    QCOMPARE(text(*study, planOf(*study, {{"x", 8}, {"y", 8}, {"a", 0}, {"b", 4}})),
             std::string("Operator 'A' at step 0 wants 'x' but finds 'y' in bytes [8, 12)."));
}

void TestReplay::workspacesAreBytesToo()
{
    StudyOptions options = optionsOf(AliasMode::None);
    options.problem.countWorkspace = true;
    const auto study = studyOf(R"(
        in: x 4
        x -> Conv A @8 -> a 4
        a -> Conv B    -> b 4
        out: b
    )", options);
    QCOMPARE(study->problem.buffers.size(), std::size_t(4));
    QCOMPARE(text(*study, planOf(*study, {{"x", 0}, {"a", 4}, {"b", 0}, {"workspace of A", 8}})), std::string());
    QCOMPARE(text(*study, planOf(*study, {{"x", 0}, {"a", 4}, {"b", 0}, {"workspace of A", 2}})),
             std::string("Operator 'A' at step 0 wants 'x' but finds 'workspace of A' in bytes [2, 4).\n"
                         "Operator 'A' at step 0 wants 'workspace of A' but finds 'a' in bytes [4, 8)."));
}

void TestReplay::capturesAreReads()
{
    const auto study = studyOf(R"(
        in: x 4
        x     -> Conv A -> a 4
        a     -> Conv B -> b 4
        b | a -> If C   -> c 4
        out: c
    )");
    QCOMPARE(text(*study, planOf(*study, {{"x", 4}, {"a", 0}, {"b", 8}, {"c", 12}})), std::string());
    QCOMPARE(text(*study, planOf(*study, {{"x", 4}, {"a", 0}, {"b", 8}, {"c", 3}})),
             std::string("Operator 'C' at step 2 wants 'a' but finds 'c' in bytes [3, 4)."));
}

void TestReplay::pathBranchesClash()
{
    // Two inverted residuals as MobileNetV2 has them: along a path through the skips, the block's input is overwritten
    // two units later, long before the Add reads it.
    constexpr const char* kPicture = R"(
        in: x 10
        x      -> Conv P1 -> p1 10
        p1     -> Conv E1 -> e1 60
        e1     -> Conv D1 -> d1 60
        d1     -> Conv Q1 -> q1 10
        p1, q1 -> Add  A1 -> a1 10
        a1     -> Conv E2 -> e2 60
        e2     -> Conv D2 -> d2 60
        d2     -> Conv Q2 -> q2 10
        a1, q2 -> Add  A2 -> a2 10
        out: a2
    )";
    const auto chain = studyOf(kPicture);
    const auto path = studyOf(kPicture, optionsOf(AliasMode::None, BranchStyle::Path));
    QVERIFY(path->branches.branches.size() < chain->branches.branches.size());
    for (const char* id : {"pingpong", "pingpong-tight", "pingpong-arena", "pingpong-pooled"}) {
        const auto safe = *planStudy(chain, id);
        QVERIFY2(safe->isValid(), id);
        const auto unsafe = *planStudy(path, id);
        QVERIFY2(!unsafe->placement.isValid(), id);
        QVERIFY2(!unsafe->replay.isValid(), id);
        QVERIFY(unsafe->plan.completion == Completion::Heuristic);
        const Clash& clash = unsafe->replay.clashes.front();
        QCOMPARE(clash.kind, ClashKind::OverwrittenRead);
        QCOMPARE(path->graph->tensor(clash.reads).name, std::string("p1"));
        QCOMPARE(path->graph->op(clash.op).name, std::string("A1"));
        QCOMPARE(clash.step, Step(4));
    }
    const auto best = *planStudy(path, "auto");
    QVERIFY(best->isValid());
}

void TestReplay::listsAtMostSoMany()
{
    const auto study = studyOf(kFork);
    const Plan plan = planOf(*study, {{"x", 0}, {"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}});
    const Validation all = replayPlan(*study->graph, study->schedule, study->problem, plan);
    const Validation few = replayPlan(*study->graph, study->schedule, study->problem, plan, 2);
    QVERIFY(all.clashCount > 2);
    QCOMPARE(few.clashCount, all.clashCount);
    QCOMPARE(few.clashes.size(), std::size_t(2));
}

QTEST_APPLESS_MAIN(TestReplay)
#include "tst_replay.moc"
