/* SPDX-License-Identifier: MIT */
/* Texture coordinates: charts of the surface that face one direction and belong to one region of the body, packed into
 * a square texture. */
#ifndef SN_AUTHOR_CHARACTERS_ATLAS_H
#define SN_AUTHOR_CHARACTERS_ATLAS_H

#include "author/characters/shape.h"

typedef struct sn_atlas {
    int size;         /* texels per side */
    int vertex_count; /* vertices on seams are duplicated for each chart */
    int chart_count;
    int32_t *sources;   /* (vertex_count) vertex of the surface */
    float *uvs;         /* (vertex_count x 2) */
    int32_t *triangles; /* (triangle_count x 3), in the surface's order */
    double density;     /* texels per metre for region density 1 */
} sn_atlas;

/* regions: (vertex_count of the surface); region_density: relative texel density of each region. */
sn_result sn_atlas_build(const sn_shape_surface *surface, const int32_t *regions, const double *region_density,
                         int size, sn_arena *arena, sn_atlas *atlas);

#endif
