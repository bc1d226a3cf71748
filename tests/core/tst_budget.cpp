// SPDX-License-Identifier: MIT
// Ways to fit a budget, on networks small enough to know what each change brings.
#include <arenascope/budget.h>
#include <arenascope/report.h>

#include "support/planned.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace arenascope;
using test::planned;
using nlohmann::json;

namespace {

// Every tensor its own bytes: x+a 320, a+b 512, b+y 320. In place a and b are one: 320 throughout.
constexpr char kChain[] = R"(
    in: x 64
    x -> Conv one  -> a 256
    a -> Relu two  -> b 256
    b -> Conv three -> y 64
    out: y
)";

// As written both large tensors are alive at once: x, a, b at step 1, 64 + 2 * 1024. One after the other: 64 + 1024 + 64.
constexpr char kTwins[] = R"(
    in: x 64
    x    -> Conv a1  -> a 1024
    x    -> Conv b1  -> b 1024
    a    -> Conv a2  -> c 64
    b    -> Conv b2  -> d 64
    c, d -> Add  sum -> y 64
    out: y
)";

QStringList optionsOf(const BudgetReport& report)
{
    QStringList options;
    for (const FitWay* way : report.ways())
        options << QString::fromStdString(way->options);
    return options;
}

const FitWay& triedWith(const BudgetReport& report, std::string_view options)
{
    const auto found = std::find_if(report.tried.begin(), report.tried.end(),
                                    [&](const FitWay& way) { return way.options == options; });
    if (found == report.tried.end())
        qFatal("not tried: %s", std::string(options).c_str());
    return *found;
}

} // namespace

class TestBudget : public QObject {
    Q_OBJECT
private slots:
    void whatFitsIsLeftAlone();
    void inPlaceIsFoundAndWhatAddsNothingIsLeftOut();
    void orderIsFound();
    void anotherStrategyIsTheCheapest();
    void smallerAlignmentIsFound();
    void whatIsChosenIsNotProposed();
    void inputsElsewhereAreCounted();
    void secondMemoryTakesTheRest();
    void nothingFits();
    void everyWayHoldsWhenItIsTaken();
    void stopKeepsWhatWasTried();
    void textSaysWhatToType();
    void jsonHasTheWays();
    void annotationIsOneSafeLine();
    void annotationWithoutABudget();
};

void TestBudget::whatFitsIsLeftAlone()
{
    const BudgetReport report = findWaysToFit(*planned(kChain), 512);
    QVERIFY(report.fits());
    QVERIFY(report.tried.empty());
    QCOMPARE(budgetText(report), std::string("Budget: 512 B leaves 0 B free\n"));
}

void TestBudget::inPlaceIsFoundAndWhatAddsNothingIsLeftOut()
{
    const BudgetReport report = findWaysToFit(*planned(kChain), 400);
    QVERIFY(!report.fits());
    QCOMPARE(optionsOf(report).first(), QString("--alias inplace"));
    QVERIFY(!optionsOf(report).contains("--alias all")); // asks for more and brings the same
    const FitWay& inPlace = triedWith(report, "--alias inplace");
    QCOMPARE(inPlace.arenaBytes, Bytes(320));
    QVERIFY(inPlace.isPlanned && inPlace.isProven && inPlace.fits);
    QCOMPARE(inPlace.elsewhereBytes, Bytes(0));
    const FitWay& order = triedWith(report, "--schedule min-peak");
    QCOMPARE(order.arenaBytes, Bytes(512)); // a chain has one order only
    QVERIFY(!order.isPlanned && !order.fits);
}

void TestBudget::orderIsFound()
{
    const auto outcome = planned(kTwins);
    QCOMPARE(outcome->plan.arenaSize, Bytes(64 + 2 * 1024));
    const BudgetReport report = findWaysToFit(*outcome, 1200);
    QCOMPARE(optionsOf(report).first(), QString("--schedule min-peak"));
    QCOMPARE(triedWith(report, "--schedule min-peak").arenaBytes, Bytes(64 + 1024 + 64));
}

void TestBudget::anotherStrategyIsTheCheapest()
{
    const auto outcome = planned(kChain, "naive");
    QCOMPARE(outcome->plan.arenaSize, Bytes(640));
    const BudgetReport report = findWaysToFit(*outcome, 512);
    QCOMPARE(optionsOf(report).first(), QString("--strategy auto"));
    QCOMPARE(triedWith(report, "--strategy auto").arenaBytes, Bytes(512));
}

void TestBudget::smallerAlignmentIsFound()
{
    // Rounded up to 64: 64 + 128; to 16: 16 + 80.
    const BudgetReport report = findWaysToFit(*planned("in: x 10\n x -> Conv c -> y 70\n out: y"), 100);
    QCOMPARE(optionsOf(report).first(), QString("--align 16"));
    QCOMPARE(triedWith(report, "--align 16").arenaBytes, Bytes(96));
}

void TestBudget::whatIsChosenIsNotProposed()
{
    StudyOptions options;
    options.alias = AliasMode::All;
    options.schedule = ScheduleKind::MinPeak;
    options.problem.alignment = 16;
    options.problem.io = {false, false};
    const BudgetReport report = findWaysToFit(*planned(kChain, kDefaultStrategy, options), 255);
    QStringList tried;
    for (const FitWay& way : report.tried)
        tried << QString::fromStdString(way.options);
    QCOMPARE(tried, QStringList({"--region fast=255 --region slow"}));
}

