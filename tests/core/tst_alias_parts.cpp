// SPDX-License-Identifier: MIT
// Concat operands and Split, Slice outputs as parts of one buffer.
#include "core/src/analysis/operator_parts.h"
#include "support/names.h"
#include "support/parts_graph.h"

#include <arenascope/report.h>
#include <arenascope/study.h>

#include <QTest>

#include <sstream>

using namespace arenascope;
using namespace arenascope::test;

namespace {

/// Reads "kind: name 1x2x3, ... -> name 1x4x3, ..."; a tensor "name=1;2" is a constant of these integers, "name!1x2" a weight,
/// "name?1x2" an input, "_" is left out. "x" as shape: a scalar. Attributes come after "|" as "axis=1" or "ends=[4]".
class ShapedGraph {
public:
    explicit ShapedGraph(ElementType type = ElementType::UInt8) : m_type(type) {}

    void add(const std::string& line)
    {
        const std::size_t colon = line.find(':');
        const std::size_t arrow = line.find("->");
        const std::size_t bar = std::min(line.find('|'), line.size());
        Operator op;
        op.kind = line.substr(0, colon);
        op.inputs = tensors(line.substr(colon + 1, arrow - colon - 1));
        op.outputs = tensors(line.substr(arrow + 2, bar - arrow - 2));
        std::istringstream words(line.substr(std::min(bar + 1, line.size())));
        for (std::string word; words >> word;)
            addAttribute(op, word);
        m_builder.addOperator(std::move(op));
    }

    GraphBuilder& builder() { return m_builder; }

    std::shared_ptr<const Graph> build(std::string_view outputs)
    {
        std::istringstream names{std::string(outputs)};
        for (std::string name; names >> name;)
            m_builder.addOutput(m_builder.tensor(name));
        auto graph = std::move(m_builder).build();
        if (!graph)
            qFatal("%s", describe(graph.error()).c_str());
        return *std::move(graph);
    }

private:
    static std::vector<std::int64_t> numbers(const std::string& text, char separator)
    {
        std::vector<std::int64_t> values;
        std::istringstream words(text);
        for (std::string word; std::getline(words, word, separator);)
            values.push_back(std::stoll(word));
        return values;
    }

    static void addAttribute(Operator& op, const std::string& word)
    {
        const std::string name = word.substr(0, word.find('='));
        const std::string value = word.substr(word.find('=') + 1);
        if (name == "fused")
            op.fusedActivation = value;
        else if (name == "domain")
            op.domain = value;
        else if (value.front() == '[')
            op.attributes[name] = numbers(value.substr(1, value.size() - 2), ';');
        else
            op.attributes[name] = static_cast<std::int64_t>(std::stoll(value));
    }

    TensorId tensor(const std::string& word)
    {
        if (word == "_")
            return {};
        const std::size_t at = word.find_first_of("=!? ");
        const std::string name = word.substr(0, at);
        const char kind = at == std::string::npos ? ' ' : word[at];
        const std::string rest = at == std::string::npos ? "" : word.substr(at + 1);
        if (kind == '=')
            return integerConstant(m_builder, name, numbers(rest, ';'));
        const Shape shape = Shape::of(numbers(rest, 'x'));
        if (kind == '!')
            return m_builder.addWeight(name, m_type, shape);
        if (kind == '?')
            return m_builder.addInput(name, m_type, shape);
        const TensorId id = m_builder.tensor(name);
        if (!rest.empty())
            m_builder.describe(id, m_type, shape);
        return id;
    }

    std::vector<TensorId> tensors(const std::string& list)
    {
        std::vector<TensorId> ids;
        std::istringstream words(list);
        for (std::string word; std::getline(words, word, ',');) {
            word.erase(0, word.find_first_not_of(' '));
            word.erase(word.find_last_not_of(' ') + 1);
            ids.push_back(tensor(word));
        }
        return ids;
    }

