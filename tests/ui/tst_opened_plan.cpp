// SPDX-License-Identifier: MIT
// Plans by others in the document and in the window.
#include "support/gui_fixture.h"

#include "ui/commands.h"
#include "ui/models/ladder_model.h"
#include "ui/opened_plan.h"
#include "ui/panels/message_area.h"
#include "ui/text.h"

#include <arenascope/plan_export.h>
#include <arenascope/plan_import.h>

#include <QAction>
#include <QComboBox>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>

using namespace arenascope;
using namespace arenascope::ui;

class TestOpenedPlan : public QObject, private test::GuiFixture {
    Q_OBJECT
private slots:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }

    void planWithoutAModelIsShown();
    void planGoesOverTheOpenModel_data();
    void planGoesOverTheOpenModel();
    void ownPlanFindsItsModel();
    void ownPlanWithoutItsModelIsShown();
    void strangersPlanIsShownAlone();
    void otherOptionsLeaveThePlan();
    void bareProblemKeepsItsOptions();
    void clashesAreTold();
    void problemIsPlanned();
    void brokenPlanLeavesTheModel();
    void whatIsNeitherIsCalledNoModel();
    void usualOptionsComeBack();
    void modelBringsItsPlanAlong();
    void exportsAreGrouped();
    void sharedSolutionOpens();

private:
    Document* document() const { return m_window->document(); }
    QString path(const char* name) const { return m_folder->filePath(QLatin1String(name)); }
    bool openFile(const QString& file)
    {
        m_window->open(file);
        return settle();
    }
    bool write(const char* name, std::string_view content) const
    {
        return writeFileAtomically(path(name).toStdString(), content).hasValue();
    }
    /// The shown plan in a format.
    std::string exported(const char* id) const { return *findPlanExport(id)->write(*document()->outcome(), document()->importOptions()); }
};

constexpr char kSmallPlan[] = "id,lower,upper,size,offset\nx,0,1,64,0\na,0,2,128,64\nb,1,3,128,192\n";

void TestOpenedPlan::planWithoutAModelIsShown()
{
    QVERIFY(write("small.csv", kSmallPlan));
    QVERIFY(openFile(path("small.csv")));
    QVERIFY(document()->openedPlan() && document()->isBare());
    QCOMPARE(document()->strategy(), QStringLiteral("opened"));
    const auto outcome = document()->outcome();
    QVERIFY(outcome && outcome->isValid());
    QCOMPARE(outcome, document()->openedPlan()->outcome);
    QCOMPARE(outcome->plan.arenaSize, Bytes(320));
    QCOMPARE(document()->graph()->operators().size(), std::size_t(3));
    QCOMPARE(document()->selection()->stepCount(), Step(3));
    QVERIFY(document()->trace() && document()->layout());
    // Beside our own strategies, of which one does better.
    const auto& ladder = document()->ladder();
    QCOMPARE(ladder.front().strategy, kOpenedStrategy);
    QVERIFY(std::any_of(ladder.begin(), ladder.end(), [](const LadderRung& rung) { return rung.outcome && rung.outcome->plan.arenaSize == 256; }));
    auto* combo = find<QComboBox>("strategyCombo");
    QCOMPARE(combo->currentData().toString(), QStringLiteral("opened"));
    QVERIFY(combo->currentText().contains(strategyTitle(QStringLiteral("opened"))));
    // And back and forth.
    document()->setStrategy(QStringLiteral("greedy-by-size"));
    QVERIFY(settle());
    QCOMPARE(document()->outcome()->plan.arenaSize, Bytes(256));
    document()->setStrategy(QStringLiteral("opened"));
    QVERIFY(settle());
    QCOMPARE(document()->outcome(), document()->openedPlan()->outcome);
    QVERIFY(!m_window->commands()->run->isEnabled());
    QVERIFY(!m_window->commands()->shapes->isEnabled());
}

