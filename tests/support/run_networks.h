// SPDX-License-Identifier: MIT
// Networks and plans for tests that run them.
#pragma once

#include <arenascope/executor.h>
#include <arenascope/graph_builder.h>
#include <arenascope/importer.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace arenascope::test {

inline std::shared_ptr<const Graph> sample(const char* name)
{
    const auto imported = importModel(std::string(ARENASCOPE_SOURCE_DIR "/samples/") + name);
    return imported ? imported->graph : nullptr;
}

inline std::shared_ptr<const Study> studyOf(std::shared_ptr<const Graph> graph, AliasMode alias,
                                     ScheduleKind schedule = ScheduleKind::File)
{
    StudyOptions options;
    options.alias = alias;
    options.schedule = schedule;
    auto made = makeStudy(std::move(graph), options);
    return made ? *made : nullptr;
}

/// For searches: what is run is the point, not the last byte.
inline PlannerOptions briefly()
{
    PlannerOptions options;
    options.nodeBudget = 20000;
    return options;
}

inline Plan planOf(const std::shared_ptr<const Study>& study, const char* strategy)
{
    auto outcome = planStudy(study, strategy, briefly());
    return outcome ? (*outcome)->plan : Plan();
}

inline TensorContent floats(std::vector<float> values)
{
    TensorContent content{ElementType::Float32, Shape::of({std::ssize(values)}), {}};
    content.bytes.resize(values.size() * sizeof(float));
    std::memcpy(content.bytes.data(), values.data(), content.bytes.size());
    return content;
}

inline std::vector<float> floatsOf(const TensorContent& content)
{
    std::vector<float> values(content.bytes.size() / sizeof(float));
    std::memcpy(values.data(), content.bytes.data(), content.bytes.size());
    return values;
}

/// x -> Exp a -> Neg b -> Exp c, and d = c + a: while b and c are made, a must be kept. 16 floats each.
struct Ladder {
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const Study> study;
    TensorId a, b, c, d;

    explicit Ladder(AliasMode alias = AliasMode::None)
    {
        GraphBuilder builder;
        const Shape shape = Shape::of({1, 16});
        const TensorId x = builder.addInput("x", ElementType::Float32, shape);
        const auto add = [&](const char* kind, const char* name, std::vector<TensorId> inputs) {
            const TensorId made = builder.tensor(name);
            builder.describe(made, ElementType::Float32, shape);
            Operator op;
            op.name = std::string("make_") + name;
            op.kind = kind;
            op.inputs = std::move(inputs);
            op.outputs = {made};
            builder.addOperator(std::move(op));
            return made;
        };
        a = add("Exp", "a", {x});
        b = add("Neg", "b", {a});
        c = add("Exp", "c", {b});
        d = add("Add", "d", {c, a});
        builder.addOutput(d);
        graph = *std::move(builder).build();
        study = studyOf(graph, alias);
    }
    Plan plan() const { return planOf(study, "naive"); }
    void move(Plan& plan, TensorId tensor, TensorId onto, Offset by = 0) const
    {
        auto& places = plan.placements;
        places[study->bufferOf[tensor.index()].index()].offset = places[study->bufferOf[onto.index()].index()].offset + by;
    }
};

} // namespace arenascope::test
