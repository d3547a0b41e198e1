/* SPDX-License-Identifier: MIT */
/* The solver table of reduced bodies on the device. */
#include "compute/world/world.h"

typedef struct shared {
    sn_gpu_world *world;
    int model; /* index in the world */
    int level; /* index in the reduced solver */
    sn_solver_desc desc;
    int bone_count, mode_count;
    double diagonal;
} shared;

static sn_result shared_create(const sn_model *model, const sn_solver_desc *desc, void *world, void **result)
{
    *result = NULL;
    shared *s = sn_alloc(1, sizeof *s);
    *result = s;
    if (!s) {
        return SN_ERROR_MEMORY;
    }
    *s = (shared){.world = world,
                  .desc = *desc,
                  .bone_count = model->counts.bone_count,
                  .mode_count = model->counts.mode_count,
                  .diagonal = model->diagonal};
    sn_result code = sn_gpu_world_acquire_model(s->world, model, &s->model);
    if (code == SN_OK) {
        code = sn_gpu_reduced_add_level(s->world->reduced, s->world->models[s->model].index, model, desc->mode_count,
                                        desc->cluster_level, &s->level);
        if (code != SN_OK) {
            sn_gpu_world_release_model(s->world, s->model);
        }
    }
    if (code != SN_OK) {
        sn_free(s, 1, sizeof *s);
        *result = NULL;
    }
    return code;
}

static void shared_destroy(void **result)
{
    shared *s = *result;
    sn_gpu_world_release_model(s->world, s->model);
    sn_free(s, 1, sizeof *s);
    *result = NULL;
}

static void body_destroy(void **body)
{
    sn_gpu_world_body *b = *body;
    *body = NULL;
    if (b->index >= 0) {
        sn_gpu_reduced_remove_body(b->world->reduced, b->index);
    }
    sn_free(b, 1, sizeof *b);
}

static sn_result body_create(const void *source, const double *pose, void **body)
{
    const shared *s = source;
    sn_gpu_world *world = s->world;
    sn_gpu_world_body *b = sn_alloc(1, sizeof *b);
    *body = b;
    if (!b) {
        return SN_ERROR_MEMORY;
    }
    *b = (sn_gpu_world_body){.world = world,
                             .index = -1,
                             .bone_count = s->bone_count,
                             .diagonal = s->diagonal,
                             .mode_count = s->mode_count,
                             .solver = SN_SOLVER_REDUCED,
                             .first_call = world->call_count};
    int index = 0;
    sn_result result = sn_gpu_reduced_add_body(world->reduced, s->level, &s->desc, pose, &index);
    if (result == SN_OK) {
        b->index = index;
        result = sn_gpu_world_update_matrix_versions(world);
    }
    if (result == SN_OK) {
        result = sn_gpu_world_reserve(world);
    }
    if (result != SN_OK) {
        body_destroy(body);
    }
    return result;
}

/* The world has checked the parameters, and the solver the time step. */
static sn_result body_set_shared(void *body, const void *to)
{
    sn_gpu_world_body *b = body;
    const shared *s = to;
    sn_gpu_reduced_set_level(b->world->reduced, b->index, s->level);
    sn_gpu_reduced_set_parameters(b->world->reduced, b->index, &s->desc);
    return SN_OK;
}

static bool body_step(void *body, const double *pose, const sn_surroundings *surroundings)
{
    sn_gpu_world_body *b = body;
    sn_gpu_reduced_set_surroundings(b->world->reduced, b->index, surroundings);
    sn_gpu_reduced_set_pose(b->world->reduced, b->index, pose);
    return !sn_gpu_world_read_status(b);
}

void sn_gpu_world_display_pose(void *body, const double *pose, double amount)
{
    const sn_gpu_world_body *b = body;
    if (b->solver == SN_SOLVER_REDUCED) { /* bones of other solvers are results of their steps */
        sn_gpu_reduced_set_pose(b->world->reduced, b->index, pose);
        sn_gpu_reduced_set_amount(b->world->reduced, b->index, amount);
    }
}

static void body_step_stats(const void *body, sn_body_step_stats *step_stats)
{
    *step_stats = ((const sn_gpu_world_body *)body)->step_stats;
}

static void body_impulse(void *body, const double *point, const double *impulse)
{
    const sn_gpu_world_body *b = body;
    sn_gpu_reduced_apply_impulse(b->world->reduced, b->index, point, impulse);
}

static void body_reset(void *body, const double *pose)
{
    const sn_gpu_world_body *b = body;
    sn_gpu_reduced_reset(b->world->reduced, b->index, pose);
}

static void body_teleport(void *body, const double *transform)
{
    const sn_gpu_world_body *b = body;
    sn_gpu_reduced_teleport(b->world->reduced, b->index, transform);
}

static void body_bone_impulse(void *body, int bone, const double *impulse)
{
    const sn_gpu_world_body *b = body;
    sn_gpu_reduced_apply_bone_impulse(b->world->reduced, b->index, bone, impulse);
}

static int body_grab(void *body, const double *point, const sn_grab_desc *desc)
{
    const sn_gpu_world_body *b = body;
    return sn_gpu_reduced_grab(b->world->reduced, b->index, point, desc);
}

static void body_drag(void *body, int grab, const double *target)
{
    const sn_gpu_world_body *b = body;
    sn_gpu_reduced_drag(b->world->reduced, b->index, grab, target);
}

static void body_release(void *body, int grab)
{
    const sn_gpu_world_body *b = body;
    sn_gpu_reduced_release(b->world->reduced, b->index, grab);
}

static void body_morphs(void *body, const float *weights)
{
    const sn_gpu_world_body *b = body;
    sn_gpu_reduced_set_morphs(b->world->reduced, b->index, weights);
}

const sn_solver_table sn_gpu_table = {.shared_create = shared_create,
                                      .shared_destroy = shared_destroy,
                                      .body_create = body_create,
                                      .body_destroy = body_destroy,
                                      .body_set_shared = body_set_shared,
                                      .body_step = body_step,
                                      .body_impulse = body_impulse,
                                      .body_reset = body_reset,
                                      .body_teleport = body_teleport,
                                      .body_bone_impulse = body_bone_impulse,
                                      .body_grab = body_grab,
                                      .body_drag = body_drag,
                                      .body_release = body_release,
                                      .body_morphs = body_morphs,
                                      .body_step_stats = body_step_stats};
