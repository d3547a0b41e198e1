/* SPDX-License-Identifier: MIT */
#include "runtime/edit/flesh_point.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

static void add_hit(const sn_posed_surface *surface, const sn_pick_hit *hit, double fraction,
                    sn_flesh_point *flesh_point)
{
    const int32_t *corners = surface->model->surface_triangles + 3 * (size_t)hit->triangle;
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            const size_t at = 3 * (size_t)corners[c] + (size_t)d;
            flesh_point->rest[d] += fraction * hit->corners[c] * (double)surface->model->surface_positions[at];
            flesh_point->world_position[d] += fraction * hit->corners[c] * surface->positions[at];
        }
    }
}

bool sn_flesh_point_pick(const sn_posed_surface *surface, const sn_ray *ray, sn_flesh_point *flesh_point)
{
    const sn_model *model = surface->model;
    sn_pick_hit enters, leaves;
    *flesh_point = (sn_flesh_point){0};
    if (!sn_pick_volume(surface->positions, model->surface_triangles, model->counts.surface_triangle_count, ray,
                        &enters, &leaves)) {
        return false;
    }
    if (sn_model_is_flat(model)) {
        add_hit(surface, &enters, 1, flesh_point);
        flesh_point->rest[2] = 0;
    } else {
        add_hit(surface, &enters, 0.5, flesh_point);
        add_hit(surface, &leaves, 0.5, flesh_point);
    }
    return true;
}

bool sn_pick_plane(const sn_ray *ray, double height, double *point)
{
    const double distance = (height - ray->origin[2]) / ray->direction[2];
    if (!(distance > 0 && distance < 1e9)) {
        return false;
    }
    point[0] = ray->origin[0] + distance * ray->direction[0];
    point[1] = ray->origin[1] + distance * ray->direction[1];
    point[2] = height;
    return true;
}

void sn_flesh_point_at_depth(const sn_posed_surface *surface, const sn_camera *camera, const sn_ray *ray, double depth,
                             sn_flesh_point *flesh_point)
{
    const bool is_flat = sn_model_is_flat(surface->model);
    double min_distance = INFINITY;
    int nearest = 0;
    if (!is_flat || !sn_pick_plane(ray, 0, flesh_point->world_position)) {
        sn_pick_at_depth(camera, ray, depth, flesh_point->world_position);
    }
    for (int v = 0; v < surface->model->counts.surface_vertex_count; ++v) {
        const double distance = sn_distance3(surface->positions + 3 * (size_t)v, flesh_point->world_position);
        nearest = distance < min_distance ? v : nearest;
        min_distance = fmin(min_distance, distance);
    }
    memcpy(flesh_point->rest, flesh_point->world_position, sizeof flesh_point->rest);
    for (int d = 0; d < 3 && surface->model->counts.surface_vertex_count > 0; ++d) {
        const size_t at = 3 * (size_t)nearest + (size_t)d;
        flesh_point->rest[d] += (double)surface->model->surface_positions[at] - surface->positions[at];
    }
    flesh_point->rest[2] = is_flat ? 0 : flesh_point->rest[2];
}
