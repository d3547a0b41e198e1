/* SPDX-License-Identifier: MIT */
#include "runtime/app/hold.h"

#include <math.h>

#include "host/skin/skin.h"

#define REACH 0.15 /* of the diagonal: from what is clicked to flesh that gives way */

sn_result sn_hold_start(sn_hold *hold, const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    *hold = (sn_hold){.model = model};
    hold->pose = sn_alloc(12 * (size_t)c->bone_count, sizeof *hold->pose);
    hold->modes = sn_alloc(12 * (size_t)c->mode_count, sizeof *hold->modes);
    hold->surface = sn_alloc(3 * (size_t)c->surface_vertex_count, sizeof *hold->surface);
    return hold->pose && hold->modes && hold->surface ? SN_OK : SN_ERROR_MEMORY;
}

void sn_hold_finish(sn_hold *hold)
{
    if (hold->model) {
        const sn_model_counts *c = &hold->model->counts;
        sn_free(hold->pose, 12 * (size_t)c->bone_count, sizeof *hold->pose);
        sn_free(hold->modes, 12 * (size_t)c->mode_count, sizeof *hold->modes);
        sn_free(hold->surface, 3 * (size_t)c->surface_vertex_count, sizeof *hold->surface);
    }
    *hold = (sn_hold){0};
}

static void widen(const sn_mat3x4 *matrices, int count, double *result)
{
    for (int i = 0; i < 12 * count; ++i) {
        result[i] = (double)matrices[i / 12].m[i % 12 / 4][i % 4];
    }
}

static double find_surface(sn_hold *hold, sn_body_id body, const sn_ray *ray)
{
    const sn_body_matrices output = sn_body_output(body);
    const sn_skin_mesh mesh = sn_model_skin(hold->model);
    widen(output.matrices, output.bone_count, hold->pose);
    widen(output.matrices + output.bone_count, output.mode_count, hold->modes);
    sn_skin_surface(&mesh, hold->pose, hold->modes, output.morphs, hold->surface, NULL, NULL);
    return sn_pick_triangles(hold->surface, hold->model->surface_triangles, hold->model->counts.surface_triangle_count,
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
        desc.reach = REACH * hold->model->diagonal;
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
