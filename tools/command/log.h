/* SPDX-License-Identifier: MIT */
/* Log lines to stderr. */
#ifndef SN_TOOLS_COMMAND_LOG_H
#define SN_TOOLS_COMMAND_LOG_H

#include "sinew/types.h"

/* The library's log function (sn_set_log): "sinew: ", "warning: " or "note: " in front. */
void sn_print_log(sn_log_level level, const char *message, void *user);
/* While it is set, what fails is logged as a warning. */
void sn_soften_errors(bool is_soft);

#endif