void TestOpenedPlan::planGoesOverTheOpenModel_data()
{
    QTest::addColumn<QString>("format");
    QTest::addColumn<QString>("name");
    QTest::newRow("table of buffers") << "csv" << "plan.csv";
    QTest::newRow("MiniMalloc") << "minimalloc" << "plan.minimalloc.csv";
    QTest::newRow("Vela") << "vela" << "plan.vela.txt";
}

void TestOpenedPlan::planGoesOverTheOpenModel()
{
    QFETCH(QString, format);
    QFETCH(QString, name);
    QVERIFY(openSample("residual.onnx"));
    StudyOptions options = document()->studyOptions();
    options.alias = AliasMode::InPlace;
    document()->setStudyOptions(options);
    document()->setStrategy(QStringLiteral("naive"));
    QVERIFY(settle());
    const Bytes arena = document()->outcome()->plan.arenaSize;
    const std::size_t operators = document()->graph()->operators().size();
    QVERIFY(write(name.toUtf8().constData(), exported(format.toUtf8().constData())));
    // Other options than the plan was made with.
    document()->setStudyOptions({});
    document()->setStrategy(QStringLiteral("auto"));
    QVERIFY(settle());
    QVERIFY(openFile(path(name.toUtf8().constData())));
    QVERIFY(document()->openedPlan());
    QVERIFY(!document()->isBare());
    QCOMPARE(document()->graph()->operators().size(), operators);
    QCOMPARE(document()->outcome()->plan.arenaSize, arena);
    QVERIFY(document()->outcome()->isValid());
    QCOMPARE(document()->studyOptions().alias, AliasMode::InPlace);
    QVERIFY(document()->diagnostics().empty());
    QVERIFY(m_window->commands()->run->isEnabled());
}

void TestOpenedPlan::ownPlanFindsItsModel()
{
    QVERIFY(openSample("inception.onnx"));
    document()->setStrategy(QStringLiteral("pingpong"));
    QVERIFY(settle());
    const Bytes arena = document()->outcome()->plan.arenaSize;
    QVERIFY(write("plan.json", exported("json")));
    document()->close();
    QVERIFY(openFile(path("plan.json")));
    QVERIFY(document()->openedPlan() && !document()->isBare());
    QCOMPARE(document()->outcome()->plan.arenaSize, arena);
    QCOMPARE(document()->outcome()->plan.strategy, std::string("pingpong"));
    QVERIFY(document()->outcome()->isValid());
}

void TestOpenedPlan::ownPlanWithoutItsModelIsShown()
{
    QVERIFY(openSample("chain.onnx"));
    std::string json = exported("json");
    for (std::size_t at = 0; (at = json.find("chain.onnx", at)) != std::string::npos;)
        json.replace(at, 10, "gone!.onnx");
    const Bytes arena = document()->outcome()->plan.arenaSize;
    QVERIFY(write("plan.json", json));
    QVERIFY(openFile(path("plan.json")));
    QVERIFY(document()->isBare());
    QCOMPARE(document()->outcome()->plan.arenaSize, arena);
    QCOMPARE(document()->diagnostics().size(), std::size_t(1));
    QVERIFY(QString::fromStdString(describe(document()->diagnostics()[0].error)).contains("gone!.onnx"));
}

void TestOpenedPlan::strangersPlanIsShownAlone()
{
    QVERIFY(openSample("chain.onnx"));
    QVERIFY(write("small.csv", kSmallPlan));
    QVERIFY(openFile(path("small.csv")));
    QVERIFY(document()->isBare());
    QCOMPARE(document()->graph()->operators().size(), std::size_t(3));
    QCOMPARE(document()->diagnostics().size(), std::size_t(1));
}

