// SPDX-License-Identifier: MIT
#include <arenascope/buffer_pieces.h>

#include <algorithm>

namespace arenascope {

namespace {

BufferPiece pieceOf(const BufferGap& gap, LiveRange steps, Bytes size)
{
    return {steps, std::clamp<Bytes>(gap.low, 0, size), std::clamp<Bytes>(gap.high, 0, size)};
}

void append(std::vector<BufferPiece>& pieces, const BufferPiece& piece)
{
    if (piece.steps.length() <= 0 || piece.low >= piece.high)
        return;
    const bool goesOn = !pieces.empty() && pieces.back().steps.end == piece.steps.begin && pieces.back().low == piece.low
        && pieces.back().high == piece.high;
    if (goesOn)
        pieces.back().steps.end = piece.steps.end;
    else
        pieces.push_back(piece);
}

} // namespace

std::vector<BufferPiece> bufferPieces(const PlacementProblem& problem, BufferId id)
{
    const Buffer& buffer = problem.buffer(id);
    const Bytes size = problem.reserved(id);
    std::vector<BufferGap> gaps = buffer.gaps;
    std::stable_sort(gaps.begin(), gaps.end(),
        [](const BufferGap& a, const BufferGap& b) { return a.steps.begin < b.steps.begin; });
    std::vector<BufferPiece> pieces;
    Step from = buffer.live.begin;
    for (const BufferGap& gap : gaps) {
        const LiveRange steps{std::max(gap.steps.begin, from), std::min(gap.steps.end, buffer.live.end)};
        if (steps.length() <= 0)
            continue;
        append(pieces, {{from, steps.begin}, 0, size});
        append(pieces, pieceOf(gap, steps, size));
        from = steps.end;
    }
    append(pieces, {{from, buffer.live.end}, 0, size});
    return pieces;
}

std::optional<BufferPiece> bufferPieceAt(const PlacementProblem& problem, BufferId id, Step step)
{
    const Buffer& buffer = problem.buffer(id);
    if (!buffer.live.contains(step))
        return std::nullopt;
    const Bytes size = problem.reserved(id);
    BufferPiece piece{{step, step + 1}, 0, size};
    const auto gap = std::find_if(buffer.gaps.begin(), buffer.gaps.end(),
        [step](const BufferGap& each) { return each.steps.contains(step); });
    if (gap != buffer.gaps.end())
        piece = pieceOf(*gap, piece.steps, size);
    return piece.low < piece.high ? std::optional(piece) : std::nullopt;
}

} // namespace arenascope
