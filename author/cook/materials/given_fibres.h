/* SPDX-License-Identifier: MIT */
/* Fibres of a layered body from the desc or the sidecar. */
#ifndef SN_AUTHOR_COOK_MATERIALS_GIVEN_FIBRES_H
#define SN_AUTHOR_COOK_MATERIALS_GIVEN_FIBRES_H

#include "author/cook/cooking.h"
#include "author/frames/nurbs.h"

/* The desc's fibres, or else the sidecar's; null: none. */
const sn_cook_fibres *sn_given_fibres(const sn_cooking *cooking);

/* Their name for messages. */
const char *sn_given_fibres_name(const sn_cook_fibres *fibres);

/* Errors: SN_ERROR_ARGUMENT for an invalid curve, with the message "NAME: fibres.curves[1].knots: ...". */
sn_result sn_given_fibres_check(const sn_cook_fibres *fibres);

/* Converts a curve, with default weights and knots if it has none; into model units if `cook` is not null. */
sn_result sn_given_curve(const sn_cook_curve *given, const sn_cooking *cooking, sn_arena *arena, sn_nurbs *curve);

#endif
