// SPDX-License-Identifier: MIT
#include "tests/support/parts_graph.h"
#include "tests/support/tiny_plan.h"
#include "ui/buffer_colours.h"
#include "ui/views/plot_scene.h"

#include <arenascope/buffer_pieces.h>
#include <arenascope/trace.h>

#include <QImage>
#include <QPainter>
#include <QtTest>

#include <algorithm>

using namespace arenascope;
using namespace arenascope::ui;

namespace {

PlacementProblem problemOf(std::vector<BufferGap> gaps, LiveRange live = { 1, 5 }, Bytes size = 128)
{
    PlacementProblem problem;
    problem.stepCount = 6;
    problem.alignment = 64;
    Buffer buffer;
    buffer.name = "b";
    buffer.size = size;
    buffer.live = live;
    buffer.gaps = std::move(gaps);
    problem.buffers.push_back(std::move(buffer));
    return problem;
}

std::shared_ptr<const PlanOutcome> partsOutcome(std::uint64_t seed)
{
    StudyOptions options;
    options.alias = AliasMode::All;
    options.problem.alignment = 4;
    const auto study = makeStudy(test::partsGraph(seed, 40), options);
    if (!study)
        return nullptr;
    const auto outcome = planStudy(*study, "best-fit");
    return outcome ? *outcome : nullptr;
}

/// Whether two boxes share more than a border.
bool overlap(const QRectF& a, const QRectF& b)
{
    constexpr double kBorder = 1e-6;
    return a.left() < b.right() - kBorder && b.left() < a.right() - kBorder && a.top() < b.bottom() - kBorder
        && b.top() < a.bottom() - kBorder;
}

int overlaps(const std::vector<std::vector<QRectF>>& shapes)
{
    int count = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        for (std::size_t k = i + 1; k < shapes.size(); ++k) {
            for (const QRectF& a : shapes[i])
                count += static_cast<int>(std::count_if(shapes[k].begin(), shapes[k].end(), [&](const QRectF& b) { return overlap(a, b); }));
        }
    }
    return count;
}

} // namespace

class TstBufferPieces : public QObject {
    Q_OBJECT
private slots:
    void piecesOfGaps_data();
    void piecesOfGaps();
    void piecesAtAStepAreThoseOfTheWhole();
    void outlinesFollowTheStairs();
    void nothingOverlapsInThePicture();
    void drawnMeansHittable();
    void theStripShowsWhatIsNeededNow();
    void buffersSideBySideInAGapDifferInColour();
};

void TstBufferPieces::piecesOfGaps_data()
{
    using Gaps = std::vector<BufferGap>;
    using Pieces = std::vector<BufferPiece>;
    QTest::addColumn<Gaps>("gaps");
    QTest::addColumn<Pieces>("pieces");
    QTest::newRow("no gap is one piece") << Gaps {} << Pieces { { { 1, 5 }, 0, 128 } };
    QTest::newRow("half of it at first") << Gaps { { { 1, 3 }, 0, 64 } } << Pieces { { { 1, 3 }, 0, 64 }, { { 3, 5 }, 0, 128 } };
    QTest::newRow("the other half at last") << Gaps { { { 4, 5 }, 64, 128 } } << Pieces { { { 1, 4 }, 0, 128 }, { { 4, 5 }, 64, 128 } };
    QTest::newRow("the middle all the time") << Gaps { { { 1, 5 }, 32, 96 } } << Pieces { { { 1, 5 }, 32, 96 } };
    QTest::newRow("nothing for a while") << Gaps { { { 2, 4 }, 0, 0 } } << Pieces { { { 1, 2 }, 0, 128 }, { { 4, 5 }, 0, 128 } };
    QTest::newRow("equal needs in a row are one") << Gaps { { { 1, 3 }, 0, 64 }, { { 3, 5 }, 0, 64 } } << Pieces { { { 1, 5 }, 0, 64 } };
    QTest::newRow("in any order") << Gaps { { { 3, 5 }, 64, 128 }, { { 1, 3 }, 0, 64 } } << Pieces { { { 1, 3 }, 0, 64 }, { { 3, 5 }, 64, 128 } };
    QTest::newRow("beyond the life it is cut") << Gaps { { { 0, 2 }, 0, 64 } } << Pieces { { { 1, 2 }, 0, 64 }, { { 2, 5 }, 0, 128 } };
    QTest::newRow("more than there is is all") << Gaps { { { 1, 5 }, 0, 500 } } << Pieces { { { 1, 5 }, 0, 128 } };
}

