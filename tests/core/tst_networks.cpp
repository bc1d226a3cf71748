// SPDX-License-Identifier: MIT
// Well-known networks against figures that other code worked out from hand-made descriptions.
#include <arenascope/study.h>

#include "support/names.h"
#include "support/networks.h"

#include <QTest>

#include <cmath>
#include <functional>

using namespace arenascope;
using namespace arenascope::test;

namespace {

std::int64_t thousandthsOfMiB(Bytes bytes)
{
    return std::llround(static_cast<double>(bytes) * 1000.0 / (1024.0 * 1024.0));
}

std::shared_ptr<const Study> studyOf(std::shared_ptr<const Graph> graph, JoinRule join = JoinRule::Longest)
{
    const StudyOptions options{.branches = {.join = join}, .problem = {.alignment = 1, .io = {false, true}}};
    auto study = makeStudy(std::move(graph), options);
    if (!study)
        qFatal("%s", describe(study.error()).c_str());
    return *std::move(study);
}

// What a writer has to offer where chains meet; the best one goes on.
struct Arm {
    int length;    ///< operators of the chain that ends here
    Step step;     ///< of its last operator
    int operand;   ///< position among what the join reads
};
using BetterArm = std::function<bool(const Arm&, const Arm&)>;

// The method to the letter, written down a second time: chains, two largest sizes of each, summed up.
Bytes literalPingPong(const Graph& graph, const BetterArm& isBetter)
{
    const Schedule order = test::schedule(graph);
    struct Chain { int length = 0; Bytes first = 0; Bytes second = 0; };
    std::vector<Chain> chainAt(graph.operators().size()); // of the chain that ends with this operator; taken when continued
    Bytes sum = 0;
    for (const OpId op : order.order) {
        OpId best;
        Arm bestArm{};
        for (std::size_t i = 0; i < graph.op(op).inputs.size(); ++i) {
            const OpId writer = graph.tensor(graph.op(op).inputs[i]).producer;
            if (!writer.isValid() || graph.successors(writer) != std::vector<OpId>{op})
                continue;
            const Arm arm{chainAt[writer.index()].length, order.stepOf[writer.index()], static_cast<int>(i)};
            if (!best.isValid() || isBetter(arm, bestArm)) {
                best = writer;
                bestArm = arm;
            }
        }
        Chain chain = best.isValid() ? chainAt[best.index()] : Chain{};
        sum -= chain.first + chain.second;
        const Bytes bytes = graph.tensor(graph.op(op).outputs.front()).bytes;
        chain.second = std::max(chain.second, std::min(bytes, chain.first));
        chain.first = std::max(chain.first, bytes);
        ++chain.length;
        sum += chain.first + chain.second;
        chainAt[op.index()] = chain;
    }
    return sum;
}

const BetterArm kLongest = [](const Arm& a, const Arm& b) { return std::pair(a.length, a.step) > std::pair(b.length, b.step); };
const BetterArm kLastScheduled = [](const Arm& a, const Arm& b) { return a.step > b.step; };
const BetterArm kFirstOperand = [](const Arm& a, const Arm& b) { return a.operand < b.operand; };

} // namespace

class TestNetworks : public QObject {
    Q_OBJECT

private slots:
    void figures_data();
    void figures();
    void literalMethodBySecondHand_data();
    void literalMethodBySecondHand();
    void tableUsedTheFirstArm();
};

// Two figures of the table come out under another join rule only: GoogLeNet and Inception v3 give 19.808 and 41.399 where
// the first arm of each Concat goes on (tableUsedTheFirstArm), but 19.185 and 38.822 where the longest does, which is the
// rule that the table's own text gives. The ends of the classifiers are chosen so that the third decimal is met: MobileNetV1
// and Inception v3 with one more vector of 1,000 scores, DenseNet-121 without Softmax.
void TestNetworks::figures_data()
{
    QTest::addColumn<std::shared_ptr<const Graph>>("graph");
    QTest::addColumn<QList<int>>("expected"); // naive, bound, pingpong, pooled, escape, greedy-by-size in MiB / 1000
    QTest::newRow("MobileNetV1") << mobileNetV1() << QList<int>{19252, 4594, 4594, 4594, 4594, 4594};
    QTest::newRow("MobileNetV2") << mobileNetV2() << QList<int>{26313, 5742, 16090, 8039, 6125, 5742};
    QTest::newRow("VGG16") << vgg16() << QList<int>{57556, 24500, 24500, 24500, 24500, 24500};
    QTest::newRow("ResNet-18") << resNet18() << QList<int>{13121, 3828, 10240, 3828, 3828, 3828};
    QTest::newRow("ResNet-50") << resNet50() << QList<int>{64232, 9188, 51680, 9953, 9188, 9188};
    QTest::newRow("SqueezeNet 1.1") << squeezeNet11() << QList<int>{16678, 3747, 15293, 4485, 3747, 3747};
    QTest::newRow("GoogLeNet") << googLeNet() << QList<int>{22439, 3828, 19185, 5359, 5359, 3828};
    QTest::newRow("Inception v3") << inceptionV3() << QList<int>{54753, 7913, 38822, 8968, 8968, 7913};
    QTest::newRow("DenseNet-121") << denseNet121() << QList<int>{106812, 6891, 78985, 8805, 8805, 7656};
    QTest::newRow("U-Net 256") << uNet256() << QList<int>{280000, 64000, 124000, 78000, 78000, 64000};
}

void TestNetworks::figures()
{
    QFETCH(std::shared_ptr<const Graph>, graph);
    QFETCH(QList<int>, expected);
    const auto study = studyOf(graph);
    QCOMPARE(thousandthsOfMiB(study->naive), expected[0]);
    QCOMPARE(thousandthsOfMiB(study->profile.peak), expected[1]);
    static constexpr const char* kStrategies[] = {"pingpong", "pingpong-pooled", "pingpong-escape", "greedy-by-size"};
    for (int i = 0; i < 4; ++i) {
        const auto outcome = planStudy(study, kStrategies[i]);
        QVERIFY(outcome);
        QVERIFY2((*outcome)->isValid(), kStrategies[i]);
        QVERIFY2(thousandthsOfMiB((*outcome)->plan.arenaSize) == expected[i + 2],
                 qPrintable(QString("%1: %2").arg(kStrategies[i]).arg(thousandthsOfMiB((*outcome)->plan.arenaSize))));
    }
}

void TestNetworks::literalMethodBySecondHand_data()
{
    figures_data();
}

void TestNetworks::literalMethodBySecondHand()
{
    QFETCH(std::shared_ptr<const Graph>, graph);
    const auto sumOf = [&graph](JoinRule join) {
        Bytes sum = 0;
        for (const Branch& branch : studyOf(graph, join)->branches.branches)
            sum += branch.firstMemory + branch.secondMemory;
        return sum;
    };
    QCOMPARE(sumOf(JoinRule::Longest), literalPingPong(*graph, kLongest));
    QCOMPARE(sumOf(JoinRule::LastScheduled), literalPingPong(*graph, kLastScheduled));
}

void TestNetworks::tableUsedTheFirstArm()
{
    QCOMPARE(thousandthsOfMiB(literalPingPong(*googLeNet(), kFirstOperand)), 19808);
    QCOMPARE(thousandthsOfMiB(literalPingPong(*inceptionV3(), kFirstOperand)), 41399);
}

QTEST_APPLESS_MAIN(TestNetworks)
#include "tst_networks.moc"
