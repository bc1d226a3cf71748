// SPDX-License-Identifier: MIT
#include "core/src/layout/helper_process.h"

#include "core/src/layout/helper_protocol.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace arenascope::layout {
namespace {

constexpr const char* kProgramName = "arenascope-layout";
/// Pieces that are given to Graphviz unasked take far less: only a hang takes so long.
constexpr int kAnswerMilliseconds = 60000;

bool isProgram(const std::filesystem::path& path)
{
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

/// Closed at the end of the scope.
class Descriptor {
public:
    explicit Descriptor(int fd)
        : m_fd(fd)
    {
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    int get() const { return m_fd; }

private:
    int m_fd;
};

/// Attributes and file actions of a child whose standard input and output are one socket and that has nothing else
/// open.
class SpawnSettings {
public:
    explicit SpawnSettings(int socket)
    {
        posix_spawn_file_actions_init(&m_actions);
        posix_spawnattr_init(&m_attributes);
        posix_spawn_file_actions_adddup2(&m_actions, socket, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&m_actions, socket, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&m_actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
        posix_spawn_file_actions_addclosefrom_np(&m_actions, STDERR_FILENO + 1);
#endif
#endif
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&m_attributes, &none);
        posix_spawnattr_setsigdefault(&m_attributes, &all);
        posix_spawnattr_setflags(&m_attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
    ~SpawnSettings()
    {
        posix_spawn_file_actions_destroy(&m_actions);
        posix_spawnattr_destroy(&m_attributes);
    }
    const posix_spawn_file_actions_t* actions() const
    {
        return &m_actions;
    }
    const posix_spawnattr_t* attributes() const
    {
        return &m_attributes;
    }

private:
    posix_spawn_file_actions_t m_actions {};
    posix_spawnattr_t m_attributes {};
};

} // namespace

std::filesystem::path findHelper(const std::filesystem::path& given)
{
    if (!given.empty())
        return isProgram(given) ? given : std::filesystem::path();
    if (const char* fromEnvironment = std::getenv("ARENASCOPE_LAYOUT_HELPER"); fromEnvironment != nullptr)
        return isProgram(fromEnvironment) ? std::filesystem::path(fromEnvironment) : std::filesystem::path();
    std::error_code error;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    if (error)
        return {};
    for (const auto& candidate :
        { folder / kProgramName, folder.parent_path() / "libexec" / "arenascope" / kProgramName }) {
        if (isProgram(candidate))
            return candidate;
    }
    return {};
}

bool HelperProcess::start(const std::filesystem::path& program)
{
    end();
    std::array<int, 2> ends = { -1, -1 };
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return false;
    const Descriptor childEnd(ends[1]);
    m_socket = ends[0];
    const SpawnSettings settings(childEnd.get());
    std::string name = kProgramName;
    std::array<char*, 2> arguments = { name.data(), nullptr };
    if (::posix_spawn(&m_pid, program.c_str(), settings.actions(), settings.attributes(), arguments.data(), environ)
        != 0) {
        m_pid = -1;
        end();
        return false;
    }
    return true;
}

void HelperProcess::end()
{
    if (m_socket >= 0)
        ::close(m_socket);
    m_socket = -1;
    if (m_pid <= 0)
        return;
    ::kill(m_pid, SIGKILL);
    while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) { }
    m_pid = -1;
}

bool HelperProcess::wait(short events, int wake) const
{
    std::array<pollfd, 2> fds = { pollfd { m_socket, events, 0 }, pollfd { wake, POLLIN, 0 } };
    while (true) {
        const int ready = ::poll(fds.data(), fds.size(), kAnswerMilliseconds);
        if (ready < 0 && errno == EINTR)
            continue;
        return ready > 0 && fds[1].revents == 0;
    }
}

bool HelperProcess::send(std::string_view bytes, int wake)
{
    while (!bytes.empty()) {
        if (!wait(POLLOUT, wake))
            return false;
        const ssize_t put = ::send(m_socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (put <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

bool HelperProcess::receive(char* to, std::size_t length, int wake)
{
    while (length > 0) {
        if (!wait(POLLIN, wake))
            return false;
        const ssize_t got = ::recv(m_socket, to, length, MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (got <= 0)
            return false;
        to += got;
        length -= static_cast<std::size_t>(got);
    }
    return true;
}

std::optional<std::string> HelperProcess::ask(std::string_view body, const std::stop_token& stop)
{
    const Descriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!isRunning() || wake.get() < 0 || body.size() > kLargestFrame) {
        end();
        return std::nullopt;
    }
    const std::stop_callback onStop(stop, [&] { ::eventfd_write(wake.get(), 1); });
    std::string header(kFrameHeader, '\0');
    std::string answer;
    if (send(frameOf(body), wake.get()) && receive(header.data(), header.size(), wake.get())) {
        if (const auto length = bodyLength(header)) {
            answer.resize(*length);
            if (receive(answer.data(), answer.size(), wake.get()))
                return answer;
        }
    }
    end();
    return std::nullopt;
}

} // namespace arenascope::layout
