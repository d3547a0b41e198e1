/* SPDX-License-Identifier: MIT */
#include "runtime/edit/place.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

static void add_hit(const sn_drawn *drawn, const sn_pick_hit *hit, double share, sn_edit_place *place)
{
    const int32_t *corners = drawn->model->surface_triangles + 3 * (size_t)hit->triangle;
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            const size_t at = 3 * (size_t)corners[c] + (size_t)d;
            place->rest[d] += share * hit->corners[c] * (double)drawn->model->surface_positions[at];
            place->seen[d] += share * hit->corners[c] * drawn->positions[at];
        }
    }
}

bool sn_edit_place_in_flesh(const sn_drawn *drawn, const sn_ray *ray, sn_edit_place *place)
{
    const sn_model *model = drawn->model;
    sn_pick_hit enters, leaves;
    *place = (sn_edit_place){0};
    if (!sn_pick_through(drawn->positions, model->surface_triangles, model->counts.surface_triangle_count, ray, &enters,
                         &leaves)) {
        return false;
    }
    if (sn_model_is_flat(model)) {
        add_hit(drawn, &enters, 1, place);
        place->rest[2] = 0;
    } else {
        add_hit(drawn, &enters, 0.5, place);
        add_hit(drawn, &leaves, 0.5, place);
    }
    return true;
}

bool sn_edit_in_plane(const sn_ray *ray, double height, double *point)
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

void sn_edit_place_beside(const sn_drawn *drawn, const sn_camera *camera, const sn_ray *ray, double depth,
                          sn_edit_place *place)
{
    const bool is_flat = sn_model_is_flat(drawn->model);
    double least = INFINITY;
    int nearest = 0;
    if (!is_flat || !sn_edit_in_plane(ray, 0, place->seen)) {
        sn_pick_at_depth(camera, ray, depth, place->seen);
    }
    for (int v = 0; v < drawn->model->counts.surface_vertex_count; ++v) {
        const double distance = sn_distance3(drawn->positions + 3 * (size_t)v, place->seen);
        nearest = distance < least ? v : nearest;
        least = fmin(least, distance);
    }
    memcpy(place->rest, place->seen, sizeof place->rest);
    for (int d = 0; d < 3 && drawn->model->counts.surface_vertex_count > 0; ++d) {
        const size_t at = 3 * (size_t)nearest + (size_t)d;
        place->rest[d] += (double)drawn->model->surface_positions[at] - drawn->positions[at];
    }
    place->rest[2] = is_flat ? 0 : place->rest[2];
}
