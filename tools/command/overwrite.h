/* SPDX-License-Identifier: MIT */
/* An output that would take the place of what it is made of. */
#ifndef SN_TOOLS_COMMAND_OVERWRITE_H
#define SN_TOOLS_COMMAND_OVERWRITE_H

#include <stdbool.h>

#include "sinew/types.h"

/* Both are there and are one file, whatever their names say. Null is no file. */
bool sn_is_same_file(const char *a, const char *b);

/* SN_ERROR_ARGUMENT, with one line that names both, where the output is one of the inputs, which may be null. */
sn_result sn_refuse_overwrite(const char *output, const char *const *inputs, int count);

#endif
