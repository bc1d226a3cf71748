// SPDX-License-Identifier: MIT
// Layout of generated networks and of model files: CPU seconds (the helper's included), size, faults.
// usage: bench_layout [--engine auto|graphviz|layered] [--right] [--svg DIR] [model files]
#include "core/src/layout/skeleton.h"
#include "tests/bench/generators.h"
#include "tests/support/layout_checks.h"

#include <arenascope/importer.h>
#include <arenascope/layout.h>

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

namespace {

using namespace arenascope;

double cpuSeconds()
{
    double sum = 0;
    for (const int who : { RUSAGE_SELF, RUSAGE_CHILDREN }) {
        rusage usage {};
        getrusage(who, &usage);
        sum += static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    }
    return sum;
}

std::string label(const Graph& graph, const LayoutNode& node)
{
    return node.kind == LayoutNode::Kind::Operator ? graph.op(node.op).kind
                                                   : "\u2022 " + graph.tensor(node.tensor).name;
}

void writeSvg(const std::filesystem::path& path, const Graph& graph, const DrawnGraph& drawn, const GraphLayout& layout)
{
    std::ofstream out(path);
    const Rect& b = layout.bounds;
    out << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='" << b.x - 10 << ' ' << b.y - 10 << ' ' << b.width + 20
        << ' ' << b.height + 20 << "' width='" << b.width + 20 << "' height='" << b.height + 20 << "'><rect x='"
        << b.x - 10 << "' y='" << b.y - 10 << "' width='" << b.width + 20 << "' height='" << b.height + 20
        << "' fill='white'/>\n";
    for (std::size_t e = 0; e < layout.edges.size(); ++e) {
        const auto colour = static_cast<unsigned>(drawn.edges[e].tensor.value()) * 2654435761U;
        out << "<polyline fill='none' stroke='rgb(" << (colour >> 8U) % 180U << ',' << (colour >> 16U) % 160U << ','
            << (colour >> 24U) % 200U << ")' stroke-width='1.5' points='";
        for (const Point& p : layout.edges[e])
            out << p.x << ',' << p.y << ' ';
        out << "'/>\n";
    }
    for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
        const Rect& r = layout.nodes[i];
        out << "<rect x='" << r.x << "' y='" << r.y << "' width='" << r.width << "' height='" << r.height
            << "' rx='5' fill='#dde8f4' stroke='#345'/><text x='" << r.x + r.width / 2 << "' y='"
            << r.y + r.height / 2 + 5 << "' font-size='14' font-family='sans-serif' text-anchor='middle'>"
            << label(graph, drawn.nodes[i]) << "</text>\n";
    }
    out << "</svg>\n";
}

std::size_t pieceCount(const DrawnGraph& drawn)
{
    std::size_t sum = 0;
    for (const layout::Component& component : layout::makeSkeleton(drawn, {}).components)
        sum += component.pieces.size();
    return sum;
}

/// Longest time from a stop request to the return, of some at different moments.
double slowestStop(const DrawnGraph& drawn, const LayoutOptions& options)
{
    using Clock = std::chrono::steady_clock;
    double slowest = 0;
    for (int milliseconds = 1; milliseconds < 400; milliseconds += milliseconds / 2 + 1) {
        std::stop_source stop;
        std::atomic<Clock::time_point> asked = Clock::time_point::max();
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
            asked = Clock::now();
            stop.request_stop();
        });
        const auto result = layOut(drawn, options, stop.get_token());
        const auto now = Clock::now();
        stopper.join();
        if (!result)
            slowest = std::max(slowest, std::chrono::duration<double>(now - asked.load()).count());
    }
    return slowest;
}

struct Settings {
    LayoutOptions options;
    std::filesystem::path svg;
};

