// SPDX-License-Identifier: MIT
// The text that TensorFlow Lite Micro's planners print, with the same formats.
//
//     0 (id=0): size=400, offset=401, first_used=0 last_used=4
//      0: 1111111111111111111111111111111100000000000000000000000000000000................ (1k)
#include <arenascope/plan_export.h>
#include <arenascope/buffer_pieces.h>

#include "core/src/io/plan_facts.h"

#include <algorithm>

namespace arenascope {

namespace {

constexpr Bytes kColumns = 80;
constexpr Step kMostSteps = 100'000;

/// 0-9a-zA-Z, and from the start again.
char symbolOf(std::size_t index)
{
    constexpr std::string_view kSymbols = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return kSymbols[index % kSymbols.size()];
}

/// Of an address in an arena of `size` bytes.
Bytes columnOf(Bytes address, Bytes size)
{
    constexpr Bytes kExact = Bytes(1) << 56; // the product fits
    const int shift = size >= kExact ? 8 : 0;
    return (address >> shift) * kColumns / (size >> shift);
}

/// Part of a buffer while the same of its bytes are needed.
struct Bar {
    LiveRange steps;
    Offset begin = 0;
    Offset end = 0;
    char symbol = '.';
};

class TextPlan {
public:
    explicit TextPlan(const PlanOutcome& outcome);
    std::string write();

private:
    void addRows();
    void addRow(Step step, const std::vector<Bar>& alive);

    std::string m_text;
    std::vector<Bar> m_bars; ///< by first step, then by buffer
    Bytes m_size = kColumns;
    Step m_stepCount;
};

TextPlan::TextPlan(const PlanOutcome& outcome)
    : m_stepCount(outcome.study->problem.stepCount)
{
    const PlacementProblem& problem = outcome.study->problem;
    const std::vector<BufferId> buffers = io::buffersInFileOrder(outcome);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const Buffer& buffer = problem.buffer(buffers[i]);
        const Offset offset = io::offsetOf(outcome, buffers[i]);
        m_text += std::string(1, symbolOf(i)) + " (id=" + std::to_string(i) + "): size=" + std::to_string(problem.reserved(buffers[i]))
            + ", offset=" + std::to_string(offset) + ", first_used=" + std::to_string(buffer.live.begin)
            + " last_used=" + std::to_string(buffer.live.end - 1) + "\n";
        const char symbol = buffer.live.length() == 1 ? '*' : symbolOf(i);
        for (const BufferPiece& piece : bufferPieces(problem, buffers[i]))
            m_bars.push_back({piece.steps, offset + piece.low, offset + piece.high, symbol});
        m_size = std::max(m_size, offset + problem.reserved(buffers[i]));
    }
    std::stable_sort(m_bars.begin(), m_bars.end(), [](const Bar& a, const Bar& b) { return a.steps.begin < b.steps.begin; });
}

void TextPlan::addRow(Step step, const std::vector<Bar>& alive)
{
    std::string cells(kColumns, '.');
    Bytes bytes = 0;
    for (const Bar& bar : alive) {
        bytes += bar.end - bar.begin;
        for (Bytes column = std::max<Bytes>(columnOf(bar.begin, m_size), 0); column < std::min(columnOf(bar.end, m_size), kColumns); ++column) {
            char& cell = cells[static_cast<std::size_t>(column)];
            cell = cell == '.' ? bar.symbol : '!';
        }
    }
    m_text += (step < 10 ? " " : "") + std::to_string(step) + ": " + cells + " (" + std::to_string((bytes + 1023) / 1024) + "k)\n";
}

void TextPlan::addRows()
{
    std::vector<Bar> alive;
    std::size_t next = 0;
    for (Step step = 0; step < m_stepCount; ++step) {
        std::erase_if(alive, [step](const Bar& bar) { return bar.steps.end <= step; });
        for (; next < m_bars.size() && m_bars[next].steps.begin <= step; ++next)
            alive.push_back(m_bars[next]);
        addRow(step, alive);
    }
}

std::string TextPlan::write()
{
    addRows();
    return std::move(m_text);
}

} // namespace

Result<std::string> planToTflmText(const PlanOutcome& outcome)
{
    if (io::hasSeveralRegions(outcome))
        return io::severalMemories("a text plan of TensorFlow Lite Micro");
    if (outcome.study->problem.stepCount > kMostSteps)
        return Error{ErrorCode::TooLarge, {}, {"A text plan of " + std::to_string(outcome.study->problem.stepCount) + " steps", std::to_string(kMostSteps) + " steps"}};
    return TextPlan(outcome).write();
}

} // namespace arenascope
