// SPDX-License-Identifier: MIT
#include "core/src/import/caffe/caffe_importer.h"

#include "core/src/import/caffe/net_text.h"
#include "core/src/import/caffe/rules.h"
#include "core/src/import/layered/failure.h"
#include "core/src/import/layered/text_file.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace arenascope {

namespace caffe {
namespace {

using layered::Dims;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// One set field as an attribute; nothing for what is a message itself.
std::optional<AttributeValue> valueOf(const Message& message, const FieldDescriptor* field)
{
    const Reflection& r = *message.GetReflection();
    const auto type = field->cpp_type();
    if (field->is_repeated()) {
        const int size = r.FieldSize(message, field);
        Dims integers;
        std::vector<double> reals;
        for (int i = 0; i < size; ++i) {
            if (type == FieldDescriptor::CPPTYPE_INT64)
                integers.push_back(r.GetRepeatedInt64(message, field, i));
            else if (type == FieldDescriptor::CPPTYPE_FLOAT)
                reals.push_back(static_cast<double>(r.GetRepeatedFloat(message, field, i)));
        }
        if (type == FieldDescriptor::CPPTYPE_INT64)
            return integers.size() == 1 ? AttributeValue(integers.front()) : AttributeValue(integers);
        return type == FieldDescriptor::CPPTYPE_FLOAT ? std::optional<AttributeValue>(reals) : std::nullopt;
    }
    switch (type) {
    case FieldDescriptor::CPPTYPE_INT64: return r.GetInt64(message, field);
    case FieldDescriptor::CPPTYPE_BOOL: return std::int64_t{r.GetBool(message, field) ? 1 : 0};
    case FieldDescriptor::CPPTYPE_ENUM: return std::string(r.GetEnum(message, field)->name());
    case FieldDescriptor::CPPTYPE_STRING: return r.GetString(message, field);
    default: return std::nullopt;
    }
}

/// What the layer's parameter messages say, by the names of their fields.
Attributes attributesOf(const LayerParameter& layer)
{
    Attributes all;
    std::vector<const FieldDescriptor*> groups;
    layer.GetReflection()->ListFields(layer, &groups);
    for (const FieldDescriptor* group : groups) {
        if (group->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || group->is_repeated())
            continue;
        const Message& message = layer.GetReflection()->GetMessage(layer, group);
        std::vector<const FieldDescriptor*> fields;
        message.GetReflection()->ListFields(message, &fields);
        for (const FieldDescriptor* field : fields) {
            if (auto value = valueOf(message, field))
                all.try_emplace(field->name(), *std::move(value));
        }
    }
    return all;
}

class Reader {
public:
    Reader(const NetParameter& proto, const ImportOptions& options, std::stop_token stop)
        : m_proto(proto), m_stop(std::move(stop)), m_net(options)
    {
    }
    ImportedModel read(ModelInfo info);

private:
    void addNetInputs();
    void addLayer(const LayerParameter& p, int index);
    void addFed(const layered::Layer& layer, const LayerParameter& p);
    std::vector<TensorId> bottomsOf(const LayerParameter& p, const std::string& where);
    std::vector<Shape> shapesOf(CaffeLayer& layer);
    void addTops(CaffeLayer& layer, std::vector<Shape> shapes);

