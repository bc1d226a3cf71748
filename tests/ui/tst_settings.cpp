// SPDX-License-Identifier: MIT
#include "ui/settings.h"

#include <QTemporaryDir>
#include <QTest>

using namespace arenascope;
using namespace arenascope::ui;

class TestSettings : public QObject {
    Q_OBJECT
private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void everythingIsKept();
    void nothingIsKeptWithoutAFile();
    void recentFilesAreNewestFirstWithoutDoubles();
    void recentFilesHaveALimit();
    void nonsenseReadsAsDefault_data();
    void nonsenseReadsAsDefault();

private:
    QString file() const { return m_folder->filePath(QStringLiteral("settings.ini")); }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSettings::everythingIsKept()
{
    StudyOptions options;
    options.alias = AliasMode::InPlace;
    options.schedule = ScheduleKind::DepthFirst;
    options.branches.join = JoinRule::None;
    options.problem.alignment = 256;
    options.problem.concurrency = Concurrency::Parallel;
    options.problem.io.inputsInArena = false;
    options.problem.countWorkspace = true;
    {
        Settings settings(file());
        settings.setTheme(ThemeChoice::Dark);
        settings.setReducedMotion(true);
        settings.setColourByBranch(true);
        settings.setPlaySpeed(20);
        settings.setStrategy(QStringLiteral("pingpong"));
        settings.setStudyOptions(options);
        settings.setWindowGeometry("geometry");
        settings.setDockState("docks");
    }
    const Settings settings(file());
    QCOMPARE(settings.theme(), ThemeChoice::Dark);
    QVERIFY(settings.reducedMotion());
    QVERIFY(settings.colourByBranch());
    QCOMPARE(settings.playSpeed(), 20);
    QCOMPARE(settings.strategy(), QStringLiteral("pingpong"));
    QVERIFY(settings.studyOptions() == options);
    QCOMPARE(settings.windowGeometry(), QByteArray("geometry"));
    QCOMPARE(settings.dockState(), QByteArray("docks"));
}

void TestSettings::nothingIsKeptWithoutAFile()
{
    Settings settings { QString() };
    settings.setTheme(ThemeChoice::Dark);
    settings.addRecentFile(QStringLiteral("/a"));
    QCOMPARE(settings.theme(), ThemeChoice::System);
    QVERIFY(settings.recentFiles().isEmpty());
}

void TestSettings::recentFilesAreNewestFirstWithoutDoubles()
{
    Settings settings(file());
    for (const char* path : { "/a", "/b", "/a", "/c" })
        settings.addRecentFile(QLatin1String(path));
    QCOMPARE(settings.recentFiles(), (QStringList { QStringLiteral("/c"), QStringLiteral("/a"), QStringLiteral("/b") }));
    settings.clearRecentFiles();
    QVERIFY(settings.recentFiles().isEmpty());
}

void TestSettings::recentFilesHaveALimit()
{
    Settings settings(file());
    for (int i = 0; i < 25; ++i)
        settings.addRecentFile(QString::number(i));
    QCOMPARE(settings.recentFiles().size(), Settings::kMaxRecentFiles);
    QCOMPARE(settings.recentFiles().first(), QStringLiteral("24"));
}

void TestSettings::nonsenseReadsAsDefault_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::newRow("a strategy that is not there") << "plan/strategy" << "magic";
    QTest::newRow("an alias mode that is not there") << "plan/alias" << "everything";
    QTest::newRow("an alignment that is no power of two") << "plan/alignment" << "48";
    QTest::newRow("a negative alignment") << "plan/alignment" << "-64";
    QTest::newRow("a join rule out of range") << "plan/join" << "99";
    QTest::newRow("a theme that is not there") << "theme" << "pink";
    QTest::newRow("a speed out of range") << "playSpeed" << "0";
}

void TestSettings::nonsenseReadsAsDefault()
{
    QFETCH(QString, key);
    QFETCH(QString, value);
    {
        QSettings raw(file(), QSettings::IniFormat);
        raw.setValue(key, value);
    }
    const Settings settings(file());
    QCOMPARE(settings.strategy(), QStringLiteral("auto"));
    QVERIFY(settings.studyOptions() == StudyOptions());
    QCOMPARE(settings.theme(), ThemeChoice::System);
    QVERIFY(settings.playSpeed() >= 1 && settings.playSpeed() <= 60);
}

QTEST_APPLESS_MAIN(TestSettings)
#include "tst_settings.moc"
