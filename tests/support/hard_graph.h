// SPDX-License-Identifier: MIT
// Networks whose smallest arena is not found quickly.
#pragma once

#include "tests/support/random_graph.h"

#include <arenascope/study.h>

#include <algorithm>
#include <string>
#include <vector>

namespace arenascope::test {

/// Every operator reads a few of the tensors alive and writes others of together as many bytes: the live bytes hardly change
/// from step to step, so that a small arena has next to no holes.
inline std::shared_ptr<const Graph> fullGraph(std::uint64_t seed, int operators, int alive)
{
    struct Alive {
        TensorId id;
        Bytes bytes = 0;
    };
    Random random(seed);
    GraphBuilder builder;
    std::vector<Alive> tensors;
    int count = 0;
    const auto make = [&](bool isInput, Bytes bytes) {
        const std::string name = "t" + std::to_string(count++);
        const TensorId id = isInput ? builder.addInput(name, ElementType::Undefined, {}) : builder.tensor(name);
        builder.setBytes(id, bytes);
        tensors.push_back({ id, bytes });
        return id;
    };
    for (int i = 0; i < alive; ++i)
        make(true, 64 * (1 + random.below(400)));
    for (int i = 0; i < operators; ++i) {
        Operator op;
        op.kind = "Conv";
        op.name = "op" + std::to_string(i);
        Bytes freed = 0;
        for (int k = 0; k < 3; ++k) {
            const auto at = tensors.begin() + random.below(static_cast<std::int64_t>(tensors.size()));
            op.inputs.push_back(at->id);
            freed += at->bytes;
            tensors.erase(at);
        }
        for (int k = 3; k > 0; --k) {
            const Bytes part = k == 1 ? freed : 64 * (1 + random.below(std::max<Bytes>(1, freed / 64 - k)));
            op.outputs.push_back(make(false, std::min(part, freed - 64 * (k - 1))));
            freed -= tensors.back().bytes;
        }
        builder.addOperator(std::move(op));
    }
    for (const Alive& tensor : tensors)
        builder.addOutput(tensor.id);
    return *std::move(builder).build();
}

/// The first such network of which the exact search proves nothing within `nodes` positions: it searches long on any machine.
inline std::shared_ptr<const Graph> hardGraph(std::int64_t nodes = 100'000)
{
    PlannerOptions planning;
    planning.nodeBudget = nodes;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        auto graph = fullGraph(seed, 120, 24);
        const auto study = makeStudy(graph, StudyOptions {});
        if (!study)
            continue;
        const auto outcome = planStudy(*study, "exact", planning);
        if (outcome && (*outcome)->plan.completion == Completion::BestKnown)
            return graph;
    }
    return nullptr;
}

} // namespace arenascope::test
