/* SPDX-License-Identifier: MIT */
/* A step: xpbd's substeps with the coupling between sweep and end. */
#include <math.h>

#include "host/coupled/solver.h"
#include "host/math/vec3.h"

#define MAX_SPEED 30.0 /* diagonals per second, relative to the mean: faster elements gain energy by XPBD's errors */
#define MAX_DISTANCE 1000.0 /* diagonals from the locks, beyond which a body is reset */

static void compute_moments(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    body->kernels->compute_moments(&rig->blocks, body->flesh->state.displacements, body->lanes, body->handle_sums);
    sn_coupled_to_basis(rig, body->handle_sums, rig->dimension, body->moments);
}

void sn_coupled_couple(sn_coupled_body *body, int substep)
{
    compute_moments(body);
    sn_coupled_write_targets(body, (substep + 1.0) / body->settings.xpbd.substep_count);
    sn_coupled_fit(body, body->settings.newton_count);
    sn_coupled_project(body);
}

#define FIT_STEPS 12

void sn_coupled_fit_free_handles(sn_coupled_body *body)
{
    sn_coupled_prepare(body);
    compute_moments(body);
    sn_coupled_write_targets(body, 0);
    sn_coupled_fit(body, FIT_STEPS);
}

/* Whether the flesh's centre is too far from the mean locked target, or a number is not finite. xpbd checks pins
 * itself. */
static bool is_diverged(const sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    double locked_mean[3] = {0}, center[3] = {0}, nan_guard = 0;
    int count = 0;
    for (int k = 0; k < rig->handle_count; ++k) {
        const sn_coupled_handle_state *handle = &body->handles[k];
        for (int d = 0; d < 3; ++d) {
            nan_guard += 0 * handle->position[d];
            locked_mean[d] += handle->locks & SN_LOCK_TRANSLATION ? handle->target.position[d] : 0;
        }
        for (int i = 0; i < 9; ++i) {
            nan_guard += 0 * handle->linear[i];
        }
        count += (handle->locks & SN_LOCK_TRANSLATION) != 0;
    }
    sn_xpbd_get_position(body->flesh, rig->model->vertex_count / 2, center);
    for (int d = 0; d < 3 && count > 0; ++d) {
        locked_mean[d] /= count;
    }
    return nan_guard != 0 || (count > 0 && !(sn_distance3(locked_mean, center) < MAX_DISTANCE * rig->length));
}

static void limit_speed(sn_xpbd_body *flesh, size_t row, const double *mean, double limit)
{
    double v[3];
    for (size_t d = 0; d < 3; ++d) {
        v[d] = sn_xpbd_get_real(flesh, flesh->state.velocities, 4 * row + d) - mean[d];
    }
    const double speed = sn_length3(v);
    for (size_t d = 0; d < 3 && speed > limit; ++d) {
        sn_xpbd_set_real(flesh, flesh->state.velocities, 4 * row + d, mean[d] + v[d] * limit / speed);
    }
}

/* Limits vertex speeds, so that flesh recovers from an extreme drag. */
static void limit_speeds(const sn_coupled_body *body)
{
    sn_xpbd_body *flesh = body->flesh;
    const double limit = MAX_SPEED * body->rig->length;
    double max_displacement, max_speed;
    flesh->kernels->extent(&flesh->state, &max_displacement, &max_speed);
    if (3 * max_speed * max_speed < limit * limit) {
        return;
    }
    double momentum[3] = {0}, mass = 0, max_speed2 = 0;
    for (size_t row = 0; row < (size_t)flesh->model->vertex_count; ++row) {
        const double m = sn_xpbd_get_real(flesh, flesh->state.velocities, 4 * row + 3);
        double speed2 = 0;
        for (size_t d = 0; d < 3; ++d) {
            const double v = sn_xpbd_get_real(flesh, flesh->state.velocities, 4 * row + d);
            momentum[d] += m * v;
            speed2 += v * v;
        }
        mass += m;
        max_speed2 = fmax(max_speed2, speed2);
    }
    for (int d = 0; d < 3; ++d) {
        momentum[d] = mass > 0 ? momentum[d] / mass : 0;
    }
    for (size_t row = 0; row < (size_t)flesh->model->vertex_count && max_speed2 > limit * limit; ++row) {
        limit_speed(flesh, row, momentum, limit);
    }
}

/* Resets to rest: in place, if the flesh is valid and nothing holds it; else to the targets or the pins. */
static void reset_to_rest(sn_coupled_body *body, bool is_invalid)
{
    double rotation[4], shift[3];
    if (is_invalid || !sn_coupled_is_free(body)) {
        sn_coupled_body_reset(body);
        return;
    }
    sn_coupled_flesh_motion(body, rotation, shift);
    sn_xpbd_body_reset(body->flesh);
    sn_coupled_set_rest(body, rotation, shift);
}

sn_coupled_report sn_coupled_body_step(sn_coupled_body *body, const sn_surroundings *surroundings)
{
    if (!sn_xpbd_step_begin(body->flesh, surroundings)) {
        return (sn_coupled_report){.is_asleep = true};
    }
    if (!body->is_prepared || body->pin_edits != body->flesh->pin_edits) {
        sn_coupled_prepare(body);
    }
    sn_coupled_clear_impulses(body);
    sn_coupled_measure_target_movement(body);
    for (int substep = 0; substep < body->settings.xpbd.substep_count; ++substep) {
        sn_xpbd_substep_begin(body->flesh, surroundings, substep);
        sn_xpbd_substep_sweep(body->flesh, substep);
        sn_coupled_couple(body, substep);
        sn_xpbd_substep_end(body->flesh, surroundings, substep);
    }
    limit_speeds(body);
    const bool is_tangled = sn_coupled_repair(body);
    const sn_xpbd_report flesh = sn_xpbd_step_end(body->flesh);
    for (int k = 0; k < body->rig->handle_count; ++k) {
        body->handles[k].target_before = body->handles[k].target;
    }
    const bool is_invalid = flesh.is_recovered || is_diverged(body);
    if (is_invalid || is_tangled) {
        reset_to_rest(body, is_invalid);
    }
    return (sn_coupled_report){.contact_count = flesh.contact_count, .is_recovered = is_invalid || is_tangled};
}

typedef struct step_job {
    sn_coupled_body *const *bodies;
    const sn_surroundings *surroundings;
    sn_coupled_report *reports;
} step_job;

static void step_range(int first, int last, int worker, void *user)
{
    const step_job *job = user;
    (void)worker;
    for (int i = first; i < last; ++i) {
        const sn_coupled_report report = sn_coupled_body_step(job->bodies[i], job->surroundings);
        if (job->reports) {
            job->reports[i] = report;
        }
    }
}

void sn_coupled_bodies_step(sn_jobs *jobs, sn_coupled_body *const *bodies, int count,
                            const sn_surroundings *surroundings, sn_coupled_report *reports)
{
    step_job job = {bodies, surroundings, reports};
    sn_parallel_for(jobs, count, 1, step_range, &job);
}
