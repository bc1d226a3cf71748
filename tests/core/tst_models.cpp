// SPDX-License-Identifier: MIT
// Real model files against figures made by independent code (models/onnx.tsv beside the checkout), and the odd and broken
// ones against their exact messages.
#include <arenascope/importer.h>
#include <arenascope/planner.h>
#include <arenascope/study.h>

#include <QFile>
#include <QtTest>

using namespace arenascope;

namespace {

QString sharedPath(const QString& relative)
{
    return QStringLiteral(ARENASCOPE_SHARED_DIR "/models/") + relative;
}

using Row = QHash<QString, QString>;

/// Rows by column name; empty where the table is missing.
QList<Row> readTable()
{
    QFile file(sharedPath(QStringLiteral("onnx.tsv")));
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text))
        return {};
    const QStringList columns = QString::fromUtf8(file.readLine()).trimmed().split(QLatin1Char('\t'));
    QList<Row> rows;
    while (!file.atEnd()) {
        QByteArray line = file.readLine();
        if (line.endsWith('\n'))
            line.chop(1);
        const QStringList cells = QString::fromUtf8(line).split(QLatin1Char('\t'));
        Row row;
        for (qsizetype i = 0; i < columns.size() && i < cells.size(); ++i)
            row.insert(columns[i], cells[i].trimmed());
        rows.append(row);
    }
    return rows;
}

/// "a[1, 3]:f32; b[]:i64" -> shapes by name.
ImportOptions optionsFrom(const QString& inputs)
{
    ImportOptions options;
    for (const QString& input : inputs.split(QStringLiteral("; "), Qt::SkipEmptyParts)) {
        const qsizetype open = input.lastIndexOf(QLatin1Char('['));
        const qsizetype close = input.lastIndexOf(QLatin1Char(']'));
        std::vector<std::int64_t> dims;
        for (const QString& dim : input.mid(open + 1, close - open - 1).split(QLatin1Char(','), Qt::SkipEmptyParts))
            dims.push_back(dim.trimmed().toLongLong());
        options.shapes[input.left(open).toStdString()] = std::move(dims);
    }
    return options;
}

/// Sizes that depend on the content of an input, as in the run that the table was made from.
struct GivenShape {
    const char* file;
    const char* tensor;
    std::vector<std::int64_t> shape;
};

const GivenShape kGivenShapes[] = {
    {"broken/ort_gh_4829.onnx", "8", {4}}, // ConstantOfShape of the product of an input's elements
};

/// Models with tensors that no option of the run can settle: the table has their figures for one input only.
constexpr const char* kOpenModels[] = {
    "torch/fasterrcnn_mobilenet_v3_large_320.light.onnx", // NonZero and NonMaxSuppression
};

/// Files that must not open although the table has figures from what they declare.
constexpr const char* kRejected[] = {
    "broken/foo_truncated.onnx", // its only operator, 'Foo', is none of ONNX
};

class Checker {
public:
    explicit Checker(const Row& row) : m_row(row) {}

    bool has(const QString& column) const { return !m_row.value(column).isEmpty(); }
    qint64 expected(const QString& column) const { return m_row.value(column).toLongLong(); }
    void equal(const QString& column, qint64 ours)
    {
        if (has(column) && expected(column) != ours)
            m_problems.append(QStringLiteral("%1: %2, table %3").arg(column).arg(ours).arg(m_row.value(column)));
    }
    void problem(const QString& text) { m_problems.append(text); }
    QString text() const { return m_problems.join(QStringLiteral("\n    ")); }

private:
    const Row& m_row;
    QStringList m_problems;
};

std::shared_ptr<const Study> study(const std::shared_ptr<const Graph>& graph, AliasMode alias, Bytes alignment,
                                   bool inputsInArena, Checker& checker)
{
    StudyOptions options;
    options.alias = alias;
    options.problem.alignment = alignment;
    options.problem.io.inputsInArena = inputsInArena;
    const auto made = makeStudy(graph, options);
    if (made)
        return *made;
    checker.problem(QString::fromStdString(describe(made.error())));
    return nullptr;
}

Bytes arena(const std::shared_ptr<const Study>& from, std::string_view strategy, Checker& checker)
{
    const auto outcome = planStudy(from, strategy);
    if (!outcome) {
        checker.problem(QString::fromStdString(describe(outcome.error())));
        return -1;
    }
    if (!(*outcome)->isValid())
        checker.problem(QStringLiteral("%1: the plan is not valid").arg(QString::fromStdString(std::string(strategy))));
    return (*outcome)->plan.arenaSize;
}

