/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "tools/command/log.h"

static bool errors_are_soft;

void sn_soften_errors(bool is_soft)
{
    errors_are_soft = is_soft;
}

void sn_print_log(sn_log_level level, const char *message, void *user)
{
    (void)user;
    const char *const prefix[] = {errors_are_soft ? "warning: " : "sinew: ", "warning: ", "note: "};
    fprintf(stderr, "%s%s\n", prefix[level], message);
}
