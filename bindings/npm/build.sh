#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the npm package in build/npm-package (dist/sinew.wasm, dist/*.js with their types), ready for `npm pack`.
# Needs clang, lld, wasi-libc, libclang-rt-14-dev-wasm32, cmake, ninja-build, nodejs and npm.
#   bindings/npm/build.sh [FOLDER]    another folder than build/npm-package
set -euo pipefail
cd "$(dirname "$0")/../.."
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
package=${1:-build/npm-package}
mkdir -p "$package/dist"
cp -r bindings/npm/{package.json,tsconfig.json,README.md,source,example,tests} LICENSE "$package"

cmake -S . -B "$package/libsinew" -G Ninja --toolchain "$PWD/cmake/toolchains/wasm.cmake" -DSN_RUNTIME_ONLY=ON \
    -DSN_WERROR=ON
cmake --build "$package/libsinew" -j "$(nproc)"
clang --target=wasm32-wasi --sysroot=/usr -msimd128 -std=c17 -O2 -Wall -Wextra -Werror -mexec-model=reactor -Iinclude \
    bindings/bridge/bridge.c "$package/libsinew/libsinew.a" \
    -Wl,--export=malloc,--export=free,--strip-all -o "$package/dist/sinew.wasm"

cd "$package"
npm install --no-audit --no-fund --no-package-lock
npx tsc -p .
