#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libsinew for WebAssembly, with SIMD, run by Node.js.
set -euo pipefail
# shellcheck source=tests/house/platforms/build.sh
. "$(dirname "$0")/platforms/build.sh"

skip_unless clang wasm-ld node
if [ ! -e /usr/lib/wasm32-wasi/libc.a ] || ! ls /usr/lib/llvm-*/lib/clang/*/lib/wasi/libclang_rt* >/dev/null 2>&1; then
    echo "SKIPPED: wasi-libc or libclang-rt-14-dev-wasm32 is not installed"
    exit 77
fi
build_library wasm
clang --target=wasm32-wasi --sysroot=/usr -msimd128 -std=c17 -O2 -I"$root" -I"$root/include" \
    "$root/tests/house/platforms/hashes.c" "$work/build/libsinew.a" -o "$work/there.wasm"
cat >"$work/run.mjs" <<'SCRIPT'
import { WASI } from 'node:wasi';
import { readFileSync } from 'node:fs';
const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), preopens: { '.': '.' } });
const imports = { wasi_snapshot_preview1: wasi.wasiImport };
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), imports);
process.exitCode = wasi.start(instance);
SCRIPT
compare_hashes node --experimental-wasi-unstable-preview1 --no-warnings "$work/run.mjs" "$work/there.wasm"
