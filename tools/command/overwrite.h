/* SPDX-License-Identifier: MIT */
/* Refuses to overwrite an input file with an output. */
#ifndef SN_TOOLS_COMMAND_OVERWRITE_H
#define SN_TOOLS_COMMAND_OVERWRITE_H

#include <stdbool.h>

#include "sinew/types.h"

/* Returns true if both paths exist and refer to the same file. A null path is no file. */
bool sn_is_same_file(const char *a, const char *b);

/* SN_ERROR_ARGUMENT if the output is one of the inputs (null entries are skipped); the message names both. */
sn_result sn_check_overwrite(const char *output, const char *const *inputs, int count);

#endif
