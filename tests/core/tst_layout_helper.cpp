// SPDX-License-Identifier: MIT
// The helper process: what is said to it, and what happens when it misbehaves.
#include "core/src/layout/helper_process.h"
#include "core/src/layout/helper_protocol.h"
#include "tests/support/layout_checks.h"

#include <arenascope/layout.h>

#include <QtTest/QtTest>

#include <QTemporaryDir>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace arenascope;
using layout::LayeredPiece;

namespace {

/// Ranks of `width` boxes, each with two random ends above.
LayeredPiece mesh(int ranks, int width, std::uint32_t seed)
{
    std::mt19937 engine(seed);
    LayeredPiece piece;
    piece.nodeGap = 24;
    piece.rankCount = ranks;
    piece.boxCount = ranks * width;
    for (int i = 0; i < ranks * width; ++i) {
        piece.widths.push_back(80);
        piece.ranks.push_back(i / width);
        for (int k = 0; k < 2 && i >= width; ++k)
            piece.segments.push_back(
                { (i / width - 1) * width + static_cast<int>(engine() % static_cast<unsigned>(width)), i });
    }
    std::ranges::sort(piece.segments);
    const auto repeated = std::ranges::unique(piece.segments);
    piece.segments.erase(repeated.begin(), repeated.end());
    return piece;
}

/// A graph that cannot be drawn without crossings: each of three reads each of three.
DrawnGraph crossing()
{
    DrawnGraph graph;
    for (int i = 0; i < 8; ++i)
        graph.nodes.push_back({ LayoutNode::Kind::Operator, OpId(i), {}, { 90, 30 } });
    for (int i = 1; i <= 3; ++i) {
        graph.edges.push_back({ 0, i, TensorId(0) });
        for (int k = 4; k <= 6; ++k)
            graph.edges.push_back({ i, k, TensorId(i) });
        graph.edges.push_back({ i + 3, 7, TensorId(i + 3) });
    }
    return graph;
}

std::filesystem::path realHelper()
{
    return std::filesystem::path(ARENASCOPE_BIN_DIR) / "arenascope-layout";
}

/// Builds with programs make the helper before this test; only those without have none.
#ifdef ARENASCOPE_HAS_LAYOUT_HELPER
#define REQUIRE_HELPER() QVERIFY2(std::filesystem::exists(realHelper()), realHelper().c_str())
#else
#define REQUIRE_HELPER() QSKIP("this build has no programs, so no arenascope-layout")
#endif

int openDescriptors()
{
    int count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

bool hasChildren()
{
    return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

LayoutOptions with(const std::filesystem::path& helper, LayoutEngine engine = LayoutEngine::Graphviz)
{
    LayoutOptions options;
    options.engine = engine;
    options.helper = helper;
    return options;
}

bool isSame(const GraphLayout& a, const GraphLayout& b)
{
    return std::ranges::equal(a.nodes, b.nodes, [](const Rect& p, const Rect& q) { return p.x == q.x && p.y == q.y; });
}

} // namespace

class TestLayoutHelper : public QObject {
    Q_OBJECT

private slots:
    void requestsComeBackAsTheyWere();
    void brokenRequestsAreRefused();
    void answersMustBeWhole();
    void serverOrdersRanks();
    void serverRefusesGarbage();
    void graphvizUncrosses();
    void misbehavingHelper_data();
    void misbehavingHelper();
    void stopEndsAHangingHelper();
    void nothingIsLeftBehind();
    void severalAtOnce();
    void helperIsFound();

private:
    /// A program that does what the script says.
    std::filesystem::path script(const std::string& name, const std::string& text)
    {
        const auto path = std::filesystem::path(m_folder.path().toStdString()) / name;
        std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
        return path;
    }

    QTemporaryDir m_folder;
};

void TestLayoutHelper::requestsComeBackAsTheyWere()
{
    LayeredPiece piece = mesh(4, 3, 1);
    piece.boxCount = 11;
    const auto back = layout::decodeRequest(layout::encodeRequest(piece));
    QVERIFY(back.has_value());
    QCOMPARE(back->widths, piece.widths);
    QCOMPARE(back->ranks, piece.ranks);
    QVERIFY(back->segments == piece.segments);
    QCOMPARE(back->boxCount, 11);
    QCOMPARE(back->rankCount, 4);
    QCOMPARE(back->nodeGap, 24.0);
    const std::string frame = layout::frameOf("abc");
    QCOMPARE(frame.size(), layout::kFrameHeader + 3);
    QCOMPARE(layout::bodyLength(frame), std::optional<std::size_t>(3));
}

void TestLayoutHelper::brokenRequestsAreRefused()
{
    const std::string good = layout::encodeRequest(mesh(3, 3, 2));
    for (std::size_t length = 0; length < good.size(); ++length)
        QVERIFY(!layout::decodeRequest(std::string_view(good).substr(0, length)));
    QVERIFY(!layout::decodeRequest(good + "x"));
    std::mt19937 engine(3);
    for (int i = 0; i < 20000; ++i) {
        std::string changed = good;
        changed[engine() % changed.size()] = static_cast<char>(engine());
        const auto piece = layout::decodeRequest(changed);
        if (!piece)
            continue;
        QCOMPARE(piece->ranks.size(), piece->widths.size());
        for (const layout::Segment& segment : piece->segments)
            QCOMPARE(piece->rank(segment.lower), piece->rank(segment.upper) + 1);
    }
    QVERIFY(!layout::bodyLength("ASL"));
    QVERIFY(!layout::bodyLength("GET / HT"));
}

void TestLayoutHelper::answersMustBeWhole()
{
    const std::vector<std::int32_t> positions = { 2, 0, 1 };
    const std::string body = layout::encodeAnswer(positions);
    QCOMPARE(layout::decodeAnswer(body, 3), std::optional(positions));
    QVERIFY(!layout::decodeAnswer(body, 2));
    QVERIFY(!layout::decodeAnswer(body.substr(1), 3));
    QVERIFY(!layout::decodeAnswer("", 3));
}

void TestLayoutHelper::serverOrdersRanks()
{
    int ends[2];
    QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    int code = -1;
    std::jthread server([&] { code = runLayoutHelper(ends[1], ends[1]); });
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
        const LayeredPiece piece = mesh(6, 5, seed);
        const std::string frame = layout::frameOf(layout::encodeRequest(piece));
        QCOMPARE(::write(ends[0], frame.data(), frame.size()), static_cast<ssize_t>(frame.size()));
        std::string answer(layout::kFrameHeader + 4 + 4 * piece.size(), '\0');
        QCOMPARE(::recv(ends[0], answer.data(), answer.size(), MSG_WAITALL), static_cast<ssize_t>(answer.size()));
        const auto positions
            = layout::decodeAnswer(std::string_view(answer).substr(layout::kFrameHeader), piece.size());
        QVERIFY(positions.has_value());
        for (int rank = 0; rank < 6; ++rank) { // each place of a rank once
            std::vector<std::int32_t> places(positions->begin() + 5 * rank, positions->begin() + 5 * rank + 5);
            std::ranges::sort(places);
            QCOMPARE(places, std::vector<std::int32_t>({ 0, 1, 2, 3, 4 }));
        }
    }
    ::shutdown(ends[0], SHUT_RDWR);
    server.join();
    QCOMPARE(code, 0);
    ::close(ends[0]);
    ::close(ends[1]);
}

void TestLayoutHelper::serverRefusesGarbage()
{
    for (const std::string& garbage : { std::string("hello, is there anybody"), layout::frameOf("not a request"),
             std::string("ASL1\xff\xff\xff\xff", 8) }) {
        int ends[2];
        QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        QCOMPARE(::write(ends[0], garbage.data(), garbage.size()), static_cast<ssize_t>(garbage.size()));
        QCOMPARE(runLayoutHelper(ends[1], ends[1]), 2);
        ::close(ends[0]);
        ::close(ends[1]);
    }
}

void TestLayoutHelper::graphvizUncrosses()
{
    layout::HelperProcess helper;
    REQUIRE_HELPER();
    QVERIFY(helper.start(realHelper()));
    // Two chains that change places in every rank as they are numbered, but need not cross.
    LayeredPiece piece;
    piece.nodeGap = 20;
    piece.rankCount = 8;
    piece.boxCount = 16;
    for (int i = 0; i < 16; ++i) {
        piece.widths.push_back(50);
        piece.ranks.push_back(i / 2);
        if (i >= 2)
            piece.segments.push_back({ (i / 2 - 1) * 2 + (1 - i % 2), i });
    }
    std::ranges::sort(piece.segments);
    const auto answer = helper.ask(layout::encodeRequest(piece), {});
    QVERIFY(answer.has_value());
    const auto positions = layout::decodeAnswer(*answer, piece.size());
    QVERIFY(positions.has_value());
    const layout::Links links = layout::linksOf(piece);
    QCOMPARE(layout::orderByKey(piece, links, *positions).crossings, 0);
    QCOMPARE(layout::orderByKey(piece, links, std::vector<std::int32_t>(16, 0)).crossings, 7);
    QCOMPARE(layout::orderRanks(piece, links, {}).crossings, 0);
}

void TestLayoutHelper::misbehavingHelper_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("is missing") << QString();
    QTest::newRow("ends at once") << "exit 0";
    QTest::newRow("fails at once") << "exit 3";
    QTest::newRow("crashes") << "kill -SEGV $$";
    QTest::newRow("writes text")
        << "echo 'Hello, I am not what you expect, and I write more than you like to read'; sleep 1";
    QTest::newRow("announces too much") << "printf 'ASL1\\377\\377\\377\\377'; sleep 1";
    QTest::newRow("answers for another piece")
        << "printf 'ASL1\\010\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000'; sleep 1";
    QTest::newRow("breaks off") << "printf 'ASL1\\100\\000\\000\\000abc'";
    QTest::newRow("sends back what it gets") << "cat";
}

