// SPDX-License-Identifier: MIT
// Files that were cut, changed or made to hurt: one clear error or a network, never a crash, a hang or a flood.
#include <arenascope/importer.h>

#include "tests/core/onnx_models.h"

#include <QtTest>

#include <random>

using namespace arenascope;
using namespace onnx_test;

namespace {

/// A little of everything: weights, a body that reads from outside, shape arithmetic, a function, attributes.
onnx::ModelProto richModel()
{
    onnx::ModelProto made = model(15);
    addOpset(made, 1, "local");
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {"n", 3, 8, 8});
    addInput(graph, "flag", {}, onnx::TensorProto::BOOL);
    addFloats(graph, "w", {4, 3, 3, 3});
    addInts(graph, "axes", {0});
    auto& conv = addNode(graph, "Conv", {"x", "w"}, {"c"}, "conv");
    auto* pads = conv.add_attribute();
    pads->set_name("pads");
    pads->set_type(onnx::AttributeProto::INTS);
    for (int i = 0; i < 4; ++i)
        pads->add_ints(1);
    addNode(graph, "Shape", {"c"}, {"s"}, "shape");
    addNode(graph, "Reshape", {"c", "s"}, {"r"}, "reshape");
    auto& branch = addNode(graph, "If", {"flag"}, {"i"}, "if");
    addNode(addBody(branch, "then_branch"), "Relu", {"r"}, {"t"}, "relu");
    addOutput(*branch.mutable_attribute(0)->mutable_g(), "t");
    addNode(addBody(branch, "else_branch"), "Neg", {"r"}, {"e"}, "neg");
    addOutput(*branch.mutable_attribute(1)->mutable_g(), "e");
    auto* function = made.add_functions();
    function->set_domain("local");
    function->set_name("Twice");
    function->add_input("a");
    function->add_output("b");
    auto* add = function->add_node();
    add->set_op_type("Add");
    add->add_input("a");
    add->add_input("a");
    add->add_output("b");
    addNode(graph, "Twice", {"i"}, {"y"}, "twice").set_domain("local");
    addOutput(graph, "y");
    return made;
}

/// Whether importing ends in a network, or in an error that names the file.
QString outcomeOf(const ModelFile& file)
{
    const auto imported = importModel(file.path());
    if (imported)
        return imported->graph != nullptr ? QString() : QStringLiteral("a model without a graph");
    if (imported.error().code == ErrorCode::Internal)
        return QString::fromStdString(describe(imported.error()));
    return imported.error().where.starts_with(file.path()) ? QString()
                                                           : QStringLiteral("the error does not name the file: ")
            + QString::fromStdString(describe(imported.error()));
}

} // namespace

class TestOnnxHostile : public QObject {
    Q_OBJECT

private slots:
    void theModelIsFineAtFirst();
    void cutAtEveryByte();
    void everyByteChanged();
    void randomChanges();
    void noise();
    void oneError_data();
    void oneError();
    void bodiesWithinBodies();
    void aFileThatIsCutWhileItIsRead();
};

void TestOnnxHostile::theModelIsFineAtFirst()
{
    const auto imported = importModel(ModelFile(richModel()).path());
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    QCOMPARE(imported->graph->operators().size(), std::size_t{4}); // Conv, Reshape, If, Add; Shape is folded
    QVERIFY(imported->graph->tensorsOfUnknownSize().empty());
}

void TestOnnxHostile::cutAtEveryByte()
{
    const QByteArray whole = bytesOf(richModel());
    const ModelFile file(whole);
    for (qsizetype length = 0; length < whole.size(); ++length) {
        file.write(whole.left(length));
        const QString problem = outcomeOf(file);
        QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("cut at %1: %2").arg(length).arg(problem)));
    }
}

void TestOnnxHostile::everyByteChanged()
{
    const QByteArray whole = bytesOf(richModel());
    const ModelFile file(whole);
    for (qsizetype at = 0; at < whole.size(); ++at) {
        for (const int value : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
            QByteArray changed = whole;
            changed[at] = static_cast<char>(value);
            file.write(changed);
            const QString problem = outcomeOf(file);
            QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("byte %1 = %2: %3").arg(at).arg(value).arg(problem)));
        }
    }
}

