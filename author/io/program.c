/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* for dladdr */
#include "author/io/program.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Truncates a path to its folder, with the slash. */
static bool cut_to_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash) {
        slash[1] = 0;
    }
    return slash;
}

bool sn_program_folder(char folder[SN_PROGRAM_PATH_SIZE])
{
    const ssize_t size = readlink("/proc/self/exe", folder, SN_PROGRAM_PATH_SIZE - 1);
    folder[size > 0 ? size : 0] = 0;
    return size > 0 && cut_to_folder(folder);
}

/* The folder of the shared library, or of the program if linked statically. */
static bool find_library_folder(char *folder)
{
    Dl_info info;
    if (dladdr((const void *)(uintptr_t)&sn_program_find, &info) == 0 || !info.dli_fname) {
        return false;
    }
    const size_t size = strlen(info.dli_fname);
    if (size >= SN_PROGRAM_PATH_SIZE) {
        return false;
    }
    memcpy(folder, info.dli_fname, size + 1);
    return cut_to_folder(folder);
}

static bool is_executable(const char *folder, const char *between, const char *name, char *path)
{
    const int size = snprintf(path, SN_PROGRAM_PATH_SIZE, "%s%s%s", folder, between, name);
    return size > 0 && size < SN_PROGRAM_PATH_SIZE && access(path, X_OK) == 0;
}

sn_result sn_program_find(const char *name, const char *variable, const char *for_file, sn_arena *arena,
                          const char **path)
{
    /* the library's folder may be lib or lib/x86_64-linux-gnu */
    static const char *const locations[] = {"", "../libexec/sinew/", "../../libexec/sinew/"};
    char folders[2][SN_PROGRAM_PATH_SIZE];
    const bool has_folder[2] = {find_library_folder(folders[0]), sn_program_folder(folders[1])};
    char *candidate = SN_NEW(arena, char, SN_PROGRAM_PATH_SIZE);
    const char *override = getenv(variable);
    if (!candidate) {
        return SN_ERROR_MEMORY;
    }
    *path = override && override[0] ? override : candidate;
    bool is_found = *path == override;
    for (size_t i = 0; i < 2 * sizeof locations / sizeof locations[0] && !is_found; ++i) {
        is_found = has_folder[i % 2] && is_executable(folders[i % 2], locations[i / 2], name, candidate);
    }
    if (!is_found) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: the program %s, which reads this format, was found neither beside this program nor in "
                       "libexec/sinew; set "
                       "%s to its path (builds with SN_FBX=OFF do not contain it)",
                       for_file, name, variable);
    }
    return SN_OK;
}