void TestLayoutHelper::misbehavingHelper()
{
    QFETCH(QString, text);
    const auto helper = text.isEmpty() ? std::filesystem::path(m_folder.path().toStdString()) / "nothing"
                                       : script("helper", text.toStdString());
    const DrawnGraph graph = crossing();
    const auto own = layOut(graph, with({}, LayoutEngine::Layered));
    const auto result = layOut(graph, with(helper));
    QVERIFY(result.hasValue());
    QVERIFY(isSame(*result, *own));
    QVERIFY(!hasChildren());
}

void TestLayoutHelper::stopEndsAHangingHelper()
{
    const auto helper = script("sleeper", "exec sleep 600");
    std::stop_source stop;
    std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        stop.request_stop();
    });
    const auto result = layOut(crossing(), with(helper), stop.get_token());
    QVERIFY(!result.hasValue());
    QCOMPARE(result.error().code, ErrorCode::Cancelled);
    QVERIFY(!hasChildren());
}

void TestLayoutHelper::nothingIsLeftBehind()
{
    REQUIRE_HELPER();
    const int before = openDescriptors();
    for (int i = 0; i < 10; ++i) {
        const auto result = layOut(crossing(), with(i % 2 == 0 ? realHelper() : script("failing", "exit 1")));
        QVERIFY(result.hasValue());
        QVERIFY(layout_checks::check(crossing(), *result).isClean());
    }
    QCOMPARE(openDescriptors(), before);
    QVERIFY(!hasChildren());
}