void TestOnnxHostile::randomChanges()
{
    const QByteArray whole = bytesOf(richModel());
    const ModelFile file(whole);
    std::mt19937 random(20240229);
    const auto below = [&random](qsizetype limit) {
        return static_cast<qsizetype>(random() % static_cast<unsigned long>(std::max<qsizetype>(limit, 1)));
    };
    for (int round = 0; round < 3000; ++round) {
        QByteArray changed = whole;
        for (qsizetype i = 0, count = 1 + below(8); i < count; ++i) {
            const qsizetype at = below(changed.size());
            switch (below(4)) {
            case 0: changed[at] = static_cast<char>(random()); break;
            case 1: changed.remove(at, 1 + below(9)); break;
            case 2: changed.insert(at, QByteArray(1 + below(9), static_cast<char>(random()))); break;
            default: changed.insert(at, changed.mid(below(changed.size()), 1 + below(60))); break;
            }
        }
        file.write(changed);
        const QString problem = outcomeOf(file);
        QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("round %1: %2").arg(round).arg(problem)));
    }
}

void TestOnnxHostile::noise()
{
    std::mt19937 random(7);
    const ModelFile file(QByteArray("x"));
    for (int round = 0; round < 1000; ++round) {
        QByteArray bytes(1 + static_cast<qsizetype>(random() % 400), '\0');
        for (char& byte : bytes)
            byte = static_cast<char>(random());
        file.write(bytes);
        const QString problem = outcomeOf(file);
        QVERIFY2(problem.isEmpty(), qPrintable(QStringLiteral("round %1: %2").arg(round).arg(problem)));
    }
}

void TestOnnxHostile::oneError_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("message");

    auto cyclic = model();
    addInput(*cyclic.mutable_graph(), "x", {4});
    addNode(*cyclic.mutable_graph(), "Add", {"x", "c"}, {"a"}, "first");
    addNode(*cyclic.mutable_graph(), "Relu", {"a"}, {"b"}, "second");
    addNode(*cyclic.mutable_graph(), "Relu", {"b"}, {"c"}, "third");
    addNode(*cyclic.mutable_graph(), "Relu", {"c"}, {"y"}, "behind");
    addOutput(*cyclic.mutable_graph(), "y");
    QTest::newRow("a cycle names its operators")
        << bytesOf(cyclic)
        << "graph 'g': The operators form a cycle: 'second', 'third', 'first'. A network must be acyclic; unroll the loop "
           "or export it again.";

    auto self = model();
    addNode(*self.mutable_graph(), "Relu", {"a"}, {"a"}, "self");
    QTest::newRow("an operator that reads itself")
        << bytesOf(self)
        << "graph 'g': The operators form a cycle: 'self'. A network must be acyclic; unroll the loop or export it again.";

    auto twice = model();
    addInput(*twice.mutable_graph(), "x", {4});
    addNode(*twice.mutable_graph(), "Relu", {"x"}, {"y"}, "one");
    addNode(*twice.mutable_graph(), "Neg", {"x"}, {"y"}, "two");
    QTest::newRow("a tensor made twice") << bytesOf(twice)
                                         << "graph 'g': Tensor 'y' is written by both 'one' and 'two'. Give each output a "
                                            "name of its own and export again.";

    auto dangling = model();
    addNode(*dangling.mutable_graph(), "Relu", {"nowhere"}, {"y"}, "one");
    QTest::newRow("a tensor made by nobody")
        << bytesOf(dangling)
        << "graph 'g': Tensor 'nowhere', read by 'one', is neither written by an operator nor an input or weight. Export "
           "the model again.";

    auto absurd = model();
    addInput(*absurd.mutable_graph(), "x", {std::int64_t{1} << 40, std::int64_t{1} << 40});
    addNode(*absurd.mutable_graph(), "Relu", {"x"}, {"y"}, "one");
    addOutput(*absurd.mutable_graph(), "y");
    QTest::newRow("extents whose product does not fit")
        << bytesOf(absurd)
        << "input 'x': The size of 'x' does not fit 63 bits. Check the shapes that the file or the options give.";

    auto recursive = model();
    auto* function = recursive.add_functions();
    function->set_domain("local");
    function->set_name("F");
    function->add_input("a");
    function->add_output("b");
    auto* inner = function->add_node();
    inner->set_op_type("F");
    inner->set_domain("local");
    inner->add_input("a");
    inner->add_output("b");
    addInput(*recursive.mutable_graph(), "x", {4});
    addNode(*recursive.mutable_graph(), "F", {"x"}, {"y"}).set_domain("local");
    QTest::newRow("a function that calls itself")
        << bytesOf(recursive)
        << "function 'F': The file is damaged: the function calls itself. Copy, download or export it again.";

    // Each function calls the next one twice: 2^30 calls if nobody counted, and the last one has no operators at all.
    const auto calls = [](int depth, int times) {
        auto made = model();
        for (int i = 0; i < depth; ++i) {
            auto* level = made.add_functions();
            level->set_domain("local");
            level->set_name("F" + std::to_string(i));
            for (int k = 0; k < times && i + 1 < depth; ++k) {
                auto* next = level->add_node();
                next->set_domain("local");
                next->set_op_type("F" + std::to_string(i + 1));
            }
        }
        addNode(*made.mutable_graph(), "F0", {}, {}).set_domain("local");
        return bytesOf(made);
    };
    QTest::newRow("functions that grow without end")
        << calls(30, 2)
        << "functions: the network with its functions is larger than the limit of a million operators or 256 MiB. Make it "
           "smaller or split it.";
    QTest::newRow("functions nested too deep")
        << calls(100'000, 1)
        << "function 'F100': the nesting of functions is larger than the limit of 100 levels. Make it smaller or split it.";
    QTest::newRow("no graph at all")
        << QByteArray("\x08\x07")
        << "model: The file is damaged: it holds no network (field 'graph'). Copy, download or export it again.";
    QTest::newRow("a graph without operators")
        << bytesOf(model()) << "The network has no operators. Check that the right file was exported.";
}

