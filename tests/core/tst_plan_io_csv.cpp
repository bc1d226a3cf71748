// SPDX-License-Identifier: MIT
#include "support/problems.h"
#include "support/random_graph.h"

#include <arenascope/problem_io.h>
#include <arenascope/validator.h>

#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

QString text(const Error& error)
{
    return QString::fromStdString(describe(error));
}

/// "name [begin,end) size" for each buffer, joined by "; ".
QString summary(const PlacementProblem& problem)
{
    QStringList all;
    for (const Buffer& buffer : problem.buffers) {
        QString line = QString("%1 [%2,%3) %4").arg(QString::fromStdString(buffer.name)).arg(buffer.live.begin).arg(buffer.live.end).arg(buffer.size);
        if (buffer.alignment > 0)
            line += QString(" align %1").arg(buffer.alignment);
        if (buffer.fixedOffset)
            line += QString(" at %1").arg(*buffer.fixedOffset);
        for (const BufferGap& gap : buffer.gaps)
            line += QString(" gap [%1,%2)@%3:%4").arg(gap.steps.begin).arg(gap.steps.end).arg(gap.low).arg(gap.high);
        all << line;
    }
    return all.join("; ");
}

} // namespace

class TestPlanIoCsv : public QObject {
    Q_OBJECT

private slots:
    void reads_data();
    void reads();
    void refuses_data();
    void refuses();
    void writesWhatItReads();
    void randomProblemsComeBack();
    void damagedTextNeverCrashes();
};

void TestPlanIoCsv::reads_data()
{
    QTest::addColumn<QByteArray>("csv");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* csv, const char* expected) {
        QTest::newRow(name) << QByteArray(csv) << QString(expected);
    };
    row("plain", "id,lower,upper,size\n0,0,3,2\n1,2,5,4\n", "0 [0,3) 2; 1 [2,5) 4");
    row("without a last newline", "id,lower,upper,size\na,0,3,2", "a [0,3) 2");
    row("inclusive ends", "buffer_id,start,end,size\nb1,0,3,2\n", "b1 [0,4) 2");
    row("an inclusive life that is empty", "buffer,begin,end,size\nb1,4,3,2\n", "b1 [4,4) 2");
    row("columns in another order", "size,upper,buffer,begin\n2,3,x,1\n", "x [1,3) 2");
    row("CRLF, byte-order mark, blanks, empty lines", "\xEF\xBB\xBFid, lower ,upper,size\r\n\r\n a ,0,\t3,2\r\n  \r\n", "a [0,3) 2");
    row("unknown columns and hints", "id,lower,upper,size,hint,colour\na,0,3,2,7,red\n", "a [0,3) 2");
    row("alignment and offset", "id,lower,upper,size,alignment,offset\na,0,3,2,8,16\nb,0,3,2,,\n", "a [0,3) 2 align 8 at 16; b [0,3) 2");
    row("gaps", "id,lower,upper,size,gaps\na,0,20,30,9-10@1:17 7-8\nb,0,3,2,\n", "a [0,20) 30 gap [7,8)@0:0 gap [9,10)@1:17; b [0,3) 2");
    row("gaps with inclusive ends", "id,lower,end,size,gaps\na,0,20,30,7-8\n", "a [0,21) 30 gap [7,9)@0:0");
    row("nothing but a header", "id,lower,upper,size\n", "");
}

void TestPlanIoCsv::reads()
{
    QFETCH(QByteArray, csv);
    QFETCH(QString, expected);
    const auto problem = problemFromCsv(csv.toStdString(), "p.csv");
    QVERIFY2(problem, problem ? "" : qPrintable(text(problem.error())));
    QCOMPARE(summary(*problem), expected);
    QCOMPARE(problem->alignment, Bytes(1));
    QCOMPARE(problem->name, std::string("p.csv"));
}

