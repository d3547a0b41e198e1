/* SPDX-License-Identifier: MIT */
/* A step: substeps in which bones move their attached vertices, and sweeps over the tets, along the curve or layer by
 * layer. */
#include <math.h>
#include <string.h>

#include "host/layered/solver.h"
#include "host/math/affine.h"

/* ---- bones ---- */

static void init_blends(sn_layered_body *body)
{
    for (int bone = 0; bone < body->model->bone_count; ++bone) {
        sn_blend_init(&body->blends[bone], body->pose_before + 12 * (size_t)bone, body->pose_now + 12 * (size_t)bone,
                      body->model->pivots + 3 * (size_t)bone);
    }
}

void sn_layered_move_attached_pins(sn_layered_body *body, const double *pose)
{
    const sn_layered_model *model = body->model;
    for (int i = 0; i < model->attached_vertex_count; ++i) {
        const sn_layered_attached_vertex *c = &model->attached[i];
        sn_xpbd_pin *pin = &body->flesh->pins[i];
        const float *rest = model->flesh->rest + 4 * (size_t)pin->row;
        sn_affine_apply(pose + 12 * (size_t)c->bone, model->positions + 3 * (size_t)c->vertex, pin->target);
        for (int d = 0; d < 3; ++d) {
            pin->target[d] -= (double)rest[d];
        }
        memcpy(pin->target_before, pin->target, sizeof pin->target);
    }
}

/* Moves the pins to the bones' poses at a fraction of the step. */
static void move_attached(sn_layered_body *body, double fraction)
{
    for (size_t bone = 0; bone < (size_t)body->model->bone_count; ++bone) {
        sn_blend_apply(&body->blends[bone], fraction, body->pose_substep + 12 * bone);
    }
    sn_layered_move_attached_pins(body, body->pose_substep);
}

/* ---- damping ---- */

/* Writes the velocity field of a bone's motion since the last substep, (M M_before^-1 - 1) / h, at positions relative
 * to the body's origin; zero if M_before has no inverse. */
static void write_field(sn_layered_body *body, int bone, const double *before, const double *now)
{
    const sn_xpbd_body *flesh = body->flesh;
    double inverse[12], motion[12] = {0};
    if (sn_affine_invert(before, inverse)) {
        sn_affine_multiply(now, inverse, motion);
        for (int i = 0; i < 12; ++i) {
            motion[i] = (motion[i] - (i % 5 == 0)) / flesh->substep;
        }
    }
    for (int d = 0; d < 3; ++d) {
        double *row = motion + 4 * d;
        row[3] += row[0] * flesh->origin[0] + row[1] * flesh->origin[1] + row[2] * flesh->origin[2];
        for (size_t column = 0; column < 4; ++column) {
            sn_xpbd_set_real(flesh, body->fields, 16 * (size_t)bone + 4 * column + (size_t)d, row[column]);
        }
    }
}

static void find_fields(sn_layered_body *body, int substep)
{
    for (int bone = 0; bone < body->model->bone_count; ++bone) {
        double before[12];
        sn_blend_apply(&body->blends[bone], (double)substep / body->substep_count, before);
        write_field(body, bone, before, body->pose_substep + 12 * (size_t)bone);
    }
}

/* Damps the flesh's velocity relative to its bones. */
static void damp(sn_layered_body *body, int substep)
{
    const sn_xpbd_motions motions = {.row_count = body->model->vertex_count,
                                     .of_row = body->model->parent_bones_by_row,
                                     .fields = body->fields,
                                     .retention = exp(-body->settings.damping * body->flesh->substep)};
    find_fields(body, substep);
    body->flesh->kernels->damp_to_fields(&body->flesh->state, body->flesh->model->rest, &motions);
}

/* ---- sweeps ---- */