void TestOnnxHostile::oneError()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, message);
    const ModelFile file(bytes);
    const auto imported = importModel(file.path());
    QVERIFY(!imported);
    QString text = QString::fromStdString(describe(imported.error()));
    const QString path = QString::fromStdString(file.path());
    QVERIFY(text.startsWith(path));
    text.remove(0, path.size() + 2);
    QCOMPARE(text, message);
}

void TestOnnxHostile::bodiesWithinBodies()
{
    // Each level is walked twice by the one around it: 2^25 walks if nobody counted.
    onnx::ModelProto made = model();
    addInput(*made.mutable_graph(), "flag", {}, onnx::TensorProto::BOOL);
    addInput(*made.mutable_graph(), "x", {4});
    onnx::GraphProto* graph = made.mutable_graph();
    for (int level = 0; level < 25; ++level) {
        const std::string name = "y" + std::to_string(level);
        auto& node = addNode(*graph, "If", {"flag"}, {name}, "if" + std::to_string(level));
        addOutput(*graph, name);
        auto& other = addBody(node, "else_branch");
        addNode(other, "Relu", {"x"}, {"e" + std::to_string(level)});
        addOutput(other, "e" + std::to_string(level));
        graph = &addBody(node, "then_branch");
    }
    addNode(*graph, "Relu", {"x"}, {"deep"});
    addOutput(*graph, "deep");
    const auto imported = importModel(ModelFile(made).path());
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    QCOMPARE(imported->graph->operators().size(), std::size_t{1});
}

void TestOnnxHostile::aFileThatIsCutWhileItIsRead()
{
    onnx::ModelProto made = model();
    addInput(*made.mutable_graph(), "x", {4});
    for (int i = 0; i < 3000; ++i)
        addFloats(*made.mutable_graph(), "w" + std::to_string(i), {500});
    for (int i = 0; i < 3000; ++i)
        addNode(*made.mutable_graph(), "Relu", {"x"}, {"y" + std::to_string(i)});
    const ModelFile file(made);
    QVERIFY(QFileInfo(QString::fromStdString(file.path())).size() > 6'000'000);
    int cuts = 0;
    const auto imported = importModel(file.path(), {}, {}, [&](double fraction, std::string_view) {
        if (fraction > 0 && cuts++ == 0)
            QFile::resize(QString::fromStdString(file.path()), 4096);
    });
    QVERIFY(cuts > 0);
    QVERIFY(!imported);
    QVERIFY(imported.error().code == ErrorCode::FileTruncated);
    const QString text = QString::fromStdString(describe(imported.error()));
    QVERIFY2(text.startsWith(QString::fromStdString(file.path() + ", graph.")), qPrintable(text));
    QVERIFY2(text.endsWith(QStringLiteral(": The file ends too early: it became shorter while it was read. Copy or "
                                          "download it again.")),
             qPrintable(text));
}

QTEST_GUILESS_MAIN(TestOnnxHostile)
#include "tst_onnx_hostile.moc"
