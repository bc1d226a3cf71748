#!/usr/bin/env bash
# ./run.sh [MODEL]: installs what is missing, builds, and opens MODEL (or a sample) in the window.
# Without a display it prints the ladder of strategies and writes the diagram instead.
set -eu
caller=$PWD
cd "$(dirname "$0")"
case "${1:-}" in -h|--help) sed -n '2,3s/^# //p' "$0"; exit 0 ;; esac
model=samples/mobilenet_v2.onnx
if [ $# -gt 0 ]; then
    model=$1
    case "$model" in /*) ;; *) model=$caller/$model ;; esac
    [ -r "$model" ] || { echo "$1: cannot be read. Give the path of a model file." >&2; exit 2; }
fi

.ci/install-packages
launcher=()
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
mkdir -p build
if ! { cmake --preset release "${launcher[@]}" && cmake --build --preset release --parallel "$(nproc)" \
       --target arenascope arenascope-cli arenascope-layout; } > build/run.log 2>&1; then
    tail -n 40 build/run.log >&2
    echo "The build failed; the whole log is build/run.log." >&2
    exit 1
fi

bin=build/release/bin
if [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; then
    exec "$bin/arenascope" "$model"
fi
diagram=$(basename "${model%.*}").svg
"$bin/arenascope-cli" compare "$model"
"$bin/arenascope-cli" plan "$model" --export "$diagram"
echo "No display: the diagram is $PWD/$diagram"
