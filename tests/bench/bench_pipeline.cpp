// SPDX-License-Identifier: MIT
// CPU seconds from a file to a proven plan, in this process and through the command line.
//     bench_pipeline [MODEL...]     measures these files through the command line as well
#include "bench/onnx_networks.h"

#include <arenascope/importer.h>
#include <arenascope/study.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace arenascope;

double cpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Prints what a part took and begins the next.
class Stopwatch {
public:
    double lap()
    {
        const double now = cpuSeconds();
        const double seconds = now - m_begin;
        m_begin = now;
        m_total += seconds;
        return seconds;
    }
    double total() const { return m_total; }

private:
    double m_begin = cpuSeconds();
    double m_total = 0.0;
};

bool measurePipeline(const char* title, const std::string& path)
{
    Stopwatch watch;
    const auto model = importModel(path);
    const double import = watch.lap();
    if (!model) {
        std::printf("%s: %s\n", title, describe(model.error()).c_str());
        return false;
    }
    const auto study = makeStudy(model->graph, {});
    const double analysis = watch.lap();
    const auto outcome = study ? planStudy(*study, "greedy-by-size") : Result<std::shared_ptr<const PlanOutcome>>(study.error());
    const double plan = watch.lap();
    if (!outcome) {
        std::printf("%s: %s\n", title, describe(outcome.error()).c_str());
        return false;
    }
    std::printf("%-28s %6zu operators  import %.3f  branches and ranges %.3f  plan, check, replay %.3f  total %.3f CPU s  "
                "(%zu branches, arena %lld, bound %lld, %s)\n",
                title, model->graph->operators().size(), import, analysis, plan, watch.total(),
                (*study)->branches.branches.size(), static_cast<long long>((*outcome)->plan.arenaSize),
                static_cast<long long>((*study)->profile.peak), (*outcome)->isValid() ? "valid" : "NOT VALID");
    return (*outcome)->isValid();
}

double childCpuSeconds()
{
    rusage usage = {};
    getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Runs `arenascope-cli plan FILE` with its output thrown away; CPU seconds of user and system together.
double runPlan(const std::string& path, int& status)
{
    const double before = childCpuSeconds();
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        execl(ARENASCOPE_BIN_DIR "/arenascope-cli", "arenascope-cli", "plan", path.c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    waitpid(child, &status, 0);
    return childCpuSeconds() - before;
}

void measureProgram(const std::string& title, const std::string& path)
{
    double best = 1e9;
    int status = 0;
    for (int i = 0; i < 5; ++i)
        best = std::min(best, runPlan(path, status));
    std::error_code ignored;
    std::printf("arenascope-cli plan %-40s %9lld bytes  %.3f CPU s (best of 5), exit code %d\n", title.c_str(),
                static_cast<long long>(std::filesystem::file_size(path, ignored)), best, WEXITSTATUS(status));
}

} // namespace

int main(int argc, char** argv)
{
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("arenascope-bench-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const auto at = [&](const char* name) { return (folder / name).string(); };
    const bool written = bench::writeChain(20000, at("chain.onnx")) && bench::writeInceptionLike(5000, at("inception.onnx"))
        && bench::writeHeavy(5 << 20, at("five_mib.onnx"));
    bool good = written;
    if (written) {
        // Both orders matter to the first: it pays for what the process makes once (operator schemas).
        good = measurePipeline("chain", at("chain.onnx")) && good;
        good = measurePipeline("inception-like", at("inception.onnx")) && good;
        measureProgram("five_mib.onnx (generated)", at("five_mib.onnx"));
        measureProgram("chain.onnx (20,000 operators)", at("chain.onnx"));
    }
    for (int i = 1; i < argc; ++i)
        measureProgram(argv[i], argv[i]);
    std::filesystem::remove_all(folder);
    if (!written)
        std::puts("cannot write the models");
    return good ? 0 : 1;
}
