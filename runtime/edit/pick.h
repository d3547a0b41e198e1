/* SPDX-License-Identifier: MIT */
/* Picking: rays, projections and intersections. */
#ifndef SN_RUNTIME_EDIT_PICK_H
#define SN_RUNTIME_EDIT_PICK_H

#include "host/contact/collider.h"
#include "runtime/render/camera.h"

typedef struct sn_ray {
    double origin[3], direction[3]; /* `direction` has unit length */
} sn_ray;

/* Ray through a point of the picture, in window heights right and down from its center. */
sn_ray sn_pick_ray(const sn_camera *camera, double x, double y);
/* Intersects the ray with the plane at `depth` in front of the camera. */
void sn_pick_at_depth(const sn_camera *camera, const sn_ray *ray, double depth, double *point);
/* Depth of a point in front of the camera. */
double sn_pick_depth(const sn_camera *camera, const double *point);

/* Projects a point to the picture (coordinates of sn_pick_ray); returns its depth, negative behind the camera. */
double sn_pick_project(const sn_camera *camera, const double *point, double picture_point[2]);
/* Unit view direction of the camera. */
void sn_pick_view_direction(const sn_camera *camera, double *forward);

typedef struct sn_pick_hit {
    double distance; /* along the ray */
    int triangle;
    double corners[3]; /* barycentric coordinates */
} sn_pick_hit;

/* Intersects a ray with a closed surface: the first entry, and the exit from that volume (overlapping volumes count as
 * one). For an open surface both may be the same. False: no hit. */
bool sn_pick_volume(const double *positions, const int32_t *triangles, int triangle_count, const sn_ray *ray,
                    sn_pick_hit *enters, sn_pick_hit *leaves);

/* Distance along the ray to the nearest triangle, from either side; INFINITY: no hit. */
double sn_pick_triangles(const double *positions, const int32_t *triangles, int triangle_count, const sn_ray *ray);
/* True if the ray enters the collider within a distance. */
bool sn_pick_is_hidden(const sn_collider *collider, const sn_ray *ray, double distance);

#endif
