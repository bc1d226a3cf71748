// SPDX-License-Identifier: MIT
#include "core/src/import/ncnn/ncnn_importer.h"

#include "core/src/import/layered/failure.h"
#include "core/src/import/layered/text_file.h"
#include "core/src/import/ncnn/rules.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace arenascope {

namespace ncnn {
namespace {

using layered::Dims;

constexpr int kShapeNotes = 30; // -23330: dimensions, width, height, channels of each output, as the converter saw them

class Reader {
public:
    Reader(const std::vector<LayerLine>& lines, const ImportOptions& options, std::stop_token stop)
        : m_lines(lines), m_stop(std::move(stop)), m_net(options)
    {
        for (std::size_t i = 0; i < lines.size(); ++i) {
            for (const std::string& blob : lines[i].bottoms)
                m_firstReader.try_emplace(blob, i);
        }
    }
    ImportedModel read(ModelInfo info);

private:
    void addInput(const LayerLine& line);
    void addMemory(const LayerLine& line);
    void addLayer(const LayerLine& line, std::size_t index);
    std::vector<Shape> shapesOf(NcnnLayer& layer);
    void compareNotes(NcnnLayer& layer, std::vector<Shape>& shapes);
    std::int64_t channelsReadFrom(const std::string& blob) const;

