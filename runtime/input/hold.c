/* SPDX-License-Identifier: MIT */
#include "runtime/input/hold.h"

#include <math.h>

#define REACH 0.15 /* fraction of the diagonal: from the clicked point to soft flesh */

sn_result sn_hold_start(sn_hold *hold, const sn_model *model)
{
    *hold = (sn_hold){0};
    return sn_drawn_start(&hold->drawn, model);
}

void sn_hold_finish(sn_hold *hold)
{
    sn_drawn_finish(&hold->drawn);
    *hold = (sn_hold){0};
}

static double find_surface(sn_hold *hold, sn_body_id body, const sn_ray *ray)
{
    const sn_model *model = hold->drawn.model;
    sn_drawn_update(&hold->drawn, body);
    return sn_pick_triangles(hold->drawn.positions, model->surface_triangles, model->counts.surface_triangle_count,
                             ray);
}

double sn_hold_distance(sn_hold *hold, sn_body_id body, const sn_camera *camera, const double *pointer)
{
    const sn_ray ray = sn_pick_ray(camera, pointer[0], pointer[1]);
    return find_surface(hold, body, &ray);
}

bool sn_hold_take(sn_hold *hold, sn_body_id body, const sn_camera *camera, const double *pointer,
                  const sn_collider *solids, int solid_count)
{
    const sn_ray ray = sn_pick_ray(camera, pointer[0], pointer[1]);
    sn_hold_let_go(hold, body);
    const double distance = find_surface(hold, body, &ray);
    bool is_seen = distance < INFINITY;
    for (int i = 0; i < solid_count && is_seen; ++i) {
        is_seen = !sn_pick_is_hidden(&solids[i], &ray, distance);
    }
    if (is_seen) {
        sn_grab_desc desc = sn_default_grab_desc();
        double point[3];
        for (int d = 0; d < 3; ++d) {
            point[d] = ray.origin[d] + distance * ray.direction[d];
        }
        desc.reach = REACH * hold->drawn.model->diagonal;
        hold->grab = sn_body_grab(body, point, &desc);
        hold->is_held = hold->grab >= 0;
        hold->depth = sn_pick_depth(camera, point);
        hold->pointer[0] = pointer[0];
        hold->pointer[1] = pointer[1];
    }
    return hold->is_held;
}

void sn_hold_pull(const sn_hold *hold, sn_body_id body, const sn_camera *camera)
{
    if (hold->is_held) {
        const sn_ray ray = sn_pick_ray(camera, hold->pointer[0], hold->pointer[1]);
        double target[3];
        sn_pick_at_depth(camera, &ray, hold->depth, target);
        sn_body_drag(body, hold->grab, target);
    }
}

void sn_hold_let_go(sn_hold *hold, sn_body_id body)
{
    if (hold->is_held) {
        sn_body_release(body, hold->grab);
    }
    hold->is_held = false;
}
