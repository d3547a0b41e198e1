/* SPDX-License-Identifier: MIT */
/* One step of a body: pose, inertia in double, local-global loop, and recovery if the result is invalid. */
#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/platform/platform.h"
#include "host/reduced/solver.h"

#define MAX_DISPLACEMENT 100 /* diagonals; flesh farther from its rig is reset */

/* The part that does not depend on the rig: 1/h^2 [(1 + k) Z_n - k Z_(n-1) + h impulses] + V^T M g, with k the fraction
 * of its velocity that damping leaves a coordinate. */
static void gather_free_motion(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const double per_h2 = 1 / (solver->desc.time_step * solver->desc.time_step);
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        body->predicted64[i] = body->coordinates[i] +
                               solver->retention[i / 3] * (body->coordinates[i] - body->coordinates_before[i]) +
                               solver->desc.time_step * body->velocity_change[i];
        body->inertia[i] = per_h2 * body->predicted64[i] + solver->gravity[i];
    }
}

/* Rest force of flesh that rests in the bind pose, - s K_J (P_(n+1) - 1). */
static void add_bind_rest_force(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        const double rest = i / 3 % 4 == i % 3 ? 1 : 0;
        body->motion[i] = body->rig_next[i] - rest;
    }
    sn_reduced_add_product(solver->model->stiffness_cross, solver->coordinate_count, solver->column_count,
                           -solver->elastic_factor * solver->desc.stiffness, body->motion, body->inertia);
}

/* Rest force of flesh that rests in the rig's pose, - s sum_c S_B^T (R_c - 1)^T at Z = 0. */
static void add_posed_rest_force(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    sn_reduced_centre_rig(solver->model, body->rig_next, body->motion);
    sn_cluster_rig_f64(&solver->clusters64, body->motion, body->rig_gradient64);
    memset(body->z64, 0, (size_t)(3 * solver->coordinate_count) * sizeof(double));
    sn_cluster_pass_f64(&solver->clusters64, body->rig_gradient64, body->z64, body->lanes64, body->local64);
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        body->inertia[i] -= solver->desc.stiffness * body->local64[i];
    }
}

/* motion (a column's three entries each) += scale times gravity's acceleration of every bone's flesh, as if the bone
 * had been decelerated: V^T M W_b is the bone's translation column of M_J. */
static void add_relative_gravity(const sn_reduced_body *body, double scale, double *motion)
{
    for (int b = 0; b < body->solver->model->counts.bone_count && body->solver->has_relative_gravity; ++b) {
        const double *rig = body->rig_next + 12 * (size_t)b;
        double transform[12], acceleration[3];
        for (int i = 0; i < 12; ++i) {
            transform[i] = rig[i % 4 * 3 + i / 4];
        }
        sn_reduced_relative_gravity(body->solver->desc.gravity, transform, acceleration);
        for (int d = 0; d < 3; ++d) {
            motion[12 * b + 9 + d] += scale * acceleration[d];
        }
    }
}

/* c0, without the rest pose's own term: free motion + 1/h^2 M_J (2 P_n - P_(n-1) - P_(n+1)) + rest force. Morph targets
 * enter the M_J term only. */
void sn_reduced_gather_inertia(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_model *model = solver->model;
    const double per_h2 = 1 / (solver->desc.time_step * solver->desc.time_step);
    gather_free_motion(body);
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        body->motion[i] = 2 * body->rig[i] - body->rig_before[i] - body->rig_next[i];
    }
    add_relative_gravity(body, 1 / per_h2, body->motion);
    sn_reduced_add_product(model->mass_cross, solver->coordinate_count, solver->column_count, per_h2, body->motion,
                           body->inertia);
    for (int i = 0; i < 9 * solver->pair_count; ++i) {
        body->morph_motion[i] = 2 * body->morphs[i] - body->morphs_before[i] - body->morphs_next[i];
    }
    sn_reduced_add_product(model->morph_cross, solver->coordinate_count, 3 * solver->pair_count, per_h2,
                           body->morph_motion, body->inertia);
    if (solver->clusters64.posed) {
        add_posed_rest_force(body);
    } else {
        add_bind_rest_force(body);
    }
}

/* The same with float matrices. Differences of poses are computed in double first, without the root's translation. */
static void gather_inertia_f32(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    sn_iteration_f32 *it = &body->f32;
    const double per_h2 = 1 / (solver->desc.time_step * solver->desc.time_step);
    const double stiffness = solver->clusters32.posed ? 0 : solver->elastic_factor * solver->desc.stiffness;
    gather_free_motion(body);
    sn_reduced_centre_rig(solver->model, body->rig_next, body->motion);
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        it->rig[i] = (float)body->motion[i];
        it->strain[i] = (float)(-stiffness * body->motion[i]);
    }
    for (int i = 0; i < 3 * solver->column_count; i += 12) {
        for (int d = 0; d < 3; ++d) {
            it->strain[i + 4 * d] = (float)(-stiffness * (body->motion[i + 4 * d] - 1));
        }
    }
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        body->motion[i] = per_h2 * (2 * body->rig[i] - body->rig_before[i] - body->rig_next[i]);
    }
    add_relative_gravity(body, 1, body->motion);
    for (int i = 0; i < 3 * solver->column_count; ++i) {
        it->motion[i] = (float)body->motion[i];
    }
    for (int i = 0; i < 9 * solver->pair_count; ++i) {
        it->morph_motion[i] = (float)(per_h2 * (2 * body->morphs[i] - body->morphs_before[i] - body->morphs_next[i]));
    }
    solver->kernels->load(body);
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        body->inertia[i] += solver->unit * (double)it->local[i];
    }
}

