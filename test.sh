#!/usr/bin/env bash
# Installs what is missing, builds with warnings as errors, runs all tests. Arguments go to ctest: ./test.sh -R planner
set -eu
cd "$(dirname "$0")"
.ci/install-packages
jobs=$(nproc)
launcher=()
# Without these ccache takes no object that was made with a precompiled header.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
cmake --preset ci "${launcher[@]}"
cmake --build --preset ci --parallel "$jobs"
ctest --preset ci --parallel "$jobs" "$@"
