// SPDX-License-Identifier: MIT
// Ids as the names that a test's text picture gives them.
#pragma once

#include <arenascope/graph.h>
#include <arenascope/schedule.h>

#include <QString>
#include <QStringList>

#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

namespace arenascope::test {

inline QString text(std::string_view view)
{
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

/// "a b c"
inline QString names(const Graph& graph, std::span<const OpId> ids)
{
    QStringList list;
    for (const OpId id : ids)
        list << QString::fromStdString(graph.op(id).name);
    return list.join(' ');
}

inline QString names(const Graph& graph, std::span<const TensorId> ids)
{
    QStringList list;
    for (const TensorId id : ids)
        list << QString::fromStdString(graph.tensor(id).name);
    return list.join(' ');
}

/// The schedule of that kind, which must succeed.
inline Schedule schedule(const Graph& graph, ScheduleKind kind = ScheduleKind::File)
{
    auto made = makeSchedule(graph, kind);
    if (!made) {
        std::fprintf(stderr, "schedule: %s\n", describe(made.error()).c_str());
        std::abort();
    }
    return *std::move(made);
}

} // namespace arenascope::test
