// SPDX-License-Identifier: MIT
// Real model files, and the table of their figures (models/onnx.tsv beside the checkout).
#pragma once

#include <arenascope/importer.h>

#include <QFile>
#include <QStringList>
#include <QTest>

namespace arenascope::test {

inline QString modelPath(const QString& relative)
{
    return QStringLiteral(ARENASCOPE_SHARED_DIR "/models/") + relative;
}

/// "a[1, 3]:f32; b[]:i64" -> shapes by name.
inline ImportOptions optionsFrom(const QString& inputs)
{
    ImportOptions options;
    for (const QString& input : inputs.split("; ", Qt::SkipEmptyParts)) {
        const qsizetype open = input.lastIndexOf('[');
        std::vector<std::int64_t> dims;
        for (const QString& dim : input.mid(open + 1, input.lastIndexOf(']') - open - 1).split(',', Qt::SkipEmptyParts))
            dims.push_back(dim.trimmed().toLongLong());
        options.shapes[input.left(open).toStdString()] = std::move(dims);
    }
    return options;
}

/// Calls visit(model, shapes of its inputs, figure) for each row that has a figure in the column; every row where no column
/// is named. Skips the test where the table is missing.
template <class Visit>
void forEachModel(const QString& column, Visit&& visit)
{
    QFile table(modelPath("onnx.tsv"));
    if (!table.open(QIODevice::ReadOnly))
        QSKIP("models/onnx.tsv is missing (set ARENASCOPE_SHARED_DIR)");
    const QStringList columns = QString::fromUtf8(table.readLine()).trimmed().split('\t');
    const qsizetype figure = columns.indexOf(column);
    while (!table.atEnd()) {
        const QStringList cells = QString::fromUtf8(table.readLine()).split('\t');
        const QString text = figure >= 0 && figure < cells.size() ? cells[figure].trimmed() : QString();
        if (column.isEmpty() || !text.isEmpty())
            visit(cells[0], cells[columns.indexOf("inputs")], text);
    }
}

} // namespace arenascope::test
