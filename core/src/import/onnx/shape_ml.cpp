// SPDX-License-Identifier: MIT
// Domain ai.onnx.ml: trees, linear models, encoders.
#include "core/src/import/onnx/shape_rules.h"

#include <algorithm>

namespace arenascope::onnx_import {

namespace {

using enum ElementType;

/// Rows of a table; a vector is one row.
std::int64_t rowsOf(NodeContext& c)
{
    if (!c.hasShape(0))
        return kUnknownDim;
    return c.rank(0) < 2 ? 1 : c.dims(0)[0];
}

bool floatsLikeFirst(NodeContext& c)
{
    c.setType(0, Float32);
    c.copyDims(0, 0);
    return true;
}

std::int64_t stringCount(NodeContext& c, std::string_view name)
{
    const auto* found = c.attribute(name);
    return found ? found->strings_size() : 0;
}

std::int64_t intCount(NodeContext& c, std::string_view name)
{
    const auto* found = c.attribute(name);
    return found ? found->ints_size() : 0;
}

/// Labels of the classes (int64 or string), and a score a class.
bool classify(NodeContext& c, std::string_view stringLabels, std::string_view intLabels)
{
    const std::int64_t strings = stringCount(c, stringLabels);
    const std::int64_t numbers = intCount(c, intLabels);
    const std::int64_t rows = rowsOf(c);
    c.set(0, strings > 0 ? String : Int64, {rows});
    const std::int64_t classes = std::max(strings, numbers);
    c.set(1, Float32, {rows, classes > 0 ? classes : kUnknownDim});
    return true;
}

bool treeEnsembleClassifier(NodeContext& c)
{
    return classify(c, "classlabels_strings", "classlabels_int64s");
}

bool linearClassifier(NodeContext& c)
{
    return classify(c, "classlabels_strings", "classlabels_ints");
}

bool svmClassifier(NodeContext& c)
{
    return classify(c, "classlabels_strings", "classlabels_ints");
}

bool regress(NodeContext& c, std::string_view targets)
{
    const std::int64_t count = c.intAttribute(targets, 1);
    if (count < 0)
        failInference("a negative number of targets");
    c.set(0, Float32, {rowsOf(c), count});
    return true;
}

bool treeEnsembleRegressor(NodeContext& c)
{
    return regress(c, "n_targets");
}

bool treeEnsemble(NodeContext& c)
{
    regress(c, "n_targets");
    c.setType(0, c.type(0));
    return true;
}

bool linearRegressor(NodeContext& c)
{
    return regress(c, "targets");
}

bool svmRegressor(NodeContext& c)
{
    c.set(0, Float32, {rowsOf(c), 1});
    return true;
}

bool zipMap(NodeContext& c)
{
    ValueInfo maps;
    maps.type = Float32;
    maps.otherKind = "sequence of maps";
    c.setOutput(0, std::move(maps));
    return true;
}

bool arrayFeatureExtractor(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0) || !c.hasShape(1) || c.rank(0) == 0)
        return true;
    Dims dims = c.dims(0);
    if (dims.size() == 1)
        dims.insert(dims.begin(), 1);
    dims.back() = productOf(c.dims(1));
    c.setDims(0, std::move(dims));
    return true;
}

bool castMap(NodeContext& c)
{
    const std::string_view to = c.stringAttribute("cast_to", "TO_FLOAT");
    c.setType(0, to == "TO_STRING" ? String : to == "TO_INT64" ? Int64 : Float32);
    const bool sparse = c.stringAttribute("map_form", "DENSE") == "SPARSE";
    const std::int64_t width = c.intAttribute("max_map", 1);
    c.setDims(0, {1, sparse && width > 0 ? width : kUnknownDim});
    return true;
}

bool dictVectorizer(NodeContext& c)
{
    const std::int64_t words = std::max(stringCount(c, "string_vocabulary"), intCount(c, "int64_vocabulary"));
    c.set(0, c.type(0), {1, words > 0 ? words : kUnknownDim});
    return true;
}

bool categoryMapper(NodeContext& c)
{
    c.setType(0, c.type(0) == String ? Int64 : c.type(0) == Undefined ? Undefined : String);
    c.copyDims(0, 0);
    return true;
}

bool labelEncoder(NodeContext& c)
{
    c.copyDims(0, 0);
    if (c.opset() < 2)
        return categoryMapper(c);
    if (const auto* table = c.attribute("values_tensor"); table && table->has_t())
        c.setType(0, elementTypeFromOnnx(table->t().data_type()));
    else if (stringCount(c, "values_strings") > 0)
        c.setType(0, String);
    else
        c.setType(0, intCount(c, "values_int64s") > 0 ? Int64 : Float32);
    return true;
}

bool featureVectorizer(NodeContext& c)
{
    std::int64_t width = kUnknownDim;
    if (const auto widths = c.intsAttribute("inputdimensions"); widths && allKnown(*widths)) {
        width = 0;
        for (const std::int64_t part : *widths)
            width = addExtents(width, part);
    }
    c.set(0, Float32, {rowsOf(c), width});
    return true;
}

bool oneHotEncoder(NodeContext& c)
{
    c.setType(0, Float32);
    const std::int64_t categories = std::max(intCount(c, "cats_int64s"), stringCount(c, "cats_strings"));
    if (!c.hasShape(0))
        return true;
    Dims dims = c.dims(0);
    dims.push_back(categories);
    c.setDims(0, std::move(dims));
    return true;
}

constexpr ShapeRuleEntry kEntries[] = {
    {"ArrayFeatureExtractor", arrayFeatureExtractor},
    {"Binarizer", sameAsFirstInput},
    {"CastMap", castMap},
    {"CategoryMapper", categoryMapper},
    {"DictVectorizer", dictVectorizer},
    {"FeatureVectorizer", featureVectorizer},
    {"Imputer", sameAsFirstInput},
    {"LabelEncoder", labelEncoder},
    {"LinearClassifier", linearClassifier},
    {"LinearRegressor", linearRegressor},
    {"Normalizer", floatsLikeFirst},
    {"OneHotEncoder", oneHotEncoder},
    {"SVMClassifier", svmClassifier},
    {"SVMRegressor", svmRegressor},
    {"Scaler", floatsLikeFirst},
    {"TreeEnsemble", treeEnsemble},
    {"TreeEnsembleClassifier", treeEnsembleClassifier},
    {"TreeEnsembleRegressor", treeEnsembleRegressor},
    {"ZipMap", zipMap},
};

} // namespace

std::span<const ShapeRuleEntry> machineLearningRules()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
