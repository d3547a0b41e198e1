/* SPDX-License-Identifier: MIT */
/* Bounded biharmonic weights: smooth, local skinning weights of handles over a mesh (Jacobson, Baran, Popovic, Sorkine
 * 2011, "Bounded biharmonic weights for real-time deformation", equations 2 to 6). */
#ifndef SN_AUTHOR_WEIGHTS_BOUNDED_BIHARMONIC_H
#define SN_AUTHOR_WEIGHTS_BOUNDED_BIHARMONIC_H

#include "author/weights/handle_pins.h"

typedef struct sn_bounded_biharmonic_input {
    const char *name;             /* for messages */
    const sn_tet_mesh *tets;      /* or null; any unit */
    const sn_tri_mesh *triangles; /* or null: in a plane, or a curved surface; either winding */
    sn_weight_handles handles;
    bool (*is_cancelled)(void *user); /* or null; called before every iteration */
    void *cancel_user;
} sn_bounded_biharmonic_input;

typedef struct sn_bounded_biharmonic_report {
    int iteration_count;
    int pinned_count;    /* vertices */
    int component_count; /* that no handle reached: each follows the handle that is nearest in space */
    double energy;       /* sum over the handles of w^T L M^-1 L w / 2, in length^(dimension - 4) */
    double violation;    /* by how much the weights broke the bounds before the last projection: root mean square */
} sn_bounded_biharmonic_report;

/* weights (vertex_count x handles.count): none below 0 or above 1, rows sum to 1 but for rounding, pinned rows as
 * handle_pins.h says, an energy within about 1% of the least. The mesh's indices are in range. Errors: those of
 * sn_handle_pins_find and sn_simplices_build; SN_ERROR_CANCELLED; SN_ERROR_NUMERIC or SN_ERROR_UNSUPPORTED where the
 * mesh is too bad or too large for a sparse factor; SN_ERROR_MEMORY. One thread; the same input gives the same bytes.
 */
sn_result sn_bounded_biharmonic(const sn_bounded_biharmonic_input *input, double *weights,
                                sn_bounded_biharmonic_report *report);

#endif
