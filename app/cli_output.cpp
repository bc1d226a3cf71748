// SPDX-License-Identifier: MIT
#include "app/cli_output.h"

#include <arenascope/plan_io.h>
#include <arenascope/report.h>

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace arenascope::cli {

namespace {

enum class Standing { Open, Gone, Failed };
Standing g_output = Standing::Open;

/// write() until all is written. SIGPIPE is ignored by main(), so a closed pipe is EPIPE here.
bool writeAll(int descriptor, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

} // namespace

bool print(std::string_view text)
{
    if (g_output != Standing::Open)
        return false;
    if (writeAll(STDOUT_FILENO, text))
        return true;
    if (errno == EPIPE) {
        g_output = Standing::Gone;
        return false;
    }
    const std::string reason = std::strerror(errno);
    g_output = Standing::Failed;
    complain(Error{ErrorCode::FileNotWritable, "standard output", {reason}}, {});
    return false;
}

bool outputFailed()
{
    return g_output == Standing::Failed;
}

void complain(std::string_view line)
{
    writeAll(STDERR_FILENO, "arenascope-cli: " + printable(line) + "\n");
}

std::string errorLine(const Error& error, std::string_view file)
{
    const std::string line = describe(error);
    if (file.empty() || line.starts_with(file))
        return line;
    return std::string(file) + ": " + line;
}

void complain(const Error& error, std::string_view file)
{
    complain(errorLine(error, file));
}

bool deliver(std::string_view text, const std::string& target)
{
    if (target == "-") {
        print(text);
        return !outputFailed();
    }
    const Status written = writeFileAtomically(target, text);
    if (!written)
        complain(written.error(), target);
    return written.hasValue();
}

} // namespace arenascope::cli