    ElementType m_type;
    GraphBuilder m_builder;
};

std::shared_ptr<const Graph> graphOf(const char* picture, std::string_view outputs, ElementType type = ElementType::UInt8)
{
    ShapedGraph graph(type);
    std::istringstream lines{std::string(picture)};
    for (std::string line; std::getline(lines, line);) {
        line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
        if (!line.empty())
            graph.add(line);
    }
    return graph.build(outputs);
}

/// "a@0 b@6": parts of the graph's last operator with their places.
QString partText(const Graph& graph)
{
    QStringList list;
    for (const auto& part : detail::partsOf(graph, graph.operators().back()))
        list << QString("%1@%2").arg(QString::fromStdString(graph.tensor(part.part).name)).arg(part.offset);
    return list.join(' ');
}

std::shared_ptr<const Study> studyOf(const std::shared_ptr<const Graph>& graph, AliasMode alias = AliasMode::All, IoPlacement io = {})
{
    StudyOptions options;
    options.alias = alias;
    options.problem.alignment = 1;
    options.problem.io = io;
    auto study = makeStudy(graph, options);
    if (!study)
        qFatal("%s", describe(study.error()).c_str());
    return *std::move(study);
}

/// "a:c@0": operands and outputs that are not copied.
QString elisionText(const Study& study)
{
    QStringList list;
    for (const Elision& elision : study.aliases.elisions) {
        list << QString("%1:%2@%3")
                    .arg(QString::fromStdString(study.graph->tensor(elision.part).name),
                         QString::fromStdString(study.graph->tensor(elision.whole).name))
                    .arg(elision.offset);
    }
    return list.join(' ');
}

const Buffer& bufferOf(const Study& study, std::string_view tensor)
{
    return study.problem.buffer(study.bufferOf[study.graph->findTensor(tensor).index()]);
}

QString gapText(const Buffer& buffer)
{
    QStringList list;
    for (const BufferGap& gap : buffer.gaps)
        list << QString("%1-%2@%3:%4").arg(gap.steps.begin).arg(gap.steps.end).arg(gap.low).arg(gap.high);
    return list.join(' ');
}

// Two convolutions, put together:
//
//     16 |..bb.|         c is a and b; the upper half is free until b is written
//      8 |.?bbc|
//      0 |.aaac|
constexpr const char* kTwo = R"(
    Conv: x?1x1x4 -> a 1x2x4
    Conv: x -> b 1x2x4
    Concat: a, b -> c 1x4x4 | axis=1
    Conv: c -> d 1x1x4
)";

} // namespace

class TestAliasParts : public QObject {
    Q_OBJECT

private slots:
    void geometry_data();
    void geometry();
    void typesDecide();
    void twoConvolutionsAreWrittenIntoTheConcat();
    void chains_data();
    void chains();
    void whatRaisesTheBoundIsCopied();
    void splitsFreeTheirInputPieceByPiece();
    void alignmentDecides();
    void outputsOutsideAreAsLargeAsTheyAre();
    void brokenPartsAreCaught_data();
    void brokenPartsAreCaught();
    void plansKeepOffsets();
    void reportsSayIt();
    void hostileSizesAreLeftAlone();
    void denseNetworksStayQuick();
};

