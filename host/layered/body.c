/* SPDX-License-Identifier: MIT */
/* Creates, configures, resets, moves and reads a layered body. */
#include <math.h>
#include <string.h>

#include "host/layered/solver.h"
#include "host/math/affine.h"

sn_layered_settings sn_default_layered_settings(void)
{
    return (sn_layered_settings){.time_step = 1.0 / 60,
                                 .sweep_count = 1,
                                 .consolidation_sweep_count = 6,
                                 .consolidating_factor = 10,
                                 .stiffness = 1,
                                 .instructions = SN_XPBD_AVX512};
}

/* Bodies on bones are damped in step.c instead. */
static bool is_damped_by_flesh(const sn_layered_model *model, const sn_layered_settings *s)
{
    return s->is_rigid_damped || model->attached_vertex_count == 0;
}

static sn_xpbd_settings settings_of(const sn_layered_settings *s, int substeps, int sweeps, bool is_damped)
{
    return (sn_xpbd_settings){.time_step = s->time_step,
                              .substep_count = substeps,
                              .sweep_count = sweeps,
                              .stiffness = s->stiffness,
                              .constraint_stiffness = 1,
                              .damping = is_damped ? s->damping : 0,
                              .is_rigid_damped = s->is_rigid_damped,
                              .gravity = {s->gravity[0], s->gravity[1], s->gravity[2]},
                              .sleep_speed = s->sleep_speed,
                              .is_double = s->is_double,
                              .instructions = s->instructions};
}

static int substeps_of(const sn_layered_model *model, const sn_layered_settings *s)
{
    return s->substep_count > 0 ? s->substep_count : sn_layered_required_substeps(model, s->time_step, s->stiffness);
}

sn_xpbd_settings sn_layered_flesh_settings(const sn_layered_model *model, const sn_layered_settings *s)
{
    return settings_of(s, substeps_of(model, s), s->sweep_count, is_damped_by_flesh(model, s));
}

sn_result sn_layered_check_settings(const sn_layered_settings *s)
{
    const sn_xpbd_settings of_flesh = settings_of(s, s->substep_count > 0 ? s->substep_count : 1, s->sweep_count, true);
    return sn_xpbd_are_settings_valid(&of_flesh) && s->substep_count >= 0 && s->consolidation_sweep_count >= 0 &&
                   s->consolidating_factor >= 1 && isfinite(s->consolidating_factor)
               ? SN_OK
               : sn_fail_within(SN_ERROR_ARGUMENT, "layered body: a setting is not finite or out of its range");
}

sn_result sn_layered_body_set_settings(sn_layered_body *body, const sn_layered_settings *settings)
{
    sn_result result = sn_layered_check_settings(settings);
    if (result != SN_OK) {
        return result;
    }
    const sn_xpbd_settings of_flesh = sn_layered_flesh_settings(body->model, settings);
    result = sn_xpbd_body_set_settings(body->flesh, &of_flesh);
    body->settings = *settings;
    body->substep_count = of_flesh.substep_count;
    return result;
}

/* ---- poses ---- */

static void rest_pose(int bone_count, double *pose)
{
    for (int bone = 0; bone < bone_count; ++bone) {
        sn_affine_identity(pose + 12 * (size_t)bone);
    }
}

static void posed_position(const sn_layered_model *m, int vertex, const double *pose, double *position)
{
    const double *rest = m->positions + 3 * (size_t)vertex;
    const float *weights = m->weights ? m->weights + (size_t)vertex * (size_t)m->bone_count : NULL;
    double sum = 0, blended[3] = {0};
    for (int bone = 0; bone < m->bone_count && weights; ++bone) {
        double one[3];
        if (weights[bone] > 0) {
            sn_affine_apply(pose + 12 * (size_t)bone, rest, one);
            for (int d = 0; d < 3; ++d) {
                blended[d] += (double)weights[bone] * one[d];
            }
            sum += (double)weights[bone];
        }
    }
    if (sum > 0) {
        for (int d = 0; d < 3; ++d) {
            position[d] = blended[d] / sum;
        }
    } else {
        sn_affine_apply(pose + 12 * (size_t)m->parent_bones[vertex], rest, position);
    }
}

void sn_layered_body_reset(sn_layered_body *body, const double *pose)
{
    const sn_layered_model *m = body->model;
    const size_t numbers = 12 * (size_t)m->bone_count;
    memmove(body->pose_now, pose, numbers * sizeof *pose);
    memcpy(body->pose_before, body->pose_now, numbers * sizeof *pose);
    for (int v = 0; v < m->vertex_count; ++v) {
        posed_position(m, v, body->pose_now, body->positions + 3 * (size_t)v);
    }
    for (int i = 0; i < m->attached_vertex_count; ++i) {
        const sn_layered_attached_vertex *c = &m->attached[i];
        sn_xpbd_pin *pin = &body->flesh->pins[i];
        double *position = body->positions + 3 * (size_t)c->vertex;
        sn_affine_apply(body->pose_now + 12 * (size_t)c->bone, m->positions + 3 * (size_t)c->vertex, position);
        for (size_t d = 0; d < 3; ++d) {
            pin->target[d] = position[d] - (double)m->flesh->rest[4 * (size_t)pin->row + d];
        }
        memcpy(pin->target_before, pin->target, sizeof pin->target);
    }
    sn_xpbd_body_reset(body->flesh); /* moves pins to their targets, all at rest */
    sn_xpbd_body_set_positions(body->flesh, body->positions);
}

