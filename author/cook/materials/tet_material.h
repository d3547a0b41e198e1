/* SPDX-License-Identifier: MIT */
/* Material of the tets: stiffness, density and Poisson's ratio that the user painted, passed in, or named in the
 * sidecar. */
#ifndef SN_AUTHOR_COOK_MATERIALS_TET_MATERIAL_H
#define SN_AUTHOR_COOK_MATERIALS_TET_MATERIAL_H

#include "author/cook/cook_context.h"

/* For each tet vertex on the surface, the character's triangle and the barycentric coordinates on it; -1 inside. */
typedef struct sn_node_surface_points {
    int32_t *triangles;  /* (vertex_count) of the character */
    double *barycentric; /* (vertex_count x 3) */
    bool *is_known;      /* (vertex_count) */
} sn_node_surface_points;

/* The sidecar entry of a name, or null. */
const sn_named_tet_material *sn_tet_material_find(const sn_named_tet_material *list, int count, const char *name);
/* The sidecar entry of the material of a character's triangle, or null. */
const sn_named_tet_material *sn_tet_material_of_triangle(const sn_cook_context *cook, int32_t triangle);
/* The sidecar entry of the group of a tet, used as a material, or null. */
const sn_named_tet_material *sn_tet_material_of_tet(const sn_cook_context *cook, int tet);
/* Reads one value of an entry, or returns `fallback` if the entry is null or does not set it. */
typedef double sn_tet_material_value(const sn_named_tet_material *entry, double fallback);
/* Replaces values (vertex_count) by the volume-weighted mean over the adjacent tets of their groups' value; a group
 * without one contributes the old value. */
sn_result sn_tet_material_group_mean(sn_cook_context *cook, sn_tet_material_value *value, double *values);
/* The painted value at a tet vertex on the surface, or `fallback` if nothing is painted. */
double sn_tet_material_sample_painted(const sn_cook_context *cook, const sn_node_surface_points *surface_points,
                                      sn_painted_quantity quantity, size_t vertex, double fallback);

/* Fills tet_stiffness, tet_lame, tet_density and mass. The value of a tet is its fill fraction times the painted values
 * times the sidecar's factors of material and bones, averaged over its corners and extended inwards harmonically, times
 * the desc's value of the tet. The sidecar's factors of a tet's group replace those of the material. */
sn_result sn_tet_material_compute(sn_cook_context *cook, const sn_node_surface_points *surface_points);

#endif
