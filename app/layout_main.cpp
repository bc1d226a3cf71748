// SPDX-License-Identifier: MIT
// The helper that runs Graphviz apart: pieces of a graph on standard input, positions on standard output.
#include <arenascope/layout.h>

#include <sys/resource.h>

int main()
{
    // Whatever happens to the program that asks: this one does not run on for ever, nor eat the machine's memory.
    constexpr rlim_t kCpuSeconds = 120;
    constexpr rlim_t kMemoryBytes = rlim_t { 4 } << 30U;
    const rlimit cpu { kCpuSeconds, kCpuSeconds };
    const rlimit memory { kMemoryBytes, kMemoryBytes };
    setrlimit(RLIMIT_CPU, &cpu);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // sanitizers reserve terabytes of addresses
    setrlimit(RLIMIT_AS, &memory);
#else
    static_cast<void>(memory);
#endif
    return arenascope::runLayoutHelper(0, 1);
}