void sn_layered_body_teleport(sn_layered_body *body, const double *transform)
{
    double *const poses[2] = {body->pose_before, body->pose_now};
    for (int i = 0; i < 2 * body->model->bone_count; ++i) {
        double *pose = poses[i % 2] + 12 * (size_t)(i / 2), transformed[12];
        sn_affine_multiply(transform, pose, transformed);
        memcpy(pose, transformed, sizeof transformed);
    }
    sn_xpbd_body_teleport(body->flesh, transform);
}

void sn_layered_interpolate_bones(const sn_layered_model *model, const double *before, const double *now,
                                  double fraction, float *matrices)
{
    for (size_t bone = 0; bone < (size_t)model->bone_count; ++bone) {
        sn_blend blend;
        double interpolated[12];
        sn_blend_init(&blend, before + 12 * bone, now + 12 * bone, model->pivots + 3 * bone);
        sn_blend_apply(&blend, fraction, interpolated);
        for (size_t i = 0; i < 12; ++i) {
            matrices[12 * bone + i] = (float)interpolated[i];
        }
    }
}

/* ---- bodies ---- */

static size_t real_size(const sn_layered_settings *s)
{
    return s->is_double ? sizeof(double) : sizeof(float);
}

/* Pins the attached vertices, in order, before any other pin. */
static sn_result pin_attached(sn_layered_body *body)
{
    for (int i = 0; i < body->model->attached_vertex_count; ++i) {
        const sn_result result = sn_xpbd_body_pin(body->flesh, body->model->attached[i].vertex, INFINITY);
        if (result != SN_OK) {
            return result;
        }
    }
    return SN_OK;
}

static sn_result init_body(sn_layered_body *body, const sn_layered_settings *settings)
{
    const sn_layered_model *m = body->model;
    const size_t bones = (size_t)m->bone_count;
    body->settings = *settings;
    body->substep_count = substeps_of(m, settings);
    body->pose_before = sn_alloc(bones, 12 * sizeof(double));
    body->pose_now = sn_alloc(bones, 12 * sizeof(double));
    body->pose_substep = sn_alloc(bones, 12 * sizeof(double));
    body->fields = sn_alloc(bones, 16 * real_size(settings));
    body->blends = sn_alloc(bones, sizeof *body->blends);
    body->positions = sn_alloc((size_t)m->vertex_count, 3 * sizeof(double));
    if (!body->pose_before || !body->pose_now || !body->pose_substep || !body->fields || !body->blends ||
        !body->positions) {
        return SN_ERROR_MEMORY;
    }
    const sn_xpbd_settings of_flesh = settings_of(settings, body->substep_count, settings->sweep_count, false);
    SN_TRY(sn_xpbd_body_create(m->flesh, &of_flesh, &body->flesh));
    SN_TRY(pin_attached(body));
    return sn_layered_body_set_settings(body, settings);
}

sn_result sn_layered_body_create(const sn_layered_model *model, const sn_layered_settings *settings, const double *pose,
                                 sn_layered_body **body)
{
    *body = NULL;
    sn_result result = sn_layered_check_settings(settings);
    sn_layered_body *created = result == SN_OK ? sn_alloc(1, sizeof *created) : NULL;
    if (!created) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    created->model = model;
    result = init_body(created, settings);
    if (result != SN_OK) {
        sn_layered_body_destroy(&created);
        return result;
    }
    rest_pose(model->bone_count, created->pose_now);
    sn_layered_body_reset(created, pose ? pose : created->pose_now);
    *body = created;
    return SN_OK;
}

void sn_layered_body_destroy(sn_layered_body **body)
{
    sn_layered_body *b = *body;
    if (b) {
        const size_t bones = (size_t)b->model->bone_count;
        sn_xpbd_body_destroy(&b->flesh);
        sn_free(b->pose_before, bones, 12 * sizeof(double));
        sn_free(b->pose_now, bones, 12 * sizeof(double));
        sn_free(b->pose_substep, bones, 12 * sizeof(double));
        sn_free(b->fields, bones, 16 * real_size(&b->settings));
        sn_free(b->blends, bones, sizeof *b->blends);
        sn_free(b->positions, (size_t)b->model->vertex_count, 3 * sizeof(double));
        sn_free(b, 1, sizeof *b);
        *body = NULL;
    }
}

void sn_layered_body_positions(const sn_layered_body *body, double *positions)
{
    sn_xpbd_body_positions(body->flesh, positions);
}

void sn_layered_body_set_positions(sn_layered_body *body, const double *positions)
{
    sn_xpbd_body_set_positions(body->flesh, positions);
}

sn_xpbd_body *sn_layered_body_flesh(const sn_layered_body *body)
{
    return body->flesh;
}
