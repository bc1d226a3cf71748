// SPDX-License-Identifier: MIT
// What the shared filter finds in a network.
#pragma once

#include "ui/selection.h"
#include "ui/text.h"

#include <arenascope/study.h>

#include <memory>
#include <stop_token>
#include <vector>

namespace arenascope::ui {

/// Operators and tensors whose words match, operators first, each in the order of the graph. Words of an operator are its
/// name, kind and output shapes, those of an activation its name, type and shape.
std::vector<Item> findItems(const Graph& graph, const TextMatcher& matcher, std::stop_token stop = {});

/// The hits of one text in one network, and what they light up: an operator and what it writes stand for each other.
struct Matches {
    std::shared_ptr<const Graph> graph;
    QString text;
    bool isActive = false;          ///< there is a text, and it is no broken pattern: what is not lit is dimmed
    std::vector<Item> items;
    std::vector<char> operators;    ///< by OpId: 1 for lit ones; empty unless active
    std::vector<char> tensors;      ///< by TensorId

    bool isLit(OpId id) const { return !isActive || operators[id.index()] != 0; }
    bool isLit(TensorId id) const { return !isActive || tensors[id.index()] != 0; }
};
/// O(operators + tensors). A stopped search finds less.
std::shared_ptr<const Matches> findMatches(std::shared_ptr<const Graph> graph, const QString& text, std::stop_token stop = {});

/// By BufferId: 1 where a lit tensor lies in it. Empty unless active, or where the study is of another network.
std::vector<char> litBuffers(const Matches& matches, const Study& study);

} // namespace arenascope::ui
