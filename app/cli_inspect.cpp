// SPDX-License-Identifier: MIT
// `inspect`: what the network consists of.
#include "app/cli_commands.h"
#include "app/cli_model.h"
#include "app/cli_output.h"

namespace arenascope::cli {

namespace {

/// Text to print or JSON for `--json`, and the exit code.
struct Answer {
    int code = kGood;
    std::string text;
    std::string json;
};

Answer inspectOne(const std::string& path, const Request& request)
{
    const auto planned = planModel(path, request);
    if (!planned) {
        complain(planned.error(), path);
        return {exitCodeOf(planned.error()), {}, {}};
    }
    tellDiagnostics(planned->diagnostics, path, request);
    const ReportContext context{std::nullopt, planned->diagnostics, planned->seconds, 2};
    Answer answer;
    if (!request.json.empty())
        answer.json = inspectJson(*planned->outcome, context);
    if (request.json == "-")
        return answer;
    answer.text = summaryText(*planned->outcome, context) + "\n" + inspectText(*planned->outcome);
    if (request.explain)
        answer.text += "\n" + explainText(*planned->outcome);
    return answer;
}

} // namespace

int runInspect(const Request& request)
{
    int code = kGood;
    std::string json;
    const bool many = request.files.size() > 1;
    for (const std::string& path : request.files) {
        const Answer answer = inspectOne(path, request);
        code = worse(code, answer.code);
        if (!answer.text.empty())
            print((many ? "== " + printable(path) + "\n" : "") + answer.text + (many ? "\n" : ""));
        if (!answer.json.empty())
            json += (json.empty() ? "" : ",\n") + answer.json;
        if (answer.code == kStopped)
            break;
    }
    if (json.empty())
        return code;
    if (!deliver(many ? "[\n" + json + "\n]\n" : json + "\n", request.json))
        code = worse(code, kBadInput);
    return code;
}

} // namespace arenascope::cli
