# SPDX-License-Identifier: MIT
# libsinew for Linux on 64-bit ARM, with Debian's gcc-aarch64-linux-gnu and libc6-dev-arm64-cross:
#   cmake -B build/aarch64 --toolchain cmake/toolchains/aarch64.cmake -DSN_RUNTIME_ONLY=ON
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
