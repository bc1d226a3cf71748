// SPDX-License-Identifier: MIT
#include "core/src/import/findings.h"

#include <algorithm>

namespace arenascope {

void Findings::add(Severity severity, Error error)
{
    if (!m_said.insert(describe(error)).second)
        return;
    Overflow& sum = m_counts[error.code];
    sum.severity = std::max(sum.severity, severity);
    sum.argCount = error.args.size();
    if (++sum.count <= kMaxOfOneCode)
        m_listed.push_back({severity, std::move(error)});
}

void Findings::addAll(Diagnostics diagnostics)
{
    for (Diagnostic& diagnostic : diagnostics)
        add(diagnostic.severity, std::move(diagnostic.error));
}

Diagnostics Findings::take()
{
    for (const auto& [code, sum] : m_counts) {
        if (sum.count <= kMaxOfOneCode)
            continue;
        std::vector<std::string> args(sum.argCount, "...");
        if (!args.empty())
            args[0] = std::to_string(sum.count - kMaxOfOneCode) + " more";
        m_listed.push_back({sum.severity, Error{code, {}, std::move(args)}});
    }
    m_counts.clear();
    m_said.clear();
    return std::move(m_listed);
}

} // namespace arenascope
