// SPDX-License-Identifier: MIT
// `inspect`: what the network consists of.
#include "app/cli_answers.h"
#include "app/cli_commands.h"
#include "app/cli_model.h"
#include "app/cli_output.h"

namespace arenascope::cli {

namespace {

int inspectOne(const std::string& path, const Request& request, JsonAnswer& json)
{
    const auto planned = planModel(path, request);
    if (!planned) {
        complain(planned.error(), path);
        json.addError(planned.error(), path);
        return exitCodeOf(planned.error());
    }
    tellDiagnostics(planned->diagnostics, path, request);
    ReportContext context;
    context.diagnostics = planned->diagnostics;
    context.seconds = planned->seconds;
    if (json.isWanted())
        json.add(inspectJson(*planned->outcome, context));
    if (!json.leavesRoomForText())
        return kGood;
    const bool many = request.files.size() > 1;
    std::string text = many ? "== " + printable(path) + "\n" : "";
    text += summaryText(*planned->outcome, context) + "\n" + inspectText(*planned->outcome);
    if (request.explain)
        text += "\n" + explainText(*planned->outcome);
    print(text + (many ? "\n" : ""));
    return kGood;
}

} // namespace

int runInspect(const Request& request)
{
    JsonAnswer json(request);
    const int code = forEachFile(request, [&](const std::string& path) { return inspectOne(path, request, json); });
    return worse(code, json.deliver());
}

} // namespace arenascope::cli
