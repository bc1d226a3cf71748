// SPDX-License-Identifier: MIT
// Findings while importing, each said once, and not more of a kind than anybody reads.
#pragma once

#include <arenascope/result.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace arenascope {

class Findings {
public:
    /// At most this many of one code are listed; the rest are counted.
    static constexpr std::int64_t kMaxOfOneCode = 20;

    void add(Severity severity, Error error);
    /// All findings in the order in which they were made, with "N more" at the end where some were left out.
    Diagnostics take();
    /// For code that fills Diagnostics itself.
    void addAll(Diagnostics diagnostics);

private:
    Diagnostics m_listed;
    std::set<std::string> m_said;
    struct Overflow {
        std::int64_t count = 0;
        Severity severity = Severity::Note;
        std::size_t argCount = 0;
    };
    std::map<ErrorCode, Overflow> m_counts;
};

} // namespace arenascope
