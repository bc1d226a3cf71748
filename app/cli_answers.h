// SPDX-License-Identifier: MIT
// What commands that take several files have in common: one after the other, one JSON answer.
#pragma once

#include "app/cli_request.h"

#include <functional>
#include <string>
#include <vector>

namespace arenascope::cli {

/// Runs `one`, which gives an exit code, for each file until Ctrl+C. Returns the worst exit code; files that are left then
/// are said, and count as stopped.
int forEachFile(const Request& request, const std::function<int(const std::string& path)>& one);

/// The JSON answer of a command: an object for one file, an array with an entry for each of several.
class JsonAnswer {
public:
    explicit JsonAnswer(const Request& request) : m_request(request) {}

    bool isWanted() const { return !m_request.json.empty(); }
    /// What standard output has room for: JSON on it leaves none for text.
    bool leavesRoomForText() const { return m_request.json != "-"; }
    void add(std::string object);
    /// Of several files each keeps its entry; a single one that failed has no JSON at all.
    void addError(const Error& error, const std::string& path);
    /// Writes it where --json says, if there is anything. Returns an exit code.
    int deliver() const;

private:
    const Request& m_request;
    std::vector<std::string> m_objects;
};

} // namespace arenascope::cli
