// SPDX-License-Identifier: MIT
// Networks of any size, in the shapes that real ones have, for benchmarks and tests.
#pragma once

#include <arenascope/graph_builder.h>
#include <arenascope/problem.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace arenascope::generators {

/// A builder that counts operators and gives names.
class Network {
public:
    Network() { m_input = m_builder.addInput("input", ElementType::Float32, Shape::of({ 1, 3, 224, 224 })); }

    TensorId input() const { return m_input; }
    int operators() const { return m_operators; }

    TensorId add(const char* kind, std::vector<TensorId> inputs, Bytes bytes = 4096)
    {
        return m_builder.addSimple(kind, std::move(inputs), "t" + std::to_string(m_operators++), bytes);
    }

    TensorId convolution(TensorId x, Bytes bytes = 4096) { return add("Relu", { add("Conv", { x }, bytes) }, bytes); }

    std::shared_ptr<const Graph> finish(TensorId output)
    {
        m_builder.addOutput(output);
        auto graph = std::move(m_builder).build();
        return graph ? *graph : nullptr;
    }

private:
    GraphBuilder m_builder;
    TensorId m_input;
    int m_operators = 0;
};

/// Operators in a row.
inline std::shared_ptr<const Graph> chain(int operators)
{
    Network net;
    TensorId x = net.input();
    while (net.operators() < operators)
        x = net.add(net.operators() % 2 == 0 ? "Conv" : "Relu", { x }, 1024 * (1 + net.operators() % 7));
    return net.finish(x);
}

/// Blocks of four branches of different lengths that are joined by a Concat; every second block is longer.
inline std::shared_ptr<const Graph> inceptionLike(int operators)
{
    Network net;
    TensorId x = net.input();
    for (int block = 0; net.operators() < operators; ++block) {
        const TensorId a = net.convolution(x);
        const TensorId b = net.convolution(net.convolution(x));
        TensorId c = net.convolution(net.convolution(net.convolution(x)));
        if (block % 2 == 1)
            c = net.convolution(net.convolution(c));
        const TensorId d = net.convolution(net.add("AveragePool", { x }));
        x = net.add("Concat", { a, b, c, d }, 16384);
    }
    return net.finish(x);
}

/// Dense blocks: each layer reads everything that was made since the block began.
inline std::shared_ptr<const Graph> denseNetLike(int operators, int layersOfABlock = 24)
{
    Network net;
    TensorId x = net.input();
    while (net.operators() < operators) {
        std::vector<TensorId> features = { x };
        for (int layer = 0; layer < layersOfABlock && net.operators() < operators; ++layer) {
            const TensorId all = features.size() == 1 ? x : net.add("Concat", features, 4096 * (layer + 1));
            features.push_back(net.convolution(net.convolution(all)));
        }
        x = net.add("AveragePool", { net.convolution(net.add("Concat", features, 4096 * layersOfABlock)) });
    }
    return net.finish(x);
}

/// A contracting and an expanding half, the outputs of each level of the first read by the second.
inline std::shared_ptr<const Graph> uNetLike(int operators, int operatorsOfALevel = 20)
{
    Network net;
    TensorId x = net.input();
    std::vector<TensorId> skips;
    while (net.operators() < operators / 2) {
        for (int i = 0; i < operatorsOfALevel / 4; ++i)
            x = net.convolution(x);
        skips.push_back(x);
        x = net.add("MaxPool", { x });
    }
    while (!skips.empty()) {
        x = net.add("Concat", { skips.back(), net.add("ConvTranspose", { x }) }, 8192);
        skips.pop_back();
        for (int i = 0; i < operatorsOfALevel / 4; ++i)
            x = net.convolution(x);
    }
    return net.finish(x);
}

/// Blocks with a shortcut; every fourth shortcut has a convolution of its own.
inline std::shared_ptr<const Graph> residual(int operators)
{
    Network net;
    TensorId x = net.input();
    for (int block = 0; net.operators() < operators; ++block) {
        const TensorId shortcut = block % 4 == 0 ? net.convolution(x) : x;
        x = net.add("Relu", { net.add("Add", { net.add("Conv", { net.convolution(net.convolution(x)) }), shortcut }) });
    }
    return net.finish(x);
}

/// Each operator reads one to three of the latest `window` results, or now and then any.
inline std::shared_ptr<const Graph> random(int operators, int window, std::uint32_t seed)
{
    Network net;
    std::mt19937 engine(seed);
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(engine() % bound); };
    std::vector<TensorId> made = { net.input() };
    while (net.operators() < operators) {
        std::vector<TensorId> inputs;
        for (std::size_t i = 1 + below(3); i > 0; --i) {
            const std::size_t reach
                = below(10) == 0 ? made.size() : std::min(made.size(), static_cast<std::size_t>(window));
            inputs.push_back(made[made.size() - 1 - below(reach)]);
        }
        made.push_back(net.add("Add", inputs, 256 * static_cast<Bytes>(1 + below(64))));
    }
    return net.finish(made.back());
}

/// Buffers as a long network has them: one born a step, most of them read by the next steps, some by a skip connection, few
/// for a long time; sizes of a few kinds, as layers of one stage have them.
inline PlacementProblem networkLikeProblem(int buffers, std::uint32_t seed)
{
    std::mt19937 engine(seed);
    const auto below = [&](std::int64_t bound) { return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(bound)); };
    PlacementProblem problem;
    problem.name = "network-like, " + std::to_string(buffers) + " buffers";
    problem.alignment = 64;
    problem.stepCount = buffers;
    for (Step step = 0; step < buffers; ++step) {
        const std::int64_t kind = below(100);
        const Step length = 2 + (kind < 80 ? below(3) : kind < 98 ? below(60) : below(3000));
        Buffer buffer;
        buffer.name = "t" + std::to_string(step);
        buffer.live = {step, std::min<Step>(step + length, buffers)};
        buffer.size = (Bytes(1) << (10 + below(8))) * (1 + below(6)) + (below(10) == 0 ? below(5000) : 0);
        problem.buffers.push_back(std::move(buffer));
    }
    return problem;
}

} // namespace arenascope::generators
