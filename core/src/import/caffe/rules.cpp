// SPDX-License-Identifier: MIT
#include "core/src/import/caffe/rules.h"

#include <algorithm>
#include <array>
#include <map>

namespace arenascope::caffe {

using layered::Dims;

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

bool isLoss(std::string_view kind)
{
    return kind.ends_with("Loss") || kind == "Accuracy";
}

void CaffeLayer::nextWeight(const std::string& suffix, const Dims& dims)
{
    const std::size_t index = weights++;
    const std::string name = index < static_cast<std::size_t>(p.param_size()) ? p.param(static_cast<int>(index)).name() : std::string();
    if (name.empty())
        return weight(suffix, dims);
    const auto [known, isNew] = shared.try_emplace(name);
    if (isNew)
        known->second = net.addWeight(name, dims);
    op.inputs.push_back(known->second);
}

Shape CaffeLayer::blob(std::size_t i, std::size_t usualRank) const
{
    const Shape& shape = input(i);
    return shape.rankKnown ? shape : layered::openShape(usualRank);
}

Shape CaffeLayer::picture(std::size_t i) const
{
    Shape shape = blob(i);
    if (shape.dims.size() != 4)
        mismatch("it needs four dimensions, and its input is " + toString(shape));
    return shape;
}

// ---- What is fed

namespace {

Shape shapeOf(const BlobShape& blob)
{
    Shape shape = Shape::of({});
    for (const std::int64_t dim : blob.dim())
        shape.dims.push_back(dim > 0 ? dim : kUnknownDim);
    return shape;
}

template <class Shapes>
std::vector<Shape> listed(const layered::Layer& layer, const Shapes& shapes)
{
    if (shapes.size() > 1 && static_cast<std::size_t>(shapes.size()) != layer.outputs.size())
        layer.bad("it has " + std::to_string(shapes.size()) + " shapes for " + std::to_string(layer.outputs.size()) + " outputs");
    std::vector<Shape> result;
    for (std::size_t i = 0; i < layer.outputs.size(); ++i)
        result.push_back(shapes.empty() ? Shape() : shapeOf(shapes.Get(shapes.size() == 1 ? 0 : static_cast<int>(i))));
    return result;
}

std::int64_t orOpen(std::int64_t extent)
{
    return extent > 0 ? extent : kUnknownDim;
}

/// Pictures of a database and their labels; how large the pictures are is only known where they are cropped or scaled.
std::vector<Shape> fromData(const layered::Layer& layer, const DataParameter& data, const LayerParameter& p)
{
    const auto& transform = p.transform_param();
    const std::int64_t batch = orOpen(data.batch_size());
    const std::int64_t crop = transform.crop_size() > 0 ? transform.crop_size() : data.crop_size();
    const std::int64_t channels = transform.force_color() ? 3 : transform.force_gray() ? 1 : orOpen(data.channels());
    const std::int64_t height = crop > 0 ? crop : data.height() > 0 ? data.height() : orOpen(data.new_height());
    const std::int64_t width = crop > 0 ? crop : data.width() > 0 ? data.width() : orOpen(data.new_width());
    std::vector<Shape> shapes(layer.outputs.size(), Shape::of({batch}));
    if (!shapes.empty())
        shapes.front() = Shape::of({batch, channels, height, width});
    return shapes;
}

std::vector<Shape> fromDummy(const layered::Layer& layer, const DummyDataParameter& dummy)
{
    if (dummy.shape_size() > 0)
        return listed(layer, dummy.shape());
    const auto nth = [](const google::protobuf::RepeatedField<std::int64_t>& values, std::size_t i) {
        return values.empty() ? kUnknownDim : orOpen(values.Get(std::min(static_cast<int>(i), values.size() - 1)));
    };
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < layer.outputs.size(); ++i)
        shapes.push_back(Shape::of({nth(dummy.num(), i), nth(dummy.channels(), i), nth(dummy.height(), i), nth(dummy.width(), i)}));
    return shapes;
}

} // namespace

std::vector<Shape> fedShapes(const layered::Layer& layer, const LayerParameter& p)
{
    if (p.type() == "Input")
        return listed(layer, p.input_param().shape());
    if (p.type() == "DummyData")
        return fromDummy(layer, p.dummy_data_param());
    if (p.has_memory_data_param())
        return fromData(layer, p.memory_data_param(), p);
    if (p.has_image_data_param())
        return fromData(layer, p.image_data_param(), p);
    if (p.has_window_data_param())
        return fromData(layer, p.window_data_param(), p);
    if (p.has_data_param())
        return fromData(layer, p.data_param(), p);
    return std::vector<Shape>(layer.outputs.size()); // other files say what is in them
}

} // namespace arenascope::caffe
