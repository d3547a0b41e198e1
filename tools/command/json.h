/* SPDX-License-Identifier: MIT */
/* JSON output for --json: one value on stdout. */
#ifndef SN_TOOLS_COMMAND_JSON_H
#define SN_TOOLS_COMMAND_JSON_H

#include <jansson.h>

/* A JSON number; infinity and NaN become null, since JSON has neither. */
json_t *sn_json_real(double value);
/* Prints the value on stdout and releases it. */
void sn_print_json(json_t *json);

#endif
