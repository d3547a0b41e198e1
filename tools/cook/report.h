/* SPDX-License-Identifier: MIT */
/* What a cook tells about the model that it made. */
#ifndef SN_TOOLS_COOK_REPORT_H
#define SN_TOOLS_COOK_REPORT_H

#include <jansson.h>

#include "author/cook/cook.h"

/* A new object; docs/formats.md says what its members are. */
json_t *sn_cook_report_json(const sn_cook_context *cooking);
/* The same to stdout, for people. */
void sn_cook_report_print(const char *output, const sn_cook_context *cooking);

#endif