void TstBufferPieces::piecesOfGaps()
{
    QFETCH(std::vector<BufferGap>, gaps);
    QFETCH(std::vector<BufferPiece>, pieces);
    QVERIFY(bufferPieces(problemOf(gaps), BufferId(0)) == pieces);
}

void TstBufferPieces::piecesAtAStepAreThoseOfTheWhole()
{
    int seen = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto outcome = partsOutcome(seed);
        if (!outcome)
            continue;
        const PlacementProblem& problem = outcome->study->problem;
        for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
            const BufferId id = BufferId::fromIndex(i);
            const auto whole = bufferPieces(problem, id);
            for (Step step = 0; step < problem.stepCount; ++step) {
                Bytes bytes = 0;
                std::vector<BufferPiece> there;
                for (const BufferPiece& piece : whole) {
                    if (!piece.steps.contains(step))
                        continue;
                    there.push_back({ { step, step + 1 }, piece.low, piece.high });
                    bytes += piece.high - piece.low;
                }
                QVERIFY(there.size() <= 1);
                const auto piece = bufferPieceAt(problem, id, step);
                QCOMPARE(piece.has_value(), !there.empty());
                QVERIFY(!piece || *piece == there.front());
                // The core works the same out on its own.
                if (problem.buffer(id).live.contains(step))
                    QCOMPARE(bytes, neededAt(problem, id, step));
                ++seen;
            }
        }
    }
    QVERIFY(seen > 1000);
}

void TstBufferPieces::outlinesFollowTheStairs()
{
    //  0 +--+        two pieces that touch, then one apart
    // 10 |  |--+
    // 20 +--|  | +-+
    // 30    +--+ +-+
    const auto outlines = pieceOutlines({ QRectF(0, 0, 20, 20), QRectF(20, 10, 20, 20), QRectF(50, 20, 10, 10) });
    QCOMPARE(outlines.size(), std::size_t(2));
    const std::vector<QPointF> stairs { { 0, 0 }, { 20, 0 }, { 20, 10 }, { 40, 10 }, { 40, 30 }, { 20, 30 }, { 20, 20 }, { 0, 20 }, { 0, 0 } };
    QCOMPARE(outlines[0], stairs);
    QCOMPARE(outlines[1].size(), std::size_t(5));
    // Only corners touch: two shapes.
    QCOMPARE(pieceOutlines({ QRectF(0, 0, 10, 10), QRectF(10, 10, 10, 10) }).size(), std::size_t(2));
    QVERIFY(pieceOutlines({}).empty());
}

void TstBufferPieces::nothingOverlapsInThePicture()
{
    int wholeOverlaps = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const auto outcome = partsOutcome(seed);
        if (!outcome)
            continue;
        QVERIFY(outcome->isValid());
        const PlotFrame frame = plotFrame(QRectF(0, 0, 800, 400), 0, static_cast<double>(outcome->study->problem.stepCount), 0,
            static_cast<double>(outcome->plan.arenaSize));
        std::vector<std::vector<QRectF>> pieces, whole;
        for (std::size_t i = 0; i < outcome->study->problem.buffers.size(); ++i) {
            pieces.push_back(stayPieces(*outcome, BufferId::fromIndex(i), frame));
            whole.push_back({ stayRect(*outcome, BufferId::fromIndex(i), frame) });
        }
        QCOMPARE(overlaps(pieces), 0);
        wholeOverlaps += overlaps(whole);
    }
    QVERIFY(wholeOverlaps > 0); // there is something to keep apart
}

