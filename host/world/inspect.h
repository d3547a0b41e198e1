/* SPDX-License-Identifier: MIT */
/* For tools that measure: a body as it is after its last step. What sn_body_output has is made for drawing, between two
 * steps. */
#ifndef SN_HOST_WORLD_INSPECT_H
#define SN_HOST_WORLD_INSPECT_H

#include "host/solver/solver.h"
#include "sinew/world.h"

typedef struct sn_world_body {
    const sn_solver_table *table; /* of its solver */
    void *body;                   /* the solver's */
    const double *pose;           /* (bone_count x 12) that was set last */
    const float *morphs;          /* (morph_count) weights that were set last */
    double amount;                /* share of the flesh's displacement that is output */
} sn_world_body;

/* Borrowed until the body's next change. */
sn_world_body sn_world_inspect(sn_body_id body);

#endif
