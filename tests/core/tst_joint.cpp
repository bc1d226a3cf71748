// SPDX-License-Identifier: MIT
// Several networks in one arena.
#include "support/problems.h"
#include "support/random_graph.h"
#include "support/text_graph.h"

#include <arenascope/joint.h>

#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

// x + a = 14 while A runs, a + b = 12 while B does.
constexpr const char* kFirst = "in: x 4\n x -> Conv A -> a 10\n a -> Conv B -> b 2\n out: b";
// y + c = 26, c + d = 23.
constexpr const char* kSecond = "in: y 6\n y -> Conv C -> c 20\n c -> Conv D -> d 3\n out: d";

StudyOptions plainOptions()
{
    StudyOptions options;
    options.problem.alignment = 1;
    return options;
}

using Studies = std::vector<std::shared_ptr<const Study>>;

Studies bothStudies(const StudyOptions& options = plainOptions())
{
    return {*makeStudy(textGraph(kFirst), options), *makeStudy(textGraph(kSecond), options)};
}

KeptTensor named(const Studies& studies, std::size_t model, std::string_view name)
{
    return {model, studies[model]->graph->findTensor(name)};
}

} // namespace

class TestJoint : public QObject {
    Q_OBJECT

private slots:
    void arenasByHand_data();
    void arenasByHand();
    void keptBuffersHoldAllThatSharesThem();
    void whatIsWrittenOverInPlaceCannotBeKept();
    void keptBytesAreNobodyElses();
    void checkerSeesWhatIsWrong();
    void whatCannotBeKept();
    void textAndJson();
};

void TestJoint::arenasByHand_data()
{
    QTest::addColumn<QStringList>("kept");
    QTest::addColumn<int>("shared");
    QTest::addColumn<int>("arena");
    QTest::newRow("nothing kept: the largest") << QStringList{} << 26 << 26;
    QTest::newRow("the first one's output") << QStringList{"0b"} << 26 << 28;
    QTest::newRow("the second one's largest") << QStringList{"1c"} << 14 << 34; // y and d alone are 6, the first has 14
    QTest::newRow("both outputs") << QStringList{"0b", "1d"} << 26 << 31;
    QTest::newRow("one asked for twice") << QStringList{"0b", "0b"} << 26 << 28;
    QTest::newRow("an input") << QStringList{"1y"} << 23 << 29;
    QTest::newRow("everything of the second") << QStringList{"1y", "1c", "1d"} << 14 << 43;
}

void TestJoint::arenasByHand()
{
    QFETCH(QStringList, kept);
    const Studies studies = bothStudies();
    std::vector<KeptTensor> wanted;
    for (const QString& text : kept)
        wanted.push_back(named(studies, static_cast<std::size_t>(text.left(1).toInt()), text.mid(1).toStdString()));
    for (const char* strategy : {"auto", "greedy-by-size", "pingpong-arena"}) {
        const auto joint = planJointly(studies, wanted, strategy);
        QVERIFY(joint && joint->isValid());
        if (std::string_view(strategy) == "pingpong-arena")
            continue; // inputs beside the branches
        QTEST(static_cast<int>(joint->sharedBytes), "shared");
        QTEST(static_cast<int>(joint->arenaBytes), "arena");
        QCOMPARE(joint->lowerBound, joint->arenaBytes);
        QCOMPARE(joint->completion, Completion::Optimal);
        QCOMPARE(joint->keptBytes, joint->arenaBytes - joint->sharedBytes);
    }
}

void TestJoint::keptBuffersHoldAllThatSharesThem()
{
    StudyOptions options = plainOptions();
    options.alias = AliasMode::InPlace;
    const Studies studies{*makeStudy(textGraph("in: x 4\n x -> Conv -> a 8\n a -> Reshape -> b 8\n b -> Conv -> c 2\n out: c"), options)};
    const std::vector<KeptTensor> kept{named(studies, 0, "b"), named(studies, 0, "a")};
    const auto joint = planJointly(studies, kept, "auto");
    QVERIFY(joint && joint->isValid());
    QCOMPARE(joint->kept.size(), std::size_t(1));
    QCOMPARE(joint->kept.front().tensors.size(), std::size_t(2));
    QCOMPARE(joint->keptBytes, Bytes(8));
    QCOMPARE(joint->arenaBytes, Bytes(8 + 4)); // x, then c in its place
}

void TestJoint::whatIsWrittenOverInPlaceCannotBeKept()
{
    StudyOptions options = plainOptions();
    options.alias = AliasMode::InPlace;
    const Studies studies{*makeStudy(textGraph("in: x 4\n x -> Conv -> a 8\n a -> Relu -> b 8\n b -> Conv -> c 2\n out: c"), options)};
    const auto joint = planJointly(studies, std::vector{named(studies, 0, "a")}, "auto");
    QVERIFY(!joint);
    QCOMPARE(joint.error().code, ErrorCode::Unsupported);
    QVERIFY2(describe(joint.error()).find("'a', which 'b' is written over") != std::string::npos, describe(joint.error()).c_str());
    // The one written last is what its bytes hold.
    const auto last = planJointly(studies, std::vector{named(studies, 0, "b")}, "auto");
    QVERIFY(last && last->isValid());
}

