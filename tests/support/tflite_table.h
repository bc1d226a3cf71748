// SPDX-License-Identifier: MIT
// Real .tflite files: the table of their figures and the plans of the real runtime (models/tflite* beside the checkout).
#pragma once

#include "tests/support/model_table.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace arenascope::test {

using TfliteRow = QHash<QString, QString>;

/// Rows by column name, without files that are not read; empty where the table is missing.
inline QList<TfliteRow> tfliteRows()
{
    QFile table(modelPath("tflite.tsv"));
    if (!table.open(QIODevice::ReadOnly))
        return {};
    const QStringList columns = QString::fromUtf8(table.readLine()).trimmed().split('\t');
    QList<TfliteRow> rows;
    while (!table.atEnd()) {
        const QStringList cells = QString::fromUtf8(table.readLine()).split('\t');
        TfliteRow row;
        for (qsizetype i = 0; i < columns.size() && i < cells.size(); ++i)
            row.insert(columns[i], cells[i].trimmed());
        if (row.value("status") == "ok")
            rows.append(row);
    }
    return rows;
}

/// What TensorFlow Lite Micro's allocator does with a file ("tflite/x.tflite"); an empty object where that is not known.
inline QJsonObject tflmPlanOf(const QString& file)
{
    QFile plan(modelPath("tflite_plans/" + file.section('/', -1) + ".json"));
    return plan.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(plan.readAll()).object() : QJsonObject();
}

} // namespace arenascope::test
