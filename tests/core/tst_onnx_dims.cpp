// SPDX-License-Identifier: MIT
// Symbolic and unknown dimensions, and the options that give them.
#include <arenascope/importer.h>

#include "tests/core/onnx_imports.h"

#include <QtTest>

using namespace arenascope;
using namespace onnx_test;

class TestOnnxDims : public QObject {
    Q_OBJECT

private slots:
    void dimensions_data();
    void dimensions();
    void assumedDimensionsAreSaid();
    void oneNameTwoValues();
    void wrongOptions_data();
    void wrongOptions();
    void unknownShapesSayHowToGiveThem();
};

void TestOnnxDims::dimensions_data()
{
    QTest::addColumn<QStringList>("options"); // "x=1x2" shapes, "n:3" dims
    QTest::addColumn<QString>("shape");       // of y
    QTest::newRow("nothing given: 1 is assumed") << QStringList{} << "1x3x1";
    QTest::newRow("a named dimension") << QStringList{"n:4"} << "4x3x1";
    QTest::newRow("a whole shape") << QStringList{"x=2x3x5"} << "2x3x5";
    QTest::newRow("a shape wins over the file") << QStringList{"x=2x7x5"} << "2x7x5";
}

void TestOnnxDims::dimensions()
{
    QFETCH(QStringList, options);
    QFETCH(QString, shape);
    ImportOptions given;
    for (const QString& option : options) {
        if (option.contains(QLatin1Char(':'))) {
            given.dims[option.section(QLatin1Char(':'), 0, 0).toStdString()] = option.section(QLatin1Char(':'), 1).toLongLong();
            continue;
        }
        for (const QString& dim : option.section(QLatin1Char('='), 1).split(QLatin1Char('x')))
            given.shapes[option.section(QLatin1Char('='), 0, 0).toStdString()].push_back(dim.toLongLong());
    }
    const ImportedModel imported = load(reluModel({"n", 3, -1}), given);
    QCOMPARE(QString::fromStdString(toString(tensor(*imported.graph, "y").shape)), shape);
}

void TestOnnxDims::assumedDimensionsAreSaid()
{
    const ImportedModel imported = load(reluModel({"n", 3, -1}));
    QCOMPARE(said(imported),
             (QStringList{"input 'x': Dimension 'n' of input 'x' is not fixed in the file; 1 is assumed. Give another with "
                          "--dim n=N.",
                          "input 'x': Dimension 2 of input 'x' is not fixed in the file; 1 is assumed. Give another with "
                          "--shape x=Nx3xN."}));
    QVERIFY(imported.diagnostics[0].severity == Severity::Note);

    ImportOptions open;
    open.defaultDim = std::nullopt;
    const ImportedModel unknown = load(reluModel({"n", 3, -1}), open);
    QCOMPARE(unknown.graph->tensorsOfUnknownSize().size(), std::size_t{2});
}

void TestOnnxDims::oneNameTwoValues()
{
    onnx::ModelProto made = model();
    addInput(*made.mutable_graph(), "a", {"n"});
    addInput(*made.mutable_graph(), "b", {"n"});
    addNode(*made.mutable_graph(), "Concat", {"a", "b"}, {"y"});
    addAttribute(*made.mutable_graph()->mutable_node(0), "axis", 0);
    addOutput(*made.mutable_graph(), "y");
    ImportOptions options;
    options.shapes["a"] = {2};
    const ImportedModel same = load(made, options);
    QCOMPARE(tensor(*same.graph, "y").bytes, Bytes{16}); // b is 2 long, too
    options.shapes["b"] = {5};
    const ImportedModel other = load(made, options);
    QCOMPARE(said(other), QStringList{"input 'b': The shape of 'b' is not valid: dimension 'n' is 5 here and 2 by input "
                                      "'a'. Give another with --shape or --dim."});
    QCOMPARE(tensor(*other.graph, "y").bytes, Bytes{28});

    ImportOptions square;
    square.shapes["x"] = {2, 3};
    QCOMPARE(said(load(reluModel({"n", "n"}), square)),
             QStringList{"input 'x': The shape of 'x' is not valid: dimension 'n' is 3 here and 2 by input 'x'. Give another "
                         "with --shape or --dim."});
}

void TestOnnxDims::wrongOptions_data()
{
    QTest::addColumn<QString>("shapeName");
    QTest::addColumn<QList<int>>("dims");
    QTest::addColumn<QString>("dimName");
    QTest::addColumn<QString>("message");
    QTest::newRow("a shape for no input") << "z" << QList<int>{1} << ""
                                          << "--shape: There is no input or tensor 'z'. Known: 'x'.";
    QTest::newRow("a dimension nobody uses") << "" << QList<int>{} << "batch"
                                             << "--dim: There is no dimension 'batch'. Known: 'n'.";
    QTest::newRow("a wrong rank") << "x" << QList<int>{1, 2} << ""
                                  << "input 'x': The shape of 'x' is not valid: it has 3 dimensions in the file and 2 were "
                                     "given. Give another with --shape or --dim.";
    QTest::newRow("a negative extent") << "x" << QList<int>{1, 3, -4} << ""
                                       << "input 'x': The shape of 'x' is not valid: a dimension is negative. Give another "
                                          "with --shape or --dim.";
}

void TestOnnxDims::wrongOptions()
{
    QFETCH(QString, shapeName);
    QFETCH(QList<int>, dims);
    QFETCH(QString, dimName);
    QFETCH(QString, message);
    ImportOptions options;
    if (!shapeName.isEmpty())
        options.shapes[shapeName.toStdString()] = {dims.begin(), dims.end()};
    if (!dimName.isEmpty())
        options.dims[dimName.toStdString()] = 2;
    QCOMPARE(errorOf(reluModel({"n", 3, -1}), options), message);
}

void TestOnnxDims::unknownShapesSayHowToGiveThem()
{
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {2, 4});
    addNode(graph, "NonZero", {"x"}, {"i"}, "nz");
    addNode(graph, "Abs", {"i"}, {"y"}, "abs");
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    QCOMPARE(imported.graph->tensorsOfUnknownSize().size(), std::size_t{2});
    QCOMPARE(said(imported), QStringList{"operator 'nz': Tensor 'i', made by 'nz', has no fixed size. Give it with --shape "
                                         "i=2xN (with numbers for N)."});
    ImportOptions options;
    options.shapes["i"] = {2, 8};
    const ImportedModel given = load(made, options);
    QVERIFY(given.graph->tensorsOfUnknownSize().empty());
    QCOMPARE(tensor(*given.graph, "y").bytes, Bytes{128});
}

QTEST_GUILESS_MAIN(TestOnnxDims)
#include "tst_onnx_dims.moc"
