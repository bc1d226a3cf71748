// SPDX-License-Identifier: MIT
// The best operator order of real model files against figures of independent code (models/onnx.tsv beside the checkout).
#include "support/model_table.h"

#include <arenascope/study.h>

#include <QElapsedTimer>
#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

class TestMinPeakModels : public QObject {
    Q_OBJECT

private slots:
    void figures_data();
    void figures();
};

void TestMinPeakModels::figures_data()
{
    QTest::addColumn<QString>("inputs");
    QTest::addColumn<qint64>("expected");
    forEachModel("min_peak", [](const QString& model, const QString& inputs, const QString& figure) {
        QTest::newRow(qPrintable(model)) << inputs << figure.toLongLong();
    });
}

void TestMinPeakModels::figures()
{
    QFETCH(QString, inputs);
    QFETCH(qint64, expected);
    const auto model = importModel(modelPath(QTest::currentDataTag()).toStdString(), optionsFrom(inputs));
    if (!model)
        QSKIP("the file is one that does not open");
    if (!model->graph->tensorsOfUnknownSize().empty())
        QSKIP("sizes depend on the content of an input");
    const StudyOptions options{.schedule = ScheduleKind::MinPeak, .problem = {.alignment = 1}};
    QElapsedTimer timer;
    timer.start();
    const auto study = makeStudy(model->graph, options);
    const double milliseconds = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
    QVERIFY(study);
    QVERIFY(isTopological(*model->graph, (*study)->schedule));
    QCOMPARE((*study)->profile.peak, Bytes(expected));
    QVERIFY((*study)->schedule.provenMinPeak);
    QCOMPARE((*study)->schedule.peakBound, Bytes(expected));
    if (milliseconds > 100)
        qInfo("%zu operators, %.1f ms", model->graph->operators().size(), milliseconds);
}

QTEST_APPLESS_MAIN(TestMinPeakModels)
#include "tst_min_peak_models.moc"
