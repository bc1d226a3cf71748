// SPDX-License-Identifier: MIT
#include <arenascope/problem.h>

#include "support/names.h"
#include "support/random_graph.h"
#include "support/text_graph.h"

#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

class TestLiveRange : public QObject {
    Q_OBJECT

private slots:
    void ranges_data();
    void ranges();
    void agreesWithBruteForce();
};

void TestLiveRange::ranges_data()
{
    QTest::addColumn<QString>("picture");
    QTest::addColumn<QString>("expected"); // name[begin,end), by tensor

    QTest::newRow("a chain: each tensor until its reader has run")
        << "in: x 1\nx -> C -> a 1\na -> C -> b 1\nb -> C -> c 1\nout: c"
        << "x[0,1) a[0,2) b[1,3) c[2,3)";
    QTest::newRow("a network input that is read late waits from the start")
        << "in: x 1, late 1\nx -> C -> a 1\na -> C -> b 1\nb, late -> Add -> c 1\nout: c"
        << "x[0,1) late[0,3) a[0,2) b[1,3) c[2,3)";
    QTest::newRow("a network input that nobody reads: step 0 only")
        << "in: x 1, unread 1\nx -> C -> a 1\na -> C -> b 1\nout: b"
        << "x[0,1) unread[0,1) a[0,2) b[1,2)";
    QTest::newRow("a network input that is handed through lives to the end")
        << "in: x 1\nx -> C -> a 1\na -> C -> b 1\nout: b, x"
        << "x[0,2) a[0,2) b[1,2)";
    QTest::newRow("an early network output lives to the end")
        << "in: x 1\nx -> C -> a 1\na -> C -> b 1\nb -> C -> c 1\nout: a, c"
        << "x[0,1) a[0,3) b[1,3) c[2,3)";
    QTest::newRow("an output that nobody reads lives in its own step")
        << "in: x 1\nx -> Drop -> a 1, mask 1\na -> C -> b 1\nb -> C -> c 1\nout: c"
        << "x[0,1) a[0,2) mask[0,1) b[1,3) c[2,3)";
    QTest::newRow("a skip connection waits for the join")
        << "in: x 1\nx -> C -> a 1\na -> C -> b 1\nb -> C -> c 1\nc, a -> Add -> d 1\nout: d"
        << "x[0,1) a[0,4) b[1,3) c[2,4) d[3,4)";
    QTest::newRow("a capture is a read")
        << "in: x 1\nx -> C -> a 1\na -> C -> b 1\nb | a -> If -> c 1\nout: c"
        << "x[0,1) a[0,3) b[1,3) c[2,3)";
    QTest::newRow("weights take no arena bytes")
        << "in: x 1\nweight: w 1\nx, w -> C -> a 1\nout: a, w"
        << "x[0,1) w[0,0) a[0,1)";
}

void TestLiveRange::ranges()
{
    QFETCH(QString, picture);
    QFETCH(QString, expected);
    const auto graph = textGraph(picture.toStdString());
    const std::vector<LiveRange> ranges = tensorLiveRanges(*graph, test::schedule(*graph));
    QStringList texts;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        texts << QString("%1[%2,%3)").arg(QString::fromStdString(graph->tensors()[i].name)).arg(ranges[i].begin).arg(ranges[i].end);
    }
    QCOMPARE(texts.join(' '), expected);
}

// Step by step: a tensor is alive at a step if it has been written by then and is still to be read or handed out.
void TestLiveRange::agreesWithBruteForce()
{
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 25, .inputs = 3, .shuffled = seed % 2 == 0});
        const Schedule order = test::schedule(*graph, seed % 3 ? ScheduleKind::File : ScheduleKind::DepthFirst);
        const std::vector<LiveRange> ranges = tensorLiveRanges(*graph, order);
        for (std::size_t t = 0; t < ranges.size(); ++t) {
            const Tensor& tensor = graph->tensors()[t];
            for (Step step = 0; step < order.stepCount(); ++step) {
                const bool isInput = tensor.role == TensorRole::Input;
                const bool isWrittenNow = isInput ? step == 0 : order.stepOf[tensor.producer.index()] == step;
                const bool isWritten = isInput || order.stepOf[tensor.producer.index()] <= step;
                bool isWanted = tensor.isOutput;
                for (Step later = step; later < order.stepCount(); ++later) {
                    const Operator& op = graph->op(order.order[static_cast<std::size_t>(later)]);
                    const auto reads = [t](const std::vector<TensorId>& ids) { return std::find(ids.begin(), ids.end(), TensorId::fromIndex(t)) != ids.end(); };
                    isWanted = isWanted || reads(op.inputs) || reads(op.captures);
                }
                QCOMPARE(ranges[t].contains(step), isWrittenNow || (isWritten && isWanted));
            }
        }
    }
}

QTEST_APPLESS_MAIN(TestLiveRange)
#include "tst_live_range.moc"