/* Eight partial sums hide the latency of the additions. */
static bool are_finite(const double *values, int count)
{
    double sums[8] = {0};
    for (int i = 0; i < count; ++i) {
        sums[i % 8] += 0 * values[i];
    }
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
        sum += sums[k];
    }
    return sum == 0;
}

/* Keeps the last valid pose if the new one is not finite. */
bool sn_reduced_set_next_pose(sn_reduced_body *body, const double *pose)
{
    const sn_model *model = body->solver->model;
    const int bones = model->counts.bone_count, pairs = body->solver->pair_count;
    const bool is_valid = are_finite(pose, 12 * bones);
    if (is_valid) {
        sn_reduced_rig_from_pose(pose, bones, body->rig_next);
        sn_morph_pair_rows(model->morph_pairs, pairs, pose, body->fields, body->morphs_next);
    } else {
        memcpy(body->rig_next, body->rig, (size_t)(12 * bones) * sizeof(double));
        memcpy(body->morphs_next, body->morphs, (size_t)(9 * pairs) * sizeof(double));
    }
    return is_valid;
}

static void rotate_pointers(double **oldest, double **now, double **next)
{
    double *const freed = *oldest;
    *oldest = *now;
    *now = *next;
    *next = freed;
}

/* Rotates P_(n-1), P_n, P_(n+1); the old P_(n-1) becomes scratch. */
static void advance_rig(sn_reduced_body *body)
{
    rotate_pointers(&body->rig_before, &body->rig, &body->rig_next);
    rotate_pointers(&body->morphs_before, &body->morphs, &body->morphs_next);
    sn_reduced_store_weights(body);
}

/* Whether flesh is too far from its rig. The bound may be far too large, so samples, if any, are tested when it is
 * exceeded. */
static bool is_diverged(const sn_reduced_body *body)
{
    const sn_model *model = body->solver->model;
    const double limit = MAX_DISPLACEMENT * model->diagonal;
    const bool exceeds_bound = sn_reduced_displacement_bound(model, body->z64) > limit;
    for (int i = 0; exceeds_bound && i < model->counts.sample_count; ++i) {
        double flesh_offset[3];
        sn_sample_flesh_offset(model, i, body->z64, flesh_offset);
        if (sn_length3(flesh_offset) > limit) {
            return true;
        }
    }
    return exceeds_bound && model->counts.sample_count == 0;
}

static sn_reduced_report step(sn_reduced_body *body, const double *pose, const sn_surroundings *surroundings)
{
    const sn_reduced_solver *solver = body->solver;
    const size_t coordinate_bytes = (size_t)(3 * solver->coordinate_count) * sizeof(double);
    const double deadline = solver->desc.budget_seconds > 0 ? sn_now() + solver->desc.budget_seconds : 0;
    const bool is_pose_valid = sn_reduced_set_next_pose(body, pose);
    if (solver->desc.is_double) {
        sn_reduced_gather_inertia(body);
    } else {
        gather_inertia_f32(body);
    }
    if (surroundings && sn_dot3(surroundings->wind, surroundings->wind) > 0) {
        sn_reduced_add_wind(body, surroundings->wind);
    }
    sn_contacts_find(body, surroundings);
    sn_reduced_report report = sn_reduced_iterate(body, deadline);
    sn_contacts_store_forces(body);
    advance_rig(body);
    memset(body->velocity_change, 0, coordinate_bytes);
    report.is_recovered = !is_pose_valid || body->has_invalid_morphs ||
                          !are_finite(body->z64, 3 * solver->coordinate_count) || is_diverged(body);
    body->has_invalid_morphs = false;
    if (report.is_recovered) {
        report.is_converged = false;
        memset(body->coordinates, 0, coordinate_bytes);
        memset(body->coordinates_before, 0, coordinate_bytes);
        sn_reduced_clear_warm_start(body);
        memcpy(body->rig_before, body->rig, (size_t)(3 * solver->column_count) * sizeof(double));
        memcpy(body->morphs_before, body->morphs, (size_t)(9 * solver->pair_count) * sizeof(double));
        return report;
    }
    memcpy(body->coordinates_before, body->coordinates, coordinate_bytes);
    memcpy(body->coordinates, body->z64, coordinate_bytes);
    return report;
}

sn_reduced_report sn_reduced_body_step(sn_reduced_body *body, const double *pose, const sn_surroundings *surroundings)
{
    sn_reduced_scratch_acquire(body);
    const sn_reduced_report report = step(body, pose, surroundings);
    sn_reduced_scratch_release(body);
    return report;
}