void TestAliasParts::geometry_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("parts");
    const auto row = [](const char* name, const char* line, const char* parts) { QTest::newRow(name) << QString(line) << QString(parts); };
    row("channels of one image", "Concat: a?1x2x3, b?1x4x3 -> c 1x6x3 | axis=1", "a@0 b@6");
    row("axis from the end", "Concat: a?1x2x3, b?1x4x3 -> c 1x6x3 | axis=-2", "a@0 b@6");
    row("channels of two images lie apart", "Concat: a?2x2x3, b?2x4x3 -> c 2x6x3 | axis=1", "");
    row("images end to end", "Concat: a?2x2x3, b?1x2x3 -> c 3x2x3 | axis=0", "a@0 b@12");
    row("columns lie apart", "Concat: a?1x2x3, b?1x2x4 -> c 1x2x7 | axis=2", "");
    row("columns of one row", "Concat: a?1x1x3, b?1x1x4 -> c 1x1x7 | axis=2", "a@0 b@3");
    row("a weight has a place as well", "Concat: a?1x2, w!1x3, b?1x1 -> c 1x6 | axis=1", "a@0 w@2 b@5");
    row("twice the same", "Concat: a?1x2, a -> c 1x4 | axis=1", "a@0 a@2");
    row("no axis: the old default", "Concat: a?1x2, b?1x2 -> c 1x4", "a@0 b@2");
    row("sizes that do not add up", "Concat: a?1x2, b?1x2 -> c 1x5 | axis=1", "");
    row("axis that is none", "Concat: a?1x2, b?1x2 -> c 1x4 | axis=2", "");
    row("foreign domain", "Concat: a?1x2, b?1x2 -> c 1x4 | axis=1 domain=com.example", "");
    row("TensorFlow Lite", "CONCATENATION: a?1x2, b?1x2 -> c 1x4 | axis=1", "a@0 b@2");
    row("TensorFlow Lite with a fused activation", "CONCATENATION: a?1x2, b?1x2 -> c 1x4 | axis=1 fused=RELU", "");
    row("pack", "PACK: a?2x3, b?2x3 -> c 2x2x3 | axis=0", "a@0 b@6");
    row("pack between", "PACK: a?2x3, b?2x3 -> c 2x2x3 | axis=1", "");
    row("unpack", "UNPACK: a?2x3 -> b 3, c 3 | axis=0", "b@0 c@3");
    row("split", "Split: a?1x6x2 -> b 1x2x2, c 1x4x2 | axis=1", "b@0 c@4");
    row("split along the default axis", "Split: a?6x2 -> b 2x2, c 4x2", "b@0 c@4");
    row("split rows", "Split: a?2x6 -> b 2x2, c 2x4 | axis=1", "");
    row("split with an output left out", "Split: a?1x6 -> b 1x2, _, c 1x2 | axis=1", "");
    row("SPLIT", "SPLIT: n=1, a?1x6 -> b 1x3, c 1x3", "b@0 c@3");
    row("SPLIT_V", "SPLIT_V: a?1x6, s=2;4, n=-1 -> b 1x2, c 1x4", "b@0 c@2");
    row("SPLIT with an axis that is not known", "SPLIT: n?1, a?1x6 -> b 1x3, c 1x3", "");
    row("slice by attributes", "Slice: a?1x6x2 -> b 1x3x2 | starts=[2] ends=[5] axes=[1]", "b@4");
    row("slice without axes", "Slice: a?6x2 -> b 3x2 | starts=[2;0] ends=[5;2]", "b@4");
    row("slice by operands", "Slice: a?1x6x2, s=2, e=5, n=1 -> b 1x3x2", "b@4");
    row("slice with steps of one", "Slice: a?1x6x2, s=2, e=5, n=1, t=1 -> b 1x3x2", "b@4");
    row("slice with steps of two", "Slice: a?1x6x2, s=1, e=5, n=1, t=2 -> b 1x2x2", "");
    row("slice backwards", "Slice: a?1x6x2, s=5, e=1, n=1, t=-1 -> b 1x4x2", "");
    row("slice counted from the end", "Slice: a?1x6x2, s=-2, e=9223372036854775807, n=-2 -> b 1x2x2", "b@8");
    row("slice from before the start", "Slice: a?1x6x2, s=-9223372036854775808, e=2, n=1 -> b 1x2x2", "b@0");
    row("slice of rows", "Slice: a?2x6x2, s=2, e=5, n=1 -> b 2x3x2", "");
    row("slice of one row", "Slice: a?2x6x2, s=1;2, e=2;5, n=0;1 -> b 1x3x2", "b@16");
    row("slice of columns", "Slice: a?1x6x2, s=0, e=1, n=2 -> b 1x6x1", "");
    row("slice of one element", "Slice: a?2x6x2, s=1;3;1, e=2;4;2, n=0;1;2 -> b 1x1x1", "b@19");
    row("slice of all", "Slice: a?1x6x2, s=0, e=6, n=1 -> b 1x6x2", "b@0");
    row("slice of something else", "Slice: a?1x6x2, s=2, e=5, n=1 -> b 1x2x2", "");
    row("slice along an axis twice", "Slice: a?1x6x2, s=1;1, e=3;3, n=1;1 -> b 1x2x2", "");
    row("slice from where nobody knows", "Slice: a?1x6x2, s?1, e=5, n=1 -> b 1x3x2", "");
    row("SLICE", "SLICE: a?1x6x2, s=0;2;0, e=1;3;2 -> b 1x3x2", "b@4");
    row("SLICE to the end", "SLICE: a?1x6x2, s=0;2;0, e=-1;-1;-1 -> b 1x4x2", "b@4");
    row("SLICE beyond the end", "SLICE: a?1x6x2, s=0;2;0, e=1;5;2 -> b 1x4x2", "");
    row("STRIDED_SLICE", "STRIDED_SLICE: a?1x6x2, s=0;2;0, e=1;5;2, t=1;1;1 -> b 1x3x2", "b@4");
    row("STRIDED_SLICE with masks", "STRIDED_SLICE: a?1x6x2, s=0;2;1, e=1;0;1, t=1;1;1 -> b 1x4x2 | begin_mask=5 end_mask=6", "b@4");
    row("STRIDED_SLICE of one row", "STRIDED_SLICE: a?4x6, s=2;1, e=3;4, t=1;1 -> b 3 | shrink_axis_mask=1", "b@13");
    row("STRIDED_SLICE with a stride", "STRIDED_SLICE: a?6x2, s=0, e=6, t=2 -> b 3x2", "");
    row("STRIDED_SLICE with a new axis", "STRIDED_SLICE: a?6x2, s=0;2, e=1;5, t=1;1 -> b 1x3x2 | new_axis_mask=1", "");
    row("not a part", "Pad: a?1x2 -> b 1x4", "");
}

