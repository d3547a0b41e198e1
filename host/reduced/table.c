/* SPDX-License-Identifier: MIT */
/* The reduced solver's function table for worlds. */
#include <string.h>

#include "host/reduced/reduced.h"

/* A body with a buffer for its mode transforms in double. */
typedef struct table_body {
    const sn_model *model;
    sn_reduced_body *body;
    double *modes; /* (mode_count x 12) */
    sn_body_step_stats stats;
} table_body;

static sn_result scratch_create(int count, void **work)
{
    sn_reduced_scratch_pool *created = NULL;
    const sn_result result = sn_reduced_scratch_pool_create(count, &created);
    *work = created;
    return result;
}

static void scratch_destroy(void **work)
{
    sn_reduced_scratch_pool *created = *work;
    sn_reduced_scratch_pool_destroy(&created);
    *work = NULL;
}

sn_reduced_desc sn_reduced_desc_from_solver(const sn_solver_desc *desc)
{
    sn_reduced_desc reduced = sn_default_reduced_desc();
    reduced.time_step = desc->time_step;
    reduced.stiffness = desc->stiffness;
    reduced.damping = desc->damping;
    memcpy(reduced.gravity, desc->gravity, sizeof reduced.gravity);
    reduced.has_gravity_at_rest = desc->has_gravity_at_rest;
    reduced.tolerance = desc->tolerance;
    reduced.iteration_limit = desc->iteration_limit;
    reduced.budget_seconds = desc->budget_seconds;
    reduced.mode_count = desc->mode_count;
    reduced.cluster_level = desc->cluster_level;
    reduced.is_neo_hookean = desc->is_neo_hookean;
    reduced.is_double = desc->is_double;
    reduced.is_without_bone_colliders = desc->is_without_bone_colliders;
    return reduced;
}

static sn_result shared_create(const sn_model *model, const sn_solver_desc *desc, void *work, void **shared)
{
    sn_reduced_desc reduced = sn_reduced_desc_from_solver(desc);
    sn_reduced_solver *solver = NULL;
    reduced.work = work;
    const sn_result result = sn_reduced_solver_create(model, &reduced, &solver);
    *shared = solver;
    return result;
}

static void shared_destroy(void **shared)
{
    sn_reduced_solver *solver = *shared;
    sn_reduced_solver_destroy(&solver);
    *shared = NULL;
}

static void body_destroy(void **body)
{
    table_body *b = *body;
    if (b) {
        sn_free(b->modes, (size_t)b->model->counts.mode_count, 12 * sizeof(double));
        sn_reduced_body_destroy(&b->body);
        sn_free(b, 1, sizeof *b);
    }
    *body = NULL;
}

static sn_result body_create(const void *shared, const double *pose, void **body)
{
    const sn_model *model = sn_reduced_solver_model(shared);
    table_body *b = sn_alloc(1, sizeof *b);
    *body = b;
    if (!b) {
        return SN_ERROR_MEMORY;
    }
    b->model = model;
    b->modes = sn_alloc((size_t)model->counts.mode_count, 12 * sizeof(double));
    sn_result result = b->modes ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_reduced_body_create(shared, pose, &b->body);
    }
    if (result != SN_OK) {
        body_destroy(body);
    }
    return result;
}

static sn_result body_set_shared(void *body, const void *shared)
{
    sn_reduced_body_set_solver(((table_body *)body)->body, shared);
    return SN_OK;
}

static void body_set_tuned(void *body, const void *shared)
{
    table_body *b = body;
    sn_reduced_body_set_solver(b->body, shared);
    b->model = sn_reduced_solver_model(shared);
}

static bool body_step(void *body, const double *pose, const sn_surroundings *surroundings)
{
    table_body *b = body;
    const sn_reduced_report report = sn_reduced_body_step(b->body, pose, surroundings);
    b->stats = (sn_body_step_stats){.iteration_count = report.iteration_count,
                                    .change = report.change,
                                    .is_converged = report.is_converged,
                                    .is_over_budget = report.is_over_budget};
    return !report.is_recovered;
}

static void body_step_stats(const void *body, sn_body_step_stats *stats)
{
    *stats = ((const table_body *)body)->stats;
}

static void body_impulse(void *body, const double *point, const double *impulse)
{
    sn_reduced_body_apply_impulse(((table_body *)body)->body, point, impulse);
}

static void body_reset(void *body, const double *pose)
{
    sn_reduced_body_reset(((table_body *)body)->body, pose);
}

static void body_teleport(void *body, const double *transform)
{
    sn_reduced_body_teleport(((table_body *)body)->body, transform);
}

static void body_modes(void *body, double fraction, double amount, float *matrices)
{
    table_body *b = body;
    sn_reduced_body_interpolated_transforms(b->body, fraction, amount, b->modes);
    for (int i = 0; i < 12 * b->model->counts.mode_count; ++i) {
        matrices[i] = (float)b->modes[i];
    }
}

static void body_bone_impulse(void *body, int bone, const double *impulse)
{
    sn_reduced_body_apply_bone_impulse(((table_body *)body)->body, bone, impulse);
}

static int body_grab(void *body, const double *point, const sn_grab_desc *desc)
{
    return sn_reduced_body_grab(((table_body *)body)->body, point, desc);
}

static void body_drag(void *body, int grab, const double *target)
{
    sn_reduced_body_drag(((table_body *)body)->body, grab, target);
}

static void body_release(void *body, int grab)
{
    sn_reduced_body_release(((table_body *)body)->body, grab);
}

static void body_morphs(void *body, const float *weights)
{
    sn_reduced_body_set_morphs(((table_body *)body)->body, weights);
}

static void body_collider_impulse(const void *body, uint32_t collider_key, double *impulse)
{
    const table_body *b = body;
    sn_reduced_body_collider_impulse(b->body, collider_key, impulse);
}

static void body_visit_state(void *body, sn_state_visitor *visitor)
{
    table_body *b = body;
    sn_state_visit(visitor, &b->stats, sizeof b->stats);
    sn_reduced_body_visit_state(b->body, visitor);
}

const sn_solver_table sn_reduced_table = {.scratch_create = scratch_create,
                                          .scratch_destroy = scratch_destroy,
                                          .shared_create = shared_create,
                                          .shared_destroy = shared_destroy,
                                          .body_create = body_create,
                                          .body_destroy = body_destroy,
                                          .body_set_shared = body_set_shared,
                                          .body_set_tuned = body_set_tuned,
                                          .body_step = body_step,
                                          .body_impulse = body_impulse,
                                          .body_reset = body_reset,
                                          .body_teleport = body_teleport,
                                          .body_modes = body_modes,
                                          .body_bone_impulse = body_bone_impulse,
                                          .body_grab = body_grab,
                                          .body_drag = body_drag,
                                          .body_release = body_release,
                                          .body_morphs = body_morphs,
                                          .body_step_stats = body_step_stats,
                                          .body_collider_impulse = body_collider_impulse,
                                          .body_visit_state = body_visit_state};
