// SPDX-License-Identifier: MIT
// arenascope-cli: plans, compares, inspects and checks without a window.
#include "app/cli_commands.h"
#include "app/cli_output.h"
#include "app/cli_parse.h"
#include "app/cli_stop.h"

#include <algorithm>
#include <exception>
#include <new>

namespace arenascope::cli {

int worse(int a, int b)
{
    return std::max(a, b);
}

namespace {

int run(const Request& request)
{
    switch (request.command) {
    case Command::Plan: return runPlan(request);
    case Command::Compare: return runCompare(request);
    case Command::Inspect: return runInspect(request);
    case Command::Run: return runRun(request);
    case Command::Solve: return runSolve(request);
    case Command::Check: return runCheck(request);
    case Command::Diff: return runDiff(request);
    case Command::Strategies: return runStrategies(request);
    case Command::Formats: return runFormats(request);
    }
    return kBadInput;
}

int runGuarded(int argc, const char* const* argv)
{
    // Core throws nothing, but the standard library does where memory ends.
    try {
        const auto parsed = parseCommandLine(argc, argv);
        if (const int* code = std::get_if<int>(&parsed))
            return *code;
        return run(std::get<Request>(parsed));
    } catch (const std::bad_alloc&) {
        complain(Error{ErrorCode::OutOfMemory, {}, {"this model"}}, {});
    } catch (const std::exception& exception) {
        complain(Error{ErrorCode::Internal, {}, {exception.what()}}, {});
    }
    return kBadInput;
}

} // namespace

} // namespace arenascope::cli

int main(int argc, char** argv)
{
    using namespace arenascope::cli;
    watchSignals();
    const int code = runGuarded(argc, argv);
    return outputFailed() ? worse(code, kBadInput) : code;
}
