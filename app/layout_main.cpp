// SPDX-License-Identifier: MIT
// The helper that runs Graphviz apart: a piece of a graph on standard input, positions on standard output.
#include <arenascope/layout.h>

int main()
{
    return arenascope::runLayoutHelper(0, 1);
}
