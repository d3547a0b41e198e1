/* SPDX-License-Identifier: MIT */
/* The report of a cook about its model. */
#ifndef SN_TOOLS_COOK_REPORT_H
#define SN_TOOLS_COOK_REPORT_H

#include <jansson.h>

#include "author/cook/cook.h"

/* Returns a new object; docs/reference/file-formats.md lists its members. */
json_t *sn_cook_report_json(const sn_cook_context *cooking);
/* Prints the report as text on stdout. */
void sn_cook_report_print(const char *output, const sn_cook_context *cooking);

#endif
