/* SPDX-License-Identifier: MIT */
/* Prints log messages on stderr. */
#ifndef SN_TOOLS_COMMAND_LOG_H
#define SN_TOOLS_COMMAND_LOG_H

#include "sinew/types.h"

/* A log function for sn_set_log; prefixes the message with "sinew: ", "warning: " or "note: ". */
void sn_print_log(sn_log_level level, const char *message, void *user);
/* While set, errors are printed as warnings. */
void sn_log_errors_as_warnings(bool is_enabled);

#endif
