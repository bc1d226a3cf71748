// SPDX-License-Identifier: MIT
// The layout helper as a child process.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace arenascope::layout {

/// Where the helper program is: the given path, the environment variable ARENASCOPE_LAYOUT_HELPER, beside this program,
/// ../libexec/arenascope. Empty if there is none.
std::filesystem::path findHelper(const std::filesystem::path& given);

/// Ends with this object, whatever it is doing. Not for several threads at once; each may have its own.
class HelperProcess {
public:
    HelperProcess() = default;
    HelperProcess(const HelperProcess&) = delete;
    HelperProcess& operator=(const HelperProcess&) = delete;
    ~HelperProcess() { end(); }

    bool isRunning() const { return m_pid > 0; }
    /// Whether it could be started.
    bool start(const std::filesystem::path& program);
    /// Sends a body and waits for that of the answer. Nothing on a stop request (within milliseconds), when the helper
    /// dies or takes longer than any piece it is given should need; it is ended then.
    std::optional<std::string> ask(std::string_view body, const std::stop_token& stop);
    void end();

private:
    bool send(std::string_view bytes, int wake);
    bool receive(char* to, std::size_t length, int wake);
    bool wait(short events, int wake) const;

    pid_t m_pid = -1;
    int m_socket = -1;
};

} // namespace arenascope::layout