void TestAliasParts::geometry()
{
    QFETCH(QString, line);
    const std::string text = line.toStdString();
    ShapedGraph graph;
    graph.add(text);
    const auto arrow = text.substr(text.find("->") + 2);
    std::istringstream words(arrow);
    std::string first;
    words >> first;
    QTEST(partText(*graph.build(first)), "parts");
}

void TestAliasParts::typesDecide()
{
    constexpr const char* kPicture = "Concat: a?1x3, b?1x5 -> c 1x8 | axis=1";
    QCOMPARE(partText(*graphOf(kPicture, "c", ElementType::Float32)), QString("a@0 b@12"));
    QCOMPARE(partText(*graphOf(kPicture, "c", ElementType::UInt4)), QString()); // a ends in the middle of a byte
    QCOMPARE(partText(*graphOf("Concat: a?1x2, b?1x6 -> c 1x8 | axis=1", "c", ElementType::UInt4)), QString("a@0 b@1"));
    QCOMPARE(partText(*graphOf("Slice: a?1x6 -> b 1x2 | starts=[1] ends=[3] axes=[1]", "b", ElementType::Int4)), QString());
    QCOMPARE(partText(*graphOf("Slice: a?1x6 -> b 1x2 | starts=[2] ends=[4] axes=[1]", "b", ElementType::Int4)), QString("b@1"));
    QCOMPARE(partText(*graphOf(kPicture, "c", ElementType::String)), QString());

    // A concatenation of TensorFlow Lite that quantises anew is more than a copy.
    for (const bool isSame : {true, false}) {
        ShapedGraph graph;
        graph.add("CONCATENATION: a?1x3, b?1x5 -> c 1x8 | axis=1");
        for (const char* name : {"a", "b", "c"})
            graph.builder().setQuantization(graph.builder().tensor(name), {{isSame || *name != 'b' ? 0.5f : 0.25f}, {3}, -1});
        QCOMPARE(partText(*graph.build("c")), isSame ? QString("a@0 b@3") : QString());
    }
}

void TestAliasParts::twoConvolutionsAreWrittenIntoTheConcat()
{
    const auto graph = graphOf(kTwo, "d");
    // Copied: a, b and c together, 8 + 8 + 16.
    QCOMPARE(studyOf(graph, AliasMode::InPlace)->profile.peak, Bytes(32));
    const auto study = studyOf(graph);
    QCOMPARE(elisionText(*study), QString("a:c@0 b:c@8"));
    QCOMPARE(study->problem.buffers.size(), std::size_t(3));
    const Buffer& buffer = bufferOf(*study, "a");
    QCOMPARE(buffer.name, std::string("c"));
    QCOMPARE(buffer.size, Bytes(16));
    QCOMPARE(buffer.live, (LiveRange{0, 4}));
    QCOMPARE(gapText(buffer), QString("0-1@0:8"));
    QCOMPARE(buffer.tensors.front().tensor, graph->findTensor("a"));
    // x + a, x + a + b, c, c + d.
    QCOMPARE(study->profile.liveBytes, (std::vector<Bytes>{12, 20, 16, 20}));
    QCOMPARE(study->naive, Bytes(4 + 16 + 4));
    for (const Planner* planner : planners()) {
        const auto outcome = planStudy(study, planner->info().id);
        if (!outcome) // whole objects, and a runtime that knows no gaps
            QCOMPARE(outcome.error().code, ErrorCode::Unsupported);
        else
            QVERIFY2((*outcome)->isValid(), planner->info().id.data());
    }
    QCOMPARE((*planStudy(study, "greedy-by-size"))->plan.arenaSize, Bytes(20));
}

