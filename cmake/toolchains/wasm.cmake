# SPDX-License-Identifier: MIT
# libsinew for WebAssembly with SIMD and without threads, with Debian's clang, lld, wasi-libc and
# libclang-rt-14-dev-wasm32:
#   cmake -B build/wasm --toolchain cmake/toolchains/wasm.cmake -DSN_RUNTIME_ONLY=ON
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_SYSROOT /usr)
set(CMAKE_C_FLAGS_INIT -msimd128)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
