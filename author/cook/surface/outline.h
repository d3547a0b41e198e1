/* SPDX-License-Identifier: MIT */
/* The outline of a flat body's surface, on which air and colliders act. */
#ifndef SN_AUTHOR_COOK_SURFACE_OUTLINE_H
#define SN_AUTHOR_COOK_SURFACE_OUTLINE_H

#include "host/model/model.h"

typedef struct sn_outline {
    double *normals; /* (surface_vertex_count x 3) unit, outwards in the plane; 0 where lengths are 0 */
    double *lengths; /* (surface_vertex_count) half the length of the adjacent outline edges; 0 off the outline, and at
                        all but the first of coincident vertices */
} sn_outline;

/* Computes the outline of the model's surface, in the arena. */
sn_result sn_outline_build(const sn_model *model, sn_arena *arena, sn_outline *outline);

#endif
