// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/onnx_importer.h"

#include "core/src/import/byte_source.h"
#include "core/src/import/onnx/assembly.h"
#include "core/src/import/onnx/functions.h"
#include "core/src/import/onnx/slim_schema.h"

#include <algorithm>
#include <array>

namespace arenascope {

namespace onnx_import {
namespace {

/// The newest opset of ai.onnx when each IR version was current (https://github.com/onnx/onnx/blob/main/docs/Versioning.md).
std::int64_t opsetOfIrVersion(std::int64_t irVersion)
{
    constexpr std::array<std::int64_t, 12> kNewest = {8, 8, 8, 8, 9, 10, 11, 14, 18, 20, 22, 23};
    if (irVersion < 1 || irVersion >= std::ssize(kNewest))
        return kNewest.back();
    return kNewest[static_cast<std::size_t>(irVersion)];
}

bool usesDomain(const onnx::GraphProto& graph, std::string_view domain)
{
    return std::ranges::any_of(graph.node(), [&](const onnx::NodeProto& node) {
        return node.domain() == domain || (domain.empty() && node.domain() == "ai.onnx");
    });
}

Opsets opsetsOf(const onnx::ModelProto& model, Findings& findings)
{
    Opsets opsets = readOpsets(model.opset_import());
    if (!opsets.contains("") && usesDomain(model.graph(), "")) {
        opsets[""] = opsetOfIrVersion(model.ir_version());
        findings.add(Severity::Warning,
                     Error{ErrorCode::MissingOpset, "model", {"ai.onnx", std::to_string(opsets[""])}});
    }
    if (!opsets.contains("ai.onnx.ml") && usesDomain(model.graph(), "ai.onnx.ml")) {
        opsets["ai.onnx.ml"] = 1;
        findings.add(Severity::Warning, Error{ErrorCode::MissingOpset, "model", {"ai.onnx.ml", "1"}});
    }
    return opsets;
}

ModelInfo infoOf(const std::filesystem::path& path, const SlimModel& model, Bytes fileBytes, const Opsets& opsets)
{
    ModelInfo info;
    info.path = path.string();
    info.name = path.filename().string();
    info.format = "ONNX";
    info.producer = model.proto.producer_name();
    if (!model.proto.producer_version().empty())
        info.producer += (info.producer.empty() ? "" : " ") + model.proto.producer_version();
    info.opsets = opsets;
    info.hash = model.hash;
    info.fileBytes = fileBytes;
    info.operatorsInFile = model.proto.graph().node_size();
    return info;
}

/// A file that claims ONNX's own domain for its operators and has none that ONNX defines is no ONNX network.
/// (Single unknown ones are fine: they are custom operators or newer than this program.)
std::optional<Error> noneKnown(const GraphRun& run)
{
    const auto& nodes = run.scope->nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::string& domain = nodes[i].node->domain();
        if (run.nodes[i].isKnown || !(domain.empty() || domain == "ai.onnx"))
            return std::nullopt;
    }
    if (nodes.empty())
        return std::nullopt;
    return Error{ErrorCode::FileCorrupt, "graph",
                 {"none of its operators is one of ONNX (the first is '" + nodes[0].node->op_type() + "')"}};
}

Result<ImportedModel> readModel(const std::filesystem::path& path, const ImportOptions& options, std::stop_token stop,
                                const ProgressFn& progress)
{
    auto file = ByteSource::open(path);
    if (!file)
        return file.error();
    auto slim = readSlimModel(*file, stop, progress);
    if (!slim)
        return slim.error();
    if (!slim->proto.has_graph())
        return Error{ErrorCode::FileCorrupt, "model", {"it holds no network (field 'graph')"}};

    Findings findings;
    const Opsets opsets = opsetsOf(slim->proto, findings);
    const ModelInfo info = infoOf(path, *slim, file->size(), opsets);
    auto inlined = inlineFunctions(slim->proto, opsets);
    if (!inlined)
        return inlined.error();
    auto scope = resolveScope(slim->proto.graph());
    if (!scope)
        return scope.error();

    Diagnostics dimDiagnostics;
    DimBinder dims(options, dimDiagnostics);
    std::vector<std::string> inputs;
    for (const std::int32_t slot : (*scope)->inputs) {
        const Slot& input = (*scope)->slots[static_cast<std::size_t>(slot)];
        inputs.emplace_back(input.name);
        if (input.declared == nullptr)
            continue;
        if (auto bound = dims.bindFromInput(inputs.back(), *input.declared); !bound)
            return bound.error();
    }
    RunContext context{dims, findings, opsets, std::move(*inlined), stop, progress};
    auto run = runGraph(context, **scope);
    if (!run)
        return run.error();
    if (auto known = dims.checkNames(inputs); !known)
        return known.error();
    if (auto error = noneKnown(*run))
        return *error;

    Findings all;
    all.addAll(std::move(dimDiagnostics));
    all.addAll(findings.take());
    WeightLocator weights(path, *slim, all);
    auto graph = assembleGraph(*run, context, weights, all, info);
    if (!graph)
        return graph.error();
    return ImportedModel{std::move(*graph), all.take()};
}

/// Whether the first bytes read as fields of a ModelProto. 0: no, else the number of fields that fit.
int plausibleFields(std::string_view head)
{
    ByteSource source(std::as_bytes(std::span(head)));
    WireReader reader(source);
    int fields = 0;
    while (!reader.atEnd()) {
        const auto field = reader.next();
        if (!field) // what goes beyond the head is no damage
            return reader.endedEarly() ? fields + 1 : 0;
        const FieldRule* rule = findRule(MessageKind::Model, field->number);
        const bool isDropped = field->number == 6 || field->number == 14 || field->number == 20;
        if (rule == nullptr ? !isDropped : !accepts(rule->form, field->type))
            return 0;
        ++fields;
    }
    return fields;
}

class OnnxImporter final : public Importer {
public:
    ImporterInfo info() const override { return {"onnx", "ONNX", {".onnx"}}; }

    int probe(std::string_view head, const std::filesystem::path& path) const override
    {
        const bool isNamed = path.extension() == ".onnx" || path.extension() == ".ONNX";
        const int fields = plausibleFields(head);
        if (isNamed)
            return fields > 0 ? 95 : 60;
        // A ModelProto begins with its IR version; that and two more fields are hardly chance.
        return fields >= 3 && head.starts_with('\x08') ? 70 : 0;
    }

    Result<ImportedModel> read(const std::filesystem::path& path, const ImportOptions& options, std::stop_token stop,
                               const ProgressFn& progress) const override
    {
        return readModel(path, options, std::move(stop), progress);
    }
};

} // namespace
} // namespace onnx_import

const Importer& onnxImporter()
{
    static const onnx_import::OnnxImporter importer;
    return importer;
}

} // namespace arenascope
