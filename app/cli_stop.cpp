// SPDX-License-Identifier: MIT
#include "app/cli_stop.h"

#include "app/cli_request.h"

#include <cerrno>
#include <csignal>
#include <thread>
#include <unistd.h>

namespace arenascope::cli {

namespace {

int g_pipe[2] = {-1, -1};

std::stop_source& stopSource()
{
    static std::stop_source source;
    return source;
}

/// stop_source::request_stop() may lock, which a signal handler must not: a byte wakes a thread that may.
extern "C" void onSignal(int)
{
    const int saved = errno;
    const char byte = 0;
    [[maybe_unused]] const ssize_t written = ::write(g_pipe[1], &byte, 1);
    errno = saved;
}

void awaitSignals()
{
    char byte = 0;
    int count = 0;
    while (true) {
        const ssize_t got = ::read(g_pipe[0], &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        if (++count > 1)
            ::_exit(kStopped);
        stopSource().request_stop();
    }
}

} // namespace

void watchSignals()
{
    std::signal(SIGPIPE, SIG_IGN);
    if (::pipe(g_pipe) != 0)
        return; // signals keep their usual effect
    stopSource(); // made before the thread that uses it
    std::thread(awaitSignals).detach();
    struct sigaction action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

std::stop_token stopToken()
{
    return stopSource().get_token();
}

} // namespace arenascope::cli
