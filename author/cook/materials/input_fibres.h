/* SPDX-License-Identifier: MIT */
/* Fibres of a layered body from the desc or the sidecar. */
#ifndef SN_AUTHOR_COOK_MATERIALS_INPUT_FIBRES_H
#define SN_AUTHOR_COOK_MATERIALS_INPUT_FIBRES_H

#include "author/cook/cook_context.h"
#include "author/frames/nurbs.h"

/* The desc's fibres, or else the sidecar's; null: none. */
const sn_cook_fibres *sn_input_fibres(const sn_cook_context *cook);

/* Their name for messages. */
const char *sn_input_fibres_name(const sn_cook_fibres *fibres);

/* Errors: SN_ERROR_ARGUMENT for an invalid curve, with the message "NAME: fibres.curves[1].knots: ...". */
sn_result sn_input_fibres_check(const sn_cook_fibres *fibres);

/* Converts a curve, with default weights and knots if it has none; into model units if `cook` is not null. */
sn_result sn_input_fibres_curve(const sn_cook_curve *input, const sn_cook_context *cook, sn_arena *arena,
                                sn_nurbs *curve);

#endif