void TestJoint::keptBytesAreNobodyElses()
{
    int keptSome = 0;
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        StudyOptions options;
        options.alias = std::array{AliasMode::None, AliasMode::Views, AliasMode::InPlace}[seed % 3];
        options.problem.concurrency = seed % 4 == 0 ? Concurrency::Parallel : Concurrency::Sequential;
        options.problem.alignment = seed % 2 == 0 ? 16 : 1;
        options.problem.io.inputsInArena = seed % 5 != 0;
        Random random(seed);
        Studies studies;
        std::vector<KeptTensor> kept;
        for (std::size_t model = 0; model < 1 + seed % 3; ++model) {
            RandomGraphOptions shape;
            shape.operators = 3 + static_cast<int>(random.below(15));
            studies.push_back(*makeStudy(randomGraph(seed * 10 + model, shape), options));
            for (std::size_t t = 0; t < studies.back()->bufferOf.size(); ++t) {
                if (studies.back()->bufferOf[t].isValid() && random.chance(0.1))
                    kept.push_back({model, TensorId::fromIndex(t)});
            }
        }
        const char* strategy = std::array{"greedy-by-size", "best-fit", "pingpong-pooled", "naive", "auto"}[seed % 5];
        const auto joint = planJointly(studies, kept, strategy, shortSearch());
        if (!joint && joint.error().code == ErrorCode::Unsupported)
            continue;
        QVERIFY2(joint && joint->isValid(), qPrintable(QString::number(seed)));
        QVERIFY(joint->arenaBytes >= joint->lowerBound);
        keptSome += !joint->kept.empty();
        for (const KeptBuffer& one : joint->kept) {
            QVERIFY(one.offset >= joint->sharedBytes && one.offset + one.bytes <= joint->arenaBytes);
            for (std::size_t model = 0; model < studies.size(); ++model) {
                for (std::size_t b = 0; b < studies[model]->problem.buffers.size(); ++b) {
                    const Offset begin = joint->models[model]->plan.placements[b].offset;
                    const Offset end = begin + studies[model]->problem.reserved(BufferId::fromIndex(b));
                    const bool isItself = model == one.model && b == one.buffer.index();
                    QVERIFY(isItself ? begin == one.offset : end <= one.offset || begin >= one.offset + one.bytes || begin == end);
                }
            }
        }
    }
    QVERIFY(keptSome > 40);
}

void TestJoint::checkerSeesWhatIsWrong()
{
    const Studies studies = bothStudies();
    auto joint = *planJointly(studies, std::vector{named(studies, 0, "b")}, "auto");
    QVERIFY(joint.isValid());
    QCOMPARE(joint.problem.buffers.size(), std::size_t(6));
    QCOMPARE(joint.problem.stepCount, Step(4));
    // What is kept is alive while the second network runs.
    const auto b = std::find_if(joint.problem.buffers.begin(), joint.problem.buffers.end(), [](const Buffer& buffer) { return buffer.name.ends_with(": b"); });
    QVERIFY(b != joint.problem.buffers.end());
    QCOMPARE(b->live, (LiveRange{0, 4}));
    joint.plan.placements[static_cast<std::size_t>(b - joint.problem.buffers.begin())].offset = 24;
    const Validation found = validatePlan(joint.problem, joint.plan);
    QVERIFY(!found.isValid());
    joint.placement = found;
    QVERIFY(!joint.isValid());
    QVERIFY(jointText(joint).find("INVALID") != std::string::npos);
}

void TestJoint::whatCannotBeKept()
{
    const Studies studies = bothStudies();
    const auto code = [&](const Studies& of, const std::vector<KeptTensor>& kept, const char* strategy = "auto") {
        const auto joint = planJointly(of, kept, strategy);
        return joint ? ErrorCode::Internal : joint.error().code;
    };
    QCOMPARE(code({}, {}), ErrorCode::BadOption);
    QCOMPARE(code(studies, {{2, TensorId(0)}}), ErrorCode::BadOption);
    QCOMPARE(code(studies, {{0, TensorId(99)}}), ErrorCode::BadOption);
    QCOMPARE(code(studies, {{0, TensorId()}}), ErrorCode::BadOption);
    QCOMPARE(code(studies, {}, "best"), ErrorCode::UnknownName);
    StudyOptions outside = plainOptions();
    outside.problem.io.outputsInArena = false;
    const Studies without = bothStudies(outside);
    QCOMPARE(code(without, {named(without, 0, "b")}), ErrorCode::Unsupported);
    StudyOptions regions = plainOptions();
    regions.problem.regions = {{"fast", 10, 0, 0.0}, {"slow", {}, 0, 1.0}};
    QCOMPARE(code(bothStudies(regions), {}), ErrorCode::Unsupported);
}

void TestJoint::textAndJson()
{
    const Studies studies = bothStudies();
    const auto joint = *planJointly(studies, std::vector{named(studies, 0, "b")}, "greedy-by-size");
    const std::string text = jointText(joint, Bytes(20));
    for (const char* line : {"One arena for 2 models, run one after the other", "28 B", "26 B", "2 B in 1 buffer", "at 26", "'b'", "is exceeded by 8 bytes"})
        QVERIFY2(text.find(line) != std::string::npos, line);
    const std::string json = jointJson(joint, Bytes(28), -1);
    for (const char* part : {R"("arena_bytes":28,"shared_bytes":26,"kept_bytes":2,"lower_bound_bytes":28,"completion":"optimal","valid":true)",
                             R"("tensor":"b","offset":26,"bytes":2,"buffer_bytes":2)", R"("budget":{"bytes":28,"fits":true,"over_by_bytes":0})",
                             R"("shared_bytes":14)"})
        QVERIFY2(json.find(part) != std::string::npos, part);
}

QTEST_APPLESS_MAIN(TestJoint)
#include "tst_joint.moc"
