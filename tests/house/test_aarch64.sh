#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The runtime for another processor: builds libsinew's sources for 64-bit ARM, where its wide floats are NEON's, and
# compares what bodies do there, emulated, with what they do here, to the bit.
set -euo pipefail

root=${SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${BINARY_DIR:-$root/build/release}
cross=aarch64-linux-gnu-gcc
emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
if ! command -v $cross >/dev/null || [ -z "$emulator" ]; then
    echo "skipped: $cross or qemu-aarch64 is not installed"
    exit 77
fi
if grep -qE '^SN_SANITIZE:[^=]*=.|^SN_FUZZ:BOOL=(ON|1)' "$build/CMakeCache.txt"; then
    echo "skipped: built with sanitizers"
    exit 77
fi

export work
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
export flags='-std=c17 -O2 -D_POSIX_C_SOURCE=200809L -I. -Iinclude -ffp-contract=off -fno-math-errno -Wno-psabi'
compile() {
    # shellcheck disable=SC2086 # flags are words
    "$0" $flags -Wall -Wextra -Wshadow -Wconversion -Werror -c "$1" -o "$work/${1//\//_}.o"
}
export -f compile
find host tests/house/aarch64 -name '*.c' -print0 | xargs -0 -n 1 -P "$(nproc)" bash -c 'compile "$1"' $cross
$cross -static "$work"/*.o -lm -lpthread -o "$work/there"
# shellcheck disable=SC2086
"${CC:-cc}" $flags tests/house/aarch64/hashes.c "$build/libsinew.a" -lm -lpthread -o "$work/here"

# Multiplications of four floats at once.
aarch64-linux-gnu-objdump -d "$work/host_reduced_kernels_cluster_pass_f32.c.o" >"$work/code.text"
if ! grep -q 'fmul[[:space:]]*v.*\.4s' "$work/code.text"; then
    echo "FAIL: the cluster pass is not in NEON"
    exit 1
fi
"$work/here" tests/golden/bar.sinew >"$work/here.text"
"$emulator" "$work/there" tests/golden/bar.sinew >"$work/there.text"
[ "$(wc -l <"$work/here.text")" -eq 3 ]
diff "$work/here.text" "$work/there.text"
