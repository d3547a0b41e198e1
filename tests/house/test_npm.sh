#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The npm package in Chromium: steps give the same numbers as here, and three.js draws what the library computes. Uses the
# mascot, and two VRMs where the shared data is present.
set -euo pipefail
# shellcheck source=tests/house/platforms/build.sh
. "$(dirname "$0")/platforms/build.sh"

skip_unless clang wasm-ld node npm chromium
if [ ! -e /usr/lib/wasm32-wasi/libc.a ] || ! ls /usr/lib/llvm-*/lib/clang/*/lib/wasi/libclang_rt* >/dev/null 2>&1; then
    echo "SKIPPED: wasi-libc or libclang-rt-14-dev-wasm32 is not installed"
    exit 77
fi
if ! npm view three version >"$work/npm.log" 2>&1; then
    tail -n 3 "$work/npm.log"
    echo "SKIPPED: npm reaches no registry"
    exit 77
fi
"$root/bindings/npm/build.sh" "$work/package" >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log"; echo "FAIL: it does not build" >&2; exit 1; }
"${CC:-cc}" -std=c17 -O2 -I"$root/include" "$root/tests/house/platforms/largest_mode.c" "$build/libsinew.a" -lm \
    -lpthread -o "$work/here"

pairs=("$CHARACTERS/mascot.glb" "$CHARACTERS/mascot.sinew")
for avatar in "${SHARED_DATA:-/nonexistent}"/rigged/{vrm1_example,Godette_vrm_v4}.vrm; do
    if [ -e "$avatar" ]; then
        model=$work/$(basename "$avatar").sinew
        "$SINEW" cook "$avatar" -o "$model" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
        pairs+=("$avatar" "$model")
    fi
done
cd "$work/package"
node tests/run.mjs "$("$work/here" "${pairs[1]}")" "${pairs[@]}"
