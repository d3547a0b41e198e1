/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "tools/command/log.h"

static bool errors_are_soft;

void sn_log_errors_as_warnings(bool is_enabled)
{
    errors_are_soft = is_enabled;
}

void sn_print_log(sn_log_level level, const char *message, void *user)
{
    (void)user;
    const char *const prefix[] = {errors_are_soft ? "warning: " : "sinew: ", "warning: ", "note: "};
    fprintf(stderr, "%s%s\n", prefix[level], message);
}
