// SPDX-License-Identifier: MIT
#include "core/src/import/darknet/darknet_importer.h"

#include "core/src/import/darknet/rules.h"
#include "core/src/import/layered/failure.h"
#include "core/src/import/layered/text_file.h"

#include <algorithm>

namespace arenascope {

namespace darknet {
namespace {

using layered::Dims;

bool isNet(const Section& section)
{
    return section.kind == "net" || section.kind == "network";
}

class Reader {
public:
    Reader(const std::vector<Section>& sections, const ImportOptions& options, std::stop_token stop)
        : m_sections(sections), m_options(options), m_stop(std::move(stop)), m_net(options)
    {
    }
    ImportedModel read(ModelInfo info);

private:
    void addInput(const Section& net);
    void addLayer(const Section& section);
    std::vector<TensorId> sourcesOf(const DarknetLayer& layer) const;
    TensorId source(const DarknetLayer& layer, const std::string& key, std::int64_t index) const;
    TensorId previous() const { return m_results.empty() ? m_input : m_results.back(); }
    Shape shapeOf(DarknetLayer& layer);

    const std::vector<Section>& m_sections;
    const ImportOptions& m_options;
    std::stop_token m_stop;
    layered::Network m_net;
    TensorId m_input;
    std::int64_t m_batch = 1;
    std::vector<TensorId> m_results; ///< by index of the layer
    std::vector<TensorId> m_heads;
};

/// A configuration says how much is trained at once; a network that is used takes one picture (or one step in time) a time.
void Reader::addInput(const Section& net)
{
    const auto extent = [&net](std::string_view key) {
        const std::int64_t value = net.integer(key, 0);
        if (value < 0)
            layered::fail(ErrorCode::FileCorrupt, net.where(), {std::string(key) + " is " + std::to_string(value)});
        return value > 0 ? value : kUnknownDim;
    };
    Shape shape = Shape::of({1, extent("channels"), extent("height"), extent("width")});
    if (std::ranges::find(shape.dims, kUnknownDim) != shape.dims.end() && layered::isKnown(extent("inputs")))
        shape.dims = {1, extent("inputs")};
    shape.symbols.assign(shape.dims.size(), {});
    shape.symbols[0] = "batch";
    m_input = m_net.addInput("data", shape, net.where());
    const Dims& dims = m_net.shapeOf(m_input).dims;
    if (dims.size() != 2 && dims.size() != 4)
        layered::fail(ErrorCode::BadShape, "--shape", {"data", "it has " + std::to_string(dims.size()) + " dimensions"});
    m_batch = dims.front();
    const std::int64_t trained = net.integer("batch", 1);
    const bool isGiven = m_net.isGiven("data") || m_options.dims.contains("batch");
    if (trained != 1 && !isGiven)
        m_net.findings().add(Severity::Note, {ErrorCode::AssumedDim, net.where(),
                                              {"'batch' of input 'data', which is " + std::to_string(trained) + " while training,",
                                               "1 (one item at a time)", "--dim batch=N"}});
}

TensorId Reader::source(const DarknetLayer& layer, const std::string& key, std::int64_t index) const
{
    const std::int64_t count = std::ssize(m_results);
    const std::int64_t at = index < 0 ? count + index : index;
    if (at < 0 || at >= count)
        layer.bad(key + " names layer " + std::to_string(index) + ", but only layers 0 to " + std::to_string(count - 1)
                  + " come before it");
    return m_results[static_cast<std::size_t>(at)];
}

std::vector<TensorId> Reader::sourcesOf(const DarknetLayer& layer) const
{
    const Wiring wiring = wiringOf(layer.op.kind);
    if (wiring == Wiring::Nothing)
        return {};
    std::vector<TensorId> sources;
    if (wiring != Wiring::Route)
        sources.push_back(previous());
    if (wiring == Wiring::Previous || wiring == Wiring::Training)
        return sources;
    const std::string key = wiring == Wiring::Route ? "layers" : "from";
    const Dims named = layer.section.integers(key);
    if (named.empty())
        layer.bad("it does not say which layers it reads (" + key + ")");
    for (const std::int64_t index : named)
        sources.push_back(source(layer, key, index));
    return sources;
}

Shape Reader::shapeOf(DarknetLayer& layer)
{
    if (const Rule rule = findRule(layer.op.kind))
        return rule(layer);
    layer.unknownKind();
    return layered::unknownShape();
}

void Reader::addLayer(const Section& section)
{
    const std::int64_t index = std::ssize(m_results);
    Operator op;
    op.kind = section.kind;
    op.name = section.kind + "_" + std::to_string(index);
    op.fileIndex = static_cast<std::int32_t>(index);
    op.attributes = section.attributes();
    const std::string name = op.name;
    DarknetLayer layer{{m_net, std::move(op), section.where() + ", layer " + std::to_string(index), {}, {name}}, section, m_batch};
    layer.op.inputs = sourcesOf(layer);
    for (const TensorId input : layer.op.inputs)
        layer.in.push_back(m_net.shapeOf(input));
    if (wiringOf(section.kind) == Wiring::Training) {
        m_net.omit(name, section.kind, "only used while training");
        m_results.push_back(previous());
        return;
    }
    const Shape shape = shapeOf(layer);
    const TensorId made = m_net.addResult(name, shape);
    layer.op.outputs = {made};
    m_net.addOperator(std::move(layer.op));
    m_results.push_back(made);
    if (isDetection(section.kind))
        m_heads.push_back(made);
}

ImportedModel Reader::read(ModelInfo info)
{
    if (m_sections.empty() || !isNet(m_sections.front()))
        layered::fail(ErrorCode::FileCorrupt, m_sections.empty() ? std::string() : m_sections.front().where(),
                      {"it does not begin with a section [net]"});
    addInput(m_sections.front());
    for (std::size_t i = 1; i < m_sections.size(); ++i) {
        if (m_stop.stop_requested())
            layered::fail(ErrorCode::Cancelled, {}, {});
        addLayer(m_sections[i]);
    }
    // What Darknet hands out: the detections, and the last layer.
    for (const TensorId head : m_heads)
        m_net.addOutput(head);
    if (!m_results.empty() && previous() != m_input && std::ranges::find(m_heads, previous()) == m_heads.end())
        m_net.addOutput(previous());
    return m_net.finish(std::move(info), std::ssize(m_sections) - 1);
}

class DarknetImporter final : public Importer {
public:
    ImporterInfo info() const override { return {"darknet", "Darknet", {".cfg"}}; }

    int probe(std::string_view head, const std::filesystem::path& path) const override
    {
        // Comments may come first.
        const auto begins = [head](std::string_view section) {
            return head.starts_with(section) || head.find("\n" + std::string(section)) != std::string_view::npos;
        };
        if (begins("[net]") || begins("[network]"))
            return 90;
        return path.extension() == ".cfg" ? 30 : 0;
    }

    Result<ImportedModel> read(const std::filesystem::path& path, const ImportOptions& options, std::stop_token stop,
                               const ProgressFn&) const override
    {
        return layered::readLayered([&] {
            const layered::TextFile file = layered::readTextFile(path);
            const std::vector<Section> sections = readSections(file.text);
            return Reader(sections, options, std::move(stop)).read(layered::infoOf(path, file, "Darknet"));
        });
    }
};

} // namespace
} // namespace darknet

const Importer& darknetImporter()
{
    static const darknet::DarknetImporter importer;
    return importer;
}

} // namespace arenascope
