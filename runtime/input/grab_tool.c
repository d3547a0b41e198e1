/* SPDX-License-Identifier: MIT */
#include "runtime/input/grab_tool.h"

#include <math.h>

#define GRAB_RADIUS 0.15 /* fraction of the diagonal: from the clicked point to soft flesh */

sn_result sn_grab_tool_start(sn_grab_tool *tool, const sn_model *model)
{
    *tool = (sn_grab_tool){0};
    return sn_posed_surface_start(&tool->surface, model);
}

void sn_grab_tool_finish(sn_grab_tool *tool)
{
    sn_posed_surface_finish(&tool->surface);
    *tool = (sn_grab_tool){0};
}

static double find_surface(sn_grab_tool *tool, sn_body_id body, const sn_ray *ray)
{
    const sn_model *model = tool->surface.model;
    sn_posed_surface_update(&tool->surface, body);
    return sn_pick_triangles(tool->surface.positions, model->surface_triangles, model->counts.surface_triangle_count,
                             ray);
}

double sn_grab_tool_hit_distance(sn_grab_tool *tool, sn_body_id body, const sn_camera *camera, const double *pointer)
{
    const sn_ray ray = sn_pick_ray(camera, pointer[0], pointer[1]);
    return find_surface(tool, body, &ray);
}

bool sn_grab_tool_grab(sn_grab_tool *tool, sn_body_id body, const sn_camera *camera, const double *pointer,
                       const sn_collider *solids, int solid_count)
{
    const sn_ray ray = sn_pick_ray(camera, pointer[0], pointer[1]);
    sn_grab_tool_release(tool, body);
    const double distance = find_surface(tool, body, &ray);
    bool is_visible = distance < INFINITY;
    for (int i = 0; i < solid_count && is_visible; ++i) {
        is_visible = !sn_pick_is_hidden(&solids[i], &ray, distance);
    }
    if (is_visible) {
        sn_grab_desc desc = sn_default_grab_desc();
        double point[3];
        for (int d = 0; d < 3; ++d) {
            point[d] = ray.origin[d] + distance * ray.direction[d];
        }
        desc.max_distance = GRAB_RADIUS * tool->surface.model->diagonal;
        tool->grab = sn_body_grab(body, point, &desc);
        tool->is_grabbing = tool->grab >= 0;
        tool->depth = sn_pick_depth(camera, point);
        tool->pointer[0] = pointer[0];
        tool->pointer[1] = pointer[1];
    }
    return tool->is_grabbing;
}

void sn_grab_tool_drag(const sn_grab_tool *tool, sn_body_id body, const sn_camera *camera)
{
    if (tool->is_grabbing) {
        const sn_ray ray = sn_pick_ray(camera, tool->pointer[0], tool->pointer[1]);
        double target[3];
        sn_pick_at_depth(camera, &ray, tool->depth, target);
        sn_body_drag(body, tool->grab, target);
    }
}

void sn_grab_tool_release(sn_grab_tool *tool, sn_body_id body)
{
    if (tool->is_grabbing) {
        sn_body_release(body, tool->grab);
    }
    tool->is_grabbing = false;
}
