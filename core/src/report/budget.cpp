// SPDX-License-Identifier: MIT
#include <arenascope/budget.h>

#include "core/src/report/budget.h"
#include "core/src/report/json.h"
#include "core/src/report/text.h"

#include <arenascope/regions.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace arenascope {

namespace {

using namespace report;

constexpr double kSecondsEach = 1.0;
constexpr Bytes kSmallAlignment = 16; ///< what kernels of microcontrollers want at most
constexpr std::size_t kMaxPeakTensors = 12;

enum Demand : unsigned {
    kShareViews = 1,
    kWriteInPlace = 2,
    kWriteParts = 4,
    kReorder = 8,
    kAlignLess = 16,
    kSecondMemory = 32,
    kHoldInputsAndOutputs = 64,
};

/// A change that might help, before it is tried.
struct Change {
    std::string options;
    std::string needs;
    unsigned demands = 0;
    std::function<void(StudyOptions&)> apply;
};

/// The single changes that are not part of what is chosen already, by what they ask of the user.
class Changes {
public:
    Changes(const PlanOutcome& outcome, Bytes budget) : m_outcome(outcome), m_now(outcome.study->options), m_budget(budget) {}

    std::vector<Change> list()
    {
        if (m_outcome.plan.strategy != kDefaultStrategy)
            m_list.push_back({"--strategy auto", "another planner", 0, [](StudyOptions&) {}});
        const bool isFileOrder = m_now.schedule != ScheduleKind::MinPeak;
        const bool isCoarse = m_now.problem.alignment > kSmallAlignment;
        addAlias(AliasMode::Views);
        if (isFileOrder)
            m_list.push_back(order());
        if (isCoarse)
            m_list.push_back(alignment());
        addAlias(AliasMode::InPlace);
        addAlias(AliasMode::All);
        for (const AliasMode mode : {AliasMode::InPlace, AliasMode::All}) {
            if (isFileOrder && mode > m_now.alias)
                m_list.push_back(both(alias(mode), order()));
        }
        if (isFileOrder && isCoarse && m_now.alias != AliasMode::All)
            m_list.push_back(both(both(alias(AliasMode::All), order()), alignment()));
        addMemories();
        return std::move(m_list);
    }

private:
    static Change alias(AliasMode mode)
    {
        const char* needs = mode == AliasMode::Views ? "Reshape and its kind must not copy"
            : mode == AliasMode::InPlace             ? "element-wise kernels must write over their input"
                                                     : "kernels must write into a part of Concat's output";
        const unsigned demands = mode == AliasMode::Views ? kShareViews
            : mode == AliasMode::InPlace                  ? kShareViews | kWriteInPlace
                                                          : kShareViews | kWriteInPlace | kWriteParts;
        return {"--alias " + std::string(aliasName(mode)), needs, demands, [mode](StudyOptions& options) { options.alias = mode; }};
    }
    static Change order()
    {
        return {"--schedule min-peak", "operators run in another order", kReorder,
                [](StudyOptions& options) { options.schedule = ScheduleKind::MinPeak; }};
    }
    static Change alignment()
    {
        return {"--align " + std::to_string(kSmallAlignment), "kernels must not need more", kAlignLess,
                [](StudyOptions& options) { options.problem.alignment = kSmallAlignment; }};
    }
    static Change both(const Change& first, const Change& second)
    {
        return {first.options + " " + second.options, first.needs + "; " + second.needs, first.demands | second.demands,
                [a = first.apply, b = second.apply](StudyOptions& options) {
                    a(options);
                    b(options);
                }};
    }
    void addAlias(AliasMode mode)
    {
        if (mode > m_now.alias)
            m_list.push_back(alias(mode));
    }
    /// Bytes do not go away, but elsewhere: the dearest.
    void addMemories()
    {
        if (m_now.problem.regions.empty() && m_budget > 0) {
            m_list.push_back({fmt::format("--region fast={} --region slow", m_budget), "a second memory", kSecondMemory,
                              [budget = m_budget](StudyOptions& options) {
                                  options.problem.regions = {{"fast", budget, 0, 0.0}, {"slow", std::nullopt, 0, 1.0}};
                              }});
        }
        if (m_now.problem.io.inputsInArena || m_now.problem.io.outputsInArena) {
            m_list.push_back({"--io outside", "memory of their own for inputs and outputs", kHoldInputsAndOutputs,
                              [](StudyOptions& options) { options.problem.io = {false, false}; }});
        }
    }

