/* SPDX-License-Identifier: MIT */
/* Access for measuring tools and device renderers: a body's state after its last step, whereas sn_body_output
 * interpolates between two steps for display. */
#ifndef SN_HOST_WORLD_INSPECT_H
#define SN_HOST_WORLD_INSPECT_H

#include "host/solver/solver.h"
#include "sinew/world.h"

typedef struct sn_body_inspection {
    const sn_solver_table *table; /* of its solver */
    void *body;                   /* the solver's body */
    const double *pose;           /* (bone_count x 12) the pose set last, with spring bones as of the last step */
    const float *morphs;          /* (morph_count) weights set last */
    double amount;                /* factor on the displacement in the output */
} sn_body_inspection;

/* Valid until the body's next change. */
sn_body_inspection sn_body_inspect(sn_body_id body);

/* The impulse (contact and friction, kg model units/s) that a collider exerted on the flesh of bodies on threads in
 * their last step. Bodies on a device contribute nothing. */
void sn_world_collider_impulse(sn_collider_id collider, double impulse[3]);

/* sn_body_output without readback: coupled bodies on a device have the bones of the pose. */
sn_body_matrices sn_body_cached_output(sn_body_id body);

#endif
