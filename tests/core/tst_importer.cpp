// SPDX-License-Identifier: MIT
// Which importer a file goes to, and what is said of formats that cannot be read.
#include <arenascope/importer.h>

#include <QDir>
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
    void weightsBesideNetworks();
    void realWeights();
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
    QTest::addColumn<QString>("message"); // what follows the path
    const auto row = [](const char* what, const char* name, const QByteArray& head, const char* title, const char* remedy) {
        QTest::newRow(what) << QString(name) << head << QString(title) + " files cannot be read. " + remedy;
    };
    const QByteArray zip("PK\x03\x04\x00\x00\x08\x08", 8);
    const char* torch = "Load it in Python and write ONNX: torch.onnx.export(model, example_input, \"model.onnx\").";
    const char* tensorFlow = "Convert it to ONNX: python -m tf2onnx.convert --saved-model FOLDER --output model.onnx (or --graphdef FILE with "
                             "--inputs and --outputs).";
    const char* keras = "Load it in Python and write ONNX with tf2onnx.convert.from_keras(model, output_path=\"model.onnx\").";
    const char* keras3 = "Load it in Python and write ONNX with model.export(\"model.onnx\", format=\"onnx\").";
    const char* coreMl = "Export the original model to ONNX instead; Core ML has no way back.";
    const char* openVino = "Open the ONNX file that it was converted from.";
    const char* executorch = "Export the original PyTorch model to ONNX: torch.onnx.export(model, example_input, \"model.onnx\").";
    row("a PyTorch zip archive", "net.pt", zip + "net/data.pkl", "PyTorch", torch);
    row("a PyTorch zip archive with another name", "net.bin", zip + "archive/data.pkl", "PyTorch", torch);
    row("an old PyTorch pickle", "net.pth", QByteArray("\x80\x02\x8a\x0al\xfc"), "PyTorch (or another Python pickle)", torch);
    row("a PyTorch file by its name alone", "net.pth", "odd content", "PyTorch", torch);
    row("TorchScript", "net.pt", zip + "net/code/__torch__.py net/constants.pkl", "TorchScript",
        "Load it with torch.jit.load() and write ONNX: torch.onnx.export(model, example_input, \"model.onnx\").");
    row("an exported PyTorch program", "net.pt2", zip + "net/archive_format", "PyTorch (torch.export)",
        "Load it with torch.export.load() and write ONNX: torch.onnx.export(program.module(), ...).");
    row("ExecuTorch", "net.pte", QByteArray("\x1c\0\0\0ET12", 8), "ExecuTorch", executorch);
    row("a Keras HDF5 file", "net.h5", "\x89HDF\r\n\x1a\n", "Keras (HDF5)", keras);
    row("a Keras HDF5 file with another name", "net.model", "\x89HDF\r\n\x1a\n", "Keras (HDF5)", keras);
    row("a Keras 3 archive", "net.keras", zip + "metadata.json", "Keras", keras3);
    row("a Keras 3 archive with another name", "net.zip", zip + "metadata.json config.json model.weights.h5", "Keras", keras3);
    row("a frozen TensorFlow graph", "graph.pb", "\x0a\x20\x0a\x05input\x12\x0bPlaceholder", "TensorFlow", tensorFlow);
    row("a frozen TensorFlow graph with another name", "graph.bin", "\x0a\x20\x0a\x05input\x12\x0bPlaceholder", "TensorFlow", tensorFlow);
    row("a TensorFlow graph as text", "graph.pbtxt", "node {\n  name: \"input\"\n  op: \"Placeholder\"\n}\n", "TensorFlow", tensorFlow);
    row("a file of a SavedModel", "saved_model.pb", "\x08\x01\x12\x20", "TensorFlow", tensorFlow);
    row("a TensorFlow checkpoint", "net.ckpt", "content", "TensorFlow checkpoint",
        "It holds weights without a graph; write a SavedModel, and convert that to ONNX with tf2onnx.");
    row("TensorFlow.js", "model.json", "{\"format\": \"layers-model\", \"modelTopology\": {", "TensorFlow.js", tensorFlow);
    row("an OpenVINO description", "net.xml", "<?xml version=\"1.0\"?>\n<net name=\"n\" version=\"11\"><layers>", "OpenVINO", openVino);
    row("a Core ML model", "net.mlmodel", "\x08\x04\x12\x10", "Core ML", coreMl);
    row("safetensors", "net.safetensors", QByteArray("\x40\0\0\0\0\0\0\0{\"a\":{", 14), "Safetensors",
        "It holds weights without a graph of operators; export the model to ONNX.");
    row("safetensors with another name", "net.bin", QByteArray("\x40\0\0\0\0\0\0\0{\"a\":{", 14), "Safetensors",
        "It holds weights without a graph of operators; export the model to ONNX.");
    row("GGUF", "net.gguf", QByteArray("GGUF\x03\0\0\0", 8), "GGUF",
        "It holds weights without a graph of operators; export the original model to ONNX.");
    row("Caffe's weights", "det1.caffemodel", "\x0a\x04PNet", "Caffe weights", "Open the text of the network instead: det1.prototxt.");
    row("Darknet's weights", "yolov3.weights", QByteArray("\0\0\0\0\x02\0\0\0", 8), "Darknet weights",
        "Open the text of the network instead: yolov3.cfg.");
    row("ncnn's binary form", "net.param.bin", QByteArray("\xdd\x85\x76\0\x0a\0\0\0", 8), "ncnn networks in binary form",
        "Open the text of the network instead: net.param.");
    row("MXNet", "net-symbol.json", "{\"nodes\": [], \"arg_nodes\": []}", "MXNet", "Convert it: mxnet.onnx.export_model(...) in Python.");
    row("ONNX as text", "net.txt", "ir_version: 7\ngraph {\n", "ONNX text",
        "Load it with google.protobuf.text_format in Python and save it as binary ONNX.");
    row("a Git LFS pointer named .onnx", "net.onnx", "version https://git-lfs.github.com/spec/v1\noid sha256:", "Git LFS pointer",
        "Fetch the real file first: git lfs pull.");
    row("a Git LFS pointer named .prototxt", "net.prototxt", "version https://git-lfs.github.com/spec/v1\noid sha256:", "Git LFS pointer",
        "Fetch the real file first: git lfs pull.");
    row("a web page named .onnx", "net.onnx", "<!DOCTYPE html><html>", "Web page (HTML)",
        "The download gave a page instead of the model; download the file itself.");
    row("a web page named .cfg", "net.cfg", "<!DOCTYPE html><html>", "Web page (HTML)",
        "The download gave a page instead of the model; download the file itself.");
    row("a gzip file", "net.onnx.gz", "\x1f\x8b\x08\x08", "Compressed (gzip)", "Unpack it and open the model file inside.");
}

