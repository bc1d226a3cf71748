// SPDX-License-Identifier: MIT
// The executor's time in an arena beside that of cv::dnn::Net::forward() without fusion, which allocates for itself: the same
// layers with the same weights, run in turn. Median of 10, one line a model.
//     bench_net [--threads N] [MODEL.onnx]...
#include "core/src/exec/arena.h"
#include "core/src/exec/layer_kernel.h"
#include "core/src/exec/program.h"

#include <arenascope/executor.h>
#include <arenascope/importer.h>
#include <arenascope/report.h>
#include <arenascope/study.h>

#include <opencv2/dnn.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace arenascope;
using namespace arenascope::exec;
namespace fs = std::filesystem;

constexpr int kRuns = 10;

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2.0;
}

double secondsOf(const std::function<void()>& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// OpenCV's importer reads few of these files, so its network is built of the executor's own layers; for the few loops of
/// classification networks it has layers that do the same.
cv::dnn::LayerParams paramsOf(const Operator& op, const Kernel& kernel)
{
    cv::dnn::LayerParams params;
    if (const auto* layer = dynamic_cast<const LayerKernel*>(&kernel)) {
        params = layer->spec().params;
        params.type = layer->spec().type;
        params.blobs = layer->blobs();
    } else if (op.kind == "Add" || op.kind == "Sum") {
        params.type = "Eltwise";
        params.set("operation", "sum");
    } else if (op.kind == "Mul") {
        params.type = "Eltwise";
        params.set("operation", "prod");
    } else if (op.kind == "Concat") {
        params.type = "Concat";
    } else if (op.kind == "Flatten" || op.kind == "Reshape") {
        params.type = "Flatten";
    } else if (op.kind == "Dropout" || op.kind == "Identity") {
        params.type = "Identity";
    } else {
        throw std::runtime_error("no layer for " + op.kind);
    }
    params.name = op.name;
    return params;
}

cv::dnn::Net netOf(const Program& program)
{
    const Graph& graph = program.graph();
    cv::dnn::Net net;
    std::map<TensorId, std::pair<int, int>> made{{graph.inputs()[0], {0, 0}}};
    for (const Item& item : program.items()) {
        const Operator& op = graph.op(item.op);
        cv::dnn::LayerParams params = paramsOf(op, *item.kernel);
        const int id = net.addLayer(op.name, params.type, params);
        int pin = 0;
        for (const TensorId input : op.inputs) {
            const auto it = made.find(input);
            if (it != made.end())
                net.connect(it->second.first, it->second.second, id, pin++);
        }
        for (std::size_t o = 0; o < op.outputs.size(); ++o)
            made[op.outputs[o]] = {id, static_cast<int>(o)};
    }
    net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    net.enableFusion(false);
    return net;
}

void compare(const fs::path& path)
{
    const auto imported = importModel(path);
    if (!imported)
        throw std::runtime_error(describe(imported.error()));
    StudyOptions options;
    options.alias = AliasMode::InPlace;
    const auto study = makeStudy(imported->graph, options);
    const auto outcome = study ? planStudy(*study, "greedy-by-size") : Result<std::shared_ptr<const PlanOutcome>>(study.error());
    if (!outcome)
        throw std::runtime_error(describe(outcome.error()));
    const Graph& graph = *imported->graph;
    Program program(graph, (*study)->schedule.order, {}, {});
    const Arena arena(**study, (*outcome)->plan, false);
    BoundProgram bound(program, arena.memory());
    const TensorId input = graph.inputs()[0];
    const auto content = makeInput(graph, input, InputFill::Random, 1);
    const auto& dims = graph.tensor(input).shape.dims;
    cv::Mat image(std::vector<int>(dims.begin(), dims.end()), CV_32F);
    std::memcpy(image.data, content->bytes.data(), content->bytes.size());

    cv::dnn::Net net = netOf(program);
    cv::Mat answer;
    std::vector<double> ours, theirs;
    for (int run = -1; run < kRuns; ++run) { // the first is not counted: memory is touched for the first time
        const double net1 = secondsOf([&] {
            net.setInput(image);
            answer = net.forward();
        });
        const double arena1 = secondsOf([&] {
            std::memcpy(arena.memory().addresses[input.index()], content->bytes.data(), content->bytes.size());
            for (std::size_t step = 0; step < bound.size(); ++step)
                bound.run(step);
        });
        if (run >= 0) {
            theirs.push_back(net1);
            ours.push_back(arena1);
        }
    }
    const TensorId output = graph.outputs()[0];
    const bool isEqual = static_cast<Bytes>(answer.total() * answer.elemSize()) == graph.tensor(output).bytes
        && std::memcmp(answer.data, arena.memory().addresses[output.index()], answer.total() * answer.elemSize()) == 0;
    std::printf("| %s | %.1f | %.1f | %.3f | %s | %s |\n", path.stem().c_str(), median(theirs) * 1e3, median(ours) * 1e3,
                median(ours) / median(theirs), isEqual ? "equal" : "not equal", formatBytes(arena.bytes()).c_str());
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<fs::path> files;
    cv::setNumThreads(1);
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--threads" && i + 1 < argc)
            cv::setNumThreads(std::atoi(argv[++i]));
        else
            files.emplace_back(argv[i]);
    }
    if (files.empty())
        files = {ARENASCOPE_SOURCE_DIR "/samples/mobilenet_v2.onnx", ARENASCOPE_SHARED_DIR "/models/torch/resnet18.light.onnx",
                 ARENASCOPE_SHARED_DIR "/models/onnx/light_resnet50.onnx",
                 ARENASCOPE_SHARED_DIR "/models/onnx/light_squeezenet.onnx"};
    std::puts("| model | ms, Net::forward | ms, arena | ratio | results | arena |\n|---|---:|---:|---:|---|---:|");
    for (const fs::path& file : files) {
        try {
            compare(file);
        } catch (const std::exception& e) {
            std::printf("| %s | %s |\n", file.stem().c_str(), e.what());
        }
    }
}
