# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by the tests of other systems: libsinew and hashes.c, built with a toolchain file and by the compiler of this
# system. Programs must print the same on both, to the bit.

root=${SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${BINARY_DIR:-$root/build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# skip_unless PROGRAM...
skip_unless() {
    local program
    for program in "$@"; do
        if ! command -v "$program" >/dev/null; then
            echo "SKIPPED: $program is not installed"
            exit 77
        fi
    done
    if grep -qE '^SN_SANITIZE:[^=]*=.|^SN_FUZZ:BOOL=(ON|1)' "$build/CMakeCache.txt"; then
        echo "SKIPPED: built with sanitizers"
        exit 77
    fi
}

# build_library TOOLCHAIN: $work/build, warnings as errors, and $work/here, the program for this system.
build_library() {
    unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
    { cmake -S "$root" -B "$work/build" -G Ninja --toolchain "$root/cmake/toolchains/$1.cmake" \
        -DSN_RUNTIME_ONLY=ON -DSN_WERROR=ON && cmake --build "$work/build" -j "$(nproc)"; } >"$work/log" 2>&1 ||
        { tail -n 40 "$work/log"; echo "FAIL: it does not build" >&2; exit 1; }
    "${CC:-cc}" -std=c17 -O2 -I"$root" -I"$root/include" "$root/tests/house/platforms/hashes.c" "$build/libsinew.a" \
        -lm -lpthread -o "$work/here"
}

# compare_hashes COMMAND...: runs hashes.c there by this command and here, in the source folder.
compare_hashes() {
    cd "$root"
    "$work/here" tests/golden/bar.sinew >"$work/here.text"
    "$@" tests/golden/bar.sinew | tr -d '\r' >"$work/there.text"
    [ "$(wc -l <"$work/here.text")" -eq 3 ]
    diff "$work/here.text" "$work/there.text"
    cat "$work/there.text"
}