qint64 unreadOutputs(const Graph& graph)
{
    return std::ranges::count_if(graph.tensors(), [](const Tensor& tensor) {
        return tensor.producer.isValid() && tensor.consumers.empty() && !tensor.isOutput;
    });
}

void checkGraph(const Graph& graph, Checker& checker)
{
    checker.equal(QStringLiteral("nodes_in_file"), graph.info().operatorsInFile);
    checker.equal(QStringLiteral("operators"), std::ssize(graph.operators()));
    checker.equal(QStringLiteral("activation_tensors"), std::ranges::count_if(graph.tensors(), &Tensor::isActivation));
    checker.equal(QStringLiteral("dead_ops"), std::ranges::count_if(graph.operators(), &Operator::isDead));
    checker.equal(QStringLiteral("unread_outputs"), unreadOutputs(graph));
    const auto isFolded = [](const Omission& omission) {
        return omission.what == Omission::What::Operator && omission.kind != "Constant";
    };
    checker.equal(QStringLiteral("folded_ops"), std::ranges::count_if(graph.omissions(), isFolded));
}

void checkBounds(const std::shared_ptr<const Graph>& graph, Checker& checker)
{
    struct Case {
        AliasMode alias;
        Bytes alignment;
        QString suffix;
    };
    const Case cases[] = {{AliasMode::None, 1, {}},
                          {AliasMode::None, 64, QStringLiteral("_align64")},
                          {AliasMode::Views, 1, QStringLiteral("_views")},
                          {AliasMode::InPlace, 1, QStringLiteral("_inplace")}};
    for (const Case& c : cases) {
        const auto made = study(graph, c.alias, c.alignment, true, checker);
        if (made == nullptr)
            return;
        checker.equal((c.suffix.isEmpty() ? QStringLiteral("naive_bytes") : QStringLiteral("naive") + c.suffix),
                      made->naive);
        checker.equal(QStringLiteral("bound") + c.suffix, made->profile.peak);
    }
}

void checkPlans(const std::shared_ptr<const Graph>& graph, Checker& checker)
{
    const auto outside = study(graph, AliasMode::None, 1, false, checker);
    const auto views = study(graph, AliasMode::Views, 1, false, checker);
    const auto inside = study(graph, AliasMode::None, 1, true, checker);
    if (outside == nullptr || views == nullptr || inside == nullptr)
        return;
    checker.equal(QStringLiteral("pingpong_branches"), std::ssize(outside->branches.branches));
    checker.equal(QStringLiteral("pingpong"), arena(outside, "pingpong", checker));
    checker.equal(QStringLiteral("pingpong_tight"), arena(outside, "pingpong-tight", checker));
    checker.equal(QStringLiteral("pingpong_arena"), arena(outside, "pingpong-arena", checker));
    checker.equal(QStringLiteral("pingpong_views"), arena(views, "pingpong", checker));
    if (!checker.has(QStringLiteral("greedy_birth_asc")))
        return;
    const qint64 greedy = arena(inside, "greedy-by-size", checker);
    const qint64 limit = std::min(checker.expected(QStringLiteral("greedy_birth_asc")),
                                  checker.expected(QStringLiteral("greedy_birth_desc")));
    if (greedy > limit)
        checker.problem(QStringLiteral("greedy-by-size: %1, table at most %2").arg(greedy).arg(limit));
}

} // namespace

class TestModels : public QObject {
    Q_OBJECT

private slots:
    void figures_data();
    void figures();
    void messages_data();
    void messages();
};

void TestModels::figures_data()
{
    QTest::addColumn<QString>("file");
    const QList<Row> rows = readTable();
    if (rows.isEmpty())
        QSKIP("models/onnx.tsv is missing (set ARENASCOPE_SHARED_DIR)");
    for (const Row& row : rows) {
        const QString file = row.value(QStringLiteral("file"));
        const auto isIt = [&file](const char* rejected) { return file == QLatin1String(rejected); };
        if (row.value(QStringLiteral("status")) != QLatin1String("NOT RUN") && std::ranges::none_of(kRejected, isIt))
            QTest::newRow(qPrintable(file)) << file;
    }
}

