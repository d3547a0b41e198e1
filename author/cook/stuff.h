/* SPDX-License-Identifier: MIT */
/* What flesh is made of: stiffness, density and leak that the user painted or the sidecar names, on the tets. */
#ifndef SN_AUTHOR_COOK_STUFF_H
#define SN_AUTHOR_COOK_STUFF_H

#include "author/cook/cook.h"

/* For tet vertices at the surface, the character's triangle there and the place on it; -1 inside. */
typedef struct sn_node_places {
    int32_t *triangles;  /* (vertex_count), of the character */
    double *barycentric; /* (vertex_count x 3) */
    bool *is_known;      /* (vertex_count) */
} sn_node_places;

/* Fills tet_stiffness, tet_lame, tet_density and mass: the filled share of a tet times what is painted and what the
 * sidecar says of its material and bones, averaged over its corners; harmonic inside. */
sn_result sn_stuff_weigh_tets(sn_cooking *cooking, const sn_node_places *places);

/* Raises the leak by what is painted: D + (1 - D) p, harmonic inside. */
sn_result sn_stuff_paint_leak(sn_cooking *cooking, const sn_node_places *places);

#endif
