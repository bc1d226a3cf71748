// SPDX-License-Identifier: MIT
// Words of plan files for enumerations, the same both ways.
#pragma once

#include <arenascope/alias.h>
#include <arenascope/branch.h>
#include <arenascope/plan.h>

#include <array>
#include <optional>
#include <string_view>

namespace arenascope::io {

inline constexpr std::string_view kPlanFormat = "arenascope-plan";
inline constexpr int kPlanVersion = 1;

template <class Value>
struct Word {
    Value value;
    std::string_view word;
};

inline constexpr std::array kJoinWords
    = {Word<JoinRule>{JoinRule::Longest, "longest"}, Word<JoinRule>{JoinRule::LastScheduled, "last"},
       Word<JoinRule>{JoinRule::None, "none"}};
inline constexpr std::array kStyleWords
    = {Word<BranchStyle>{BranchStyle::Chain, "chain"}, Word<BranchStyle>{BranchStyle::Path, "path"}};
inline constexpr std::array kSideWords
    = {Word<PingPongSide>{PingPongSide::None, "none"}, Word<PingPongSide>{PingPongSide::First, "first"},
       Word<PingPongSide>{PingPongSide::Second, "second"}};
inline constexpr std::array kKindWords = {Word<BufferKind>{BufferKind::Tensors, "tensors"},
                                          Word<BufferKind>{BufferKind::Workspace, "workspace"},
                                          Word<BufferKind>{BufferKind::Given, "given"}};
inline constexpr std::array kCompletionWords
    = {Word<Completion>{Completion::Heuristic, "heuristic"}, Word<Completion>{Completion::Optimal, "optimal"},
       Word<Completion>{Completion::BestKnown, "best-known"}, Word<Completion>{Completion::Interrupted, "interrupted"}};
inline constexpr std::array kReasonWords
    = {Word<AliasReason>{AliasReason::Alone, "alone"}, Word<AliasReason>{AliasReason::View, "view"},
       Word<AliasReason>{AliasReason::InPlace, "in-place"}, Word<AliasReason>{AliasReason::ConcatPart, "concat-part"},
       Word<AliasReason>{AliasReason::SplitPart, "split-part"}};

template <class Words, class Value>
constexpr std::string_view wordOf(const Words& words, Value value)
{
    for (const auto& word : words) {
        if (word.value == value)
            return word.word;
    }
    return words.front().word;
}

template <class Words>
constexpr auto valueOf(const Words& words, std::string_view text) -> std::optional<decltype(words.front().value)>
{
    for (const auto& word : words) {
        if (word.word == text)
            return word.value;
    }
    return std::nullopt;
}

} // namespace arenascope::io