void TestPlanIoCsv::refuses_data()
{
    QTest::addColumn<QByteArray>("csv");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* csv, const char* message) {
        QTest::newRow(name) << QByteArray(csv) << QString(message);
    };
    row("empty", "", "line 1, the file is empty");
    row("no size", "id,lower,upper\n", "line 1, there is no column 'size' in the header");
    row("two ends", "id,lower,upper,end,size\n", "line 1, columns 'upper' and 'end' say the same");
    row("a field too many", "id,lower,upper,size\n0,0,3,2,\n", "line 2, 5 fields instead of 4");
    row("a field too few", "id,lower,upper,size\n0,0,3\n", "line 2, 3 fields instead of 4");
    row("no number", "id,lower,upper,size\n0,0,3,12x\n", "line 2, column 'size': '12x' is no whole number");
    row("a fraction", "id,lower,upper,size\n0,0,3,1.5\n", "'1.5' is no whole number");
    row("a number with a plus", "id,lower,upper,size\n0,0,3,+1\n", "'+1' is no whole number");
    row("too large", "id,lower,upper,size\n0,0,3,9223372036854775808\n", "is no whole number of at most 63 bits");
    row("negative size", "id,lower,upper,size\n0,0,3,-1\n", "column 'size': '-1' is below 0");
    row("negative begin", "id,begin,upper,size\n0,-2,3,1\n", "column 'begin': '-2' is below 0");
    row("turned round", "id,lower,upper,size\n\n0,4,3,1\n", "line 3, column 'upper': '3' is before the begin");
    row("no name", "id,lower,upper,size\n,0,3,1\n", "column 'id': '' is no name");
    row("the same name twice", "id,lower,upper,size\na,0,3,1\na,0,3,1\n", "two of the buffers 'a'");
    row("alignment zero", "id,lower,upper,size,alignment\na,0,3,1,0\n", "column 'alignment': '0' is below 1");
    row("negative offset", "id,lower,upper,size,offset\na,0,3,1,-1\n", "column 'offset': '-1' is below 0");
    row("offset too large", "id,lower,upper,size,offset\na,0,3,1,9223372036854775807\n", "do not fit 63 bits");
    row("sum too large", "id,lower,upper,size\na,0,3,9223372036854775807\nb,0,3,1\n", "63 bits");
    row("too many steps", "id,lower,upper,size\na,0,99999999,1\n", "is larger than the limit of 16777216 steps");
    row("step of 64 bits", "id,lower,end,size\na,0,9223372036854775807,1\n", "is larger than the limit");
    row("gap outside", "id,lower,upper,size,gaps\na,2,9,30,1-3\n", "outside of the live range");
    row("empty gap", "id,lower,upper,size,gaps\na,2,9,30,3-3\n", "empty gap");
    row("overlapping gaps", "id,lower,upper,size,gaps\na,2,9,30,3-5 4-6\n", "gaps that overlap");
    row("window outside", "id,lower,upper,size,gaps\na,2,9,30,3-5@1:31\n", "window outside of the buffer");
    row("gap without a dash", "id,lower,upper,size,gaps\na,2,9,30,35\n", "is not of the form 7-8 or 9-10@1:17");
    row("window without a colon", "id,lower,upper,size,gaps\na,2,9,30,3-5@17\n", "is not of the form");
}

void TestPlanIoCsv::refuses()
{
    QFETCH(QByteArray, csv);
    QFETCH(QString, message);
    const auto problem = problemFromCsv(csv.toStdString(), "dir/p.csv");
    QVERIFY(!problem);
    QVERIFY2(text(problem.error()).contains(message), qPrintable(text(problem.error())));
    QVERIFY(text(problem.error()).startsWith("dir/p.csv: "));
}

void TestPlanIoCsv::writesWhatItReads()
{
    const std::string csv = "id,lower,upper,size,alignment,gaps,offset\na,0,20,30,8,7-8 9-10@1:17,16\nb,0,3,2,1,,\n";
    const auto problem = problemFromCsv(csv, "p.csv");
    QVERIFY(problem);
    QCOMPARE(problemToCsv(*problem), csv);
    const auto plan = planWith("greedy-by-size", *problem);
    QCOMPARE(problemToCsv(*problem, &*plan), std::string("id,lower,upper,size,alignment,gaps,offset\na,0,20,30,8,7-8 9-10@1:17,16\nb,0,3,2,1,,0\n"));

    PlacementProblem odd = problemOf({{0, 1, 5}, {0, 1, 5}, {0, 1, 5}, {0, 1, 5}}, 4);
    for (std::size_t i = 0; i < odd.buffers.size(); ++i)
        odd.buffers[i].name = std::array{"a,b", "a,b", "", " \"x\"\n"}[i];
    QCOMPARE(problemToCsv(odd), std::string("id,lower,upper,size,alignment\na%2Cb,0,1,8,4\na%2Cb%232,0,1,8,4\n%,0,1,8,4\n%20%22x%22%0A,0,1,8,4\n"));
    QVERIFY(problemFromCsv(problemToCsv(odd), "odd.csv"));
}

void TestPlanIoCsv::randomProblemsComeBack()
{
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        PlacementProblem problem = randomProblem(seed);
        Random random(seed);
        for (Buffer& buffer : problem.buffers) {
            if (random.chance(0.3))
                buffer.alignment = 1 + random.below(20);
            if (random.chance(0.3))
                buffer.fixedOffset = random.below(10000);
            if (buffer.live.length() > 1 && random.chance(0.3))
                buffer.gaps.push_back({{buffer.live.begin, buffer.live.begin + 1}, 0, random.below(buffer.size + 1)});
        }
        const std::string csv = problemToCsv(problem);
        const auto again = problemFromCsv(csv, "again.csv");
        QVERIFY2(again, again ? "" : qPrintable(text(again.error())));
        QCOMPARE(problemToCsv(*again), csv);
        QCOMPARE(liveProfile(*again).peak, liveProfile(problem).peak);
    }
}

void TestPlanIoCsv::damagedTextNeverCrashes()
{
    const std::string csv = problemToCsv(randomProblem(7, 10));
    Random random(2);
    int readable = 0;
    for (int round = 0; round < 5000; ++round) {
        std::string damaged = csv;
        for (std::int64_t i = random.below(3); i >= 0; --i)
            damaged[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(damaged.size())))]
                = "0123456789-,\n\r@: x\xff"[random.below(19)];
        const auto problem = problemFromCsv(damaged, "damaged.csv");
        if (!problem)
            continue;
        ++readable;
        const auto plan = planWith("greedy-by-size", *problem);
        if (plan)
            QVERIFY(validatePlan(*problem, *plan).isValid());
    }
    QVERIFY(readable > 50);
}

QTEST_APPLESS_MAIN(TestPlanIoCsv)
#include "tst_plan_io_csv.moc"