    const NetParameter& m_proto;
    std::stop_token m_stop;
    layered::Network m_net;
    std::unordered_map<std::string, TensorId> m_sharedWeights;
    std::unordered_map<std::string, std::string> m_makers; ///< of blobs, for messages
};

/// Names in front of the layers, with four numbers each or with shapes.
void Reader::addNetInputs()
{
    const int count = m_proto.input_size();
    const bool hasShapes = m_proto.input_shape_size() > 0;
    if (hasShapes && m_proto.input_shape_size() != count)
        layered::fail(ErrorCode::FileCorrupt, "input", {"there are " + std::to_string(count) + " inputs and "
                                                        + std::to_string(m_proto.input_shape_size()) + " shapes"});
    if (!hasShapes && m_proto.input_dim_size() != 0 && m_proto.input_dim_size() != 4 * count)
        layered::fail(ErrorCode::FileCorrupt, "input", {"there are " + std::to_string(count) + " inputs of four dimensions and "
                                                        + std::to_string(m_proto.input_dim_size()) + " numbers in input_dim"});
    for (int i = 0; i < count; ++i) {
        Shape shape;
        if (hasShapes || m_proto.input_dim_size() > 0)
            shape = Shape::of({});
        const auto add = [&shape](std::int64_t dim) { shape.dims.push_back(dim > 0 ? dim : kUnknownDim); };
        if (hasShapes)
            std::ranges::for_each(m_proto.input_shape(i).dim(), add);
        else
            std::for_each(m_proto.input_dim().begin() + 4 * (shape.rankKnown ? i : 0),
                          m_proto.input_dim().begin() + 4 * (shape.rankKnown ? i + 1 : 0), add);
        m_net.addInput(m_proto.input(i), std::move(shape), "input '" + m_proto.input(i) + "'");
    }
}

std::vector<TensorId> Reader::bottomsOf(const LayerParameter& p, const std::string& where)
{
    std::vector<TensorId> ids;
    for (const std::string& blob : p.bottom()) {
        ids.push_back(m_net.find(blob));
        if (!ids.back().isValid())
            layered::fail(ErrorCode::DanglingTensor, where, {blob, p.name()});
    }
    return ids;
}

/// Layers that read nothing hold the network's inputs; a Parameter is a weight.
void Reader::addFed(const layered::Layer& layer, const LayerParameter& p)
{
    if (p.type() == "Parameter") {
        for (const std::string& blob : layer.outputs) {
            const auto& shapes = p.parameter_param().shape();
            m_net.addWeightBlob(blob, shapes.empty() ? Dims{kUnknownDim} : Dims(shapes.Get(0).dim().begin(), shapes.Get(0).dim().end()));
        }
        return m_net.omit(p.name(), p.type(), "weight");
    }
    std::vector<Shape> shapes = fedShapes(layer, p);
    for (std::size_t i = 0; i < layer.outputs.size(); ++i)
        m_net.addInput(layer.outputs[i], std::move(shapes[i]), layer.where);
    m_net.omit(p.name(), p.type(), "input of the network");
}

std::vector<Shape> Reader::shapesOf(CaffeLayer& layer)
{
    if (const Rule rule = findRule(layer.p.type()))
        return rule(layer);
    layer.unknownKind();
    return layer.all(layered::unknownShape());
}

void Reader::addTops(CaffeLayer& layer, std::vector<Shape> shapes)
{
    for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
        const std::string& blob = layer.outputs[i];
        const bool isInPlace = static_cast<int>(i) < layer.p.bottom_size() && layer.p.bottom(static_cast<int>(i)) == blob;
        if (m_net.find(blob).isValid() && !isInPlace) { // Caffe itself refuses this, others do not
            const auto maker = m_makers.find(blob);
            m_net.findings().add(Severity::Warning,
                                 {ErrorCode::DuplicateProducer, layer.where,
                                  {blob, maker == m_makers.end() ? "the network's input" : maker->second, layer.op.name}});
        }
        layer.op.outputs.push_back(m_net.addResult(blob, std::move(shapes[i]), ElementType::Float32, layer.isBounded));
        m_makers[blob] = layer.op.name;
    }
}

void Reader::addLayer(const LayerParameter& p, int index)
{
    const std::string name = p.name().empty() ? p.type() + "_" + std::to_string(index) : p.name();
    const std::string where = "layer '" + name + "'";
    if (p.type().empty())
        layered::fail(ErrorCode::FileCorrupt, where, {"it has no type"});
    if (!isIncluded(p, m_proto))
        return m_net.omit(name, p.type(), "not in phase TEST");
    Operator op;
    op.kind = p.type();
    op.name = name;
    op.fileIndex = index;
    CaffeLayer layer{{m_net, std::move(op), where, {}, {p.top().begin(), p.top().end()}}, p, m_sharedWeights};
    if (p.bottom().empty())
        return addFed(layer, p);
    if (layer.outputs.empty() && isLoss(p.type()))
        layer.outputs.push_back(name);
    layer.op.attributes = attributesOf(p);
    layer.op.inputs = bottomsOf(p, where);
    for (const TensorId input : layer.op.inputs)
        layer.in.push_back(m_net.shapeOf(input));
    if (layer.outputs.empty()) { // Silence, HDF5Output
        for (const TensorId input : layer.op.inputs)
            m_net.markRead(input);
        return m_net.omit(name, p.type(), "it makes nothing");
    }
    addTops(layer, shapesOf(layer));
    m_net.addOperator(std::move(layer.op));
}

ImportedModel Reader::read(ModelInfo info)
{
    addNetInputs();
    for (int i = 0; i < m_proto.layer_size(); ++i) {
        if (m_stop.stop_requested())
            layered::fail(ErrorCode::Cancelled, {}, {});
        addLayer(m_proto.layer(i), i);
    }
    m_net.addUnreadOutputs();
    return m_net.finish(std::move(info), m_proto.layer_size());
}

/// A word that stands alone in front of a brace or a colon, as in "layer {".
bool hasField(std::string_view head, std::string_view name, char mark)
{
    for (std::size_t at = head.find(name); at != std::string_view::npos; at = head.find(name, at + 1)) {
        const bool isAlone = at == 0 || head[at - 1] == ' ' || head[at - 1] == '\n' || head[at - 1] == '\t' || head[at - 1] == '\r';
        const std::size_t next = head.find_first_not_of(" \t\r\n", at + name.size());
        if (isAlone && next != std::string_view::npos && head[next] == mark)
            return true;
    }
    return false;
}

class CaffeImporter final : public Importer {
public:
    ImporterInfo info() const override { return {"caffe", "Caffe", {".prototxt"}}; }

    int probe(std::string_view head, const std::filesystem::path& path) const override
    {
        const bool isText = head.find('\0') == std::string_view::npos;
        if (!isText)
            return path.extension() == ".prototxt" ? 20 : 0;
        const bool hasLayers = hasField(head, "layer", '{') || hasField(head, "layers", '{');
        if (path.extension() == ".prototxt")
            return hasLayers ? 90 : 40;
        return hasLayers && (hasField(head, "top", ':') || hasField(head, "bottom", ':')) ? 80 : 0;
    }

    Result<ImportedModel> read(const std::filesystem::path& path, const ImportOptions& options, std::stop_token stop,
                               const ProgressFn&) const override
    {
        return layered::readLayered([&] {
            const layered::TextFile file = layered::readTextFile(path);
            const NetParameter net = readNet(file.text);
            return Reader(net, options, std::move(stop)).read(layered::infoOf(path, file, "Caffe"));
        });
    }
};

} // namespace
} // namespace caffe

const Importer& caffeImporter()
{
    static const caffe::CaffeImporter importer;
    return importer;
}

} // namespace arenascope
