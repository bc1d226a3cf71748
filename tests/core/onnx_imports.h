// SPDX-License-Identifier: MIT
// Importing models that tests make, and what to ask of the graph.
#pragma once

#include <arenascope/importer.h>

#include "tests/core/onnx_models.h"

#include <QStringList>

namespace onnx_test {

using namespace arenascope;

/// Imports; fails the test by an empty graph where that does not work.
inline ImportedModel load(const onnx::ModelProto& model, const ImportOptions& options = {})
{
    auto imported = importModel(ModelFile(model).path(), options);
    if (imported)
        return std::move(*imported);
    qWarning("%s", describe(imported.error()).c_str());
    return {std::make_shared<const Graph>(), {}};
}

/// The message without the path that it begins with; empty where the model can be imported.
inline QString errorOf(const onnx::ModelProto& model, const ImportOptions& options)
{
    const ModelFile file(model);
    const auto imported = importModel(file.path(), options);
    if (imported)
        return {};
    return QString::fromStdString(describe(imported.error())).remove(0, qsizetype(file.path().size()) + 2);
}

inline QStringList said(const ImportedModel& model)
{
    QStringList lines;
    for (const Diagnostic& diagnostic : model.diagnostics)
        lines.append(QString::fromStdString(describe(diagnostic.error)));
    return lines;
}

inline QString kinds(const Graph& graph)
{
    QStringList names;
    for (const Operator& op : graph.operators())
        names.append(QString::fromStdString(op.kind));
    return names.join(QLatin1Char(' '));
}

inline const Tensor& tensor(const Graph& graph, const char* name)
{
    const TensorId id = graph.findTensor(name);
    static const Tensor none;
    return id.isValid() ? graph.tensor(id) : none;
}

inline QStringList omitted(const Graph& graph)
{
    QStringList lines;
    for (const Omission& o : graph.omissions())
        lines.append(QString::fromStdString((o.what == Omission::What::Operator ? "operator " : "tensor ") + o.name
                                            + ", " + o.kind + ": " + o.reason + ", " + std::to_string(o.bytes)));
    return lines;
}

inline onnx::ModelProto reluModel(std::initializer_list<Dim> dims)
{
    onnx::ModelProto made = model();
    addInput(*made.mutable_graph(), "x", dims);
    addNode(*made.mutable_graph(), "Relu", {"x"}, {"y"}, "relu");
    addOutput(*made.mutable_graph(), "y");
    return made;
}

} // namespace onnx_test