void measure(const std::string& name, const Graph& graph, const Settings& settings)
{
    const auto schedule = makeSchedule(graph, ScheduleKind::File);
    if (!schedule) {
        std::printf("%-44s %s\n", name.c_str(), describe(schedule.error()).c_str());
        return;
    }
    const DrawnGraph drawn = drawnGraph(graph, *schedule, [&](const LayoutNode& node) {
        return Size { 40.0 + 8.0 * static_cast<double>(label(graph, node).size()),
            node.kind == LayoutNode::Kind::Operator ? 36.0 : 24.0 };
    });
    const double before = cpuSeconds();
    const auto layout = layOut(drawn, settings.options);
    const double seconds = cpuSeconds() - before;
    if (!layout) {
        std::printf("%-44s %s\n", name.c_str(), describe(layout.error()).c_str());
        return;
    }
    const auto findings = layout_checks::check(drawn, *layout);
    std::printf("%-44s %7zu %7zu %7zu %8.3f %8.0f x %-9.0f %5lld %5lld %5lld\n", name.c_str(), graph.operators().size(),
        drawn.edges.size(), pieceCount(drawn), seconds, layout->bounds.width, layout->bounds.height,
        static_cast<long long>(findings.overlaps), static_cast<long long>(findings.crossed),
        static_cast<long long>(findings.detached + findings.invalid));
    std::fflush(stdout);
    if (!settings.svg.empty())
        writeSvg(settings.svg / (name + ".svg"), graph, drawn, *layout);
}

void measureGenerated(const Settings& settings)
{
    for (const int size : { 5000, 20000 }) {
        const std::string suffix = "-" + std::to_string(size);
        measure("chain" + suffix, *generators::chain(size), settings);
        measure("inception-like" + suffix, *generators::inceptionLike(size), settings);
        measure("densenet-like" + suffix, *generators::denseNetLike(size), settings);
        measure("u-net-like" + suffix, *generators::uNetLike(size), settings);
        measure("residual" + suffix, *generators::residual(size), settings);
        measure("random-window-8" + suffix, *generators::random(size, 8, 1), settings);
    }
    const auto drawnRandom = [](const Graph& graph) {
        return drawnGraph(graph, *makeSchedule(graph, ScheduleKind::File), [](const LayoutNode&) {
            return Size { 90, 30 };
        });
    };
    LayoutOptions byDot = settings.options;
    byDot.engine = LayoutEngine::Graphviz;
    std::printf("slowest stop: %.3f s (random, 20,000 operators), %.3f s (dot at work on 2,000)\n",
        slowestStop(drawnRandom(*generators::random(20000, 40, 1)), settings.options),
        slowestStop(drawnRandom(*generators::random(2000, 40, 1)), byDot));
    measure("random-window-100-5000", *generators::random(5000, 100, 1), settings);
    measure("chain-100000", *generators::chain(100000), settings);
    measure("inception-like-60", *generators::inceptionLike(60), settings);
    measure("densenet-like-100", *generators::denseNetLike(100, 8), settings);
    measure("u-net-like-120", *generators::uNetLike(120), settings);
    measure("residual-60", *generators::residual(60), settings);
    measure("random-60", *generators::random(60, 8, 1), settings);
}

} // namespace

int main(int argc, char** argv)
{
    Settings settings;
    std::vector<std::string> models;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const std::string value = i + 1 < argc ? argv[i + 1] : "";
        if (argument == "--right")
            settings.options.direction = LayoutDirection::Right;
        if (argument == "--engine")
            settings.options.engine = value == "graphviz" ? LayoutEngine::Graphviz
                : value == "layered"                      ? LayoutEngine::Layered
                                                          : LayoutEngine::Auto;
        if (argument == "--svg")
            settings.svg = value;
        if (argument == "--engine" || argument == "--svg")
            ++i;
        if (argument.rfind("--", 0) != 0)
            models.push_back(argument);
    }
    settings.options.helper = std::filesystem::path(ARENASCOPE_BIN_DIR) / "arenascope-layout";
    std::printf("%-44s %7s %7s %7s %8s %20s %5s %5s %5s\n", "graph", "ops", "edges", "pieces", "CPU s", "size", "over",
        "cross", "other");
    if (models.empty())
        measureGenerated(settings);
    for (const std::string& path : models) {
        const auto model = importModel(path);
        if (!model) {
            std::printf("%-44s %s\n", path.c_str(), describe(model.error()).c_str());
            continue;
        }
        measure(std::filesystem::path(path).stem().string(), *model->graph, settings);
    }
    return 0;
}
