// SPDX-License-Identifier: MIT
// Networks with shapes, of operators that put tensors together and take them apart.
#pragma once

#include "support/random_graph.h"

#include <cstring>

namespace arenascope::test {

/// A small constant of 64-bit integers.
inline TensorId integerConstant(GraphBuilder& builder, const std::string& name, const std::vector<std::int64_t>& values)
{
    const TensorId id = builder.addWeight(name, ElementType::Int64, Shape::of({static_cast<std::int64_t>(values.size())}));
    TensorSource source;
    source.inlineBytes.resize(values.size() * sizeof(std::int64_t));
    std::memcpy(source.inlineBytes.data(), values.data(), source.inlineBytes.size());
    source.length = static_cast<std::int64_t>(source.inlineBytes.size());
    builder.setSource(id, std::move(source));
    return id;
}

/// Seeded random networks of Conv, Relu, Add, Reshape, Concat, Split and Slice over uint8 tensors of the shape NxCx4, with N
/// 1 or, now and then, 2 (then nothing along C is contiguous).
class PartsGraphMaker {
public:
    explicit PartsGraphMaker(std::uint64_t seed) : m_random(seed) {}

    std::shared_ptr<const Graph> make(int operators)
    {
        m_thickChance = m_random.chance(0.3) ? 0.3 : 0.0;
        for (int i = 0; i < 1 + static_cast<int>(m_random.below(2)); ++i) {
            const Dims dims = freshDims();
            m_tensors.push_back({m_builder.addInput("x" + std::to_string(i), ElementType::UInt8, Shape::of(dims)), dims});
        }
        while (m_count < operators)
            addOperator();
        bool hasOutput = false;
        for (const Known& known : m_tensors) {
            const bool isLast = &known == &m_tensors.back();
            if (isLast ? !hasOutput : m_random.chance(0.07)) {
                m_builder.addOutput(known.id);
                hasOutput = true;
            }
        }
        auto graph = std::move(m_builder).build();
        if (!graph) {
            std::fprintf(stderr, "parts graph: %s\n", describe(graph.error()).c_str());
            std::abort();
        }
        return *std::move(graph);
    }

private:
    using Dims = std::vector<std::int64_t>;
    struct Known {
        TensorId id;
        Dims dims;
    };

    Dims freshDims() { return {m_random.chance(m_thickChance) ? 2 : 1, 1 + m_random.below(6), 4}; }

    const Known& pick()
    {
        const auto count = static_cast<std::int64_t>(m_tensors.size());
        const std::int64_t near = m_random.chance(0.15) ? count : std::min<std::int64_t>(count, 6);
        return m_tensors[static_cast<std::size_t>(count - 1 - m_random.below(near))];
    }

    TensorId output(const Dims& dims)
    {
        const TensorId id = m_builder.tensor("t" + std::to_string(m_tensors.size()));
        m_builder.describe(id, ElementType::UInt8, Shape::of(dims));
        m_tensors.push_back({id, dims});
        return id;
    }

    void finish(Operator op)
    {
        op.name = "op" + std::to_string(m_count++);
        m_builder.addOperator(std::move(op));
    }

    void addOperator()
    {
        const std::int64_t dice = m_random.below(100);
        if (dice < 35)
            return addConcat();
        if (dice < 50)
            return addSplit();
        if (dice < 62)
            return addSlice();
        const Known first = pick();
        Operator op;
        op.inputs = {first.id};
        if (dice < 72) {
            op.kind = "Relu";
            op.outputs = {output(first.dims)};
        } else if (dice < 78) {
            op.kind = "Reshape";
            op.outputs = {output(first.dims)};
        } else if (dice < 86) {
            op.kind = "Add";
            for (int tries = 0; tries < 4; ++tries) {
                const Known other = pick();
                if (other.dims == first.dims)
                    op.inputs.push_back(other.id);
            }
            op.outputs = {output(first.dims)};
        } else {
            op.kind = "Conv";
            op.outputs = {output(freshDims())};
        }
        finish(std::move(op));
    }

    void addConcat()
    {
        const std::size_t axis = m_random.chance(0.9) ? 1 : 0;
        Operator op;
        op.kind = "Concat";
        op.attributes["axis"] = static_cast<std::int64_t>(axis) - (m_random.chance(0.3) ? 3 : 0);
        Dims dims = pick().dims;
        dims[axis] = 0;
        for (int tries = 0; tries < 2 + static_cast<int>(m_random.below(5)); ++tries) {
            Known part = pick();
            if (m_random.chance(0.05)) {
                part.dims = dims;
                part.dims[axis] = 1;
                part.id = m_builder.addWeight("w" + std::to_string(m_weights++), ElementType::UInt8, Shape::of(part.dims));
            }
            Dims other = part.dims;
            other[axis] = dims[axis];
            if (other != dims || dims[axis] + part.dims[axis] > 40)
                continue;
            op.inputs.push_back(part.id);
            dims[axis] += part.dims[axis];
        }
        if (op.inputs.empty())
            return;
        op.outputs = {output(dims)};
        finish(std::move(op));
    }

    void addSplit()
    {
        const Known from = pick();
        const std::size_t axis = m_random.chance(0.9) ? 1 : 2;
        Operator op;
        op.kind = "Split";
        op.attributes["axis"] = static_cast<std::int64_t>(axis);
        op.inputs = {from.id};
        std::int64_t left = from.dims[axis];
        while (left > 0 && (axis == 1 || op.outputs.empty())) {
            Dims dims = from.dims;
            dims[axis] = axis == 2 ? left : 1 + m_random.below(left);
            left -= dims[axis];
            if (axis == 2 && dims[axis] != 4)
                return;
            op.outputs.push_back(output(dims));
        }
        finish(std::move(op));
    }

    void addSlice()
    {
        const Known from = pick();
        const std::int64_t start = m_random.below(from.dims[1]);
        const std::int64_t extent = 1 + m_random.below(from.dims[1] - start);
        Operator op;
        op.kind = "Slice";
        op.inputs = {from.id};
        Dims dims = from.dims;
        dims[1] = extent;
        const Dims starts = {m_random.chance(0.5) ? start : start - from.dims[1]};
        const Dims ends = {start + extent == from.dims[1] ? std::numeric_limits<std::int64_t>::max() : start + extent};
        if (m_random.chance(0.5)) {
            op.attributes["starts"] = starts;
            op.attributes["ends"] = ends;
            op.attributes["axes"] = Dims{1};
        } else {
            const std::string name = "slice" + std::to_string(m_weights++);
            op.inputs.push_back(integerConstant(m_builder, name + "a", starts));
            op.inputs.push_back(integerConstant(m_builder, name + "b", ends));
            op.inputs.push_back(integerConstant(m_builder, name + "c", {-2}));
        }
        op.outputs = {output(dims)};
        finish(std::move(op));
    }

    Random m_random;
    double m_thickChance = 0.0;
    GraphBuilder m_builder;
    std::vector<Known> m_tensors;
    int m_count = 0;
    int m_weights = 0;
};

inline std::shared_ptr<const Graph> partsGraph(std::uint64_t seed, int operators)
{
    return PartsGraphMaker(seed).make(operators);
}

} // namespace arenascope::test
