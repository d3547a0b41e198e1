/* SPDX-License-Identifier: MIT */
/* Fibres of a layered body as the user gives them. */
#ifndef SN_AUTHOR_COOK_MATERIALS_GIVEN_FIBRES_H
#define SN_AUTHOR_COOK_MATERIALS_GIVEN_FIBRES_H

#include "author/cook/cooking.h"
#include "author/frames/nurbs.h"

/* The desc's, or the sidecar's; null: none are given. */
const sn_cook_fibres *sn_given_fibres(const sn_cooking *cooking);

/* For messages. */
const char *sn_given_fibres_name(const sn_cook_fibres *fibres);

/* Curves that are none: SN_ERROR_ARGUMENT, with "NAME: fibres.curves[1].knots: ...". */
sn_result sn_given_fibres_check(const sn_cook_fibres *fibres);

/* A curve with its weights and knots, in model units where a cooking is given. */
sn_result sn_given_curve(const sn_cook_curve *given, const sn_cooking *cooking, sn_arena *arena, sn_nurbs *curve);

#endif
