/* SPDX-License-Identifier: MIT */
/* Internal access to a cook, for dumps and tests. Zero the context, run it, read its fields, then finish it. */
#ifndef SN_AUTHOR_COOK_COOK_H
#define SN_AUTHOR_COOK_COOK_H

#include "author/cook/cooking.h"

sn_result sn_cooking_run(sn_cooking *cooking, const char *path, const sn_cook_desc *desc);
void sn_cooking_finish(sn_cooking *cooking);

#endif
