// SPDX-License-Identifier: MIT
// CPU seconds for opening and planning a .tflite file of 10 MB: bench_tflite [operators] [MB]
#include <arenascope/importer.h>
#include <arenascope/runtime.h>
#include <arenascope/study.h>

#include "tests/support/tflite_writer.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

using namespace arenascope;
using namespace arenascope::test;

namespace {

/// Residual blocks: conv, conv, add; each convolution with its share of the weights.
TfliteModel residualNetwork(int operators, int bytes)
{
    TfliteGraph graph;
    graph.tensors = {{.name = "image", .shape = {1, 96, 96, 8}}};
    graph.inputs = {0};
    const int share = bytes / std::max(operators * 2 / 3, 1);
    int last = 0;
    int skip = 0;
    for (int i = 0; i < operators; ++i) {
        TfliteOp op;
        const bool isJoin = i % 3 == 2;
        op.inputs = {last, isJoin ? skip : static_cast<int>(graph.tensors.size())};
        if (!isJoin)
            graph.tensors.push_back({.name = "weight" + std::to_string(i), .shape = {share}, .content = std::vector<std::uint8_t>(static_cast<std::size_t>(share), 1)});
        op.code = isJoin ? kAdd : kConv2D;
        last = static_cast<int>(graph.tensors.size());
        op.outputs = {last};
        graph.tensors.push_back({.name = "layer" + std::to_string(i), .shape = {1, 96, 96, 8 + i % 5}});
        if (isJoin)
            skip = last;
        graph.ops.push_back(std::move(op));
    }
    graph.outputs = {last};
    return {.graphs = {graph}};
}

double cpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

} // namespace

int main(int argc, char** argv)
{
    const int operators = argc > 1 ? std::atoi(argv[1]) : 1000;
    const int megabytes = argc > 2 ? std::atoi(argv[2]) : 10;
    const std::filesystem::path path = std::filesystem::temp_directory_path() / "arenascope-bench.tflite";
    if (!writeBytes(path.string(), tfliteFile(residualNetwork(operators, megabytes << 20))))
        return 1;
    std::printf("%d operators, %.1f MB\n", operators, static_cast<double>(std::filesystem::file_size(path)) / 1e6);
    const double begin = cpuSeconds();
    const auto model = importModel(path);
    if (!model)
        return std::printf("%s\n", describe(model.error()).c_str()), 1;
    const double opened = cpuSeconds();
    const auto study = makeStudy(model->graph, {.problem = {.alignment = 16}});
    if (!study)
        return 1;
    const auto outcome = planStudy(*study, "tflm");
    const auto best = planStudy(*study, kDefaultStrategy);
    const double planned = cpuSeconds();
    const auto report = tflmReport(model->graph);
    const double reported = cpuSeconds();
    std::printf("open %.4f s, plan (tflm and auto) %.4f s, report of the runtime %.4f s of CPU\n", opened - begin, planned - opened,
                reported - planned);
    std::filesystem::remove(path);
    return outcome && best && report ? 0 : 1;
}