void TestOpenedPlan::otherOptionsLeaveThePlan()
{
    QVERIFY(openSample("residual.onnx"));
    QVERIFY(write("plan.csv", exported("csv")));
    QVERIFY(openFile(path("plan.csv")));
    QCOMPARE(document()->strategy(), QStringLiteral("opened"));
    StudyOptions options = document()->studyOptions();
    options.alias = AliasMode::InPlace;
    document()->setStudyOptions(options);
    QVERIFY(settle());
    QCOMPARE(document()->strategy(), QStringLiteral("auto"));
    QCOMPARE(document()->outcome()->study->options.alias, AliasMode::InPlace);
    document()->setStrategy(QStringLiteral("opened"));
    QVERIFY(settle());
    QCOMPARE(document()->studyOptions().alias, AliasMode::None);
    QCOMPARE(document()->outcome(), document()->openedPlan()->outcome);
    QCOMPARE(document()->outcome()->study, document()->study());
}

void TestOpenedPlan::bareProblemKeepsItsOptions()
{
    QVERIFY(write("small.csv", kSmallPlan));
    QVERIFY(openFile(path("small.csv")));
    QVERIFY(!find<QComboBox>("aliasCombo")->isEnabled());
    const auto study = document()->study();
    StudyOptions options = document()->studyOptions();
    options.schedule = ScheduleKind::MinPeak;
    document()->setStudyOptions(options);
    QVERIFY(settle());
    QCOMPARE(document()->study(), study);
    QVERIFY(openSample("chain.onnx"));
    QVERIFY(find<QComboBox>("aliasCombo")->isEnabled());
    QVERIFY(find<QComboBox>("strategyCombo")->findData(QStringLiteral("opened")) < 0);
}

void TestOpenedPlan::clashesAreTold()
{
    QVERIFY(write("clash.csv", "id,lower,upper,size,offset\nx,0,1,64,0\na,0,2,128,32\nb,1,3,128,192\n"));
    QVERIFY(openFile(path("clash.csv")));
    QVERIFY(!document()->outcome()->isValid());
    QCOMPARE(document()->outcome()->placement.clashCount, std::int64_t(1));
    bool isTold = false;
    for (const auto* bar : m_window->findChildren<MessageBar*>())
        isTold = isTold || bar->text().contains(QStringLiteral("'x'"));
    QVERIFY(isTold);
}

void TestOpenedPlan::problemIsPlanned()
{
    document()->setStrategy(QStringLiteral("greedy-by-size"));
    QVERIFY(write("problem.csv", "id,lower,upper,size\nx,0,1,64\na,0,2,128\nb,1,3,128\n"));
    QVERIFY(openFile(path("problem.csv")));
    QVERIFY(document()->isBare() && !document()->openedPlan()->outcome);
    QCOMPARE(document()->strategy(), QStringLiteral("greedy-by-size"));
    QCOMPARE(document()->outcome()->plan.arenaSize, Bytes(256));
    QVERIFY(find<QComboBox>("strategyCombo")->findData(QStringLiteral("opened")) < 0);
}

void TestOpenedPlan::brokenPlanLeavesTheModel()
{
    QVERIFY(openSample("chain.onnx"));
    const auto graph = document()->graph();
    QSignalSpy failed(document(), &Document::failed);
    QVERIFY(write("broken.csv", "id,lower,upper,size,offset\nx,0,1,64,\na,0,2,128,32\n"));
    QVERIFY(openFile(path("broken.csv")));
    QCOMPARE(failed.size(), 1);
    QCOMPARE(document()->graph(), graph);
}

// It is looked through for a plan as well, but who opens a file does not ask for one.
void TestOpenedPlan::whatIsNeitherIsCalledNoModel()
{
    QSignalSpy failed(document(), &Document::failed);
    QVERIFY(write("letter.txt", "Dear reader,\n"));
    QVERIFY(openFile(path("letter.txt")));
    QCOMPARE(failed.size(), 1);
    QCOMPARE(failed.first().at(1).value<Error>().code, ErrorCode::FormatUnknown);
}

