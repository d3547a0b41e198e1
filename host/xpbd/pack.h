/* SPDX-License-Identifier: MIT */
/* Packs one element or constraint for the batches: rows of the model, and values for the recipe. Private to host/xpbd.
 * Errors: SN_ERROR_ARGUMENT with one line that names the element or describes the constraint. */
#ifndef SN_HOST_XPBD_PACK_H
#define SN_HOST_XPBD_PACK_H

#include "host/xpbd/solver.h"
#include "host/xpbd/strain.h"

extern const int sn_xpbd_corner_counts[SN_XPBD_TYPE_COUNT], sn_xpbd_value_counts[SN_XPBD_TYPE_COUNT];
#define SN_XPBD_VALUE_LIMIT STRAIN_FRAME_VALUES

/* ---- elements: `element` is the caller's index, for messages ---- */

/* Checks its vertices and stiffness, but not its shape. */
sn_result sn_xpbd_check_element(const sn_xpbd_model *model, int element, const sn_xpbd_element *of);
/* Writes the rows (dimension + 1) of its vertices and its area or volume, which must be positive. */
sn_result sn_xpbd_measure_element(const sn_xpbd_model *model, int element, const int32_t *vertices, int32_t *rows,
                                  double *size);
/* Writes values (dimension^2 + 2) for rows in any order; the element's measures do not depend on the order. */
sn_result sn_xpbd_pack_rows(const sn_xpbd_model *model, int element, const sn_xpbd_element *of, const int32_t *rows,
                            float *values);
/* The same for strain-based tets: stiffness (STRAIN_COUNT), axes (9) or null; values (STRAIN_VALUES, or with axes
 * STRAIN_FRAME_VALUES). */
sn_result sn_xpbd_pack_strain(const sn_xpbd_model *model, int element, const double *stiffness, const double *axes,
                              const int32_t *rows, float *values);
/* Writes rows, values and size of an element with a constraint pair. */
sn_result sn_xpbd_pack_element(const sn_xpbd_model *model, int element, const sn_xpbd_element *of, int32_t *rows,
                               float *values, double *size);

/* ---- constraints ---- */

sn_result sn_xpbd_check_constraint(const sn_xpbd_model *model, const sn_xpbd_constraint *constraint);
/* Checks a constraint and writes rows (its corner count) and values (its value count). */
sn_result sn_xpbd_pack_constraint(const sn_xpbd_model *model, const sn_xpbd_constraint *constraint, int32_t *rows,
                                  float *values);
/* Cosine and sine (2) of the rest bend, as the recipe computes it; edges (9) as in BENDING_VALUES. */
void sn_xpbd_rest_bend(const float *edges, float *cosine_sine);

#endif