    const PlanOutcome& m_outcome;
    const StudyOptions& m_now;
    const Bytes m_budget;
    std::vector<Change> m_list;
};

/// Bytes of inputs and outputs that one study keeps in the arena and the other does not.
Bytes movedOut(const Study& before, const Study& after)
{
    Bytes moved = 0;
    for (std::size_t i = 0; i < before.bufferOf.size(); ++i) {
        if (before.bufferOf[i].isValid() && !after.bufferOf[i].isValid())
            moved += std::max<Bytes>(0, before.graph->tensors()[i].bytes);
    }
    return moved;
}

/// What is known without a plan: the bound. Nothing where the change cannot be studied.
std::shared_ptr<const Study> studyOf(const PlanOutcome& outcome, const StudyOptions& options, const std::stop_token& stop)
{
    if (options == outcome.study->options)
        return outcome.study;
    auto study = makeStudy(outcome.study->graph, options, stop);
    return study ? std::move(study).value() : nullptr;
}

/// Several memories: the budget is that of the first, and its bound is no bound of the sum.
void readArena(FitWay& way, const PlanOutcome& planned)
{
    const Plan& plan = planned.plan;
    const bool isSplit = plan.regionSizes.size() > 1;
    way.arenaBytes = firstMemoryBytes(plan);
    way.elsewhereBytes += plan.arenaSize - way.arenaBytes;
    way.isProven = !isSplit && provenCompletion(planned) == Completion::Optimal;
}

std::optional<FitWay> tryChange(const PlanOutcome& outcome, Bytes budget, const Change& change, const PlannerOptions& options,
                                const std::stop_token& stop)
{
    FitWay way;
    way.options = change.options;
    way.needs = change.needs;
    way.demands = change.demands;
    way.study = outcome.study->options;
    change.apply(way.study);
    const auto study = studyOf(outcome, way.study, stop);
    if (!study)
        return std::nullopt;
    const bool isSplit = study->problem.regions.size() > 1;
    way.elsewhereBytes = movedOut(*outcome.study, *study);
    way.arenaBytes = study->lowerBound();
    if (!isSplit && way.arenaBytes > budget)
        return way;
    const auto planned = planStudy(study, kDefaultStrategy, options, stop);
    if (!planned || !(*planned)->isValid())
        return std::nullopt;
    way.isPlanned = true;
    way.strategy = chosenStrategy((*planned)->plan);
    readArena(way, **planned);
    way.fits = way.arenaBytes <= budget && way.arenaBytes > 0; // all of it elsewhere is no way to fit
    return way;
}

std::string wayText(const FitWay& way)
{
    std::string text = way.needs;
    if (way.elsewhereBytes > 0)
        text += fmt::format("; {} elsewhere", formatBytes(way.elsewhereBytes));
    return text;
}

std::string closestText(const BudgetReport& report, const FitWay& way)
{
    return fmt::format("{}: {} {} ({} over)\n", way.options, way.isPlanned ? "needs" : "needs at least",
                       formatBytes(way.arenaBytes), counted(way.arenaBytes - report.budget, "byte"));
}

std::string waysText(const BudgetReport& report)
{
    const auto ways = report.ways();
    if (ways.empty()) {
        const FitWay* closest = report.closest();
        if (!closest)
            return report.tried.empty() ? "" : "  No option makes it fit, or smaller.\n";
        return "  No option makes it fit. Closest: " + closestText(report, *closest);
    }
    TextTable table({Align::Left, Align::Right, Align::Left});
    for (const FitWay* way : ways)
        table.row({way->options, formatBytes(way->arenaBytes), wayText(*way)});
    std::string text = "  Ways to fit, the cheapest first:\n" + table.text(4);
    const bool isInOneMemory = std::any_of(ways.begin(), ways.end(), [](const FitWay* way) { return way->elsewhereBytes == 0; });
    const FitWay* closest = isInOneMemory ? nullptr : report.closest();
    if (closest)
        text += "  With no bytes elsewhere the closest is " + closestText(report, *closest);
    return text;
}

/// As workflow commands want it: a line break would end the command.
std::string escaped(std::string_view text, bool isProperty)
{
    std::string safe;
    for (const char c : text) {
        const bool isSpecial = c == '%' || c == '\r' || c == '\n' || (isProperty && (c == ':' || c == ','));
        safe += isSpecial ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
    }
    return safe;
}

/// The operator at the peak, and what is alive there.
std::string peakLines(const Study& study)
{
    const PeakReport peak = peakReport(study);
    if (!peak.op.isValid())
        return {};
    std::string text = fmt::format("Peak at step {}, {}, with {} live:\n", peak.step, operatorText(study.graph->op(peak.op)),
                                   formatBytes(peak.liveBytes));
    for (std::size_t i = 0; i < std::min(peak.tensors.size(), kMaxPeakTensors); ++i) {
        const Tensor& tensor = study.graph->tensor(peak.tensors[i]);
        text += fmt::format("  {} {} {}\n", formatBytes(tensor.bytes), typeText(tensor), inQuotes(tensor.name));
    }
    if (peak.tensors.size() > kMaxPeakTensors)
        text += fmt::format("  and {} smaller\n", peak.tensors.size() - kMaxPeakTensors);
    return text;
}

} // namespace

