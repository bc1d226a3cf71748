// SPDX-License-Identifier: MIT
// Files of Caffe, ncnn and Darknet that are cut short, changed at random or made to take all memory: one clear error, or a
// network, never a crash.
#include "tests/support/layered.h"

#include <QRandomGenerator>

using namespace arenascope;
using namespace arenascope::test;

namespace {

struct Sample {
    QString file; ///< relative to the model files
    QString name; ///< without folder
    QByteArray text;
};

QList<Sample> samples()
{
    QList<Sample> found;
    const QStringList files = modelFiles("caffe", "*.prototxt") + modelFiles("ncnn", "*.param") + modelFiles("darknet", "*.cfg");
    for (const QString& path : files) {
        QFile file(QStringLiteral(ARENASCOPE_SHARED_DIR "/models/") + path);
        if (file.open(QIODevice::ReadOnly))
            found.append({path, QFileInfo(path).fileName(), file.readAll()});
    }
    return found;
}

/// Why what reading gave is not acceptable; empty where it is.
QString faultOf(const Sample& sample, const Result<ImportedModel>& model)
{
    if (model)
        return model->graph->operators().empty() ? QStringLiteral("a network without operators") : QString();
    const Error& error = model.error();
    if (error.code == ErrorCode::Internal || error.code == ErrorCode::OutOfMemory)
        return QString::fromStdString(describe(error));
    const bool isPlaced = error.where.starts_with(sample.name.toStdString());
    return isPlaced ? QString() : "nothing says where: " + QString::fromStdString(describe(error));
}

} // namespace

class TestLayeredHostile : public QObject {
    Q_OBJECT

private slots:
    void cutShort();
    void changedAtRandom();
    void tooMuch_data();
    void tooMuch();
    void hugeFiles_data();
    void hugeFiles();
};

void TestLayeredHostile::cutShort()
{
    const QList<Sample> all = samples();
    if (all.isEmpty())
        QSKIP("the model files are missing (set ARENASCOPE_SHARED_DIR)");
    for (const Sample& sample : all) {
        constexpr int kPieces = 25;
        for (int i = 1; i < kPieces; ++i) {
            const QByteArray piece = sample.text.left(sample.text.size() * i / kPieces);
            const QString fault = faultOf(sample, importText(sample.name, piece));
            QVERIFY2(fault.isEmpty(), qPrintable(sample.file + " cut at " + QString::number(piece.size()) + ": " + fault));
        }
    }
}

/// Bytes, digits and whole lines: the last two get further than most.
void TestLayeredHostile::changedAtRandom()
{
    const QList<Sample> all = samples();
    if (all.isEmpty())
        QSKIP("the model files are missing (set ARENASCOPE_SHARED_DIR)");
    QRandomGenerator random(20261130);
    const QByteArray digits = "0123456789-.";
    for (const Sample& sample : all) {
        QList<QByteArray> lines = sample.text.split('\n');
        for (int round = 0; round < 100; ++round) {
            QByteArray text = sample.text;
            const auto at = [&] { return random.bounded(int(text.size())); };
            if (round % 3 == 0) {
                for (int i = 0; i < 1 + round % 5; ++i)
                    text[at()] = char(random.bounded(256));
            } else if (round % 3 == 1) {
                for (int i = 0; i < 400; ++i) {
                    const int place = at();
                    if (text[place] >= '0' && text[place] <= '9') {
                        text[place] = digits[random.bounded(int(digits.size()))];
                        break;
                    }
                }
            } else {
                QList<QByteArray> changed = lines;
                changed.swapItemsAt(random.bounded(int(changed.size())), random.bounded(int(changed.size())));
                changed.removeAt(random.bounded(int(changed.size())));
                text = changed.join('\n');
            }
            const auto model = importText(sample.name, text);
            const QString fault = faultOf(sample, model);
            QVERIFY2(fault.isEmpty(), qPrintable(sample.file + " round " + QString::number(round) + ": " + fault));
            if (model && round % 10 == 1)
                (void)makeStudy(model->graph, {}); // sizes may overflow or be unknown: an error, too
        }
    }
}

void TestLayeredHostile::tooMuch_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    const QString layers = "The number of layers is larger than the limit of 200000. Make it smaller or split it.";
    QTest::newRow("sections") << "net.cfg" << "[net]\nwidth=8\nheight=8\nchannels=3\n" + QByteArray("[dropout]\n").repeated(200'100) << layers;
    QTest::newRow("lines") << "net.param" << "7767517\n300000 1\n" + QByteArray("Noop n 0 0\n").repeated(200'100) << layers;
    QTest::newRow("layers") << "net.prototxt" << QByteArray("layer{}\n").repeated(200'100) << layers;
    QTest::newRow("messages") << "net.prototxt" << QByteArray("layer{}").repeated(500'100)
                              << "The number of messages is larger than the limit of 500000. Make it smaller or split it.";
}

void TestLayeredHostile::tooMuch()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    QCOMPARE(messages(importText(name, text)), QStringList{"error " + name + ": " + message});
}

void TestLayeredHostile::hugeFiles_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("head");
    QTest::newRow("Darknet") << "net.cfg" << QByteArray("[net]\n");
    QTest::newRow("ncnn") << "net.param" << QByteArray("7767517\n1 1\n");
    QTest::newRow("Caffe") << "net.prototxt" << QByteArray("layer {");
}

/// A gigabyte, most of it a hole.
void TestLayeredHostile::hugeFiles()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, head);
    QTemporaryDir folder;
    QFile file(folder.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(head);
    QVERIFY(file.resize(qint64(1) << 30));
    file.close();
    const auto model = importModel(file.fileName().toStdString());
    QVERIFY(!model);
    QCOMPARE(QString::fromStdString(describe(model.error())),
             file.fileName() + ": The text of the network is larger than the limit of 64 MiB. Make it smaller or split it.");
}

QTEST_GUILESS_MAIN(TestLayeredHostile)
#include "tst_layered_hostile.moc"
