// SPDX-License-Identifier: MIT
// Networks written as text, and what must hold for every network that was read from a list of layers.
#pragma once

#include <arenascope/importer.h>
#include <arenascope/planner.h>
#include <arenascope/study.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace arenascope::test {

/// Reads `text` as a file of this name.
inline Result<ImportedModel> importText(const QString& name, const QByteArray& text, const ImportOptions& options = {})
{
    static const QTemporaryDir folder;
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        return Error{ErrorCode::FileNotWritable, name.toStdString(), {"test"}};
    file.close();
    auto model = importModel(file.fileName().toStdString(), options);
    file.remove();
    if (model)
        return model;
    Error error = model.error(); // the folder's name is another one each time
    const std::string prefix = folder.path().toStdString() + "/";
    if (error.where.starts_with(prefix))
        error.where.erase(0, prefix.size());
    return error;
}

/// "1x3x8x8", "missing" where there is no such tensor.
inline QString shapeOf(const Graph& graph, const QString& tensor)
{
    const TensorId id = graph.findTensor(tensor.toStdString());
    return id.isValid() ? QString::fromStdString(toString(graph.tensor(id).shape)) : QStringLiteral("missing");
}

/// What was said while reading, one line each.
inline QStringList messages(const Result<ImportedModel>& model)
{
    if (!model)
        return {"error " + QString::fromStdString(describe(model.error()))};
    QStringList lines;
    for (const Diagnostic& diagnostic : model->diagnostics)
        lines << QString::fromStdString(describe(diagnostic.error));
    return lines;
}

/// Real model files, relative to models/ beside the checkout.
inline QStringList modelFiles(const QString& folder, const QString& pattern)
{
    QStringList files;
    for (const QString& sub : {folder, folder + "/noweights"}) {
        const QDir dir(QStringLiteral(ARENASCOPE_SHARED_DIR "/models/") + sub);
        for (const QString& name : dir.entryList({pattern}, QDir::Files, QDir::Name))
            files << sub + "/" + name;
    }
    return files;
}

/// One row for each of those files; without any the test is skipped.
inline void addRowsOfFiles(const QString& folder, const QString& pattern)
{
    QTest::addColumn<QString>("file");
    const QStringList files = modelFiles(folder, pattern);
    if (files.isEmpty())
        QSKIP("the model files are missing (set ARENASCOPE_SHARED_DIR)");
    for (const QString& file : files)
        QTest::newRow(qPrintable(file)) << file;
}

/// The shapes of the tensors that "conv1=1x3x8x8 prob=1x10" names, written in the same way.
inline QString shapesAsIn(const QString& expected, const Graph& graph)
{
    QStringList pairs = expected.split(u' ');
    for (QString& pair : pairs) {
        const QString tensor = pair.section(u'=', 0, 0);
        pair = tensor + u'=' + shapeOf(graph, tensor);
    }
    return pairs.join(u' ');
}

/// Plans with every strategy under every alias option; what was wrong, empty where all is well.
inline QString faultsOfPlans(const std::shared_ptr<const Graph>& graph)
{
    PlannerOptions brief;
    brief.nodeBudget = 2000;
    Bytes last = -1;
    for (const AliasMode alias : {AliasMode::None, AliasMode::Views, AliasMode::InPlace, AliasMode::All}) {
        StudyOptions options;
        options.alias = alias;
        const auto study = makeStudy(graph, options);
        if (!study)
            return QString::fromStdString(describe(study.error()));
        const Bytes bound = (*study)->lowerBound();
        if (last >= 0 && bound > last)
            return QStringLiteral("the bound rises with more sharing");
        last = bound;
        for (const Planner* planner : planners()) {
            const auto outcome = planStudy(*study, planner->info().id, brief);
            const QString name = QString::fromStdString(std::string(planner->info().id));
            if (!outcome && outcome.error().code == ErrorCode::Unsupported) // says so for gaps
                continue;
            if (!outcome)
                return name + ": " + QString::fromStdString(describe(outcome.error()));
            if (!(*outcome)->isValid())
                return name + " gives no valid plan";
            if ((*outcome)->plan.arenaSize < bound)
                return name + " stays below the bound";
        }
    }
    return {};
}

} // namespace arenascope::test
