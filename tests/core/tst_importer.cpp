// SPDX-License-Identifier: MIT
// Which importer a file goes to, and what is said of formats that cannot be read.
#include <arenascope/importer.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope;

class TestImporter : public QObject {
    Q_OBJECT

private slots:
    void registry();
    void recognises_data();
    void recognises();
    void folders();
    void missingEmptyAndOddFiles();
};

void TestImporter::registry()
{
    QVERIFY(!importers().empty());
    for (const Importer* importer : importers()) {
        QVERIFY(!importer->info().id.empty());
        QVERIFY(!importer->info().title.empty());
        for (const std::string_view extension : importer->info().extensions)
            QVERIFY(extension.starts_with('.'));
    }
}

void TestImporter::recognises_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("head");
    QTest::addColumn<QString>("title");
    const QByteArray zip("PK\x03\x04\x00\x00\x08\x08", 8);
    QTest::newRow("a PyTorch zip archive") << "net.pt" << zip + "net/data.pkl" << "PyTorch";
    QTest::newRow("a PyTorch zip archive with another name") << "net.bin" << zip + "archive/data.pkl" << "PyTorch";
    QTest::newRow("an old PyTorch pickle") << "net.pth" << QByteArray("\x80\x02\x8a\x0al\xfc")
                                           << "PyTorch (or another Python pickle)";
    QTest::newRow("a Keras HDF5 file") << "net.h5" << QByteArray("\x89HDF\r\n\x1a\n") << "Keras (HDF5)";
    QTest::newRow("a Keras 3 archive") << "net.keras" << zip + "metadata.json" << "Keras";
    QTest::newRow("a frozen TensorFlow graph") << "graph.pb" << QByteArray("\x0a\x20\x0a\x05input\x12\x0bPlaceholder")
                                               << "TensorFlow";
    QTest::newRow("an OpenVINO description") << "net.xml"
                                             << QByteArray("<?xml version=\"1.0\"?>\n<net name=\"n\" version=\"11\"><layers>")
                                             << "OpenVINO";
    QTest::newRow("a Core ML model") << "net.mlmodel" << QByteArray("\x08\x04\x12\x10") << "Core ML";
    QTest::newRow("safetensors") << "net.safetensors" << QByteArray("\x40\0\0\0\0\0\0\0{\"a\":{", 14) << "Safetensors";
    QTest::newRow("GGUF") << "net.gguf" << QByteArray("GGUF\x03\0\0\0", 8) << "GGUF";
    QTest::newRow("Caffe text") << "net.prototxt" << QByteArray("name: \"net\"\nlayer {") << "Caffe";
    QTest::newRow("a Git LFS pointer named .onnx")
        << "net.onnx" << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:") << "Git LFS pointer";
    QTest::newRow("a web page named .onnx") << "net.onnx" << QByteArray("<!DOCTYPE html><html>") << "Web page (HTML)";
    QTest::newRow("a gzip file") << "net.onnx.gz" << QByteArray("\x1f\x8b\x08\x08") << "Compressed (gzip)";
}

void TestImporter::recognises()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, head);
    QFETCH(QString, title);
    QTemporaryDir folder;
    QFile file(folder.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(head);
    file.close();
    const auto model = importModel(file.fileName().toStdString());
    QVERIFY(!model);
    QCOMPARE(QString::fromLatin1(errorCodeName(model.error().code).data()), QStringLiteral("format-unsupported"));
    QCOMPARE(model.error().where, file.fileName().toStdString());
    QCOMPARE(QString::fromStdString(model.error().args.at(0)), title);
    QVERIFY2(model.error().args.at(1).size() > 20, "the remedy says what to do");
    QVERIFY(model.error().args.at(1).ends_with('.'));
}

void TestImporter::folders()
{
    QTemporaryDir folder;
    const auto plain = importModel(folder.path().toStdString());
    QVERIFY(!plain);
    QVERIFY(plain.error().code == ErrorCode::FileUnreadable);
    QFile file(folder.filePath(QStringLiteral("saved_model.pb")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const auto saved = importModel(folder.path().toStdString());
    QVERIFY(!saved);
    QVERIFY(saved.error().code == ErrorCode::FormatUnsupported);
    QCOMPARE(saved.error().args.at(0), std::string("TensorFlow SavedModel"));
}

void TestImporter::missingEmptyAndOddFiles()
{
    QTemporaryDir folder;
    const auto missing = importModel(folder.filePath(QStringLiteral("no.onnx")).toStdString());
    QVERIFY(!missing);
    QVERIFY(missing.error().code == ErrorCode::FileNotFound);

    QFile file(folder.filePath(QStringLiteral("empty.onnx")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const auto empty = importModel(file.fileName().toStdString());
    QVERIFY(!empty);
    QVERIFY(empty.error().code == ErrorCode::FileTruncated);

    QFile text(folder.filePath(QStringLiteral("notes.txt")));
    QVERIFY(text.open(QIODevice::WriteOnly));
    text.write("nothing of the kind");
    text.close();
    const auto unknown = importModel(text.fileName().toStdString());
    QVERIFY(!unknown);
    QVERIFY(unknown.error().code == ErrorCode::FormatUnknown);
}

QTEST_GUILESS_MAIN(TestImporter)
#include "tst_importer.moc"
