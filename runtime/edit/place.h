/* SPDX-License-Identifier: MIT */
/* Converts a pointer ray to a point in the flesh. */
#ifndef SN_RUNTIME_EDIT_PLACE_H
#define SN_RUNTIME_EDIT_PLACE_H

#include "runtime/edit/drawn.h"
#include "runtime/edit/pick.h"

typedef struct sn_edit_place {
    double rest[3]; /* model units */
    double seen[3]; /* the same point as drawn, world */
} sn_edit_place;

/* Intersects the ray with the surface as last drawn, and maps the hit to rest by its barycentric coordinates. In a
 * solid body the point is midway between entry and exit, so that a click on an arm gives a point inside the arm, not on
 * its skin; in a flat body it is in the plane. False: no hit. */
bool sn_edit_place_in_flesh(const sn_drawn *drawn, const sn_ray *ray, sn_edit_place *place);

/* For a ray that hits no flesh: the point in the plane of a flat body, or at `depth`, mapped to rest by the
 * displacement of the nearest vertex. */
void sn_edit_place_beside(const sn_drawn *drawn, const sn_camera *camera, const sn_ray *ray, double depth,
                          sn_edit_place *place);

/* Intersects the ray with the plane z = height; false: no intersection. */
bool sn_edit_in_plane(const sn_ray *ray, double height, double *point);

#endif
