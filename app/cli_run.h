// SPDX-License-Identifier: MIT
// `run`: what its parts share.
#pragma once

#include "app/cli_request.h"

#include <arenascope/executor.h>

#include <string_view>

namespace arenascope::cli {

/// What the network is fed with: one entry for each input that --input names. Errors: BadOption, and those of reading files.
Result<std::map<TensorId, TensorContent>> runInputs(const Graph& graph, const Request& request);

/// Everything that a run has brought to light.
struct RunAnswer {
    const PlanOutcome& planned;
    const RunReport& report;
    const Request& request;
    std::map<TensorId, std::string> files; ///< outputs that were written

    /// Whether the plan holds what it promises: equal results where they were compared, no guard violation, valid.
    bool isGood() const;
};
std::string runText(const RunAnswer& answer);
std::string runJson(const RunAnswer& answer, int indent = 2);

/// Lines of JSON about a run while it goes on, each written at once; nothing where nobody asked for them.
class RunProgress {
public:
    explicit RunProgress(const Request& request);
    ~RunProgress();
    RunProgress(const RunProgress&) = delete;
    RunProgress& operator=(const RunProgress&) = delete;

    /// Whether lines can be written; says why not.
    bool isOpen() const { return m_isOpen; }
    bool isWanted() const;
    void start(const Study& study, bool hasPlan);
    void stage(std::string_view name);
    void before(const Study& study, const RunStep& step);
    void after(const Study& study, const RunStep& step);
    void report(const RunAnswer& answer);
    void error(const Error& error);

private:
    void line(const std::string& json);

    const Request& m_request;
    std::string m_stage;
    int m_descriptor = -1; ///< of a file
    bool m_isOpen = true;
};

} // namespace arenascope::cli