void TestAliasParts::chains_data()
{
    QTest::addColumn<QString>("picture");
    QTest::addColumn<QString>("outputs");
    QTest::addColumn<QString>("elisions");
    QTest::addColumn<qint64>("inPlace");
    QTest::addColumn<qint64>("all");
    const auto row = [](const char* name, const char* picture, const char* outputs, const char* elisions, qint64 inPlace, qint64 all) {
        QTest::newRow(name) << QString(picture) << QString(outputs) << QString(elisions) << inPlace << all;
    };
    row("a Concat in a Concat", R"(
        Conv: x?1x1x4 -> a 1x1x4
        Conv: a -> b 1x1x4
        Concat: a, b -> c 1x2x4 | axis=1
        Conv: c -> d 1x1x4
        Concat: c, d -> e 1x3x4 | axis=1
        Conv: e -> f 1x1x4
    )", "f", "a:c@0 b:c@4 c:e@0 d:e@8", 24, 16);
    row("the same operands again, one more", R"(
        Conv: x?1x1x4 -> a 1x1x4
        Conv: a -> b 1x1x4
        Concat: a, b -> c 1x2x4 | axis=1
        Conv: c -> d 1x1x4
        Concat: a, b, d -> e 1x3x4 | axis=1
        Conv: e -> f 1x1x4
    )", "f", "a:c@0 b:c@4 a:e@0 b:e@4 d:e@8", 24, 16);
    row("the same operands in another order: a is copied for the smaller Concat", R"(
        Conv: x?1x1x4 -> a 1x1x4
        Conv: a -> b 1x1x4
        Concat: a, b -> c 1x2x4 | axis=1
        Conv: c -> d 1x1x4
        Concat: b, a, d -> e 1x3x4 | axis=1
        Conv: e -> f 1x1x4
    )", "f", "b:c@4 b:e@0 a:e@4 d:e@8", 24, 16);
    row("twice the same operand", R"(
        Conv: x?1x1x4 -> a 1x1x4
        Concat: a, a -> c 1x2x4 | axis=1
        Conv: c -> d 1x1x4
    )", "d", "a:c@0", 12, 12);
    row("an activation in place, then a part", R"(
        Conv: x?1x1x4 -> a 1x1x4
        Relu: a -> r 1x1x4
        Conv: r -> b 1x1x4
        Concat: r, b -> c 1x2x4 | axis=1
        Relu: c -> d 1x2x4
        Conv: d -> e 1x1x4
    )", "e", "r:c@0 b:c@4", 16, 12);
    row("an operand that is overwritten while the whole is needed", R"(
        Conv: x?1x1x4 -> a 1x1x4
        Conv: a -> b 1x1x4
        Concat: a, b -> c 1x2x4 | axis=1
        Relu: a -> r 1x1x4
        Conv: c, r -> d 1x1x4
    )", "d", "b:c@4", 16, 16);
    row("a whole that is overwritten while a part is needed", R"(
        Conv: x?1x1x4 -> a 1x1x4
        Conv: a -> b 1x1x4
        Concat: a, b -> c 1x2x4 | axis=1
        Relu: c -> r 1x2x4
        Conv: a, r -> d 1x1x4
    )", "d", "b:c@4", 16, 16);
    row("network inputs and weights are copied", R"(
        Conv: x?1x1x4 -> a 1x1x4
        Concat: x, w!1x1x4, a -> c 1x3x4 | axis=1
    )", "c", "a:c@8", 20, 16);
    row("an output that is a part of another", R"(
        Conv: x?1x1x4 -> a 1x1x4
        Conv: x -> b 1x1x4
        Concat: a, b -> c 1x2x4 | axis=1
    )", "a c", "a:c@0 b:c@4", 16, 12);
    row("a Split of a network input is read where it lies", R"(
        Split: x?1x2x4 -> a 1x1x4, b 1x1x4 | axis=1
        Conv: a -> c 1x1x4
        Conv: b, c -> d 1x1x4
    )", "d", "a:x@0 b:x@4", 16, 12);
    row("but nothing is written over it", R"(
        Split: x?1x2x4 -> a 1x1x4, b 1x1x4 | axis=1
        Relu: a -> c 1x1x4
        Conv: b, c -> d 1x1x4
    )", "d", "b:x@4", 16, 12);
    row("a channel shuffle", R"(
        Conv: x?1x1x4 -> w 1x2x4
        Split: w -> a 1x1x4, b 1x1x4 | axis=1
        Conv: b -> c 1x1x4
        Conv: c -> d 1x1x4
        Concat: a, d -> e 1x2x4 | axis=1
        Conv: e -> f 1x1x4
    )", "f", "a:w@0 b:w@4 a:e@0 d:e@4", 16, 12);
    row("a Slice", R"(
        Conv: x?1x1x4 -> w 1x4x4
        Slice: w -> a 1x2x4 | starts=[1] ends=[3] axes=[1]
        Conv: a -> b 1x1x4
    )", "b", "a:w@4", 24, 20);
}