void TestModels::figures()
{
    QFETCH(QString, file);
    const QList<Row> rows = readTable();
    const auto row = std::ranges::find(rows, file, [](const Row& r) { return r.value(QStringLiteral("file")); });
    QVERIFY(row != rows.end());
    ImportOptions options = optionsFrom(row->value(QStringLiteral("inputs")));
    for (const GivenShape& given : kGivenShapes) {
        if (file == QLatin1String(given.file))
            options.shapes[given.tensor] = given.shape;
    }
    const auto model = importModel(sharedPath(file).toStdString(), options);
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    Checker checker(*row);
    checkGraph(*model->graph, checker);
    if (model->graph->tensorsOfUnknownSize().empty()) {
        checkBounds(model->graph, checker);
        checkPlans(model->graph, checker);
    } else if (std::ranges::none_of(kOpenModels, [&](const char* open) { return file == QLatin1String(open); })) {
        for (const TensorId id : model->graph->tensorsOfUnknownSize())
            checker.problem(QStringLiteral("unknown size: %1 %2")
                                .arg(QString::fromStdString(model->graph->tensor(id).name),
                                     QString::fromStdString(toString(model->graph->tensor(id).shape))));
    }
    QVERIFY2(checker.text().isEmpty(), qPrintable(checker.text()));
}

void TestModels::messages_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QStringList>("expected");
    const auto row = [](const char* name, const char* file, const QStringList& expected) {
        QTest::newRow(name) << QString::fromLatin1(file) << expected;
    };
    const QString again = QStringLiteral(" Copy, download or export it again.");
    row("junk", "broken/corrupt-model.onnx",
        {"error FILE, model, byte 0: The file is damaged: a field has an impossible type." + again});
    row("an operator that ONNX has not", "broken/foo_truncated.onnx",
        {"error FILE, graph: The file is damaged: none of its operators is one of ONNX (the first is 'Foo')." + again});
    row("strings and no opset", "broken/bad_names.onnx",
        {"model: The file does not say which opset of domain 'ai.onnx' it uses; 23 is assumed. Export it again.",
         "tensor 'input/name': 'input/name' is a tensor of strings, which has no fixed place in memory. Export the model "
         "with plain tensors.",
         "tensor 'output:0': 'output:0' is a tensor of strings, which has no fixed place in memory. Export the model with "
         "plain tensors."});
    row("no opset, but an IR version", "broken/no_opset.onnx",
        {"model: The file does not say which opset of domain 'ai.onnx' it uses; 8 is assumed. Export it again."});
    row("a sequence as output", "broken/sequence_io.onnx",
        {"tensor 'output_sequence': 'output_sequence' is a sequence, which has no fixed place in memory. Export the model "
         "with plain tensors."});
    row("a sequence of maps", "broken/ml_ensemble.onnx",
        {"tensor 'probabilities': 'probabilities' is a sequence of maps, which has no fixed place in memory. Export the "
         "model with plain tensors."});
    row("a sparse weight", "broken/sparse_initializer.onnx",
        {"weight 'x': 'x' is a sparse tensor, which has no fixed place in memory. Export the model with plain tensors."});
    row("a dimension's name that comes twice", "broken/dim_param_repetition.onnx",
        {"input 'X': Dimension 'Symbolic' of input 'X' is not fixed in the file; 1 is assumed. Give another with --dim "
         "Symbolic=N."});
    row("a valid file that other programs crash on", "broken/opencv46_segv.onnx", {});
    row("a loop over a scalar", "broken/ort_gh_10305.onnx", {});
    row("a size made from an input's content", "broken/ort_gh_4829.onnx",
        {"operator 'ConstantOfShape_7': Tensor '8', made by 'ConstantOfShape_7', has no fixed size. Give it with --shape 8=N "
         "(with numbers for N)."});
}

void TestModels::messages()
{
    QFETCH(QString, file);
    QFETCH(QStringList, expected);
    if (!QFile::exists(sharedPath(file)))
        QSKIP("the model files are missing (set ARENASCOPE_SHARED_DIR)");
    const auto model = importModel(sharedPath(file).toStdString());
    QStringList lines;
    if (!model) {
        lines.append(QStringLiteral("error ")
                     + QString::fromStdString(describe(model.error())).replace(sharedPath(file), QStringLiteral("FILE")));
    } else {
        for (const Diagnostic& diagnostic : model->diagnostics)
            lines.append(QString::fromStdString(describe(diagnostic.error)));
    }
    QCOMPARE(lines, expected);
}

QTEST_GUILESS_MAIN(TestModels)
#include "tst_models.moc"

#include <algorithm>
