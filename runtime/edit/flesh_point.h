/* SPDX-License-Identifier: MIT */
/* Converts a pointer ray to a point in the flesh. */
#ifndef SN_RUNTIME_EDIT_FLESH_POINT_H
#define SN_RUNTIME_EDIT_FLESH_POINT_H

#include "runtime/edit/pick.h"
#include "runtime/edit/posed_surface.h"

typedef struct sn_flesh_point {
    double rest[3];           /* model units */
    double world_position[3]; /* the same point as drawn, world */
} sn_flesh_point;

/* Intersects the ray with the surface as last drawn, and maps the hit to rest by its barycentric coordinates. In a
 * solid body the point is midway between entry and exit, so that a click on an arm gives a point inside the arm, not on
 * its skin; in a flat body it is in the plane. False: no hit. */
bool sn_flesh_point_pick(const sn_posed_surface *surface, const sn_ray *ray, sn_flesh_point *flesh_point);

/* For a ray that hits no flesh: the point in the plane of a flat body, or at `depth`, mapped to rest by the
 * displacement of the nearest vertex. */
void sn_flesh_point_at_depth(const sn_posed_surface *surface, const sn_camera *camera, const sn_ray *ray, double depth,
                             sn_flesh_point *flesh_point);

/* Intersects the ray with the plane z = height; false: no intersection. */
bool sn_pick_plane(const sn_ray *ray, double height, double *point);

#endif
