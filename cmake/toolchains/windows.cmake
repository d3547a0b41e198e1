# SPDX-License-Identifier: MIT
# libsinew for 64-bit Windows, with Debian's clang, lld and gcc-mingw-w64-x86-64-posix:
#   cmake -B build/windows --toolchain cmake/toolchains/windows.cmake -DSN_RUNTIME_ONLY=ON
# clang, because gcc does not align the stack as AVX needs it there.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET x86_64-w64-mingw32)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
file(GLOB SN_MINGW_FOLDERS /usr/lib/gcc/x86_64-w64-mingw32/*-posix)
foreach(type EXE SHARED)
  set(CMAKE_${type}_LINKER_FLAGS_INIT "-fuse-ld=lld -static-libgcc -L${SN_MINGW_FOLDERS}")
endforeach()
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
