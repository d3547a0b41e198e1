/* SPDX-License-Identifier: MIT */
/* The inside of a cook, for dumps and tests: zero it, run it, read it, finish it. */
#ifndef SN_AUTHOR_COOK_COOK_H
#define SN_AUTHOR_COOK_COOK_H

#include "author/cook/cooking.h"

sn_result sn_cooking_run(sn_cooking *cooking, const char *path, const sn_cook_desc *desc);
void sn_cooking_finish(sn_cooking *cooking);

#endif
