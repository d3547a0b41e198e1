/* SPDX-License-Identifier: MIT */
#include "tools/command/peak_memory.h"

#include <sys/resource.h>

double sn_peak_memory_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}
