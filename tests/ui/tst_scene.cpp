// SPDX-License-Identifier: MIT
#include "tests/support/tiny_plan.h"
#include "ui/views/network_scene.h"
#include "ui/views/plot_scene.h"
#include "ui/views/scene.h"

#include <QImage>
#include <QtTest>

#include <random>

using namespace arenascope;
using namespace arenascope::ui;

class TstScene : public QObject {
    Q_OBJECT
private slots:
    void topmostIsHit();
    void indexFindsWhatLookingAtAllFinds();
    void drawnMeansHittable();
    void memoriesLieOnTopOfEachOther();
    void stepFunctionOfTheTinyPlan();
    void staysOfTheTinyPlan();
    void clashesAreHatched();
    void memoriesLieAboveEachOther();
    void boxesAtThePlayhead();
    void wordsVanishFromAfar();
    void arenaOverlayDrawsOnlyWhatIsAlive();
};

namespace {

Scene randomScene(unsigned seed)
{
    std::mt19937 random(seed);
    const auto at = [&](double most) { return static_cast<double>(random() % 10000) / 10000.0 * most; };
    Scene scene;
    scene.layers.resize(2);
    for (int i = 0; i < 300; ++i) {
        SceneRect rect;
        rect.rect = QRectF(at(1000), at(4000), 1 + at(60), 1 + at(60));
        rect.fill = Qt::red;
        rect.item = Item::of(OpId(i));
        scene.layers[static_cast<std::size_t>(i % 2)].rects.push_back(rect);
        ScenePath path;
        path.points = {{at(1000), at(4000)}, {at(1000), at(4000)}, {at(1000), at(4000)}};
        path.stroke = Qt::blue;
        path.width = 1 + at(4);
        path.item = Item::of(TensorId(i));
        scene.layers[static_cast<std::size_t>(i % 2)].paths.push_back(path);
    }
    scene.bounds = extentOf(scene);
    return scene;
}

} // namespace

void TstScene::topmostIsHit()
{
    Scene scene;
    scene.layers.resize(2);
    scene.layers[0].rects.push_back({QRectF(0, 0, 10, 10), Qt::red, {}, 1, 0, Qt::SolidPattern, 0, Item::of(OpId(1))});
    scene.layers[0].rects.push_back({QRectF(5, 0, 10, 10), Qt::red, {}, 1, 0, Qt::SolidPattern, 0, Item::of(OpId(2))});
    ScenePath path;
    path.points = {{0, 5}, {20, 5}};
    path.width = 2;
    path.item = Item::of(TensorId(3));
    scene.layers[1].paths.push_back(path);
    QCOMPARE(itemAt(scene, {2, 1}, 0), Item::of(OpId(1)));
    QCOMPARE(itemAt(scene, {7, 1}, 0), Item::of(OpId(2)));  // painted later
    QCOMPARE(itemAt(scene, {7, 5}, 0), Item::of(TensorId(3))); // layer above
    QCOMPARE(itemAt(scene, {18, 7}, 0.5), Item{});
    QCOMPARE(itemAt(scene, {18, 7}, 1.5), Item::of(TensorId(3)));
    QCOMPARE(itemAt(scene, {50, 50}, 3), Item{});
}

void TstScene::indexFindsWhatLookingAtAllFinds()
{
    for (const unsigned seed : {1U, 2U, 3U}) {
        const Scene scene = randomScene(seed);
        const SceneIndex index(scene);
        std::mt19937 random(seed + 100);
        for (int i = 0; i < 3000; ++i) {
            const QPointF point(static_cast<double>(random() % 1100) - 20, static_cast<double>(random() % 4200) - 20);
            QCOMPARE(itemAt(scene, index, point, 3.0), itemAt(scene, point, 3.0));
        }
    }
}

