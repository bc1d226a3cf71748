// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/shape_rules.h"

#include <array>
#include <unordered_map>

namespace arenascope::onnx_import {

namespace {

using RuleTable = std::unordered_map<std::string_view, ShapeRule>;

template <class... Families>
RuleTable tableOf(Families... families)
{
    RuleTable table;
    for (const auto entries : {families...}) {
        for (const ShapeRuleEntry& entry : entries)
            table.emplace(entry.kind, entry.rule);
    }
    return table;
}

} // namespace

ShapeRule findShapeRule(std::string_view domain, std::string_view kind)
{
    static const RuleTable standard = tableOf(
        elementwiseRules(), creationRules(), movementRules(), indexingRules(), resizingRules(), spatialRules(),
        matrixRules(), normalizationRules(), reductionRules(), quantizationRules(), recurrentRules(), attentionRules(),
        controlRules(), sequenceRules(), textRules());
    static const RuleTable microsoft = tableOf(microsoftRules());
    static const RuleTable machineLearning = tableOf(machineLearningRules());

    const RuleTable* table = domain.empty() ? &standard
        : domain == "com.microsoft"         ? &microsoft
        : domain == "ai.onnx.ml"            ? &machineLearning
                                            : nullptr;
    if (!table)
        return nullptr;
    const auto found = table->find(kind);
    return found == table->end() ? nullptr : found->second;
}

} // namespace arenascope::onnx_import