void TestImporter::recognises()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, head);
    QFETCH(QString, message);
    QTemporaryDir folder;
    QFile file(folder.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(head);
    file.close();
    const auto model = importModel(file.fileName().toStdString());
    QVERIFY(!model);
    QCOMPARE(QString::fromStdString(describe(model.error())), file.fileName() + ": " + message);
    QCOMPARE(QString::fromLatin1(errorCodeName(model.error().code).data()), QStringLiteral("format-unsupported"));
}

/// Weights of two formats have the same suffix; what lies beside them tells which they are.
void TestImporter::weightsBesideNetworks()
{
    QTemporaryDir folder;
    const auto write = [&](const char* name) {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write("weights") > 0;
    };
    const auto said = [&] {
        const auto model = importModel(folder.filePath("net.bin").toStdString());
        return model ? QString() : QString::fromStdString(describe(model.error())).section(": ", 1);
    };
    QVERIFY(write("net.bin"));
    QCOMPARE(said(), "No known model format. Give an ONNX file, or convert the model to ONNX.");
    QVERIFY(write("net.xml"));
    QCOMPARE(said(), "OpenVINO weights files cannot be read. Open the ONNX file that it was converted from.");
    QVERIFY(write("net.param"));
    QCOMPARE(said(), "ncnn weights files cannot be read. Open the text of the network instead: net.param.");
}

/// Every file of weights that lies beside a real network names that network.
void TestImporter::realWeights()
{
    const QDir models(QStringLiteral(ARENASCOPE_SHARED_DIR "/models"));
    int seen = 0;
    for (const auto& [folder, weights, network] : {std::tuple("caffe", ".caffemodel", ".prototxt"), std::tuple("darknet", ".weights", ".cfg"),
                                                   std::tuple("ncnn", ".bin", ".param")}) {
        for (const QFileInfo& file : QDir(models.filePath(folder)).entryInfoList({QStringLiteral("*") + weights}, QDir::Files, QDir::Name)) {
            const auto model = importModel(file.filePath().toStdString());
            QVERIFY2(!model, qPrintable(file.fileName()));
            const QString expected = "Open the text of the network instead: " + file.fileName().chopped(int(qstrlen(weights))) + network + ".";
            QCOMPARE(QString::fromStdString(model.error().args.at(1)), expected);
            ++seen;
        }
    }
    if (seen == 0)
        QSKIP("the model files are missing (set ARENASCOPE_SHARED_DIR)");
}

void TestImporter::folders()
{
    QTemporaryDir folder;
    const auto said = [](const QString& path) {
        const auto model = importModel(path.toStdString());
        return model ? QString() : QString::fromStdString(describe(model.error())).mid(path.size());
    };
    QCOMPARE(said(folder.path()), ": The file cannot be read: it is a folder. Check its permissions.");
    QFile file(folder.filePath(QStringLiteral("saved_model.pb")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QString saved = ": TensorFlow SavedModel files cannot be read. Convert it to ONNX: python -m tf2onnx.convert --saved-model FOLDER "
                          "--output model.onnx (or --graphdef FILE with --inputs and --outputs).";
    QCOMPARE(said(folder.path()), saved);
    QCOMPARE(said(folder.path() + "/"), saved);
    QVERIFY(QDir(folder.path()).mkpath("net.mlpackage/Data"));
    QVERIFY(QDir(folder.path()).mkpath("net.mlmodelc"));
    const QString coreMl = " files cannot be read. Export the original model to ONNX instead; Core ML has no way back.";
    QCOMPARE(said(folder.filePath("net.mlpackage")), ": Core ML package" + coreMl);
    QCOMPARE(said(folder.filePath("net.mlpackage/")), ": Core ML package" + coreMl);
    QCOMPARE(said(folder.filePath("net.mlmodelc")), ": Compiled Core ML" + coreMl);
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
