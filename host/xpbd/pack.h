/* SPDX-License-Identifier: MIT */
/* One element or constraint as batches have it: rows of the model, and numbers for the recipe. Private to host/xpbd.
 * Errors: SN_ERROR_ARGUMENT with one line that names the element, or says what is wrong with the constraint. */
#ifndef SN_HOST_XPBD_PACK_H
#define SN_HOST_XPBD_PACK_H

#include "host/xpbd/solver.h"
#include "host/xpbd/strain.h"

extern const int sn_xpbd_corner_counts[SN_XPBD_KIND_COUNT], sn_xpbd_value_counts[SN_XPBD_KIND_COUNT];
#define SN_XPBD_VALUE_LIMIT STRAIN_FRAME_VALUES

/* ---- elements: `element` is the caller's number, for messages ---- */

/* Its vertices and stiffness, without its shape. */
sn_result sn_xpbd_check_element(const sn_xpbd_model *model, int element, const sn_xpbd_element *of);
/* rows (dimension + 1) of its vertices, and its area or volume, which must be positive. */
sn_result sn_xpbd_place_element(const sn_xpbd_model *model, int element, const int32_t *vertices, int32_t *rows,
                                double *size);
/* values (dimension^2 + 2) to suit rows in any order: what is measured does not depend on it. */
sn_result sn_xpbd_pack_rows(const sn_xpbd_model *model, int element, const sn_xpbd_element *of, const int32_t *rows,
                            float *values);
/* The same of strain-based tets: stiffness (STRAIN_COUNT), axes (9) or null; values (STRAIN_VALUES, or with axes
 * STRAIN_FRAME_VALUES). */
sn_result sn_xpbd_pack_strain(const sn_xpbd_model *model, int element, const double *stiffness, const double *axes,
                              const int32_t *rows, float *values);
/* A place and a pair. */
sn_result sn_xpbd_pack_element(const sn_xpbd_model *model, int element, const sn_xpbd_element *of, int32_t *rows,
                               float *values, double *size);

/* ---- constraints ---- */

sn_result sn_xpbd_check_constraint(const sn_xpbd_model *model, const sn_xpbd_constraint *constraint);
/* rows (corner count of its kind), values (value count of its kind). Checks it, too. */
sn_result sn_xpbd_pack(const sn_xpbd_model *model, const sn_xpbd_constraint *constraint, int32_t *rows, float *values);
/* Cosine and sine (2) of a bend as the recipe measures it at rest; edges (9) as in BENDING_VALUES. */
void sn_xpbd_rest_bend(const float *edges, float *cosine_sine);

#endif