std::vector<const FitWay*> BudgetReport::ways(std::size_t most) const
{
    std::vector<const FitWay*> found;
    for (const FitWay& way : tried) {
        const bool isDearer = std::any_of(found.begin(), found.end(), [&way](const FitWay* cheaper) {
            return (cheaper->demands & ~way.demands) == 0 && cheaper->arenaBytes <= way.arenaBytes;
        });
        if (way.fits && !isDearer && found.size() < most)
            found.push_back(&way);
    }
    return found;
}

const FitWay* BudgetReport::closest() const
{
    const FitWay* closest = nullptr;
    for (const FitWay& way : tried) {
        const bool isOver = way.arenaBytes > budget && way.arenaBytes < arenaBytes && way.elsewhereBytes == 0;
        if (isOver && (!closest || way.arenaBytes < closest->arenaBytes))
            closest = &way;
    }
    return closest;
}

BudgetReport findWaysToFit(const PlanOutcome& outcome, Bytes budget, const PlannerOptions& options, std::stop_token stop)
{
    BudgetReport report{budget, firstMemoryBytes(outcome.plan), {}};
    if (report.fits())
        return report;
    PlannerOptions search = options;
    search.onIncumbent = {};
    search.timeBudgetSeconds = std::min(options.timeBudgetSeconds.value_or(kSecondsEach), kSecondsEach);
    for (const Change& change : Changes(outcome, budget).list()) {
        if (stop.stop_requested())
            break;
        if (auto way = tryChange(outcome, budget, change, search, stop))
            report.tried.push_back(std::move(*way));
    }
    return report;
}

std::string budgetText(const BudgetReport& report)
{
    const Bytes free = report.budget - report.arenaBytes;
    if (free >= 0)
        return fmt::format("Budget: {} leaves {} free\n", bothSizes(report.budget), bothSizes(free));
    return fmt::format("Budget: {} is exceeded by {}\n", bothSizes(report.budget), counted(-free, "byte")) + waysText(report);
}

std::string budgetAnnotation(const PlanOutcome& outcome, const BudgetReport* report, std::string_view path)
{
    const bool isOver = report && !report->fits();
    const std::string_view title = !outcome.isValid() ? "Plan not valid" : isOver ? "Arena over budget"
        : report                                      ? "Arena within budget"
                                                      : "Arena";
    std::string text = fmt::format("{}: the arena needs {}.\n", printable(outcome.study->graph->info().name),
                                   bothSizes(outcome.plan.arenaSize));
    if (!outcome.isValid())
        text += validityText(outcome) + "\n";
    if (report)
        text += budgetText(*report);
    if (isOver)
        text += peakLines(*outcome.study);
    text.pop_back();
    return fmt::format("::{} file={},title={}::{}\n", isOver || !outcome.isValid() ? "error" : "notice",
                       escaped(printable(path), true), title, escaped(text, false));
}

std::string errorAnnotation(std::string_view message, std::string_view path)
{
    return fmt::format("::error file={},title=Cannot be planned::{}\n", escaped(printable(path), true), escaped(printable(message), false));
}

namespace report {

Json budgetJson(const BudgetReport& report)
{
    const auto wayJson = [&](const FitWay& way) -> Json {
        return {{"options", way.options},
                {"needs", way.needs},
                {"fits", way.fits},
                {way.isPlanned ? "arena_bytes" : "lower_bound_bytes", way.arenaBytes},
                {"elsewhere_bytes", way.elsewhereBytes},
                {"over_by_bytes", std::max<Bytes>(0, way.arenaBytes - report.budget)},
                {"proven", way.isProven}};
    };
    Json json = {{"bytes", report.budget},
                 {"fits", report.fits()},
                 {"over_by_bytes", std::max<Bytes>(0, report.arenaBytes - report.budget)}};
    Json ways = Json::array();
    for (const FitWay* way : report.ways())
        ways.push_back(wayJson(*way));
    Json tried = Json::array();
    for (const FitWay& way : report.tried)
        tried.push_back(wayJson(way));
    json["ways_to_fit"] = std::move(ways);
    json["tried"] = std::move(tried);
    return json;
}

} // namespace report

} // namespace arenascope
