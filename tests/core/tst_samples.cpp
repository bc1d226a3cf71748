// SPDX-License-Identifier: MIT
// The checked-in samples are what their generator writes, to the byte.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

class SamplesTest : public QObject {
    Q_OBJECT
private slots:
    void generatorWritesTheCheckedInFiles();
};

namespace {

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

} // namespace

void SamplesTest::generatorWritesTheCheckedInFiles()
{
    const QTemporaryDir folder;
    QVERIFY(folder.isValid());
    QCOMPARE(QProcess::execute(QStringLiteral(ARENASCOPE_BIN_DIR "/arenascope-make-samples"), {folder.path()}), 0);

    const QDir written(folder.path());
    const QDir kept(QStringLiteral(ARENASCOPE_SOURCE_DIR "/samples"));
    const QStringList names = written.entryList({QStringLiteral("*.onnx")}, QDir::Files, QDir::Name);
    QCOMPARE(names, kept.entryList({QStringLiteral("*.onnx")}, QDir::Files, QDir::Name));
    QCOMPARE(names.size(), 6);
    for (const QString& name : names)
        QVERIFY2(contentOf(written.filePath(name)) == contentOf(kept.filePath(name)), qPrintable(name));
}

QTEST_GUILESS_MAIN(SamplesTest)
#include "tst_samples.moc"