void TestAliasParts::chains()
{
    QFETCH(QString, picture);
    QFETCH(QString, outputs);
    const auto graph = graphOf(picture.toUtf8().constData(), outputs.toStdString());
    const auto study = studyOf(graph);
    QTEST(elisionText(*study), "elisions");
    QTEST(static_cast<qint64>(studyOf(graph, AliasMode::InPlace)->profile.peak), "inPlace");
    QTEST(static_cast<qint64>(study->profile.peak), "all");
    for (const Planner* planner : planners()) {
        const auto outcome = planStudy(study, planner->info().id);
        QVERIFY2(outcome ? (*outcome)->isValid() : outcome.error().code == ErrorCode::Unsupported, planner->info().id.data());
    }
}

void TestAliasParts::whatRaisesTheBoundIsCopied()
{
    // Between a and b in the whole lies x, which has to be copied: were both in place, the 100 bytes between them would be
    // taken twice while t is alive.
    const auto graph = graphOf(R"(
        Conv: x?1x25x4 -> a 1x1x4
        Conv: x -> b 1x1x4
        Conv: x -> t 1x50x4
        Conv: t -> u 1x1x4
        Concat: a, x, b, u -> c 1x28x4 | axis=1
        Conv: c -> d 1x1x4
    )", "d");
    const Bytes inPlace = studyOf(graph, AliasMode::InPlace)->profile.peak;
    QCOMPARE(inPlace, Bytes(100 + 4 + 4 + 200 + 4)); // x, a, b, t, u
    const auto study = studyOf(graph);
    QCOMPARE(study->profile.peak, inPlace);
    QCOMPARE(elisionText(*study), QString("a:c@0"));
    // Without t nothing speaks against it.
    const auto without = graphOf(R"(
        Conv: x?1x25x4 -> a 1x1x4
        Conv: x -> b 1x1x4
        Concat: a, x, b -> c 1x27x4 | axis=1
        Conv: c -> d 1x1x4
    )", "d");
    QCOMPARE(elisionText(*studyOf(without)), QString("a:c@0 b:c@104"));
    QCOMPARE(studyOf(without)->profile.peak, Bytes(100 + 108));
}

void TestAliasParts::splitsFreeTheirInputPieceByPiece()
{
    const auto graph = graphOf(R"(
        Conv: x?1x1x4 -> w 1x3x4
        Split: w -> a 1x1x4, b 1x1x4, c 1x1x4 | axis=1
        Conv: a -> d 1x1x4
        Conv: b, d -> e 1x1x4
        Conv: c, e -> f 1x1x4
    )", "f");
    const auto study = studyOf(graph);
    const Buffer& buffer = bufferOf(*study, "w");
    QCOMPARE(gapText(buffer), QString("3-4@4:12 4-5@8:12"));
    QCOMPARE(study->profile.liveBytes, (std::vector<Bytes>{16, 12, 16, 16, 12}));
    QCOMPARE(studyOf(graph, AliasMode::InPlace)->profile.peak, Bytes(24));
}

