// SPDX-License-Identifier: MIT
// Orders for first-fit placement.
#pragma once

#include "core/src/planners/first_fit.h"
#include "core/src/planners/strategy.h"

namespace arenascope::planning {

/// Offsets by item, and the arena that they need.
struct Packing {
    std::vector<Offset> offsets;
    Bytes size = 0;
};

/// Where an item goes among what is there already.
enum class Fit {
    Lowest,   ///< FirstFit::place()
    Tightest, ///< FirstFit::placeTightest()
};

/// Places fixed items, then the others in the given order. Cost: see FirstFit.
/// Errors: Cancelled, SizeOverflow, InvalidPlan (fixed offsets).
Result<Packing> packInOrder(FirstFit& fit, std::span<const Item> items, std::span<const std::size_t> order,
                            const std::stop_token& stop, Fit rule = Fit::Lowest);

/// Tries orders on one index and keeps the smallest arena, of equal ones the first.
class OrderTrial {
public:
    explicit OrderTrial(std::span<const Item> items);

    /// False when there is no use in trying others: the bound is met, or an error that all of them would meet.
    bool attempt(const std::vector<std::size_t>& order, const std::stop_token& stop, Fit rule = Fit::Lowest);
    /// Errors: those of packInOrder(); SizeOverflow only if no order did without.
    Result<Packing> best() &&;

private:
    std::span<const Item> m_items;
    FirstFit m_fit;
    Bytes m_bound;
    std::optional<Result<Packing>> m_best;
};

/// What decides the order, an item each: larger ones come first.
using Keys = std::vector<Bytes>;
enum class BirthOrder { EarlierFirst, LaterFirst };

/// From the largest key to the smallest; equal keys from the largest size to the smallest, equal sizes by birth, then by
/// name.
std::vector<std::size_t> orderByKeys(std::span<const Item> items, const Keys& keys, BirthOrder birth);

/// Tries both birth orders, since which is better differs from network to network (by 45 % on one MobileNetV2). Returns
/// as OrderTrial::attempt() does.
bool attemptBothTies(OrderTrial& trial, std::span<const Item> items, const Keys& keys, const std::stop_token& stop,
                     Fit rule = Fit::Lowest);

/// From the largest to the smallest, both birth orders. Source: Pisarchyk and Lee, "Efficient Memory Management for Deep
/// Neural Net Inference", 2020, section 5.2.
Result<Packing> packBySize(std::span<const Item> items, const std::stop_token& stop);

/// Larger the broader the broadest stretch of steps is that an item is alive in (broad: with many live bytes); what is
/// never alive comes last. O(n log n).
Keys breadthKeys(std::span<const Item> items);

/// Base of the strategies that choose orders and leave the placing to first fit.
class GreedyStrategy : public Strategy {
protected:
    bool keepsApart() const override { return true; } // first fit does, whatever the order
    virtual void tryOrders(OrderTrial& trial, std::span<const Item> items, const std::stop_token& stop) const = 0;

private:
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                       const ProgressFn& progress) const final;
};

} // namespace arenascope::planning
