// SPDX-License-Identifier: MIT
// Seeded random networks, the same on every machine, for property tests and benchmarks.
#pragma once

#include <arenascope/graph_builder.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace arenascope::test {

struct RandomGraphOptions {
    int operators = 20;
    int inputs = 1;
    int maxFanIn = 3;            ///< operands of a joining operator
    int nearness = 6;            ///< operands are mostly among so many latest tensors
    double joinChance = 0.3;     ///< of an operator with several operands
    double farChance = 0.1;      ///< of an operand from anywhere (skip connections)
    double multiOutputChance = 0.1;
    double viewChance = 0.15;    ///< Reshape and kin
    double inPlaceChance = 0.3;  ///< Relu, Add and kin, of the operand's size
    double outputChance = 0.05;  ///< of a tensor handed out although others may read it
    double captureChance = 0.03; ///< of an If that captures an earlier tensor
    double workspaceChance = 0.0;
    Bytes maxBytes = 100;
    Bytes sizeUnit = 1;          ///< sizes are multiples of it
    bool shuffled = false;       ///< operators are not written in topological order
};

/// Random numbers without the standard distributions, which differ between libraries.
class Random {
public:
    explicit Random(std::uint64_t seed) : m_engine(seed) {}
    /// In [0, below).
    std::int64_t below(std::int64_t below) { return static_cast<std::int64_t>(m_engine() % static_cast<std::uint64_t>(below)); }
    bool chance(double probability) { return static_cast<double>(m_engine() >> 11) * 0x1p-53 < probability; }

private:
    std::mt19937_64 m_engine;
};

class RandomGraphMaker {
public:
    RandomGraphMaker(std::uint64_t seed, const RandomGraphOptions& options) : m_random(seed), m_options(options) {}

    std::shared_ptr<const Graph> make()
    {
        for (int i = 0; i < m_options.inputs; ++i) {
            const TensorId id = m_builder.addInput("input" + std::to_string(i), ElementType::Undefined, {});
            add(id, size());
        }
        for (int i = 0; i < m_options.operators; ++i)
            addOperator(i);
        for (std::size_t i = 0; i < m_tensors.size(); ++i) {
            const bool isLast = i + 1 == m_tensors.size();
            if (isLast || m_random.chance(m_options.outputChance))
                m_builder.addOutput(m_tensors[i]);
        }
        if (m_options.shuffled)
            shuffle();
        for (Operator& op : m_operators)
            m_builder.addOperator(std::move(op));
        auto graph = std::move(m_builder).build();
        if (!graph) {
            std::fprintf(stderr, "random graph: %s\n", describe(graph.error()).c_str());
            std::abort();
        }
        return *std::move(graph);
    }

private:
    Bytes size() { return (1 + m_random.below(std::max<Bytes>(m_options.maxBytes / m_options.sizeUnit, 1))) * m_options.sizeUnit; }

    void add(TensorId id, Bytes bytes)
    {
        m_builder.setBytes(id, bytes);
        m_tensors.push_back(id);
        m_bytes.push_back(bytes);
    }

    std::size_t pick()
    {
        const auto count = static_cast<std::int64_t>(m_tensors.size());
        if (m_random.chance(m_options.farChance))
            return static_cast<std::size_t>(m_random.below(count));
        return static_cast<std::size_t>(count - 1 - m_random.below(std::min<std::int64_t>(count, m_options.nearness)));
    }

    void addOperator(int index)
    {
        static constexpr const char* kViews[] = {"Reshape", "Flatten", "Identity", "Squeeze", "Dropout"};
        static constexpr const char* kUnary[] = {"Relu", "Sigmoid", "Clip", "Tanh"};
        static constexpr const char* kBinary[] = {"Add", "Mul", "Sub"};
        Operator op;
        op.name = "op" + std::to_string(index);
        const std::size_t first = pick();
        op.inputs = {m_tensors[first]};
        const bool joins = m_random.chance(m_options.joinChance);
        const std::int64_t fanIn = joins ? 2 + m_random.below(std::max(m_options.maxFanIn - 1, 1)) : 1;
        for (std::int64_t i = 1; i < fanIn; ++i)
            op.inputs.push_back(m_tensors[pick()]);
        Bytes bytes = size();
        if (!joins && m_random.chance(m_options.viewChance)) {
            op.kind = kViews[m_random.below(5)];
            bytes = m_bytes[first];
        } else if (m_random.chance(m_options.inPlaceChance)) {
            op.kind = joins ? kBinary[m_random.below(3)] : kUnary[m_random.below(4)];
            bytes = m_bytes[first];
        } else if (m_random.chance(m_options.captureChance)) {
            op.kind = "If";
            op.captures = {m_tensors[pick()]};
        } else {
            op.kind = joins ? "Concat" : "Conv";
        }
        if (m_random.chance(m_options.workspaceChance))
            op.workspace = size();
        op.outputs = {m_builder.tensor("t" + std::to_string(index))};
        const bool hasSecond = m_random.chance(m_options.multiOutputChance);
        if (hasSecond)
            op.outputs.push_back(m_builder.tensor("t" + std::to_string(index) + "b"));
        add(op.outputs.front(), bytes);
        if (hasSecond)
            add(op.outputs.back(), size());
        m_operators.push_back(std::move(op));
    }

    void shuffle()
    {
        for (std::size_t i = m_operators.size(); i > 1; --i)
            std::swap(m_operators[i - 1], m_operators[static_cast<std::size_t>(m_random.below(static_cast<std::int64_t>(i)))]);
    }

    Random m_random;
    const RandomGraphOptions& m_options;
    GraphBuilder m_builder;
    std::vector<Operator> m_operators;
    std::vector<TensorId> m_tensors;
    std::vector<Bytes> m_bytes; ///< of m_tensors
};

/// Same seed and options, same network. Every size is known; the newest tensor is always an output.
inline std::shared_ptr<const Graph> randomGraph(std::uint64_t seed, const RandomGraphOptions& options = {})
{
    return RandomGraphMaker(seed, options).make();
}

/// A chain of `operators` convolutions of 64 bytes each.
inline std::shared_ptr<const Graph> chainGraph(int operators)
{
    GraphBuilder builder;
    TensorId last = builder.addInput("x", ElementType::Undefined, {});
    builder.setBytes(last, 64);
    for (int i = 0; i < operators; ++i)
        last = builder.addSimple("Conv", {last}, "t" + std::to_string(i), 64);
    builder.addOutput(last);
    return *std::move(builder).build();
}

} // namespace arenascope::test
