/* SPDX-License-Identifier: MIT */
#include "research/figures/spaces.h"

#include <math.h>
#include <string.h>

#include "author/fullspace/fullspace.h"
#include "host/math/affine.h"

#define ITERATION_LIMIT 300
#define TOLERANCE 1e-7
/* Inertia that settling feels: none to speak of. */
#define LONG_TIME 1e3
#define LONG_ITERATION_LIMIT 6000
#define LONG_TOLERANCE 1e-7

static const double axis_z[3] = {0, 0, 1};

static sn_result build_late(const sn_subject *s, const sn_baseline_body *held, int mode_count, sn_arena *arena,
                            sn_subspace *late)
{
    sn_modes modes;
    SN_TRY(sn_subject_modes(s, false, mode_count, arena, &modes));
    SN_TRY(sn_weight_subspace(held, modes.weights, mode_count, true, arena, late));
    return sn_subspace_constrain(held, arena, late);
}

sn_result sn_spaces_build(const sn_subject *s, bool is_held, int dimension, int primary, sn_arena *arena,
                          sn_spaces *spaces)
{
    sn_baseline_body body = s->body;
    double *eigenvalues = SN_NEW(arena, double, dimension);
    sn_modes modes;
    *spaces = (sn_spaces){.displacement = {0}};
    sn_result result = eigenvalues ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK && is_held) {
        result = sn_baseline_rig_rows(&body, s->leak, s->rig_weights, s->bone_count, arena, &body.constraint);
    }
    if (result == SN_OK) {
        result = sn_displacement_modes(&body, dimension, arena, eigenvalues, &spaces->displacement);
    }
    if (result == SN_OK && (is_held || body.constraint.is_pinned)) {
        const sn_subspace first = {primary, spaces->displacement.basis};
        result = sn_modal_derivatives(&body, &first, eigenvalues, dimension, arena, &spaces->derivatives);
    }
    if (result == SN_OK) {
        result = sn_subject_modes(s, is_held, dimension / 12, arena, &modes);
    }
    if (result == SN_OK) {
        result = sn_weight_subspace(&s->body, modes.weights, modes.mode_count, true, arena, &spaces->skinning);
    }
    return result == SN_OK && is_held ? build_late(s, &body, dimension / 12, arena, &spaces->late) : result;
}

void sn_subject_pose(const sn_subject *s, const double *pose, double *positions)
{
    for (size_t v = 0; v < (size_t)s->mesh.vertex_count; ++v) {
        double sum[3] = {0}, moved[3];
        for (size_t b = 0; b < (size_t)s->bone_count; ++b) {
            sn_affine_apply(pose + 12 * b, s->mesh.positions + 3 * v, moved);
            for (int d = 0; d < 3; ++d) {
                sum[d] += s->rig_weights[v * (size_t)s->bone_count + b] * moved[d];
            }
        }
        memcpy(positions + 3 * v, sum, sizeof sum);
    }
}

static void turn_vector(const double *vector, double turn, double *turned)
{
    sn_rotate_all(vector, 1, axis_z, turn, turned);
}

static sn_result run_subspace(const sn_subject *s, const sn_subspace *subspace, const sn_motion_desc *desc,
                              double *displacements)
{
    const int n = s->mesh.vertex_count;
    sn_arena scratch = {0};
    sn_subspace_desc step = {.time_step = desc->time_step, .iteration_limit = ITERATION_LIMIT, .tolerance = TOLERANCE};
    sn_subspace_solver *solver = NULL;
    double *rig = SN_NEW(&scratch, double, 3 * n), *pose = SN_NEW(&scratch, double, 12 * s->bone_count);
    sn_result result = rig && pose ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        turn_vector(desc->gravity, desc->turn, step.gravity);
        desc->pose(0, desc->turn, pose);
        sn_subject_pose(s, pose, rig);
        result = sn_subspace_solver_create(&s->body, subspace, &step, rig, &solver);
    }
    for (int frame = 0; frame < desc->frame_count && result == SN_OK; ++frame) {
        desc->pose(frame + 1, desc->turn, pose);
        sn_subject_pose(s, pose, rig);
        sn_subspace_solver_step(solver, rig);
        sn_subspace_solver_displacements(solver, displacements + 3 * (size_t)n * (size_t)frame);
    }
    sn_subspace_solver_destroy(&solver);
    sn_arena_finish(&scratch);
    return result;
}

static sn_fullspace_input describe(const sn_subject *s)
{
    return (sn_fullspace_input){.name = "figure",
                                .mesh = s->mesh,
                                .tet_mu = s->mu,
                                .mass = s->mass,
                                .leak = s->leak,
                                .is_pinned = s->body.constraint.is_pinned,
                                .rig_weights = s->rig_weights,
                                .bone_count = s->bone_count};
}