/* Multiplies the masses of a layer's unpinned rows by a factor. */
static void scale_masses(sn_layered_body *body, int layer, double factor)
{
    const sn_layered_model *model = body->model;
    sn_xpbd_body *flesh = body->flesh;
    for (int i = model->layer_starts[layer]; i < model->layer_starts[layer + 1]; ++i) {
        const size_t at = 4 * (size_t)model->layer_rows[i] + 3;
        if (sn_xpbd_get_real(flesh, flesh->state.displacements, at) > 0) {
            sn_xpbd_set_real(flesh, flesh->state.displacements, at, 1 / (factor * (double)model->flesh->rest[at]));
        }
    }
}

static void sweep_layers(sn_layered_body *body, bool is_first, bool uses_consolidation)
{
    const sn_xpbd_model *flesh = body->model->flesh;
    for (int layer = 0; layer < flesh->group_count; ++layer) {
        sn_xpbd_sweep_elements(body->flesh, flesh->group_starts[layer], flesh->group_starts[layer + 1], is_first);
        if (uses_consolidation) {
            scale_masses(body, layer, body->settings.consolidating_factor);
        }
    }
    for (int layer = 0; layer < flesh->group_count && uses_consolidation; ++layer) {
        scale_masses(body, layer, 1);
    }
}

void sn_layered_sweep(sn_layered_body *body, int substep)
{
    const int batches = body->model->flesh->elements.batch_count;
    const bool uses_consolidation = body->substep_count == 1; /* small substeps would gain energy */
    for (int i = 0; i < body->settings.sweep_count; ++i) {
        if (body->model->mode == SN_LAYERED_LAYERS) {
            sweep_layers(body, i == 0, uses_consolidation && i < body->settings.consolidation_sweep_count);
        } else {
            sn_xpbd_sweep_elements(body->flesh, 0, batches, i == 0);
        }
        sn_xpbd_solve_pins(body->flesh, substep);
    }
}

/* ---- steps ---- */

bool sn_layered_is_finite_pose(const double *pose, int bone_count)
{
    double sum = 0;
    for (int i = 0; i < 12 * bone_count; ++i) {
        sum += 0 * pose[i];
    }
    return sum == 0;
}

/* Sets the pose of this step; false if it is not finite. */
static bool set_pose(sn_layered_body *body, const double *pose)
{
    const size_t numbers = 12 * (size_t)body->model->bone_count;
    const bool is_valid = sn_layered_is_finite_pose(pose, body->model->bone_count);
    memcpy(body->pose_before, body->pose_now, numbers * sizeof *pose);
    if (is_valid) {
        memcpy(body->pose_now, pose, numbers * sizeof *pose);
    }
    if (memcmp(body->pose_before, body->pose_now, numbers * sizeof *pose) != 0) {
        body->flesh->still_seconds = 0;
    }
    return is_valid;
}

sn_layered_report sn_layered_body_step(sn_layered_body *body, const double *pose, const sn_surroundings *surroundings)
{
    sn_layered_report report = {.substep_count = body->substep_count, .is_refused = !set_pose(body, pose)};
    if (!sn_xpbd_step_begin(body->flesh, surroundings)) {
        report.is_asleep = true;
        return report;
    }
    init_blends(body);
    const bool is_damped =
        body->settings.damping > 0 && !body->settings.is_rigid_damped && body->model->attached_vertex_count > 0;
    for (int substep = 0; substep < body->substep_count; ++substep) {
        move_attached(body, (substep + 1.0) / body->substep_count);
        sn_xpbd_substep_begin(body->flesh, surroundings, substep);
        sn_layered_sweep(body, substep);
        sn_xpbd_substep_end(body->flesh, surroundings, substep);
        if (is_damped) {
            damp(body, substep);
        }
    }
    const sn_xpbd_report flesh_report = sn_xpbd_step_end(body->flesh);
    report.contact_count = flesh_report.contact_count;
    report.is_recovered = flesh_report.is_recovered;
    if (flesh_report.is_recovered) {
        sn_layered_body_reset(body, body->pose_now);
    }
    return report;
}
