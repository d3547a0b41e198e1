#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds libsinew for a system, in build/SYSTEM, and C sources of a binding with it as one shared library, which exports
# only what the sources export.
#   bindings/bridge/build.sh SYSTEM [SOURCES OUTPUT [OPTION...]]
# SYSTEM: linux.x86_64, linux.arm64 or windows.x86_64; SOURCES: separated by spaces; OPTION: of the compiler.
set -euo pipefail
cd "$(dirname "$0")/../.."
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
system=$1
folder=build/$system
toolchain=() link=(-lm -lpthread -Wl,--exclude-libs,ALL)
case $system in
    linux.x86_64) compiler=("${CC:-cc}") ;;
    linux.arm64) toolchain=(--toolchain "$PWD/cmake/toolchains/aarch64.cmake") compiler=(aarch64-linux-gnu-gcc) ;;
    windows.x86_64)
        folders=(/usr/lib/gcc/x86_64-w64-mingw32/*-posix)
        toolchain=(--toolchain "$PWD/cmake/toolchains/windows.cmake")
        compiler=(clang --target=x86_64-w64-mingw32 -fuse-ld=lld -static-libgcc "-L${folders[0]}")
        link=(-Wl,--exclude-all-symbols)
        ;;
    *) echo "error: $system: expected linux.x86_64, linux.arm64 or windows.x86_64" >&2; exit 2 ;;
esac
mkdir -p "$folder"
exec 9>"$folder/lock" # bindings are built at the same time
flock 9
cmake -S . -B "$folder" -G Ninja "${toolchain[@]}" -DSN_RUNTIME_ONLY=ON -DSN_WERROR=ON
cmake --build "$folder" -j "$(nproc)"
exec 9>&-
if [ $# -eq 1 ]; then exit; fi
read -ra sources <<<"$2"
"${compiler[@]}" -std=c17 -O2 -Wall -Wextra -Werror -shared -fvisibility=hidden -fPIC -s -I. -Iinclude "${@:4}" \
    "${sources[@]}" "$folder/libsinew.a" "${link[@]}" -o "$3"
