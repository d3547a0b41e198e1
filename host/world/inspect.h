/* SPDX-License-Identifier: MIT */
/* For tools that measure: a body as it is after its last step, while what sn_body_output has is made for drawing,
 * between two steps; and for what draws on a device. */
#ifndef SN_HOST_WORLD_INSPECT_H
#define SN_HOST_WORLD_INSPECT_H

#include "host/solver/solver.h"
#include "sinew/world.h"

typedef struct sn_world_body {
    const sn_solver_table *table; /* of its solver */
    void *body;                   /* the solver's */
    const double *pose;           /* (bone_count x 12) that was set last, with what swings as of the last step */
    const float *morphs;          /* (morph_count) weights that were set last */
    double amount;                /* share of the flesh's displacement that is output */
} sn_world_body;

/* Borrowed until the body's next change. */
sn_world_body sn_world_inspect(sn_body_id body);

/* What a collider gave to the flesh of bodies on threads in their last step, as contact and friction: kg times model
 * units a second. Bodies on a device tell nothing. */
void sn_world_collider_impulse(sn_collider_id collider, double impulse[3]);

/* sn_body_output, but for coupled bodies on a device, whose bones are here where the pose has them: nothing is read
 * back. */
sn_body_matrices sn_world_told_output(sn_body_id body);

#endif
