/* SPDX-License-Identifier: MIT */
/* What flesh is made of: stiffness, density and Poisson's ratio that the user painted, gave or named in the sidecar, on
 * the tets. */
#ifndef SN_AUTHOR_COOK_MATERIALS_STUFF_H
#define SN_AUTHOR_COOK_MATERIALS_STUFF_H

#include "author/cook/cooking.h"

/* For tet vertices at the surface, the character's triangle there and the place on it; -1 inside. */
typedef struct sn_node_places {
    int32_t *triangles;  /* (vertex_count), of the character */
    double *barycentric; /* (vertex_count x 3) */
    bool *is_known;      /* (vertex_count) */
} sn_node_places;

/* What the sidecar says of a name, or null. */
const sn_named_stuff *sn_stuff_find(const sn_named_stuff *list, int count, const char *name);
/* What it says of the material of a character's triangle, or null. */
const sn_named_stuff *sn_stuff_of_triangle(const sn_cooking *cooking, int32_t triangle);
/* What it says of the group of a tet, as of a material, or null. */
const sn_named_stuff *sn_stuff_of_tet(const sn_cooking *cooking, int tet);
/* A value that it says of a name, or, where it says none or `stuff` is null, the other. */
typedef double sn_stuff_value(const sn_named_stuff *stuff, double otherwise);
/* What it says of the groups of the tets at a vertex, or what `values` (vertex_count) said: their mean by volume. */
sn_result sn_stuff_mean_of_groups(sn_cooking *cooking, sn_stuff_value *value, double *values);
/* What is painted at a tet vertex on the surface. */
double sn_stuff_sample_paint(const sn_cooking *cooking, const sn_node_places *places, sn_paint paint, size_t vertex,
                             double otherwise);

/* Fills tet_stiffness, tet_lame, tet_density and mass: the filled share of a tet times what is painted and what the
 * sidecar says of its material and bones, averaged over its corners; harmonic inside; times what the desc says of it.
 * What it says of a tet's group stands in the place of the material's. */
sn_result sn_stuff_weigh_tets(sn_cooking *cooking, const sn_node_places *places);

#endif
