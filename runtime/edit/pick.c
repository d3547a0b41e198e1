/* SPDX-License-Identifier: MIT */
#include "runtime/edit/pick.h"

#include <math.h>

#include "host/math/vec3.h"

#define HIT_LIMIT 32 /* surfaces along a ray */
#define MARCH_LIMIT 400
#define MIN_MARCH_STEP 1e-4 /* fraction of the distance: minimum step, so that a grazing ray proceeds */

/* Camera axes: right, up, forward. The camera does not roll. */
static void camera_axes(const sn_camera *camera, double axes[3][3])
{
    const double up[3] = {0, 1, 0}, default_right[3] = {1, 0, 0};
    for (int d = 0; d < 3; ++d) {
        axes[2][d] = (double)camera->target[d] - (double)camera->eye[d];
    }
    sn_normalize3(axes[2], (const double[]){0, 0, -1});
    sn_cross3(axes[2], up, axes[0]);
    sn_normalize3(axes[0], default_right);
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

double sn_pick_project(const sn_camera *camera, const double *point, double picture_point[2])
{
    double axes[3][3], offset[3];
    camera_axes(camera, axes);
    for (int d = 0; d < 3; ++d) {
        offset[d] = point[d] - (double)camera->eye[d];
    }
    const double depth = sn_dot3(offset, axes[2]);
    const double height = 2 * tan((double)camera->vertical_angle / 2) * fmax(depth, 1e-9);
    picture_point[0] = sn_dot3(offset, axes[0]) / height;
    picture_point[1] = -sn_dot3(offset, axes[1]) / height;
    return depth;
}

void sn_pick_view_direction(const sn_camera *camera, double *forward)
{
    double axes[3][3];
    camera_axes(camera, axes);
    for (int d = 0; d < 3; ++d) {
        forward[d] = axes[2][d];
    }
}

/* Ray-triangle intersection, Moeller and Trumbore 1997. weights: of b and c. */
static double intersect_triangle(const double *a, const double *b, const double *c, const sn_ray *ray,
                                 double weights[2])
{
    double ab[3], ac[3], offset[3], cross_ac[3], cross_ab[3];
    sn_subtract3(b, a, ab);
    sn_subtract3(c, a, ac);
    sn_subtract3(ray->origin, a, offset);
    sn_cross3(ray->direction, ac, cross_ac);
    sn_cross3(offset, ab, cross_ab);
    const double determinant = sn_dot3(ab, cross_ac);
    const double u = sn_dot3(offset, cross_ac) / determinant, v = sn_dot3(ray->direction, cross_ab) / determinant;
    const double distance = sn_dot3(ac, cross_ab) / determinant;
    weights[0] = u;
    weights[1] = v;
    return u >= 0 && v >= 0 && u + v <= 1 && distance > 0 ? distance : INFINITY; /* NaN compares false: no hit */
}

static sn_pick_hit intersect(const double *positions, const int32_t *triangles, int triangle, const sn_ray *ray)
{
    const int32_t *corners = triangles + 3 * (size_t)triangle;
    const double *a = positions + 3 * (size_t)corners[0], *b = positions + 3 * (size_t)corners[1];
    const double *c = positions + 3 * (size_t)corners[2];
    double weights[2];
    const double distance = intersect_triangle(a, b, c, ray, weights);
    return (sn_pick_hit){distance, triangle, {1 - weights[0] - weights[1], weights[0], weights[1]}};
}

double sn_pick_triangles(const double *positions, const int32_t *triangles, int triangle_count, const sn_ray *ray)
{
    double nearest = INFINITY;
    for (int t = 0; t < triangle_count; ++t) {
        nearest = fmin(nearest, intersect(positions, triangles, t, ray).distance);
    }
    return nearest;
}

/* True if the ray hits the front side of the triangle. */
static bool is_front_hit(const double *positions, const int32_t *corners, const sn_ray *ray)
{
    double ab[3], ac[3], normal[3];
    sn_subtract3(positions + 3 * (size_t)corners[1], positions + 3 * (size_t)corners[0], ab);
    sn_subtract3(positions + 3 * (size_t)corners[2], positions + 3 * (size_t)corners[0], ac);
    sn_cross3(ab, ac, normal);
    return sn_dot3(normal, ray->direction) < 0;
}

bool sn_pick_volume(const double *positions, const int32_t *triangles, int triangle_count, const sn_ray *ray,
                    sn_pick_hit *enters, sn_pick_hit *leaves)
{
    sn_pick_hit hits[HIT_LIMIT];
    int count = 0, depth = 0;
    for (int t = 0; t < triangle_count; ++t) {
        const sn_pick_hit hit = intersect(positions, triangles, t, ray);
        if (hit.distance < INFINITY && (count < HIT_LIMIT || hit.distance < hits[count - 1].distance)) {
            int at = count < HIT_LIMIT ? count++ : count - 1;
            for (; at > 0 && hits[at - 1].distance > hit.distance; --at) {
                hits[at] = hits[at - 1];
            }
            hits[at] = hit;
        }
    }
    for (int i = 0; i < count; ++i) {
        depth += is_front_hit(positions, triangles + 3 * (size_t)hits[i].triangle, ray) ? 1 : -1;
        *leaves = hits[i];
        if (depth <= 0) {
            break;
        }
    }
    *enters = hits[0];
    return count > 0;
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
        at += fmax(gap, MIN_MARCH_STEP * distance);
    }
    return gap <= 0;
}
