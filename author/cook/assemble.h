/* SPDX-License-Identifier: MIT */
/* The last stage: what was cooked becomes a model and its bytes. */
#ifndef SN_AUTHOR_COOK_ASSEMBLE_H
#define SN_AUTHOR_COOK_ASSEMBLE_H

#include "author/cook/cook.h"

sn_result sn_cooking_assemble(sn_cooking *cooking);

/* A copy in float; null when memory is out. */
float *sn_narrow(sn_arena *arena, const double *values, size_t count);

#endif
