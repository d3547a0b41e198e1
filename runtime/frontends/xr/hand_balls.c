/* SPDX-License-Identifier: MIT */
#include "runtime/frontends/xr/hand_balls.h"

#include <string.h>

#include "host/math/quaternion.h"
#include "runtime/view/solid.h"
#include "scenes/shapes/shape.h"

static sn_result upload(sn_hand_balls *balls, const sn_shape_mesh *mesh)
{
    const sn_solid_mesh solid = {mesh->vertex_count, mesh->triangle_count, mesh->positions, mesh->normals,
                                 mesh->triangles};
    sn_model *surface = NULL;
    SN_TRY(sn_solid_build_surface(&solid, &balls->arena, &surface));
    return sn_render_model_create(balls->renderer, surface, &balls->model);
}

sn_result sn_hand_balls_init(sn_hand_balls *balls, sn_renderer *renderer, double metres_per_unit)
{
    const sn_scene_collider ball = {.desc = {.shape = SN_COLLIDER_SPHERE, .radius = SN_HAND_RADIUS / metres_per_unit}};
    sn_shape_mesh mesh = {0};
    *balls = (sn_hand_balls){.renderer = renderer};
    sn_result result = sn_collider_surface_build(&ball, &mesh);
    result = result ? result : upload(balls, &mesh);
    sn_shape_mesh_finish(&mesh);
    return result;
}

void sn_hand_balls_finish(sn_hand_balls *balls)
{
    if (balls->model) {
        sn_render_model_destroy(balls->renderer, &balls->model);
    }
    sn_free(balls->bodies, (size_t)balls->capacity, sizeof *balls->bodies);
    sn_arena_finish(&balls->arena);
    *balls = (sn_hand_balls){0};
}

static sn_result reserve(sn_hand_balls *balls, int count)
{
    if (count <= balls->capacity) {
        return SN_OK;
    }
    sn_free(balls->bodies, (size_t)balls->capacity, sizeof *balls->bodies);
    balls->bodies = sn_alloc((size_t)count, sizeof *balls->bodies);
    balls->capacity = balls->bodies ? count : 0;
    return balls->bodies ? SN_OK : SN_ERROR_MEMORY;
}

static void pose_to_matrix(const sn_xr_pose *pose, sn_mat3x4 *transform)
{
    double rotation[9];
    sn_quaternion_to_matrix(pose->orientation, rotation);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            transform->m[i][j] = (float)rotation[3 * i + j];
        }
        transform->m[i][3] = (float)pose->position[i];
    }
}

sn_result sn_hand_balls_draw(sn_hand_balls *balls, const sn_xr_hand hands[SN_XR_HAND_COUNT], sn_render_scene *scene)
{
    const sn_result result = reserve(balls, scene->body_count + SN_XR_HAND_COUNT);
    if (result != SN_OK) {
        return result;
    }
    memcpy(balls->bodies, scene->bodies, (size_t)scene->body_count * sizeof *balls->bodies);
    scene->bodies = balls->bodies;
    for (int i = 0; i < SN_XR_HAND_COUNT; ++i) {
        if (hands[i].is_tracked) {
            pose_to_matrix(&hands[i].grip, &balls->transforms[i]);
            balls->bodies[scene->body_count++] =
                (sn_render_body){.model = balls->model, .transforms = balls->transforms[i].m[0]};
        }
    }
    return SN_OK;
}
