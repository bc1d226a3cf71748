// SPDX-License-Identifier: MIT
#include "core/src/exec/broadcast.h"

namespace arenascope::exec {

namespace {

/// Strides of an operand along the output's dimensions.
Dims stretchedStrides(const Request& request, const Dims& operand, const Dims& out)
{
    if (operand.size() > out.size())
        request.refuse("an operand has more dimensions than the output");
    const Dims own = stridesOf(operand);
    Dims strides(out.size(), 0);
    const std::size_t shift = out.size() - operand.size();
    for (std::size_t d = 0; d < operand.size(); ++d) {
        if (operand[d] != 1 && operand[d] != out[d + shift])
            request.refuse("an operand of " + toString(Shape::of(operand)) + " cannot be stretched to "
                           + toString(Shape::of(out)));
        strides[d + shift] = operand[d] == 1 ? 0 : own[d];
    }
    return strides;
}

} // namespace

BroadcastLoops broadcastLoops(const Request& request, std::span<const Dims> operands, const Dims& out)
{
    std::vector<Dims> all;
    for (const Dims& operand : operands)
        all.push_back(stretchedStrides(request, operand, out));
    BroadcastLoops loops{{}, std::vector<Dims>(operands.size())};
    for (std::size_t d = 0; d < out.size(); ++d) {
        if (out[d] == 1)
            continue;
        bool joins = !loops.extents.empty();
        for (std::size_t k = 0; k < all.size() && joins; ++k)
            joins = loops.strides[k].back() == all[k][d] * out[d];
        if (joins)
            loops.extents.back() *= out[d];
        else
            loops.extents.push_back(out[d]);
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (joins)
                loops.strides[k].back() = all[k][d];
            else
                loops.strides[k].push_back(all[k][d]);
        }
    }
    return loops;
}

} // namespace arenascope::exec
