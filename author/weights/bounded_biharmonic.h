/* SPDX-License-Identifier: MIT */
/* Bounded biharmonic weights: smooth, local skinning weights of handles over a mesh (Jacobson, Baran, Popovic, Sorkine
 * 2011, "Bounded biharmonic weights for real-time deformation", equations 2 to 6). */
#ifndef SN_AUTHOR_WEIGHTS_BOUNDED_BIHARMONIC_H
#define SN_AUTHOR_WEIGHTS_BOUNDED_BIHARMONIC_H

#include "author/weights/handle_pins.h"

typedef struct sn_bounded_biharmonic_input {
    const char *name;             /* for messages */
    const sn_tet_mesh *tets;      /* or null; any unit */
    const sn_tri_mesh *triangles; /* or null: a planar or curved surface, with either winding */
    sn_weight_handles handles;
    bool (*is_cancelled)(void *user); /* or null; called before every iteration */
    void *cancel_user;
} sn_bounded_biharmonic_input;

typedef struct sn_bounded_biharmonic_report {
    int iteration_count;
    int pinned_count;    /* vertices */
    int component_count; /* components without a handle; each follows the nearest handle in space */
    double energy;       /* sum over the handles of w^T L M^-1 L w / 2, in length^(dimension - 4) */
    double violation;    /* root mean square violation of the bounds before the last projection */
} sn_bounded_biharmonic_report;

/* weights (vertex_count x handles.count): each in [0, 1], rows sum to 1 except for rounding, pinned rows as in
 * handle_pins.h, energy within about 1% of the minimum. Indices of the mesh must be in range. Errors: those of
 * sn_handle_pins_find and sn_simplices_build; SN_ERROR_CANCELLED; SN_ERROR_NUMERIC or SN_ERROR_UNSUPPORTED if the mesh
 * is too degenerate or too large for a sparse factorization; SN_ERROR_MEMORY. Single-threaded and deterministic. */
sn_result sn_bounded_biharmonic(const sn_bounded_biharmonic_input *input, double *weights,
                                sn_bounded_biharmonic_report *report);

#endif