void TestLayoutHelper::severalAtOnce()
{
    REQUIRE_HELPER();
    const auto expected = layOut(crossing(), with(realHelper()));
    std::vector<int> same(4, 0);
    {
        std::vector<std::jthread> threads;
        for (int& result : same)
            threads.emplace_back([&] { result = isSame(*layOut(crossing(), with(realHelper())), *expected) ? 1 : 0; });
    }
    QCOMPARE(same, std::vector<int>(4, 1));
    QVERIFY(!hasChildren());
}

void TestLayoutHelper::helperIsFound()
{
    const auto program = script("found", "exit 0");
    QCOMPARE(layout::findHelper(program), program);
    QVERIFY(layout::findHelper(program.parent_path() / "missing").empty());
    QVERIFY(layout::findHelper(program.parent_path()).empty());
    qputenv("ARENASCOPE_LAYOUT_HELPER", program.c_str());
    QCOMPARE(layout::findHelper({}), program);
    qputenv("ARENASCOPE_LAYOUT_HELPER", "/does/not/exist");
    QVERIFY(layout::findHelper({}).empty());
    qunsetenv("ARENASCOPE_LAYOUT_HELPER");
}

QTEST_GUILESS_MAIN(TestLayoutHelper)
#include "tst_layout_helper.moc"
