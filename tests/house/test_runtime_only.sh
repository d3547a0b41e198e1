#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libsinew builds with a C compiler and CMake alone, inside of another project: no C++ compiler, no pkg-config, no glslc,
# no other package. The same example prints the same as in the full build.
set -euo pipefail

root=${SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${BINARY_DIR:-$root/build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/bin"
for tool in "${CC:-cc}" ld as ar ranlib make cmake nm objcopy objdump strip readelf; do
    ln -s "$(command -v "$tool")" "$work/bin/$(basename "$tool")"
done
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER # programs outside of the folder
PATH=$work/bin cmake -S "$root/tests/house/add_subdirectory" -B "$work/build" -G 'Unix Makefiles' \
    -DSINEW_DIR="$root" -DCMAKE_C_COMPILER="$work/bin/$(basename "${CC:-cc}")" >"$work/log" 2>&1 ||
    { cat "$work/log"; echo "FAIL: it does not configure" >&2; exit 1; }
PATH=$work/bin cmake --build "$work/build" -j "$(nproc)" >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log"; echo "FAIL: it does not build" >&2; exit 1; }

model=$root/tests/golden/bar.sinew
expected=$("$build/tests/example_step" "$model")
output=$("$work/build/step" "$model")
if [ "$output" != "$expected" ]; then
    printf 'FAIL: examples/step.c printed %s, not %s\n' "$output" "$expected" >&2
    exit 1
fi
echo "$output"