void TestOpenedPlan::usualOptionsComeBack()
{
    QVERIFY(openSample("residual.onnx"));
    StudyOptions usual = document()->studyOptions();
    usual.alias = AliasMode::Views;
    usual.problem.alignment = 16;
    document()->setStudyOptions(usual);
    document()->setStrategy(QStringLiteral("best-fit"));
    QVERIFY(settle());
    QVERIFY(write("small.csv", kSmallPlan));
    QVERIFY(openFile(path("small.csv")));
    QCOMPARE(document()->studyOptions().problem.alignment, Bytes(1));
    QVERIFY(openSample("chain.onnx"));
    QVERIFY(document()->studyOptions() == usual);
    QCOMPARE(document()->strategy(), QStringLiteral("best-fit"));
    // Nor did the plan's options get into the settings.
    openWindow();
    QVERIFY(document()->studyOptions() == usual);
    QCOMPARE(document()->strategy(), QStringLiteral("best-fit"));
}

void TestOpenedPlan::modelBringsItsPlanAlong()
{
    const QString model = QStringLiteral(ARENASCOPE_SHARED_DIR "/models/tflite/person_detect_int8.tflite");
    if (!QFileInfo::exists(model))
        QSKIP("the shared models are needed: tflite/person_detect_int8.tflite");
    QVERIFY(openFile(model));
    QVERIFY(!document()->openedPlan());
    QVERIFY(write("planned.tflite", exported("tflite")));
    const auto places = document()->outcome()->plan.placements;
    const QString usual = document()->strategy();
    const StudyOptions options = document()->studyOptions();
    QVERIFY(openFile(path("planned.tflite")));
    // One more choice beside ours, which are shown first.
    QVERIFY(document()->openedPlan() && document()->openedPlan()->isFromModel && !document()->isBare());
    QCOMPARE(document()->strategy(), usual);
    QVERIFY(find<QComboBox>("strategyCombo")->findData(QStringLiteral("opened")) == 0);
    QCOMPARE(document()->ladder().front().strategy, kOpenedStrategy);
    QVERIFY(m_window->commands()->shapes->isEnabled());
    document()->setStrategy(QStringLiteral("opened"));
    QVERIFY(settle());
    QCOMPARE(document()->outcome(), document()->openedPlan()->outcome);
    QVERIFY(document()->outcome()->isValid());
    for (std::size_t i = 0; i < places.size(); ++i)
        QCOMPARE(document()->outcome()->plan.placements[i].offset, places[i].offset);
    document()->setStrategy(QStringLiteral("best-fit"));
    QVERIFY(settle());
    QCOMPARE(document()->outcome()->plan.strategy, std::string("best-fit"));
    document()->setStrategy(QStringLiteral("opened"));
    QVERIFY(settle());
    QVERIFY(openSample("chain.onnx"));
    QCOMPARE(document()->strategy(), QStringLiteral("best-fit"));
    QCOMPARE(document()->studyOptions().alias, options.alias);
    QVERIFY(!document()->openedPlan());
}

void TestOpenedPlan::exportsAreGrouped()
{
    QVERIFY(openSample("chain.onnx"));
    QStringList titles;
    qsizetype formats = 0;
    for (const QMenu* menu : m_window->findChildren<QMenu*>()) {
        if (!menu->title().startsWith(QStringLiteral("Plan for ")))
            continue;
        titles << menu->title();
        formats += menu->actions().size();
        QVERIFY(menu->isEnabled());
    }
    titles.sort();
    QCOMPARE(titles, (QStringList { "Plan for a runtime", "Plan for a runtime", "Plan for tools", "Plan for tools" })); // button and menu bar
    QCOMPARE(formats, 2 * qsizetype(planExports().size()));
}

void TestOpenedPlan::sharedSolutionOpens()
{
    const QString file = QStringLiteral(ARENASCOPE_SHARED_DIR "/problems/solutions/D.1031168.csv");
    if (!QFileInfo::exists(file))
        QSKIP("the shared problems are needed: solutions/D.1031168.csv");
    m_window->document()->setSearchSeconds(0.1);
    QVERIFY(openFile(file));
    QVERIFY(document()->outcome()->isValid());
    QCOMPARE(document()->outcome()->plan.arenaSize, Bytes(1031168));
}

int main(int argc, char** argv)
{
    return test::runGuiTest<TestOpenedPlan>(argc, argv);
}
#include "tst_opened_plan.moc"
