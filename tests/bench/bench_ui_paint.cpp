// SPDX-License-Identifier: MIT
// Milliseconds a frame of the views, raster, for generated networks; or pictures of the views of a model, to look at.
// usage: bench_ui_paint
//        bench_ui_paint --render MODEL FOLDER [--strategy ID] [--dark] [--step N] [--size WxH] [--branches]
#include "tests/bench/generators.h"

#include "ui/export/page.h"
#include "ui/views/arena_view.h"
#include "ui/views/curve_view.h"
#include "ui/views/network_scene.h"
#include "ui/views/network_view.h"
#include "ui/views/time_axis.h"
#include "ui/views/timeline_bar.h"

#include <arenascope/importer.h>

#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QThread>

#include <cmath>
#include <cstdio>
#include <ctime>

using namespace arenascope;
using namespace arenascope::ui;

namespace {

/// Large scenes are built and painted on a worker.
void settle(const NetworkView& view)
{
    for (int i = 0; i < 500 && (view.sceneBounds().isEmpty() || !view.isSettled()); ++i) {
        QThread::msleep(10);
        QApplication::processEvents();
    }
}

struct Pair {
    double repaint = 0, frame = 0;
};

double threadMilliseconds()
{
    timespec now {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// Processor time of this thread: the machine may have other work, and so may workers.
template <class Work>
double milliseconds(int times, Work work)
{
    const double start = threadMilliseconds();
    for (int i = 0; i < times; ++i)
        work(i);
    return (threadMilliseconds() - start) / times;
}

struct Ready {
    std::shared_ptr<const PlanOutcome> outcome;
    std::shared_ptr<const DrawnGraph> drawn;
    std::shared_ptr<const GraphLayout> layout;
};

std::optional<Ready> prepare(std::shared_ptr<const Graph> graph, std::string_view strategy)
{
    auto study = makeStudy(std::move(graph), {});
    if (!study) {
        std::fprintf(stderr, "%s\n", describe(study.error()).c_str());
        return {};
    }
    auto outcome = planStudy(*study, strategy);
    if (!outcome) {
        std::fprintf(stderr, "%s\n", describe(outcome.error()).c_str());
        return {};
    }
    const Graph& g = *(*study)->graph;
    auto drawn = std::make_shared<const DrawnGraph>(
        drawnGraph(g, (*study)->schedule, [&](const LayoutNode& node) { return nodeSizeFor(node, g); }));
    auto layout = layOut(*drawn, LayoutOptions{});
    if (!layout) {
        std::fprintf(stderr, "%s\n", describe(layout.error()).c_str());
        return {};
    }
    return Ready{*outcome, drawn, std::make_shared<const GraphLayout>(std::move(*layout))};
}

int render(const QStringList& arguments)
{
    const auto option = [&](const QString& name, const QString& otherwise) {
        const qsizetype at = arguments.indexOf(name);
        return at >= 0 && at + 1 < arguments.size() ? arguments[at + 1] : otherwise;
    };
    const auto model = importModel(arguments[2].toStdString());
    if (!model) {
        std::fprintf(stderr, "%s\n", describe(model.error()).c_str());
        return 1;
    }
    const std::string strategy = option(QStringLiteral("--strategy"), QStringLiteral("greedy-by-size")).toStdString();
    const auto ready = prepare(model->graph, strategy);
    if (!ready)
        return 1;
    const Theme& theme = arguments.contains(QStringLiteral("--dark")) ? Theme::darkTheme() : Theme::light();
    const QStringList sides = option(QStringLiteral("--size"), QStringLiteral("1280x800")).split(QLatin1Char('x'));
    const int width = sides[0].toInt(), height = sides[1].toInt();

    QWidget window;
    window.setPalette(theme.palette());
    NetworkView network(nullptr, &window);
    ArenaView arena(nullptr, &window);
    CurveView curve(nullptr, &window);
    TimelineBar bar(nullptr, &window);
    network.setTheme(theme);
    arena.setTheme(theme);
    curve.setTheme(theme);
    bar.setTheme(theme);
    curve.setTimeAxis(arena.timeAxis());
    if (arguments.contains(QStringLiteral("--branches")))
        network.setColourBy(ColourBy::Branch);
    const int left = width * 2 / 5, barHeight = 40, lower = height / 4;
    network.setGeometry(0, 0, left, height - barHeight);
    arena.setGeometry(left, 0, width - left, height - barHeight - lower);
    curve.setGeometry(left, height - barHeight - lower, width - left, lower);
    bar.setGeometry(0, height - barHeight, width, barHeight);
    window.resize(width, height);
    window.show();
    network.setSnapshot({model->graph, ready->drawn, ready->layout, ready->outcome});
    settle(network);
    arena.setOutcome(ready->outcome);
    curve.setOutcome(ready->outcome);
    bar.setOutcome(ready->outcome, nullptr);
    const QString step = option(QStringLiteral("--step"), QString());
    if (!step.isEmpty()) {
        network.setMotion(false);
        arena.setMotion(false);
        for (Selection* selection : {network.selection(), arena.selection(), curve.selection(), bar.selection()}) {
            selection->setStepCount(ready->outcome->study->schedule.stepCount());
            selection->setPlayhead(step.toLongLong());
        }
    }
    QApplication::processEvents();
    const QString stem = QDir(arguments[3]).filePath(QFileInfo(arguments[2]).completeBaseName());
    window.grab().save(stem + QStringLiteral(".png"));

    PictureRequest request;
    request.outcome = ready->outcome;
    request.drawn = ready->drawn;
    request.layout = ready->layout;
    request.dark = theme.dark;
    request.playhead = step.isEmpty() ? -1 : step.toLongLong();
    request.date = QDateTime(QDate(2026, 1, 2), QTime(0, 0));
    for (const auto& [content, name] : {std::pair(PictureContent::Sheet, "sheet"), std::pair(PictureContent::Network, "network")}) {
        request.content = content;
        const auto parts = preparePicture(request);
        const Scene scene = wholePicture(*parts);
        const double scale = std::min(1.0, 16000.0 / std::max(scene.bounds.width(), scene.bounds.height()));
        QImage image((scene.bounds.size() * scale).toSize(), QImage::Format_RGB32);
        QPainter painter(&image);
        painter.scale(scale, scale);
        paintScene(painter, scene, scene.bounds, std::max(scale, kDetailScale));
        painter.end();
        image.save(stem + QLatin1Char('_') + QLatin1String(name) + QStringLiteral(".png"));
    }
    return 0;
}

void measure(const char* name, std::shared_ptr<const Graph> graph)
{
    const auto operators = graph->operators().size();
    const auto ready = prepare(graph, "greedy-by-size");
    if (!ready)
        return;
    BufferColours colours;
    const double colouring = milliseconds(1, [&](int) { colours = bufferColours(*ready->outcome); });
    NetworkInput input{graph.get(), ready->drawn.get(), ready->layout.get(), ready->outcome.get(), &colours, ColourBy::Buffer};
    NetworkScene scene;
    const double building = milliseconds(3, [&](int) { scene = networkScene(input, Theme::light()); });
    SceneIndex index;
    const double indexing = milliseconds(3, [&](int) { index = SceneIndex(scene.scene); });
    const auto ranges = tensorLiveRanges(*graph, ready->outcome->study->schedule);
    const Step steps = ready->outcome->study->schedule.stepCount();
    const double lighting = milliseconds(20, [&](int i) {
        lightNetwork(scene, input, stepStateAt(*ready->outcome->study, ranges, (i * 97) % steps), Theme::light());
    });

    NetworkView view(nullptr);
    view.resize(1280, 800);
    view.show();
    view.setMotion(false);
    view.setSnapshot({graph, ready->drawn, ready->layout, ready->outcome});
    settle(view);
    QImage image(view.size(), QImage::Format_RGB32);
    // A repaint draws everything in sight anew; a frame is what the window waits for: where a network is large, a worker
    // repaints, and the picture before moves.
    const auto both = [&] {
        const QRectF visible = view.visibleScene();
        const double zoom = view.zoom();
        const double repaint = milliseconds(20, [&](int) {
            image.fill(Qt::white);
            QPainter painter(&image);
            painter.scale(zoom, zoom);
            painter.translate(-visible.topLeft());
            paintScene(painter, scene.scene, index, visible, zoom);
        });
        settle(view);
        const double frame = milliseconds(20, [&](int i) {
            view.zoomBy(i % 2 ? 1.001 : 1 / 1.001); // so that nothing is reused
            view.render(&image);
        });
        return Pair{repaint, frame};
    };
    lightNetwork(scene, input, {}, Theme::light());
    const Pair first = both();
    view.fitAll();
    const Pair whole = both();
    view.zoomBy(std::sqrt(std::max(1.0, 0.4 / view.zoom())));
    const Pair middle = both();
    double hits = milliseconds(1000, [&](int i) {
        static_cast<void>(itemAt(scene.scene, index, {scene.scene.bounds.left() + (i * 7919) % 1000 / 1000.0 * scene.scene.bounds.width(),
                                              scene.scene.bounds.top() + (i * 104729) % 1000 / 1000.0 * scene.scene.bounds.height()}, 4.0));
    });

    ArenaView arena(nullptr);
    arena.resize(1280, 500);
    arena.show();
    arena.setMotion(false);
    arena.setOutcome(ready->outcome);
    QImage arenaImage(arena.size(), QImage::Format_RGB32);
    const double arenaFull = milliseconds(10, [&](int i) {
        arena.timeAxis()->zoomAt(0, i % 2 ? 1.001 : 1 / 1.001);
        arena.render(&arenaImage);
    });
    arena.selection()->setStepCount(steps);
    const double arenaStep = milliseconds(50, [&](int i) {
        arena.selection()->setPlayhead((i * 37) % steps);
        arena.render(&arenaImage);
    });
    std::printf("%-12s %6zu %8.1f %7.1f %6.1f %6.2f | %6.2f %6.2f %6.2f | %6.2f %6.2f %6.2f | %6.2f | %6.2f %6.2f\n", name, operators,
                colouring, building, indexing, lighting, first.repaint, whole.repaint, middle.repaint, first.frame, whole.frame,
                middle.frame, hits * 1000.0, arenaFull, arenaStep);
}

} // namespace

int main(int argc, char** argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const QStringList arguments = QApplication::arguments();
    if (arguments.size() >= 4 && arguments[1] == QStringLiteral("--render"))
        return render(arguments);
    std::printf("milliseconds                   (once, on a worker)      | network: repaint     | frame                | hit    | arena frame\n");
    std::printf("%-12s %6s %8s %7s %6s %6s | %6s %6s %6s | %6s %6s %6s | %6s | %6s %6s\n", "network", "ops", "colours", "scene", "index",
                "light", "first", "whole", "middle", "first", "whole", "middle", "us", "zoom", "step");
    measure("chain", generators::chain(10000));
    measure("inception", generators::inceptionLike(10000));
    measure("densenet", generators::denseNetLike(10000));
    measure("u-net", generators::uNetLike(10000));
    measure("inception", generators::inceptionLike(50000));
    return 0;
}
