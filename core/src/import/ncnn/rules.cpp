// SPDX-License-Identifier: MIT
#include "core/src/import/ncnn/rules.h"

#include <map>

namespace arenascope::ncnn {

Rule findRule(std::string_view kind)
{
    static const std::map<std::string_view, Rule> all = [] {
        std::map<std::string_view, Rule> table;
        for (const auto family : {windowRules(), movementRules(), otherRules()})
            table.insert(family.begin(), family.end());
        return table;
    }();
    const auto found = all.find(kind);
    return found == all.end() ? nullptr : found->second;
}

Picture pictureOf(const NcnnLayer& layer, std::size_t input)
{
    const Shape& shape = layer.input(input);
    if (!shape.rankKnown)
        return {};
    if (shape.dims.size() == 3)
        return {shape.dims[0], shape.dims[1], shape.dims[2]};
    if (shape.dims.size() == 2)
        return {1, shape.dims[0], shape.dims[1]};
    layer.mismatch("it needs channels, height and width, and its input is " + toString(shape));
}

} // namespace arenascope::ncnn
