/* SPDX-License-Identifier: MIT */
#include "tools/read_fbx/limits.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIN_MEMORY ((rlim_t)2 << 30)
#define MEMORY_FACTOR 64
#define MIN_SECONDS 60
#define BYTES_PER_SECOND 500000 /* about 1% of the usual reading speed */

void fbx_close_descriptors(void)
{
    /* Closing changes the directory being read, so entries may be missed until the next pass. */
    for (bool is_done = false; !is_done;) {
        DIR *list = opendir("/proc/self/fd");
        is_done = true;
        for (struct dirent *entry = list ? readdir(list) : NULL; entry; entry = readdir(list)) {
            const int descriptor = atoi(entry->d_name);
            if (descriptor > STDERR_FILENO && descriptor != dirfd(list) && close(descriptor) == 0) {
                is_done = false;
            }
        }
        if (list) {
            closedir(list);
        }
    }
}

static bool set_limit(int what, rlim_t max_value)
{
    struct rlimit now;
    if (getrlimit(what, &now) != 0) {
        return false;
    }
    const rlim_t value = now.rlim_max == RLIM_INFINITY || max_value < now.rlim_max ? max_value : now.rlim_max;
    /* the hard limit is 1 s later, so that SIGXCPU is raised first */
    const struct rlimit set = {.rlim_cur = value, .rlim_max = what == RLIMIT_CPU ? value + 1 : value};
    return setrlimit(what, &set) == 0;
}

bool fbx_set_limits(size_t input_size)
{
    bool is_limited = set_limit(RLIMIT_CPU, MIN_SECONDS + (rlim_t)(input_size / BYTES_PER_SECOND));
#ifndef SN_SANITIZED
    is_limited &= set_limit(RLIMIT_AS, MIN_MEMORY + MEMORY_FACTOR * (rlim_t)input_size);
#endif
    is_limited &= set_limit(RLIMIT_CORE, 0);
    return is_limited && set_limit(RLIMIT_NOFILE, 0);
}