void TestAliasParts::alignmentDecides()
{
    const auto graph = graphOf(kTwo, "d");
    StudyOptions options{.alias = AliasMode::All};
    options.problem.alignment = 16; // b would begin at 8
    const auto study = *makeStudy(graph, options);
    QCOMPARE(elisionText(*study), QString("a:c@0"));
    // A part that begins in the middle of an alignment unit is no tensor that a kernel could be given.
    PlacementProblem problem = studyOf(graph)->problem;
    problem.alignment = 16;
    const Plan plan = *findPlanner("naive")->plan(problem, {}, {}, {});
    const Validation result = validatePlan(problem, plan);
    QCOMPARE(result.clashCount, std::int64_t(1));
    QVERIFY(result.clashes.front().kind == ClashKind::Misaligned);
}

void TestAliasParts::outputsOutsideAreAsLargeAsTheyAre()
{
    const auto graph = graphOf(kTwo, "c");
    const auto inside = studyOf(graph, AliasMode::All, {false, true});
    QCOMPARE(inside->profile.peak, Bytes(16 + 4)); // d is no output, but written
    const auto outside = studyOf(graph, AliasMode::All, {false, false});
    QCOMPARE(elisionText(*outside), QString("a:c@0 b:c@8")); // straight into the caller's memory
    QCOMPARE(outside->profile.peak, Bytes(4));
    // The caller's memory for a is not large enough for c.
    const auto part = studyOf(graphOf(kTwo, "a d"), AliasMode::All, {false, false});
    QCOMPARE(elisionText(*part), QString("b:c@8"));
}

void TestAliasParts::brokenPartsAreCaught_data()
{
    QTest::addColumn<QString>("tensor");
    QTest::addColumn<qint64>("offset");
    QTest::addColumn<QString>("message");
    QTest::newRow("the second part over the first") << "b" << qint64(4) << "Operator 'Concat_2' at step 2 wants 'a' but finds 'b' in bytes";
    QTest::newRow("the second part where the first belongs") << "b" << qint64(0) << "wants 'a' but finds 'b' in bytes";
    QTest::newRow("the first part too high") << "a" << qint64(1) << "wants 'a' but finds";
    QTest::newRow("the whole too high") << "c" << qint64(4) << "The bytes [8, 24) of 'c' lie outside";
}

void TestAliasParts::brokenPartsAreCaught()
{
    QFETCH(QString, tensor);
    QFETCH(qint64, offset);
    QFETCH(QString, message);
    const auto study = studyOf(graphOf(kTwo, "d"));
    PlacementProblem problem = study->problem;
    const Plan plan = (*planStudy(study, "naive"))->plan;
    QVERIFY(replayPlan(*study->graph, study->schedule, problem, plan).isValid());
    for (Buffer& buffer : problem.buffers) {
        for (AliasMember& member : buffer.tensors) {
            if (study->graph->tensor(member.tensor).name == tensor.toStdString())
                member.offset = offset;
        }
    }
    const Validation result = replayPlan(*study->graph, study->schedule, problem, plan);
    QVERIFY(!result.isValid());
    QString all;
    for (const Clash& clash : result.clashes)
        all += QString::fromStdString(describe(clash, problem, study->graph.get())) + "\n";
    QVERIFY2(all.contains(message), qPrintable(all));
}

void TestAliasParts::plansKeepOffsets()
{
    const auto study = studyOf(graphOf(kTwo, "d"));
    const auto outcome = *planStudy(study, "greedy-by-size");
    const std::string json = planToJson(*outcome);
    const auto document = planFromJson(json, "plan.json");
    QVERIFY2(document, document ? "" : describe(document.error()).c_str());
    QCOMPARE(document->tensorOffsets[1], (std::vector<Offset>{0, 8, 0}));
    const auto attached = attachPlan(*document, study->graph);
    QVERIFY2(attached, attached ? "" : describe(attached.error()).c_str());
    QVERIFY((*attached)->isValid());
    QCOMPARE((*attached)->study->profile.peak, Bytes(20));
    QCOMPARE(planToJson(**attached), json);

    PlanDocument moved = *document;
    moved.tensorOffsets[1][1] = 4;
    const auto refused = attachPlan(moved, study->graph);
    QVERIFY(!refused && refused.error().code == ErrorCode::PlanMismatch);
    QCOMPARE(text(describe(refused.error())).contains("tensor 'b' lies at 4 in buffer 'c', in the model at 8"), true);

    const std::string csv = planToCsv(*outcome);
    QVERIFY2(csv.starts_with("id,name,tensors,lower,upper,size,alignment,offset,tensor_offsets,gaps\n"), csv.c_str());
    QVERIFY2(csv.find("1,c,a b c,0,4,16,1,0,0 8 0,0-1@0:8\n") != std::string::npos, csv.c_str());
}