void TstBufferPieces::drawnMeansHittable()
{
    int shapes = 0, seen = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const auto outcome = partsOutcome(seed);
        if (!outcome)
            continue;
        const BufferColours colours = bufferColours(*outcome);
        const PlotInput input { outcome.get(), &colours, ColourBy::Buffer, {} };
        const PlotFrame frame = plotFrame(QRectF(0, 0, 600, 300), 0, static_cast<double>(outcome->study->problem.stepCount), 0, fullHeight(input));
        const Scene scene = arenaScene(input, frame, Theme::light());
        shapes += static_cast<int>(scene.layers[2].paths.size());
        QImage image(600, 300, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        paintScene(painter, scene, QRectF(0, 0, 600, 300), 1.0);
        painter.end();
        const SceneIndex index(scene);
        for (std::size_t b = 0; b < colours.buffers.size(); ++b) {
            for (const QRectF& piece : stayPieces(*outcome, BufferId::fromIndex(b), frame)) {
                if (piece.width() < 6 || piece.height() < 6)
                    continue;
                ++seen;
                const QPointF corner = piece.topLeft() + QPointF(2.5, 2.5);
                QCOMPARE(itemAt(scene, index, piece.center(), 0), Item::of(BufferId::fromIndex(b)));
                QCOMPARE(image.pixelColor(corner.toPoint()), bufferColour(input, BufferId::fromIndex(b), Theme::light()));
            }
        }
    }
    QVERIFY(shapes > 0);
    QVERIFY(seen > 50);
}

void TstBufferPieces::theStripShowsWhatIsNeededNow()
{
    int free = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const auto outcome = partsOutcome(seed);
        if (!outcome)
            continue;
        const PlacementProblem& problem = outcome->study->problem;
        const BufferColours colours = bufferColours(*outcome);
        const PlotInput input { outcome.get(), &colours, ColourBy::Buffer, {} };
        const auto arena = static_cast<double>(outcome->plan.arenaSize);
        const PlotFrame frame = plotFrame(QRectF(0, 0, 600, 300), 0, static_cast<double>(problem.stepCount), 0, arena);
        for (Step step = 0; step < problem.stepCount; ++step) {
            const Scene now = arenaNowScene(input, frame, Theme::light(), { step, -1, 1.0 });
            double height = 0;
            for (const SceneRect& rect : now.layers[1].rects) {
                if (rect.item.kind == Item::Kind::Buffer && !rect.stroke.isValid())
                    height += rect.rect.height();
            }
            Bytes most = 0;
            for (const BufferId id : buffersAliveAt(problem, step)) {
                most += neededAt(problem, id, step);
                free += neededAt(problem, id, step) < problem.reserved(id);
            }
            QVERIFY(height <= frame.now.height() * static_cast<double>(most) / arena + 1e-6);
        }
    }
    QVERIFY(free > 0);
}

void TstBufferPieces::buffersSideBySideInAGapDifferInColour()
{
    int shared = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const auto outcome = partsOutcome(seed);
        if (!outcome)
            continue;
        const BufferColours colours = bufferColours(*outcome);
        const PlacementProblem& problem = outcome->study->problem;
        // By hand, step by step: who lies right above whom.
        for (Step step = 0; step < problem.stepCount; ++step) {
            std::vector<std::pair<Offset, std::size_t>> order;
            for (const BufferId id : buffersAliveAt(problem, step)) {
                const auto piece = bufferPieceAt(problem, id, step);
                if (!piece)
                    continue;
                order.emplace_back(outcome->plan.placements[id.index()].offset + piece->low, id.index());
                shared += piece->high - piece->low < problem.reserved(id);
            }
            std::sort(order.begin(), order.end());
            for (std::size_t i = 1; i < order.size(); ++i)
                QVERIFY(!(colours.buffers[order[i].second] == colours.buffers[order[i - 1].second]));
        }
    }
    QVERIFY(shared > 0);
}

QTEST_MAIN(TstBufferPieces)
#include "tst_buffer_pieces.moc"
