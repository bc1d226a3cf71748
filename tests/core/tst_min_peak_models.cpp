// SPDX-License-Identifier: MIT
// The best operator order of real model files against figures of independent code (models/onnx.tsv beside the checkout).
#include <arenascope/importer.h>
#include <arenascope/study.h>

#include <QElapsedTimer>
#include <QFile>
#include <QTest>

using namespace arenascope;

namespace {

QString modelPath(const QString& relative)
{
    return QStringLiteral(ARENASCOPE_SHARED_DIR "/models/") + relative;
}

/// "a[1, 3]:f32; b[]:i64" -> shapes by name.
ImportOptions optionsFrom(const QString& inputs)
{
    ImportOptions options;
    for (const QString& input : inputs.split("; ", Qt::SkipEmptyParts)) {
        const qsizetype open = input.lastIndexOf('[');
        std::vector<std::int64_t> dims;
        for (const QString& dim : input.mid(open + 1, input.lastIndexOf(']') - open - 1).split(',', Qt::SkipEmptyParts))
            dims.push_back(dim.trimmed().toLongLong());
        options.shapes[input.left(open).toStdString()] = std::move(dims);
    }
    return options;
}

} // namespace

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
    QFile table(modelPath("onnx.tsv"));
    if (!table.open(QIODevice::ReadOnly))
        QSKIP("models/onnx.tsv is missing (set ARENASCOPE_SHARED_DIR)");
    const QStringList columns = QString::fromUtf8(table.readLine()).trimmed().split('\t');
    const qsizetype column = columns.indexOf("min_peak");
    while (!table.atEnd()) {
        const QStringList cells = QString::fromUtf8(table.readLine()).split('\t');
        if (column >= 0 && column < cells.size() && !cells[column].trimmed().isEmpty())
            QTest::newRow(qPrintable(cells[0])) << cells[columns.indexOf("inputs")] << cells[column].trimmed().toLongLong();
    }
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
