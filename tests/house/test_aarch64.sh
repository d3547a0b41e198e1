#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libsinew for 64-bit ARM, where its wide floats are NEON's, run in an emulator.
set -euo pipefail
# shellcheck source=tests/house/platforms/build.sh
. "$(dirname "$0")/platforms/build.sh"

emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || echo qemu-aarch64-static)
skip_unless aarch64-linux-gnu-gcc "$emulator"
build_library aarch64
aarch64-linux-gnu-gcc -std=c17 -O2 -static -I"$root" -I"$root/include" "$root/tests/house/platforms/hashes.c" \
    "$work/build/libsinew.a" -lm -lpthread -o "$work/there"

# Multiplications of four floats at once.
aarch64-linux-gnu-objdump -d "$work/build/CMakeFiles/sinew.dir/host/reduced/kernels/cluster_pass_f32.c.o" >"$work/code.text"
if ! grep -q 'fmul[[:space:]]*v.*\.4s' "$work/code.text"; then
    echo "FAIL: the cluster pass is not in NEON"
    exit 1
fi
compare_hashes "$emulator" "$work/there"
