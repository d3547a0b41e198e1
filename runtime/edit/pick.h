/* SPDX-License-Identifier: MIT */
/* What is under the pointer. */
#ifndef SN_RUNTIME_EDIT_PICK_H
#define SN_RUNTIME_EDIT_PICK_H

#include "host/contact/collider.h"
#include "runtime/render/camera.h"

typedef struct sn_ray {
    double origin[3], direction[3]; /* unit */
} sn_ray;

/* Through a place of the picture, in heights of the window right and down of its middle. */
sn_ray sn_pick_ray(const sn_camera *camera, double x, double y);
/* Where the ray meets the plane that lies `depth` in front of the camera, across its view. */
void sn_pick_at_depth(const sn_camera *camera, const sn_ray *ray, double depth, double *point);
/* How far along the view a point is. */
double sn_pick_depth(const sn_camera *camera, const double *point);

/* Where in the picture a point is seen, as sn_pick_ray has it; returns its depth, which is negative behind the camera.
 */
double sn_pick_place(const sn_camera *camera, const double *point, double place[2]);
/* The way that the camera looks, unit. */
void sn_pick_view(const sn_camera *camera, double *forward);

typedef struct sn_pick_hit {
    double distance; /* along the ray */
    int triangle;
    double corners[3]; /* their weights there */
} sn_pick_hit;

/* Where the ray enters what the triangles enclose first, and where it leaves it again: what overlaps is one piece. Of
 * an open surface that may be the same place. False: it meets nothing. */
bool sn_pick_through(const double *positions, const int32_t *triangles, int triangle_count, const sn_ray *ray,
                     sn_pick_hit *enters, sn_pick_hit *leaves);

/* Distance along the ray to the nearest triangle, of either side; INFINITY: none. */
double sn_pick_triangles(const double *positions, const int32_t *triangles, int triangle_count, const sn_ray *ray);
/* Whether a solid begins within a distance along the ray. */
bool sn_pick_is_hidden(const sn_collider *collider, const sn_ray *ray, double distance);

#endif
