/* SPDX-License-Identifier: MIT */
/* The outline of a flat body's surface: where air and colliders meet it. */
#ifndef SN_AUTHOR_COOK_SURFACE_OUTLINE_H
#define SN_AUTHOR_COOK_SURFACE_OUTLINE_H

#include "host/model/model.h"

typedef struct sn_outline {
    double *normals; /* (surface_vertex_count x 3) unit, outwards in the plane; 0 where lengths are */
    double *lengths; /* (surface_vertex_count) halves of the outline's edges there; 0 off the outline, and at all but
                        the first vertex of a place */
} sn_outline;

/* Of the surface in the model, in the arena. */
sn_result sn_outline_build(const sn_model *model, sn_arena *arena, sn_outline *outline);

#endif