void TstScene::drawnMeansHittable()
{
    // Every pixel that shows a buffer's colour is hit as a buffer of that colour.
    const auto outcome = test::tinyOutcome();
    const BufferColours colours = bufferColours(*outcome);
    const PlotInput input{outcome.get(), &colours, ColourBy::Buffer, {}};
    const PlotFrame frame = plotFrame(QRectF(0, 0, 600, 300), 0, 3, 0, fullHeight(input));
    const Scene scene = arenaScene(input, frame, Theme::light());
    QImage image(600, 300, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    paintScene(painter, scene, QRectF(0, 0, 600, 300), 1.0);
    painter.end();
    int seen = 0;
    for (int y = 0; y < 300; y += 3) {
        for (int x = 0; x < 600; x += 3) {
            const QPointF point(x + 0.5, y + 0.5);
            const Item item = itemAt(scene, point, 0);
            for (std::size_t b = 0; b < colours.buffers.size(); ++b) {
                if (image.pixel(x, y) != bufferColour(input, BufferId::fromIndex(b), Theme::light()).rgb())
                    continue;
                ++seen;
                QCOMPARE(item, Item::of(BufferId::fromIndex(b)));
            }
        }
    }
    QVERIFY(seen > 1000);

    const auto drawing = test::columnOf(*outcome->study);
    const NetworkScene network = networkScene({outcome->study->graph.get(), drawing.drawn.get(), drawing.layout.get(), outcome.get(), &colours,
                                               ColourBy::Buffer}, Theme::light());
    for (const auto& layer : network.scene.layers) {
        for (const SceneRect& rect : layer.rects)
            QVERIFY(!itemAt(network.scene, rect.rect.center(), 0).isNone());
        for (const ScenePath& path : layer.paths)
            QVERIFY(!itemAt(network.scene, (path.points[0] + path.points[1]) / 2, 0).isNone());
    }
}

void TstScene::clashesAreHatched()
{
    // a is moved down over x: both are alive at step 0, and want [32, 64).
    PlanOutcome outcome = *test::tinyOutcome();
    outcome.plan.placements[test::bufferNamed(outcome, "a").index()].offset = 32;
    outcome.placement = validatePlan(outcome.study->problem, outcome.plan);
    QCOMPARE(outcome.placement.clashCount, std::int64_t(2)); // and 32 is no multiple of 64
    const BufferColours colours = bufferColours(outcome);
    const PlotInput input{&outcome, &colours, ColourBy::Buffer, {}};
    // A pixel a byte, a hundred a step.
    const PlotFrame frame = plotFrame(QRectF(0, 0, 300 + 66 + 132, 320 + 20 + 24), 0, 3, 0, 320);
    const Scene scene = arenaScene(input, frame, Theme::light());
    int marks = 0;
    for (const SceneLayer& layer : scene.layers) {
        for (const SceneRect& rect : layer.rects) {
            if (rect.stroke != Theme::light().clash)
                continue;
            ++marks;
            QVERIFY(rect.pattern != Qt::SolidPattern); // not by colour alone
            QCOMPARE(rect.rect, QRectF(frame.plot.left(), frame.bytes.y(64), 100, 32));
            QCOMPARE(itemAt(scene, rect.rect.center(), 0).kind, Item::Kind::Buffer);
        }
        for (const SceneText& text : layer.texts)
            marks += text.text == QStringLiteral("x and a") ? 10 : 0;
    }
    QCOMPARE(marks, 11);
    const auto marksAt = [&](Step step) {
        const Scene now = arenaNowScene(input, frame, Theme::light(), {step, -1, 1.0});
        return std::count_if(now.layers[1].rects.begin(), now.layers[1].rects.end(), [](const SceneRect& rect) { return rect.stroke == Theme::light().clash; });
    };
    QCOMPARE(marksAt(0), 1);
    QCOMPARE(marksAt(1), 0);
}

void TstScene::memoriesLieAboveEachOther()
{
    PlanOutcome outcome = *test::tinyOutcome();
    auto study = std::make_shared<Study>(*outcome.study);
    study->problem.regions = {{"fast", std::nullopt, 0, 0.0}, {"slow", std::nullopt, 0, 1.0}};
    outcome.study = study;
    const std::size_t a = test::bufferNamed(outcome, "a").index(), b = test::bufferNamed(outcome, "b").index(), x = test::bufferNamed(outcome, "x").index();
    outcome.plan.placements[a] = {0, RegionId(1), MemoryId(), PingPongSide::None};
    outcome.plan.placements[b] = {128, RegionId(1), MemoryId(), PingPongSide::None};
    outcome.plan.placements[x].region = RegionId(); // nowhere
    outcome.plan.regionSizes = {64, 256};
    QCOMPARE(drawnOffset(outcome, BufferId::fromIndex(a)), std::optional<Offset>(64));
    QCOMPARE(drawnOffset(outcome, BufferId::fromIndex(b)), std::optional<Offset>(192));
    QCOMPARE(drawnOffset(outcome, BufferId::fromIndex(x)), std::optional<Offset>());
    const PlotFrame frame = plotFrame(QRectF(0, 0, 300 + 66 + 132, 320 + 20 + 24), 0, 3, 0, 320);
    QCOMPARE(stayRect(outcome, BufferId::fromIndex(a), frame).bottom(), frame.bytes.y(64));
    QVERIFY(stayRect(outcome, BufferId::fromIndex(x), frame).isEmpty());
    const BufferColours colours = bufferColours(outcome);
    const Scene scene = arenaScene({&outcome, &colours, ColourBy::Buffer, {}}, frame, Theme::light());
    bool isNamed = false;
    for (const SceneText& text : scene.layers.back().texts)
        isNamed = isNamed || text.text == QStringLiteral("fast");
    QVERIFY(isNamed);
}

void TstScene::staysOfTheTinyPlan()
{
    const auto outcome = test::tinyOutcome();
    // 300 pixels for 3 steps, 320 pixels for 320 bytes: plotFrame() keeps 66 + 132 and 20 + 24 for axes and names.
    const PlotFrame frame = plotFrame(QRectF(0, 0, 300 + 66 + 132, 320 + 20 + 24), 0, 3, 0, 320);
    QCOMPARE(frame.plot, QRectF(66, 20, 300, 320));
    const auto stay = [&](const char* name) { return stayRect(*outcome, test::bufferNamed(*outcome, name), frame); };
    QCOMPARE(stay("x"), QRectF(66, 20 + 256, 100, 64));
    QCOMPARE(stay("a"), QRectF(66, 20 + 128, 200, 128));
    QCOMPARE(stay("b"), QRectF(166, 20, 200, 128));
    QCOMPARE(stay("y"), QRectF(266, 20 + 256, 100, 64));
}

void TstScene::memoriesLieOnTopOfEachOther()
{
    // x and y in 64 bytes of sram, a and b in psram above.
    auto study = std::make_shared<Study>(*test::tinyOutcome()->study);
    study->problem.regions = {{"sram", 64, 0, 0.0}, {"psram", std::nullopt, 0, 1.0}};
    auto outcome = std::make_shared<PlanOutcome>(*test::tinyOutcome());
    outcome->study = study;
    outcome->plan.regionSizes = {64, 256};
    const auto put = [&](const char* name, Offset offset, int region) {
        Placement& placement = outcome->plan.placements[test::bufferNamed(*outcome, name).index()];
        placement.offset = offset;
        placement.region = RegionId(region);
    };
    put("x", 0, 0);
    put("y", 0, 0);
    put("a", 0, 1);
    put("b", 128, 1);
    const PlotFrame frame = plotFrame(QRectF(0, 0, 300 + 66 + 132, 320 + 20 + 24), 0, 3, 0, 320);
    const auto stay = [&](const char* name) { return stayRect(*outcome, test::bufferNamed(*outcome, name), frame); };
    QCOMPARE(stay("x"), QRectF(66, 20 + 256, 100, 64));
    QCOMPARE(stay("a"), QRectF(66, 20 + 128, 200, 128));
    QCOMPARE(stay("b"), QRectF(166, 20, 200, 128));
    const BufferColours colours = bufferColours(*outcome);
    const Scene scene = arenaScene({outcome.get(), &colours, ColourBy::Buffer, {}}, frame, Theme::light());
    QStringList words;
    for (const SceneLayer& layer : scene.layers) {
        for (const SceneText& text : layer.texts)
            words << text.text;
    }
    QVERIFY2(!words.filter("sram").isEmpty(), qPrintable(words.join('|'))); // where the first ends
}

void TstScene::stepFunctionOfTheTinyPlan()
{
    const auto outcome = test::tinyOutcome();
    const PlotFrame frame = plotFrame(QRectF(0, 0, 300 + 66 + 132, 320 + 20 + 24), 0, 3, 0, 320);
    const Scene scene = curveScene({outcome.get(), nullptr, ColourBy::Buffer, {}}, frame, Theme::light());
    const auto& line = scene.layers[1].paths.at(1).points;
    const std::vector<QPointF> expected{{66, 148}, {166, 148}, {166, 84}, {266, 84}, {266, 148}, {366, 148}}; // 192, 256, 192
    QCOMPARE(line, expected);
    QStringList words;
    for (const SceneLayer& layer : scene.layers)
        for (const SceneText& text : layer.texts)
            words << text.text;
    QVERIFY(words.contains(QStringLiteral("256 B"))); // peak, and a tick
    QVERIFY(words.contains(QStringLiteral("320 B"))); // arena
    QVERIFY(!words.filter(QStringLiteral("step 1")).isEmpty());
}

void TstScene::boxesAtThePlayhead()
{
    const auto outcome = test::tinyOutcome();
    const Study& study = *outcome->study;
    const BufferColours colours = bufferColours(*outcome);
    const auto drawing = test::columnOf(study);
    const NetworkInput input{study.graph.get(), drawing.drawn.get(), drawing.layout.get(), outcome.get(), &colours, ColourBy::Buffer};
    const Theme& theme = Theme::light();
    NetworkScene network = networkScene(input, theme);
    QCOMPARE(network.nodes.size(), std::size_t(5)); // x, three operators, y
    const auto ranges = tensorLiveRanges(*study.graph, study.schedule);
    const StepState state = stepStateAt(study, ranges, 1);
    QCOMPARE(state.running, study.graph->findOperator("first").isValid() ? study.schedule.order[1] : OpId());
    QVERIFY(state.reads(study.graph->findTensor("a")));
    QVERIFY(state.writes(study.graph->findTensor("b")));
    QVERIFY(!state.reads(study.graph->findTensor("x")));
    lightNetwork(network, input, state, theme);
    const auto boxOf = [&](std::size_t node) { return network.scene.layers[NetworkScene::Boxes].rects.at(static_cast<std::size_t>(network.nodes[node].box)); };
    QCOMPARE(boxOf(0).fill, faded(network.nodes[0].colour, theme.canvas)); // x is dead: a quarter
    QCOMPARE(boxOf(1).fill, network.nodes[1].colour);
    QCOMPARE(boxOf(1).stroke, theme.reading);  // made a, which is read
    QCOMPARE(boxOf(2).stroke, theme.writing);
    QCOMPARE(boxOf(3).fill, faded(network.nodes[3].colour, theme.canvas)); // y is not there yet
    lightNetwork(network, input, StepState{}, theme);
    QCOMPARE(boxOf(0).fill, network.nodes[0].colour);
    QCOMPARE(boxOf(2).stroke, theme.border);
}

void TstScene::arenaOverlayDrawsOnlyWhatIsAlive()
{
    const auto outcome = test::tinyOutcome();
    const BufferColours colours = bufferColours(*outcome);
    const PlotInput input{outcome.get(), &colours, ColourBy::Buffer, {}};
    const PlotFrame frame = plotFrame(QRectF(0, 0, 600, 300), 0, 3, 0, 320);
    std::vector<std::int32_t> drawn;
    const Scene now = arenaNowScene(input, frame, Theme::light(), {1, -1, 1.0});
    for (const SceneRect& rect : now.layers[0].rects) {
        if (rect.item.kind == Item::Kind::Buffer)
            drawn.push_back(rect.item.id);
    }
    std::sort(drawn.begin(), drawn.end());
    std::vector<std::int32_t> expected{test::bufferNamed(*outcome, "a").value(), test::bufferNamed(*outcome, "b").value()};
    std::sort(expected.begin(), expected.end());
    QCOMPARE(drawn, expected);
    QVERIFY(arenaNowScene(input, frame, Theme::light(), {-1, -1, 1.0}).layers[0].rects.empty());
}

void TstScene::wordsVanishFromAfar()
{
    Scene scene;
    scene.layers.resize(1);
    scene.layers[0].texts.push_back({QRectF(0, 0, 100, 20), QStringLiteral("words"), Qt::black, 12, false, Qt::AlignCenter, 0.5, {}});
    const auto isBlank = [&](double scale) {
        QImage image(100, 20, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        painter.scale(scale, scale);
        paintScene(painter, scene, QRectF(0, 0, 100, 20), scale);
        painter.end();
        QImage white(100, 20, QImage::Format_RGB32);
        white.fill(Qt::white);
        return image == white;
    };
    QVERIFY(!isBlank(1.0));
    QVERIFY(isBlank(0.45));
}

QTEST_MAIN(TstScene)
#include "tst_scene.moc"
