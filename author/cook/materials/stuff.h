/* SPDX-License-Identifier: MIT */
/* Material of the tets: stiffness, density and Poisson's ratio that the user painted, passed in, or named in the
 * sidecar. */
#ifndef SN_AUTHOR_COOK_MATERIALS_STUFF_H
#define SN_AUTHOR_COOK_MATERIALS_STUFF_H

#include "author/cook/cooking.h"

/* For each tet vertex on the surface, the character's triangle and the barycentric coordinates on it; -1 inside. */
typedef struct sn_node_places {
    int32_t *triangles;  /* (vertex_count) of the character */
    double *barycentric; /* (vertex_count x 3) */
    bool *is_known;      /* (vertex_count) */
} sn_node_places;

/* The sidecar entry of a name, or null. */
const sn_named_stuff *sn_stuff_find(const sn_named_stuff *list, int count, const char *name);
/* The sidecar entry of the material of a character's triangle, or null. */
const sn_named_stuff *sn_stuff_of_triangle(const sn_cooking *cooking, int32_t triangle);
/* The sidecar entry of the group of a tet, used as a material, or null. */
const sn_named_stuff *sn_stuff_of_tet(const sn_cooking *cooking, int tet);
/* Reads one value of an entry, or returns `fallback` if the entry is null or does not set it. */
typedef double sn_stuff_value(const sn_named_stuff *stuff, double otherwise);
/* Replaces values (vertex_count) by the volume-weighted mean over the adjacent tets of their groups' value; a group
 * without one contributes the old value. */
sn_result sn_stuff_mean_of_groups(sn_cooking *cooking, sn_stuff_value *value, double *values);
/* The painted value at a tet vertex on the surface, or `fallback` if nothing is painted. */
double sn_stuff_sample_paint(const sn_cooking *cooking, const sn_node_places *places, sn_paint paint, size_t vertex,
                             double otherwise);

/* Fills tet_stiffness, tet_lame, tet_density and mass. The value of a tet is its fill fraction times the painted values
 * times the sidecar's factors of material and bones, averaged over its corners and extended inwards harmonically, times
 * the desc's value of the tet. The sidecar's factors of a tet's group replace those of the material. */
sn_result sn_stuff_weigh_tets(sn_cooking *cooking, const sn_node_places *places);

#endif
