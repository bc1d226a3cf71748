// SPDX-License-Identifier: MIT
// What each alias option saves, and the CPU seconds of grouping.
//     bench_alias [MODEL...]     lower bound and arena of greedy-by-size for each option
#include "support/parts_graph.h"

#include <arenascope/importer.h>
#include <arenascope/study.h>

#include <cstdio>
#include <ctime>
#include <filesystem>

namespace {

using namespace arenascope;

constexpr AliasMode kModes[] = {AliasMode::None, AliasMode::Views, AliasMode::InPlace, AliasMode::All};

double cpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

bool measureModel(const std::string& path, ScheduleKind schedule)
{
    const std::string name = std::filesystem::path(path).filename().string();
    const auto model = importModel(path);
    if (!model) {
        std::printf("%-28s %s\n", name.c_str(), describe(model.error()).c_str());
        return true; // files that are broken on purpose
    }
    std::printf("%-28s %-9s", name.c_str(), std::string(scheduleName(schedule)).c_str());
    bool isGood = true;
    std::shared_ptr<const Study> last;
    for (const AliasMode mode : kModes) {
        StudyOptions options;
        options.alias = mode;
        options.schedule = schedule;
        const auto study = makeStudy(model->graph, options);
        const auto outcome = study ? planStudy(*study, "greedy-by-size") : Result<std::shared_ptr<const PlanOutcome>>(study.error());
        if (!outcome) {
            std::printf(" %s\n", describe(outcome.error()).c_str());
            return true;
        }
        const bool isWorse = last && mode == AliasMode::All && (*study)->profile.peak > last->profile.peak;
        isGood = isGood && (*outcome)->isValid() && !isWorse;
        std::printf(" %11lld %11lld", static_cast<long long>((*study)->profile.peak), static_cast<long long>((*outcome)->plan.arenaSize));
        last = *study;
    }
    long long bytes = 0;
    for (const Elision& elision : last->aliases.elisions)
        bytes += elision.bytes;
    std::printf("  %4zu %11lld%s\n", last->aliases.elisions.size(), bytes, isGood ? "" : "  NOT GOOD");
    return isGood;
}

TensorId addTensor(GraphBuilder& builder, const std::string& name, std::int64_t channels)
{
    const TensorId id = builder.tensor(name);
    builder.describe(id, ElementType::UInt8, Shape::of({1, channels, 64}));
    return id;
}

void addOperator(GraphBuilder& builder, const char* kind, std::vector<TensorId> inputs, TensorId output)
{
    Operator op;
    op.kind = kind;
    op.inputs = std::move(inputs);
    op.outputs = {output};
    op.attributes["axis"] = std::int64_t(1);
    builder.addOperator(std::move(op));
}

/// One dense block: each Concat takes the one before and what was made from it.
std::shared_ptr<const Graph> nested(int operators)
{
    GraphBuilder builder;
    TensorId last = builder.addInput("x", ElementType::UInt8, Shape::of({1, 1, 64}));
    for (int i = 0; i < operators / 2; ++i) {
        const TensorId made = addTensor(builder, "t" + std::to_string(i), 1);
        addOperator(builder, "Conv", {last}, made);
        const TensorId joined = addTensor(builder, "c" + std::to_string(i), i + 2);
        addOperator(builder, "Concat", {last, made}, joined);
        last = joined;
    }
    builder.addOutput(last);
    return *std::move(builder).build();
}

std::shared_ptr<const Graph> wide(int operators)
{
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::UInt8, Shape::of({1, 1, 64}));
    std::vector<TensorId> parts;
    for (int i = 0; i < operators - 1; ++i) {
        parts.push_back(addTensor(builder, "t" + std::to_string(i), 1));
        addOperator(builder, "Conv", {x}, parts.back());
    }
    const TensorId joined = addTensor(builder, "c", operators - 1);
    addOperator(builder, "Concat", parts, joined);
    builder.addOutput(joined);
    return *std::move(builder).build();
}

bool measureGrouping(const char* title, const std::shared_ptr<const Graph>& graph)
{
    const auto operators = static_cast<int>(graph->operators().size());
    const auto schedule = makeSchedule(*graph, ScheduleKind::File);
    for (const AliasMode mode : {AliasMode::InPlace, AliasMode::All}) {
        const double begin = cpuSeconds();
        const AliasGroups groups = makeAliasGroups(*graph, *schedule, mode, {.alignment = 1});
        std::printf("%-7s %6d operators, %-7s %8zu groups %8zu elisions  %.3f CPU s\n", title, operators,
                    std::string(aliasName(mode)).c_str(), groups.groups.size(), groups.elisions.size(), cpuSeconds() - begin);
    }
    return true;
}

} // namespace

int main(int count, char** arguments)
{
    bool isGood = true;
    for (const int operators : {1000, 10000, 20000, 50000})
        isGood = measureGrouping("random", test::partsGraph(static_cast<std::uint64_t>(operators), operators)) && isGood;
    for (const int operators : {1000, 10000, 20000}) {
        isGood = measureGrouping("nested", nested(operators)) && isGood;
        isGood = measureGrouping("wide", wide(operators)) && isGood;
    }
    if (count > 1)
        std::printf("\n%-38s %23s %23s %23s %23s  %s\n", "bytes: lower bound, greedy-by-size", "none", "views", "inplace", "all",
                    "parts, not copied");
    for (int i = 1; i < count; ++i) {
        for (const ScheduleKind schedule : {ScheduleKind::File, ScheduleKind::MinPeak})
            isGood = measureModel(arguments[i], schedule) && isGood;
    }
    return isGood ? 0 : 1;
}
