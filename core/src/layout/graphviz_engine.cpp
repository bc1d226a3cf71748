// SPDX-License-Identifier: MIT
#include <arenascope/layout.h>

namespace arenascope {

int runLayoutHelper(int, int)
{
    return 1; // no piece is sent to it yet
}

} // namespace arenascope
