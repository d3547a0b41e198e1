/* SPDX-License-Identifier: MIT */
#include "runtime/app/pick.h"

#include <math.h>

#include "host/math/vec3.h"

#define MARCH_LIMIT 400
#define MARCH_LEAST 1e-4 /* of the distance: a ray that grazes a surface passes it */

/* Right, up, forward; the renderer's camera does not roll. */
static void camera_axes(const sn_camera *camera, double axes[3][3])
{
    const double up[3] = {0, 1, 0}, aside[3] = {1, 0, 0};
    for (int d = 0; d < 3; ++d) {
        axes[2][d] = (double)camera->target[d] - (double)camera->eye[d];
    }
    sn_normalize3(axes[2], (const double[]){0, 0, -1});
    sn_cross3(axes[2], up, axes[0]);
    sn_normalize3(axes[0], aside);
    sn_cross3(axes[0], axes[2], axes[1]);
}

sn_ray sn_pick_ray(const sn_camera *camera, double x, double y)
{
    double axes[3][3];
    sn_ray ray;
    const double height = 2 * tan((double)camera->vertical_angle / 2);
    camera_axes(camera, axes);
    for (int d = 0; d < 3; ++d) {
        ray.origin[d] = (double)camera->eye[d];
        ray.direction[d] = axes[2][d] + height * (x * axes[0][d] - y * axes[1][d]);
    }
    sn_normalize3(ray.direction, axes[2]);
    return ray;
}

void sn_pick_at_depth(const sn_camera *camera, const sn_ray *ray, double depth, double *point)
{
    double axes[3][3];
    camera_axes(camera, axes);
    const double distance = depth / sn_dot3(ray->direction, axes[2]);
    for (int d = 0; d < 3; ++d) {
        point[d] = ray->origin[d] + distance * ray->direction[d];
    }
}

double sn_pick_depth(const sn_camera *camera, const double *point)
{
    double axes[3][3], offset[3];
    camera_axes(camera, axes);
    for (int d = 0; d < 3; ++d) {
        offset[d] = point[d] - (double)camera->eye[d];
    }
    return sn_dot3(offset, axes[2]);
}

/* Moeller and Trumbore 1997. */
static double meet_triangle(const double *a, const double *b, const double *c, const sn_ray *ray)
{
    double ab[3], ac[3], offset[3], across[3], along[3];
    sn_subtract3(b, a, ab);
    sn_subtract3(c, a, ac);
    sn_subtract3(ray->origin, a, offset);
    sn_cross3(ray->direction, ac, across);
    sn_cross3(offset, ab, along);
    const double determinant = sn_dot3(ab, across);
    const double u = sn_dot3(offset, across) / determinant, v = sn_dot3(ray->direction, along) / determinant;
    const double distance = sn_dot3(ac, along) / determinant;
    return u >= 0 && v >= 0 && u + v <= 1 && distance > 0 ? distance : INFINITY; /* none is: no */
}

double sn_pick_triangles(const double *positions, const int32_t *triangles, int triangle_count, const sn_ray *ray)
{
    double nearest = INFINITY;
    for (int t = 0; t < triangle_count; ++t) {
        const int32_t *corners = triangles + 3 * (size_t)t;
        nearest = fmin(nearest, meet_triangle(positions + 3 * (size_t)corners[0], positions + 3 * (size_t)corners[1],
                                              positions + 3 * (size_t)corners[2], ray));
    }
    return nearest;
}

bool sn_pick_is_hidden(const sn_collider *collider, const sn_ray *ray, double distance)
{
    double at = 0, gap = 1;
    for (int i = 0; i < MARCH_LIMIT && at < distance && gap > 0; ++i) {
        double point[3];
        for (int d = 0; d < 3; ++d) {
            point[d] = ray->origin[d] + at * ray->direction[d];
        }
        gap = sn_collider_distance(collider, point, NULL);
        at += fmax(gap, MARCH_LEAST * distance);
    }
    return gap <= 0;
}