    const std::vector<LayerLine>& m_lines;
    std::stop_token m_stop;
    layered::Network m_net;
    std::unordered_map<std::string, std::size_t> m_firstReader; ///< of a blob: the layer's index
};

/// Width, height, depth and channels of a blob without a maker; 0 where the file leaves them open.
Dims extentsOf(const LayerLine& line)
{
    Dims dims;
    for (const int id : {2, 11, 1, 0}) { // outermost first
        const std::int64_t extent = line.params.integer(id, 0);
        if (extent < 0)
            layered::fail(ErrorCode::FileCorrupt, line.where(), {"an extent is " + std::to_string(extent)});
        const bool isDepth = id == 11;
        if (extent > 0 || (!dims.empty() && !isDepth)) // the outermost ones that are missing lower the rank
            dims.push_back(extent > 0 ? extent : kUnknownDim);
    }
    return dims;
}

/// The channels that the weights of a convolution are for.
std::int64_t channelsOf(const LayerLine& line)
{
    const std::int64_t kernel = line.params.integer(1, 0);
    const auto area = checkedMultiply(kernel, line.params.integer(11, kernel));
    const auto perChannel = area ? checkedMultiply(*area, line.params.integer(0, 0)) : std::nullopt;
    const std::int64_t weights = line.params.integer(6, 0);
    const std::int64_t groups = line.kind == "Convolution" ? 1 : line.params.integer(7, 1);
    if (!perChannel || *perChannel <= 0 || weights <= 0 || groups <= 0)
        return kUnknownDim;
    return weights / *perChannel * groups;
}

/// Exporters often leave out what a network is fed; the first convolution that reads it, perhaps after a Split, tells.
std::int64_t Reader::channelsReadFrom(const std::string& wanted) const
{
    constexpr std::size_t kMostBlobs = 100;
    std::vector<std::string> blobs = {wanted};
    for (std::size_t i = 0; i < blobs.size() && i < kMostBlobs; ++i) {
        const auto reader = m_firstReader.find(blobs[i]);
        if (reader == m_firstReader.end())
            continue;
        const LayerLine& line = m_lines[reader->second];
        if (line.kind == "Convolution" || line.kind == "ConvolutionDepthWise")
            return channelsOf(line);
        if (line.kind == "Split")
            blobs.insert(blobs.end(), line.tops.begin(), line.tops.end());
    }
    return kUnknownDim;
}

void Reader::addInput(const LayerLine& line)
{
    for (const std::string& blob : line.tops) {
        const Dims dims = extentsOf(line);
        Shape shape = dims.empty() ? Shape() : Shape::of(dims);
        if (dims.empty() && !m_net.isGiven(blob)) {
            if (const std::int64_t channels = channelsReadFrom(blob); layered::isKnown(channels))
                shape = Shape::of({channels, kUnknownDim, kUnknownDim});
        }
        m_net.addInput(blob, std::move(shape), line.where(), layered::FirstDim::NoBatch);
    }
}

void Reader::addMemory(const LayerLine& line)
{
    const Dims dims = extentsOf(line);
    for (const std::string& blob : line.tops)
        m_net.addWeightBlob(blob, dims.empty() ? Dims{1} : dims);
    m_net.omit(line.name, line.kind, "weight");
}

/// Notes were made for the input sizes of the converter: they settle what no rule knows, unless the sizes have changed.
void Reader::compareNotes(NcnnLayer& layer, std::vector<Shape>& shapes)
{
    const Dims notes = layer.params.integers(kShapeNotes);
    if (notes.size() != 4 * shapes.size() || m_net.hasGivenShapes())
        return;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const Dims whc = {notes[4 * i + 1], notes[4 * i + 2], notes[4 * i + 3]};
        const std::int64_t rank = notes[4 * i];
        if (rank < 1 || rank > 3 || std::ranges::any_of(whc, [](std::int64_t extent) { return extent < 1; }))
            continue;
        Dims noted(whc.begin(), whc.begin() + rank);
        std::ranges::reverse(noted);
        if (!shapes[i].isStatic()) {
            shapes[i] = Shape::of(noted);
        } else if (shapes[i].dims != noted && !layer.isBounded) {
            m_net.findings().add(Severity::Warning,
                                 {ErrorCode::BadShape, layer.where,
                                  {layer.outputs[i], "the file notes " + toString(Shape::of(noted)) + ", and its layers make it "
                                                         + toString(shapes[i]) + ", which is taken"}});
        }
    }
}

std::vector<Shape> Reader::shapesOf(NcnnLayer& layer)
{
    const Rule rule = findRule(layer.op.kind);
    std::vector<Shape> shapes = rule && !layer.outputs.empty() ? rule(layer) : layer.all(layered::unknownShape());
    compareNotes(layer, shapes);
    if (!rule && !std::ranges::all_of(shapes, &Shape::isStatic))
        layer.unknownKind();
    return shapes;
}

void Reader::addLayer(const LayerLine& line, std::size_t index)
{
    Operator op;
    op.kind = line.kind;
    op.name = line.name;
    op.fileIndex = static_cast<std::int32_t>(index);
    op.attributes = line.params.attributes();
    NcnnLayer layer{{m_net, std::move(op), line.where(), {}, line.tops}, line.params};
    for (const std::string& blob : line.bottoms) {
        const TensorId id = m_net.find(blob);
        if (!id.isValid())
            layered::fail(ErrorCode::DanglingTensor, line.where(), {blob, line.name});
        layer.op.inputs.push_back(id);
        layer.in.push_back(m_net.shapeOf(id));
    }
    std::vector<Shape> shapes = shapesOf(layer);
    for (std::size_t i = 0; i < line.tops.size(); ++i) {
        if (m_net.find(line.tops[i]).isValid())
            layered::fail(ErrorCode::DuplicateName, line.where(), {"blob", line.tops[i]});
        const bool isInt8 = line.kind == "Quantize" || line.kind == "Requantize";
        layer.op.outputs.push_back(m_net.addResult(line.tops[i], std::move(shapes[i]),
                                                   isInt8 ? ElementType::Int8 : ElementType::Float32, layer.isBounded));
    }
    m_net.addOperator(std::move(layer.op));
}

ImportedModel Reader::read(ModelInfo info)
{
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        if (m_stop.stop_requested())
            layered::fail(ErrorCode::Cancelled, {}, {});
        if (m_lines[i].kind == "Input")
            addInput(m_lines[i]);
        else if (m_lines[i].kind == "MemoryData")
            addMemory(m_lines[i]);
        else
            addLayer(m_lines[i], i);
    }
    m_net.addUnreadOutputs();
    return m_net.finish(std::move(info), std::ssize(m_lines));
}

class NcnnImporter final : public Importer {
public:
    ImporterInfo info() const override { return {"ncnn", "ncnn", {".param"}}; }

    int probe(std::string_view head, const std::filesystem::path& path) const override
    {
        const std::size_t end = std::min(head.find('\n'), head.size());
        if (layered::trimmed(head.substr(0, end)) == "7767517")
            return 100;
        return path.extension() == ".param" ? 40 : 0;
    }

    Result<ImportedModel> read(const std::filesystem::path& path, const ImportOptions& options, std::stop_token stop,
                               const ProgressFn&) const override
    {
        return layered::readLayered([&] {
            const layered::TextFile file = layered::readTextFile(path);
            const std::vector<LayerLine> lines = readLayers(file.text);
            return Reader(lines, options, std::move(stop)).read(layered::infoOf(path, file, "ncnn"));
        });
    }
};

} // namespace
} // namespace ncnn

const Importer& ncnnImporter()
{
    static const ncnn::NcnnImporter importer;
    return importer;
}

} // namespace arenascope
