/* SPDX-License-Identifier: MIT */
/* --json: one value on stdout. */
#ifndef SN_TOOLS_COMMAND_JSON_H
#define SN_TOOLS_COMMAND_JSON_H

#include <jansson.h>

/* JSON has no infinity and no NaN: they become null. */
json_t *sn_json_real(double value);
/* Prints and releases. */
void sn_print_json(json_t *json);

#endif
