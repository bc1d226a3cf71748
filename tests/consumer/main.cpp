// SPDX-License-Identifier: MIT
// Uses the installed headers and library the way a runtime's build tool would: a network in, a proven plan out.
#include <arenascope/graph_builder.h>
#include <arenascope/study.h>
#include <arenascope/version.h>

#include <cstdio>

int main()
{
    using namespace arenascope;
    GraphBuilder builder;
    TensorId x = builder.addInput("x", ElementType::Float32, Shape::of({1, 16}));
    x = builder.addSimple("Relu", {x}, "a", 640);
    x = builder.addSimple("Relu", {x}, "b", 64);
    builder.addOutput(builder.addSimple("Relu", {x}, "c", 576));

    const auto graph = std::move(builder).build();
    if (!graph)
        return std::printf("%s\n", describe(graph.error()).c_str()), 1;
    const auto study = makeStudy(*graph, StudyOptions{});
    if (!study)
        return std::printf("%s\n", describe(study.error()).c_str()), 1;
    const auto outcome = planStudy(*study, kDefaultStrategy);
    if (!outcome)
        return std::printf("%s\n", describe(outcome.error()).c_str()), 1;

    // a (640) and b (64) are alive together at step 1, and so are a and x (64) at step 0.
    const bool right = (*outcome)->isValid() && (*outcome)->plan.arenaSize == 704;
    std::printf("Arenascope %s: arena %lld bytes\n", kVersion, static_cast<long long>((*outcome)->plan.arenaSize));
    return right ? 0 : 1;
}