void TestAliasParts::reportsSayIt()
{
    const auto outcome = *planStudy(studyOf(graphOf(kTwo, "d")), "greedy-by-size");
    const auto contains = [](const std::string& answer, const char* words) {
        return text(answer).simplified().contains(words);
    };
    QVERIFY2(contains(summaryText(*outcome), "parts 2 parts in place, 16 B not copied"), summaryText(*outcome).c_str());
    QVERIFY(contains(summaryJson(*outcome), "\"elisions\": { \"count\": 2, \"bytes\": 16 }"));
    QVERIFY2(contains(explainText(*outcome), "8 'b' 8 'c' Concat 'Concat_2'"), explainText(*outcome).c_str());
    QVERIFY(contains(explainText(*outcome), "'b' is written as a part of 'c'") || contains(explainText(*outcome), "is written as a part of 'c'"));
    QVERIFY(contains(inspectText(*outcome), "8 'a' 0 'c' Concat 'Concat_2'"));
    QVERIFY(contains(inspectJson(*outcome), "\"part\": \"b\", \"whole\": \"c\", \"offset\": 8, \"bytes\": 8"));
    const auto copied = *planStudy(studyOf(graphOf(kTwo, "d"), AliasMode::InPlace), "greedy-by-size");
    QVERIFY(!contains(summaryText(*copied), "not copied"));
}

void TestAliasParts::hostileSizesAreLeftAlone()
{
    // Sums that do not fit 63 bits end in an error, not in nonsense.
    const auto graph = graphOf(R"(
        Conv: x?1x1 -> a 1x4611686018427387904
        Conv: x -> b 1x4611686018427387903
        Concat: a, b -> c 1x9223372036854775807 | axis=1
    )", "c");
    const auto study = makeStudy(graph, {.alias = AliasMode::All});
    QVERIFY(!study && study.error().code == ErrorCode::SizeOverflow);
    StudyOptions odd{.alias = AliasMode::All};
    odd.problem.alignment = 0;
    QVERIFY(!makeStudy(graphOf(kTwo, "d"), odd));
}

void TestAliasParts::denseNetworksStayQuick()
{
    // Each operand of every Concat again, as exporters write DenseNet, in one block of 300 layers: 45,000 operands.
    GraphBuilder builder;
    std::vector<TensorId> parts{builder.addInput("x", ElementType::UInt8, Shape::of({1, 1, 64}))};
    for (int i = 0; i < 300; ++i) {
        Operator concat;
        concat.kind = "Concat";
        concat.attributes["axis"] = std::int64_t(1);
        concat.inputs = parts;
        concat.outputs = {builder.tensor("c" + std::to_string(i))};
        builder.describe(concat.outputs[0], ElementType::UInt8, Shape::of({1, std::ssize(parts), 64}));
        Operator conv;
        conv.kind = "Conv";
        conv.inputs = concat.outputs;
        conv.outputs = {builder.tensor("t" + std::to_string(i))};
        builder.describe(conv.outputs[0], ElementType::UInt8, Shape::of({1, 1, 64}));
        builder.addOperator(concat);
        builder.addOperator(conv);
        parts.push_back(conv.outputs[0]);
    }
    builder.addOutput(parts.back());
    const auto graph = *std::move(builder).build();
    const auto inPlace = studyOf(graph, AliasMode::InPlace);
    const auto all = studyOf(graph);
    // Copied, the last Concat is there beside all of its operands.
    QCOMPARE(inPlace->profile.peak, Bytes(64 * 600));
    QVERIFY2(all->profile.peak <= Bytes(64 * 302), qPrintable(QString::number(all->profile.peak)));
    QVERIFY((*planStudy(all, "greedy-by-size"))->isValid());
}

QTEST_APPLESS_MAIN(TestAliasParts)
#include "tst_alias_parts.moc"