void TestBudget::inputsElsewhereAreCounted()
{
    // x 1024 and y 8 outside leave a alone.
    const BudgetReport report = findWaysToFit(*planned("in: x 1024\n x -> Conv c -> a 64\n a -> Conv d -> y 8\n out: y"), 64);
    const FitWay& outside = triedWith(report, "--io outside");
    QVERIFY(outside.fits);
    QCOMPARE(outside.arenaBytes, Bytes(64));
    QCOMPARE(outside.elsewhereBytes, Bytes(1024 + 8));
}

void TestBudget::secondMemoryTakesTheRest()
{
    const BudgetReport report = findWaysToFit(*planned(kChain), 400);
    const FitWay& split = triedWith(report, "--region fast=400 --region slow");
    QVERIFY(split.fits);
    QVERIFY(split.arenaBytes <= 400);
    QVERIFY(split.elsewhereBytes >= 512 - 400); // a bound of 512 bytes cannot go away
}

void TestBudget::nothingFits()
{
    const BudgetReport report = findWaysToFit(*planned(kChain), 10);
    QVERIFY(report.ways().empty());
    QVERIFY(report.closest());
    QCOMPARE(QString::fromStdString(report.closest()->options), QString("--alias inplace"));
    QVERIFY(QString::fromStdString(budgetText(report)).contains("No option makes it fit. Closest: "));
    // One operator: whatever is chosen, x and y are alive at once.
    const BudgetReport single = findWaysToFit(*planned("in: x 64\n x -> Conv c -> y 64\n out: y"), 10);
    QVERIFY(!single.closest() || single.closest()->arenaBytes < 128);
}

// What is promised is what a user gets who takes the way.
void TestBudget::everyWayHoldsWhenItIsTaken()
{
    const auto outcome = planned(kTwins, "pingpong");
    const BudgetReport report = findWaysToFit(*outcome, 1200);
    QVERIFY(report.ways(99).size() >= 2);
    for (const FitWay* way : report.ways(99)) {
        const auto study = makeStudy(outcome->study->graph, way->study);
        QVERIFY(study);
        const auto taken = planStudy(*study, kDefaultStrategy);
        QVERIFY(taken && (*taken)->isValid());
        const Plan& plan = (*taken)->plan;
        QCOMPARE(plan.regionSizes.size() > 1 ? plan.regionSizes.front() : plan.arenaSize, way->arenaBytes);
        QVERIFY2(findWaysToFit(**taken, 1200).fits(), way->options.c_str()); // also where a second memory takes the rest
    }
}

void TestBudget::stopKeepsWhatWasTried()
{
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(findWaysToFit(*planned(kChain), 400, {}, stop.get_token()).tried.empty());
}

void TestBudget::textSaysWhatToType()
{
    const std::string text = budgetText(findWaysToFit(*planned(kChain), 400));
    const QString expected = QStringLiteral("Budget: 400 B is exceeded by 112 bytes\n"
                                            "  Ways to fit, the cheapest first:\n"
                                            "    --alias inplace                  320 B  element-wise kernels must write over their input\n"
                                            "    --region fast=400 --region slow  ");
    QVERIFY2(QString::fromStdString(text).startsWith(expected), text.c_str());
}

void TestBudget::jsonHasTheWays()
{
    const auto outcome = planned(kChain);
    const BudgetReport report = findWaysToFit(*outcome, 400);
    ReportContext context;
    context.budget = 400;
    context.ways = &report;
    const json summary = json::parse(summaryJson(*outcome, context));
    const json& budget = summary.at("budget");
    QCOMPARE(budget.at("fits").get<bool>(), false);
    QCOMPARE(budget.at("over_by_bytes").get<int>(), 112);
    QCOMPARE(budget.at("ways_to_fit").at(0).at("options").get<std::string>(), std::string("--alias inplace"));
    QCOMPARE(budget.at("ways_to_fit").at(0).at("arena_bytes").get<int>(), 320);
    QCOMPARE(budget.at("ways_to_fit").at(0).at("proven").get<bool>(), true);
    QCOMPARE(budget.at("tried").size(), report.tried.size());
    const json unplanned = budget.at("tried").at(0); // views
    QVERIFY(!unplanned.contains("arena_bytes"));
    QCOMPARE(unplanned.at("lower_bound_bytes").get<int>(), 512);
}

void TestBudget::annotationIsOneSafeLine()
{
    const auto outcome = planned(kChain);
    const BudgetReport report = findWaysToFit(*outcome, 400);
    const QString line = QString::fromStdString(budgetAnnotation(*outcome, &report, "a,b:100%.onnx"));
    QVERIFY2(line.startsWith("::error file=a%2Cb%3A100%25.onnx,title=Arena over budget::"), qPrintable(line));
    QCOMPARE(line.count('\n'), 1);
    QVERIFY(line.endsWith('\n'));
    QVERIFY(line.contains("exceeded by 112 bytes%0A"));
    QVERIFY(line.contains("Peak at step 1, Relu 'two', with 512 B live:%0A  256 B"));
    QVERIFY(line.contains("--alias inplace"));
}

void TestBudget::annotationWithoutABudget()
{
    const auto outcome = planned(kChain);
    QCOMPARE(budgetAnnotation(*outcome, nullptr, "m.onnx"), std::string("::notice file=m.onnx,title=Arena::: the arena needs 512 B.\n"));
    const BudgetReport report = findWaysToFit(*outcome, 1024);
    QVERIFY(budgetAnnotation(*outcome, &report, "m.onnx").starts_with("::notice file=m.onnx,title=Arena within budget::"));
}

QTEST_APPLESS_MAIN(TestBudget)
#include "tst_budget.moc"
