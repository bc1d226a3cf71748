// SPDX-License-Identifier: MIT
// Layouts of real networks.
#include "tests/support/layout_checks.h"

#include <arenascope/importer.h>
#include <arenascope/layout.h>

#include <QtTest/QtTest>

#include <filesystem>

using namespace arenascope;

class TestLayoutModels : public QObject {
    Q_OBJECT

private slots:
    void modelIsDrawnWithoutFaults_data();
    void modelIsDrawnWithoutFaults();
};

void TestLayoutModels::modelIsDrawnWithoutFaults_data()
{
    QTest::addColumn<QString>("path");
    const auto models = std::filesystem::path(ARENASCOPE_SHARED_DIR) / "models";
    if (!std::filesystem::exists(models))
        QSKIP("no model files at ARENASCOPE_SHARED_DIR");
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(models)) {
        if (entry.path().extension() == ".onnx")
            paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    for (const auto& path : paths)
        QTest::newRow(path.lexically_relative(models).c_str()) << QString::fromStdString(path.string());
}

void TestLayoutModels::modelIsDrawnWithoutFaults()
{
    QFETCH(QString, path);
    const auto model = importModel(path.toStdString());
    if (!model)
        QSKIP("broken on purpose, or of a kind that is not read");
    const auto schedule = makeSchedule(*model->graph, ScheduleKind::File);
    QVERIFY(schedule.hasValue());
    const DrawnGraph drawn = drawnGraph(*model->graph, *schedule, [&](const LayoutNode& node) {
        const std::string& label = node.kind == LayoutNode::Kind::Operator ? model->graph->op(node.op).kind
                                                                           : model->graph->tensor(node.tensor).name;
        return Size { 30.0 + 7.0 * static_cast<double>(label.size()), 40 };
    });
    LayoutOptions options;
    options.helper = std::filesystem::path(ARENASCOPE_BIN_DIR) / "arenascope-layout";
    for (const LayoutEngine engine : { LayoutEngine::Auto, LayoutEngine::Layered }) {
        options.engine = engine;
        options.direction = engine == LayoutEngine::Auto ? LayoutDirection::Down : LayoutDirection::Right;
        const auto layout = layOut(drawn, options);
        QVERIFY(layout.hasValue());
        const auto findings = layout_checks::check(drawn, *layout);
        QCOMPARE(findings.overlaps, 0);
        QCOMPARE(findings.crossed, 0);
        QCOMPARE(findings.detached, 0);
        QCOMPARE(findings.invalid, 0);
    }
}

QTEST_GUILESS_MAIN(TestLayoutModels)
#include "tst_layout_models.moc"
