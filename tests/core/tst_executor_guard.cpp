// SPDX-License-Identifier: MIT
// Plans that are broken on purpose are caught at the step that breaks them, with the names of both tensors.
#include "tests/support/run_networks.h"

#include <QtTest>

#include <algorithm>

using namespace arenascope;
using namespace arenascope::test;

namespace {

RunReport guarded(const Study& study, const Plan& plan)
{
    RunOptions options;
    options.guard = true;
    auto report = runNetwork(study, &plan, {}, options);
    return report ? std::move(*report) : RunReport();
}

} // namespace

class TestExecutorGuard : public QObject {
    Q_OBJECT
private slots:
    void brokenPlansAreCaught_data();
    void brokenPlansAreCaught();
    void operatorsThatRefuseOverlapsNameThem();
    void comparingFindsTheFirstDifference();
    void aSmallArenaIsRefusedUnguarded();
};

void TestExecutorGuard::brokenPlansAreCaught_data()
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

void TestExecutorGuard::brokenPlansAreCaught()
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

// OpenCV's convolution does not run over its own operand: it fails instead of writing there.
void TestExecutorGuard::operatorsThatRefuseOverlapsNameThem()
{
    const auto study = studyOf(sample("residual.onnx"), AliasMode::None);
    const auto& order = study->schedule.order;
    const auto conv = std::find_if(order.begin(), order.end(), [&](OpId id) {
        const Operator& op = study->graph->op(id);
        return op.kind == "Conv" && study->graph->tensor(op.inputs[0]).role == TensorRole::Activation
            && study->graph->tensor(op.inputs[0]).bytes == study->graph->tensor(op.outputs[0]).bytes;
    });
    QVERIFY(conv != order.end());
    const TensorId read = study->graph->op(*conv).inputs[0];
    const TensorId written = study->graph->op(*conv).outputs[0];
    Plan plan = planOf(study, "naive");
    auto& places = plan.placements;
    places[study->bufferOf[written.index()].index()].offset = places[study->bufferOf[read.index()].index()].offset;
    const RunReport report = guarded(*study, plan);
    QCOMPARE(report.violations.size(), std::size_t(1));
    const GuardViolation& found = report.violations.front();
    QCOMPARE(found.kind, GuardKind::Overwritten);
    QCOMPARE(found.op, *conv);
    QCOMPARE(found.tensor, read);
    QCOMPARE(found.by, written);
    QCOMPARE(found.end - found.begin, study->graph->tensor(read).bytes);
    QVERIFY(!report.bitIdentical);
}

void TestExecutorGuard::comparingFindsTheFirstDifference()
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

void TestExecutorGuard::aSmallArenaIsRefusedUnguarded()
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

QTEST_GUILESS_MAIN(TestExecutorGuard)
#include "tst_executor_guard.moc"
