// SPDX-License-Identifier: MIT
// Nothing: the target that it belongs to exists for its precompiled header.
int main()
{
    return 0;
}
