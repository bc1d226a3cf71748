// SPDX-License-Identifier: MIT
// Holds the rules of DESIGN.md about who may include what.
#include <QDir>
#include <QDirIterator>
#include <QRegularExpression>
#include <QTest>

namespace {

struct Include {
    QString file; ///< relative to the project
    QString name; ///< what is between the quotes or brackets
};

QList<Include> includesUnder(const QString& folder)
{
    // No raw string: moc would lose its way in it.
    static const QRegularExpression directive("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]", QRegularExpression::MultilineOption);
    const QDir root(ARENASCOPE_SOURCE_DIR);
    QList<Include> found;
    QDirIterator files(root.filePath(folder), {"*.h", "*.cpp", "*.in"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (!file.open(QIODevice::ReadOnly))
            continue;
        auto match = directive.globalMatch(QString::fromUtf8(file.readAll()));
        while (match.hasNext())
            found.append({root.relativeFilePath(file.fileName()), match.next().captured(1)});
    }
    return found;
}

bool isQt(const QString& name)
{
    static const QRegularExpression qt(R"(^(Q[A-Z0-9]\w*|qt?[a-z]+\.h|Qt\w+/.*)$)");
    return qt.match(name).hasMatch();
}

bool isThirdParty(const QString& name)
{
    static const QRegularExpression library(
        R"(^(boost|opencv2?|graphviz|onnx|google|nlohmann|fmt|flatbuffers|CLI)/|^(cgraph|gvc)\.h$)");
    return library.match(name).hasMatch();
}

QString text(const QList<Include>& includes)
{
    QStringList lines;
    for (const Include& include : includes)
        lines << include.file + " includes " + include.name;
    return lines.join("; ");
}

} // namespace

class TestLayering : public QObject {
    Q_OBJECT

private slots:
    void rules_data();
    void rules();
    void graphvizIsIncludedByOneFile();
    void seesTheTree();
};

void TestLayering::rules_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("forbidden");
    QTest::addColumn<QString>("except"); // files that may
    QTest::newRow("core has no Qt") << "core" << "qt" << "";
    QTest::newRow("core does not look at ui or app") << "core" << "^(ui|app)/" << "";
    QTest::newRow("ui sees core through its public headers only") << "ui" << "core/src" << "";
    QTest::newRow("programs see core through its public headers only") << "app" << "core/src" << "";
    QTest::newRow("GUI tests see core through its public headers only") << "tests/ui" << "core/src" << "";
    QTest::newRow("ui does not look at app") << "ui" << "^app/" << "";
    QTest::newRow("public headers name no library") << "core/include" << "library" << "";
    QTest::newRow("public headers include public headers only") << "core/include" << "^core/" << "";
    QTest::newRow("ui uses no library of core's") << "ui" << "^(boost|opencv2?|graphviz|onnx|google)/" << "";
    QTest::newRow("OpenCV is used by the executor only") << "core" << "^opencv2?/" << "^core/src/exec/";
    QTest::newRow("Graphviz is used by the layout only") << "core" << "^(graphviz/|cgraph\\.h|gvc\\.h)" << "^core/src/layout/";
    QTest::newRow("Boost.Graph has one door") << "core" << "^boost/graph/" << "^core/src/graph/";
    QTest::newRow("protobuf is used by the importers only") << "core" << "^(onnx|google/protobuf)/" << "^core/src/import/";
    QTest::newRow("FlatBuffers is used by two folders only")
        << "core" << "^(flatbuffers/|tflite_generated)" << "^core/src/(import|io)/tflite/";
    QTest::newRow("the checker shares no code with planners") << "core/src/check" << "core/src/planners" << "";
    QTest::newRow("planners do not use the checker") << "core/src/planners" << "core/src/check" << "";
}

void TestLayering::rules()
{
    QFETCH(QString, folder);
    QFETCH(QString, forbidden);
    QFETCH(QString, except);
    const QRegularExpression pattern(forbidden);
    const QRegularExpression allowed(except);
    QList<Include> broken;
    for (const Include& include : includesUnder(folder)) {
        const bool matches = forbidden == "qt" ? isQt(include.name)
            : forbidden == "library"           ? isThirdParty(include.name)
                                               : pattern.match(include.name).hasMatch();
        if (matches && (except.isEmpty() || !allowed.match(include.file).hasMatch()))
            broken.append(include);
    }
    QVERIFY2(broken.isEmpty(), qPrintable(text(broken)));
}

void TestLayering::graphvizIsIncludedByOneFile()
{
    QStringList files;
    for (const Include& include : includesUnder("core")) {
        const bool isGraphviz = include.name.startsWith("graphviz/") || include.name == "cgraph.h" || include.name == "gvc.h";
        if (isGraphviz && !files.contains(include.file))
            files << include.file;
    }
    QVERIFY2(files.size() <= 1, qPrintable(files.join(", ")));
}

// The rules above would hold for a tree that cannot be read.
void TestLayering::seesTheTree()
{
    QVERIFY(includesUnder("core").size() > 50);
    QVERIFY(isQt("QString") && isQt("QtCore/QString") && isQt("qglobal.h") && !isQt("arenascope/graph.h") && !isQt("vector"));
    QVERIFY(isThirdParty("boost/graph/graph_traits.hpp") && isThirdParty("onnx/onnx_pb.h") && !isThirdParty("arenascope/graph.h"));
}

QTEST_APPLESS_MAIN(TestLayering)
#include "tst_layering.moc"
