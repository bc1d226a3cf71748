// SPDX-License-Identifier: MIT
#include "ui/matches.h"

#include <algorithm>

namespace arenascope::ui {

namespace {

constexpr std::size_t kBetweenLooks = 256; // at the stop token

QString wordsOf(const Graph& graph, const Operator& op)
{
    QString words = toQString(op.name) + u' ' + toQString(op.kind);
    for (const TensorId output : op.outputs) {
        if (output.isValid())
            words += u' ' + toQString(toString(graph.tensor(output).shape));
    }
    return words;
}

QString wordsOf(const Tensor& tensor)
{
    return toQString(tensor.name) + u' ' + toQString(elementTypeName(tensor.type)) + u' ' + toQString(toString(tensor.shape));
}

} // namespace

std::vector<Item> findItems(const Graph& graph, const TextMatcher& matcher, std::stop_token stop)
{
    std::vector<Item> hits;
    if (matcher.isEmpty() || !matcher.isValid())
        return hits;
    const auto isStopped = [&](std::size_t i) { return i % kBetweenLooks == 0 && stop.stop_requested(); };
    const auto operators = graph.operators();
    for (std::size_t i = 0; i < operators.size() && !isStopped(i); ++i) {
        if (matcher.matches(wordsOf(graph, operators[i])))
            hits.push_back(Item::of(OpId::fromIndex(i)));
    }
    const auto tensors = graph.tensors();
    for (std::size_t i = 0; i < tensors.size() && !isStopped(i); ++i) {
        if (tensors[i].isActivation() && matcher.matches(wordsOf(tensors[i])))
            hits.push_back(Item::of(TensorId::fromIndex(i)));
    }
    return hits;
}

std::shared_ptr<const Matches> findMatches(std::shared_ptr<const Graph> graph, const QString& text, std::stop_token stop)
{
    auto matches = std::make_shared<Matches>();
    const TextMatcher matcher(text);
    matches->text = text;
    matches->isActive = graph && !matcher.isEmpty() && matcher.isValid();
    matches->graph = std::move(graph);
    if (!matches->isActive)
        return matches;
    const Graph& g = *matches->graph;
    matches->items = findItems(g, matcher, std::move(stop));
    matches->operators.assign(g.operators().size(), 0);
    matches->tensors.assign(g.tensors().size(), 0);
    for (const Item item : matches->items) {
        if (item.kind == Item::Kind::Operator) {
            matches->operators[static_cast<std::size_t>(item.id)] = 1;
            continue;
        }
        matches->tensors[static_cast<std::size_t>(item.id)] = 1;
        if (const OpId producer = g.tensor(TensorId(item.id)).producer; producer.isValid())
            matches->operators[producer.index()] = 1;
    }
    for (const Item item : matches->items) {
        if (item.kind != Item::Kind::Operator)
            continue;
        for (const TensorId output : g.op(OpId(item.id)).outputs) {
            if (output.isValid())
                matches->tensors[output.index()] = 1;
        }
    }
    return matches;
}

std::vector<char> litBuffers(const Matches& matches, const Study& study)
{
    std::vector<char> lit;
    if (!matches.isActive || matches.graph != study.graph)
        return lit;
    lit.assign(study.problem.buffers.size(), 0);
    for (std::size_t i = 0; i < matches.tensors.size(); ++i) {
        if (matches.tensors[i] && study.bufferOf[i].isValid())
            lit[study.bufferOf[i].index()] = 1;
    }
    return lit;
}

} // namespace arenascope::ui