static sn_result run_full(const sn_subject *s, const sn_motion_desc *desc, double *displacements)
{
    sn_arena scratch = {0};
    const sn_fullspace_input input = describe(s);
    sn_fullspace_desc step = sn_default_fullspace_desc();
    sn_fullspace_solver *solver = NULL;
    sn_fullspace_body *body = NULL;
    double *pose = SN_NEW(&scratch, double, 12 * s->bone_count);
    step.time_step = desc->time_step;
    step.iteration_limit = ITERATION_LIMIT;
    step.tolerance = TOLERANCE;
    step.is_unconstrained = desc->is_free;
    turn_vector(desc->gravity, desc->turn, step.gravity);
    sn_result result = pose ? sn_fullspace_solver_create(&input, &step, &solver) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        desc->pose(0, desc->turn, pose);
        result = sn_fullspace_body_create(solver, pose, &body);
    }
    for (int frame = 0; frame < desc->frame_count && result == SN_OK; ++frame) {
        desc->pose(frame + 1, desc->turn, pose);
        sn_fullspace_body_step(body, pose);
        sn_fullspace_body_displacements(body, displacements + 3 * (size_t)s->mesh.vertex_count * (size_t)frame);
    }
    sn_fullspace_body_destroy(&body);
    sn_fullspace_solver_destroy(&solver);
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_spaces_run(const sn_subject *s, const sn_subspace *subspace, const sn_motion_desc *desc,
                        double *displacements)
{
    const sn_result result =
        subspace ? run_subspace(s, subspace, desc, displacements) : run_full(s, desc, displacements);
    if (result == SN_OK && desc->turn != 0) {
        sn_rotate_all(displacements, s->mesh.vertex_count * desc->frame_count, axis_z, -desc->turn, displacements);
    }
    return result;
}

/* One long step: what is left of inertia is a billionth. */
static sn_result settle_full(const sn_subject *s, const double *gravity, double *displacements, double *energy)
{
    const sn_fullspace_input input = describe(s);
    sn_fullspace_desc step = sn_default_fullspace_desc();
    sn_fullspace_solver *solver = NULL;
    sn_fullspace_body *body = NULL;
    double pose[12];
    SN_ASSERT(s->bone_count == 1);
    sn_affine_identity(pose);
    step.time_step = LONG_TIME;
    step.iteration_limit = LONG_ITERATION_LIMIT;
    step.tolerance = LONG_TOLERANCE;
    step.is_unconstrained = true;
    memcpy(step.gravity, gravity, sizeof step.gravity);
    sn_result result = sn_fullspace_solver_create(&input, &step, &solver);
    if (result == SN_OK) {
        result = sn_fullspace_body_create(solver, NULL, &body);
    }
    if (result == SN_OK) {
        sn_fullspace_body_step(body, pose);
        sn_fullspace_body_displacements(body, displacements);
        *energy = sn_fullspace_body_energy(body).elastic;
        for (int i = 0; i < 3 * s->mesh.vertex_count; ++i) {
            *energy -= s->mass[i / 3] * gravity[i % 3] * displacements[i];
        }
    }
    sn_fullspace_body_destroy(&body);
    sn_fullspace_solver_destroy(&solver);
    return result;
}

sn_result sn_spaces_settle(const sn_subject *s, const sn_subspace *subspace, double turn, const double *gravity,
                           double *displacements, double *energy)
{
    if (!subspace) {
        return settle_full(s, gravity, displacements, energy);
    }
    const int n = s->mesh.vertex_count;
    sn_arena scratch = {0};
    sn_subspace_desc step = {
        .time_step = LONG_TIME, .iteration_limit = LONG_ITERATION_LIMIT, .tolerance = LONG_TOLERANCE};
    sn_subspace_solver *solver = NULL;
    double *rig = SN_NEW(&scratch, double, 3 * n);
    turn_vector(gravity, turn, step.gravity);
    sn_result result = rig ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        sn_rotate_all(s->mesh.positions, n, axis_z, turn, rig);
        result = sn_subspace_solver_create(&s->body, subspace, &step, rig, &solver);
    }
    if (result == SN_OK) {
        sn_subspace_solver_step(solver, rig);
        sn_subspace_solver_displacements(solver, displacements);
        sn_rotate_all(displacements, n, axis_z, -turn, displacements);
        *energy = sn_subspace_solver_potential(solver);
    }
    sn_subspace_solver_destroy(&solver);
    sn_arena_finish(&scratch);
    return result;
}

double sn_relative_difference(const double *mass, int vertex_count, int frame_count, const double *a, const double *b)
{
    const size_t size = 3 * (size_t)vertex_count;
    double square = 0, whole = 0;
    for (size_t i = 0; i < size * (size_t)frame_count; ++i) {
        square += mass[i % size / 3] * (a[i] - b[i]) * (a[i] - b[i]);
        whole += mass[i % size / 3] * b[i] * b[i];
    }
    return sqrt(square / whole);
}
