/* SPDX-License-Identifier: MIT */
/* A step: substeps of prediction, contacts, sweeps, contacts and velocities. */
#include <math.h>
#include <string.h>

#include "host/base/hash.h"
#include "host/xpbd/solver.h"
#include "host/xpbd/strain.h"

/* ---- multipliers ---- */

static bool resize(sn_xpbd_multipliers *m, size_t required, size_t size)
{
    if (m->count == required) {
        return true;
    }
    sn_free(m->values, m->count, size);
    *m = (sn_xpbd_multipliers){.values = required > 0 ? sn_alloc(required, size) : NULL};
    m->count = m->values ? required : 0;
    return m->count == required;
}

/* Multipliers are needed from the second sweep on. If memory runs out (logged), every sweep starts from zero and the
 * body is softer. */
void sn_xpbd_fit_multipliers(sn_xpbd_body *body)
{
    const bool is_needed = body->settings.sweep_count > 1;
    const size_t constraints = body->model->is_strain ? STRAIN_COUNT : 2;
    const size_t elements = is_needed ? constraints * SN_BATCH * (size_t)body->model->elements.batch_count : 0;
    resize(&body->elements, elements, body->real_size);
    for (int type = 0; type < SN_XPBD_TYPE_COUNT; ++type) {
        const size_t count = is_needed ? SN_BATCH * (size_t)body->model->constraints_by_type[type].batch_count : 0;
        resize(&body->constraints_by_type[type], count, body->real_size);
    }
    body->revision = body->model->revision;
}

/* ---- pins ---- */

/* Target displacement of a pin at a fraction of the step. */
static void pin_target(const sn_xpbd_body *body, const sn_xpbd_pin *pin, double fraction, double *target_position)
{
    for (int d = 0; d < 3; ++d) {
        target_position[d] =
            pin->target_before[d] - body->origin[d] + fraction * (pin->target[d] - pin->target_before[d]);
    }
}

static void move_pins(sn_xpbd_body *body, double fraction)
{
    for (int i = 0; i < body->pin_count; ++i) {
        sn_xpbd_pin *pin = &body->pins[i];
        const size_t at = 4 * (size_t)pin->row;
        double target_position[3];
        pin_target(body, pin, fraction, target_position);
        for (size_t d = 0; d < 3; ++d) {
            pin->multiplier[d] = 0;
            if (isinf(pin->stiffness)) {
                const double before = sn_xpbd_get_real(body, body->state.displacements, at + d);
                sn_xpbd_set_real(body, body->state.velocities, at + d, (target_position[d] - before) / body->substep);
                sn_xpbd_set_real(body, body->state.displacements, at + d, target_position[d]);
            }
        }
    }
}

/* Solves soft pins: C = x - target, three constraints at once, whose gradients are the axes. */
static void solve_pins(sn_xpbd_body *body, double fraction)
{
    for (int i = 0; i < body->pin_count; ++i) {
        sn_xpbd_pin *pin = &body->pins[i];
        const size_t at = 4 * (size_t)pin->row;
        const double w = sn_xpbd_get_real(body, body->state.displacements, at + 3);
        if (isinf(pin->stiffness)) {
            continue;
        }
        const double compliance = 1 / (pin->stiffness * body->substep * body->substep);
        double target_position[3];
        pin_target(body, pin, fraction, target_position);
        for (size_t d = 0; d < 3; ++d) {
            const double x = sn_xpbd_get_real(body, body->state.displacements, at + d);
            const double change = -(x - target_position[d] + compliance * pin->multiplier[d]) / (compliance + w);
            pin->multiplier[d] += change;
            sn_xpbd_set_real(body, body->state.displacements, at + d, x + w * change);
        }
    }
}

/* ---- damping ---- */

/* Solves inertia omega = angular momentum by Cramer's rule, with a small regularisation for bodies without inertia
 * about an axis. */
static void solve_angular_velocity(const double second[6], const double *angular, double *omega)
{
    const double trace = second[0] + second[1] + second[2];
    const double xx = trace - second[0] + 1e-9 * trace, yy = trace - second[1] + 1e-9 * trace,
                 zz = trace - second[2] + 1e-9 * trace, xy = -second[3], yz = -second[4], zx = -second[5];
    const double c[6] = {yy * zz - yz * yz, zx * yz - xy * zz, xy * yz - zx * yy,
                         xx * zz - zx * zx, xy * zx - xx * yz, xx * yy - xy * xy};
    const double determinant = xx * c[0] + xy * c[1] + zx * c[2], inverse = determinant > 0 ? 1 / determinant : 0;
    omega[0] = inverse * (c[0] * angular[0] + c[1] * angular[1] + c[2] * angular[2]);
    omega[1] = inverse * (c[1] * angular[0] + c[3] * angular[1] + c[4] * angular[2]);
    omega[2] = inverse * (c[2] * angular[0] + c[4] * angular[1] + c[5] * angular[2]);
}

/* Updates the velocities and computes the rigid motion with the body's momenta about its centre of mass. Moments are
 * taken about the body's origin, which follows the body, and then shifted. */
static void measure_rigid_motion(const sn_xpbd_body *body, sn_xpbd_damping *damping)
{
    const double origin_point[3] = {0};
    double shift[3], angular[3], second[6];
    sn_xpbd_moments m;
    body->kernels->update_and_measure(&body->state, body->substep, body->model->rest, origin_point, &m);
    for (int d = 0; d < 3 && m.mass > 0; ++d) {
        shift[d] = m.first[d] / m.mass;
    }
    if (!(m.mass > 0)) {
        return;
    }
    for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        damping->linear[d] = m.momentum[d] / m.mass;
        damping->centre[d] = shift[d];
        angular[d] = m.angular[d] - (shift[e] * m.momentum[f] - shift[f] * m.momentum[e]);
        second[d] = m.second[d] - m.mass * shift[d] * shift[d];
        second[3 + d] = m.second[3 + d] - m.mass * shift[d] * shift[e];
    }
    solve_angular_velocity(second, angular, damping->angular);
}

/* Updates the velocities and damps them, now or with the next prediction. */
static void finish_velocities(sn_xpbd_body *body, bool is_last)
{
    const bool is_damped = body->settings.damping > 0;
    body->damping = (sn_xpbd_damping){.retention = body->velocity_retention};
    if (is_damped && !body->settings.is_rigid_damped) {
        measure_rigid_motion(body, &body->damping);
    } else {
        body->kernels->update_velocities(&body->state, body->substep);
    }
    body->is_damping_pending = is_damped && !is_last && body->pin_count == 0;
    if (is_damped && !body->is_damping_pending) {
        body->kernels->damp(&body->state, body->model->rest, &body->damping);
    }
}

/* ---- substeps ---- */

static double fraction_of(const sn_xpbd_body *body, int substep)
{
    return (substep + 1.0) / body->settings.substep_count;
}

void sn_xpbd_substep_begin(sn_xpbd_body *body, const sn_surroundings *surroundings, int substep)
{
    move_pins(body, fraction_of(body, substep));
    const double *g = body->settings.gravity;
    const double gravity[3] = {g[0], g[1], body->model->dimension == 2 ? 0 : g[2]};
    if (body->is_damping_pending) {
        body->kernels->damp_and_predict(&body->state, body->model->rest, &body->damping, gravity, body->substep);
    } else {
        body->kernels->predict(&body->state, gravity, body->substep);
    }
    body->is_damping_pending = false;
    sn_xpbd_project_contacts(body, surroundings, substep);
}

static sn_xpbd_sweep_function *element_sweep(const sn_xpbd_body *body)
{
    const sn_xpbd_kernels *k = body->kernels;
    const sn_xpbd_model *model = body->model;
    if (model->dimension == 2) {
        return model->is_legacy ? k->triangles_legacy : k->triangles;
    }
    if (model->is_strain) {
        return model->is_framed ? k->strains_framed : k->strains;
    }
    return model->is_legacy ? k->tets_legacy : model->is_polar ? k->tets_polar : k->tets;
}

void sn_xpbd_sweep_elements(sn_xpbd_body *body, int first, int last, bool is_first)
{
    const sn_xpbd_sweep sweep = {.batches = &body->model->elements,
                                 .first = first,
                                 .last = last,
                                 .displacements = body->state.displacements,
                                 .multipliers = body->elements.values,
                                 .inverse_h2 = 1 / (body->substep * body->substep) / body->settings.stiffness,
                                 .is_first = is_first};
    element_sweep(body)(&sweep);
}

void sn_xpbd_solve_pins(sn_xpbd_body *body, int substep)
{
    solve_pins(body, fraction_of(body, substep));
}

void sn_xpbd_substep_sweep(sn_xpbd_body *body, int substep)
{
    const sn_xpbd_kernels *k = body->kernels;
    const sn_xpbd_model *model = body->model;
    sn_xpbd_sweep_function *const sweep_of_type[SN_XPBD_TYPE_COUNT] = {k->distances, k->bendings, k->volumes};
    sn_xpbd_sweep sweep = {.displacements = body->state.displacements,
                           .inverse_h2 = 1 / (body->substep * body->substep) / body->settings.constraint_stiffness};
    for (int i = 0; i < body->settings.sweep_count; ++i) {
        sweep.is_first = i == 0;
        for (int type = 0; type < SN_XPBD_TYPE_COUNT; ++type) {
            sweep.batches = &model->constraints_by_type[type];
            sweep.last = sweep.batches->batch_count;
            sweep.multipliers = body->constraints_by_type[type].values;
            sweep_of_type[type](&sweep);
        }
        sn_xpbd_sweep_elements(body, 0, model->elements.batch_count, sweep.is_first);
        solve_pins(body, fraction_of(body, substep));
    }
}

void sn_xpbd_substep_end(sn_xpbd_body *body, const sn_surroundings *surroundings, int substep)
{
    sn_xpbd_project_contacts(body, surroundings, substep);
    finish_velocities(body, substep + 1 == body->settings.substep_count);
}

/* ---- steps ---- */

/* Changes when a collider moves, is replaced (its key changes), added or removed. Padding is not hashed. */
uint64_t sn_xpbd_hash_surroundings(const sn_surroundings *surroundings)
{
    uint64_t hash = SN_HASH_SEED;
    for (int i = 0; surroundings && i < surroundings->collider_count; ++i) {
        const sn_collider *c = &surroundings->colliders[i];
        const double sizes[8] = {c->shape,           c->radius,          c->half_height, c->half_extents[0],
                                 c->half_extents[1], c->half_extents[2], c->friction,    c->key};
        hash = sn_hash(hash, sizes, sizeof sizes);
        hash = sn_hash(hash, c->transform, sizeof c->transform);
    }
    return hash;
}

bool sn_xpbd_step_begin(sn_xpbd_body *body, const sn_surroundings *surroundings)
{
    const uint64_t surroundings_hash = sn_xpbd_hash_surroundings(surroundings);
    body->collider_impulse_count = 0;
    if (surroundings_hash != body->surroundings_hash || body->revision != body->model->revision) {
        body->still_seconds = 0;
    }
    body->surroundings_hash = surroundings_hash;
    sn_xpbd_recenter_origin(body);
    sn_xpbd_fit_multipliers(body);
    return !(body->settings.sleep_speed > 0 && body->still_seconds >= SN_XPBD_SLEEP_SECONDS);
}

/* The largest squared speed and distance of a vertex; NaN if any number is not finite. */
typedef struct motion_extent {
    double speed2, distance2;
} motion_extent;

static void mean_target(const sn_xpbd_body *body, double *from)
{
    for (int d = 0; d < 3; ++d) {
        from[d] = -body->origin[d];
    }
    for (int i = 0; i < body->pin_count; ++i) {
        for (int d = 0; d < 3; ++d) {
            from[d] += body->pins[i].target[d] / body->pin_count;
        }
    }
}

static motion_extent measure_extent(const sn_xpbd_body *body)
{
    double from[3], nan_guard = 0;
    motion_extent s = {0};
    mean_target(body, from);
    for (size_t row = 0; row < (size_t)body->model->vertex_count; ++row) {
        double speed2 = 0, distance2 = 0;
        for (size_t d = 0; d < 3; ++d) {
            const double u = sn_xpbd_get_real(body, body->state.displacements, 4 * row + d) - from[d];
            const double v = sn_xpbd_get_real(body, body->state.velocities, 4 * row + d);
            speed2 += v * v;
            distance2 += u * u;
        }
        nan_guard += 0 * (speed2 + distance2);
        s.speed2 = fmax(s.speed2, speed2);
        s.distance2 = fmax(s.distance2, distance2);
    }
    s.distance2 += nan_guard;
    return s;
}

/* Cheap version of measure_extent from the largest components: values on the same sides of both limits, or false if
 * these bounds do not decide. */
static bool bound_extent(const sn_xpbd_body *body, double threshold_speed, double max_distance, motion_extent *s)
{
    double from[3], max_component, max_speed;
    mean_target(body, from);
    body->kernels->extent(&body->state, &max_component, &max_speed);
    const double max_offset = max_component + fabs(from[0]) + fabs(from[1]) + fabs(from[2]);
    s->speed2 = max_speed >= threshold_speed ? max_speed * max_speed : 3 * max_speed * max_speed;
    s->distance2 = 3 * max_offset * max_offset;
    return (max_speed >= threshold_speed || s->speed2 < threshold_speed * threshold_speed) &&
           (body->pin_count == 0 ? isfinite(s->distance2) : s->distance2 < max_distance * max_distance);
}

sn_xpbd_report sn_xpbd_step_end(sn_xpbd_body *body)
{
    const double max_distance = SN_XPBD_MAX_DISTANCE * body->model->diagonal,
                 threshold_speed = body->settings.sleep_speed;
    motion_extent s;
    if (!bound_extent(body, threshold_speed, max_distance, &s)) {
        s = measure_extent(body);
    }
    const bool has_reference = body->pin_count > 0 && max_distance > 0; /* a single vertex has no diagonal */
    const bool is_diverged = !isfinite(s.distance2) || (has_reference && s.distance2 > max_distance * max_distance);
    for (int i = 0; i < body->pin_count; ++i) {
        memcpy(body->pins[i].target_before, body->pins[i].target, sizeof body->pins[i].target);
    }
    body->still_seconds =
        s.speed2 < threshold_speed * threshold_speed ? body->still_seconds + body->settings.time_step : 0;
    if (is_diverged) {
        sn_xpbd_body_reset(body);
    }
    return (sn_xpbd_report){.contact_count = body->contact_count, .is_recovered = is_diverged};
}

sn_xpbd_report sn_xpbd_body_step(sn_xpbd_body *body, const sn_surroundings *surroundings)
{
    if (!sn_xpbd_step_begin(body, surroundings)) {
        return (sn_xpbd_report){.is_asleep = true};
    }
    for (int substep = 0; substep < body->settings.substep_count; ++substep) {
        sn_xpbd_substep_begin(body, surroundings, substep);
        sn_xpbd_substep_sweep(body, substep);
        sn_xpbd_substep_end(body, surroundings, substep);
    }
    return sn_xpbd_step_end(body);
}

typedef struct step_job {
    sn_xpbd_body *const *bodies;
    const sn_surroundings *surroundings;
    sn_xpbd_report *reports;
} step_job;

static void step_range(int first, int last, int worker, void *user)
{
    const step_job *job = user;
    (void)worker;
    for (int i = first; i < last; ++i) {
        const sn_xpbd_report report = sn_xpbd_body_step(job->bodies[i], job->surroundings);
        if (job->reports) {
            job->reports[i] = report;
        }
    }
}

void sn_xpbd_bodies_step(sn_jobs *jobs, sn_xpbd_body *const *bodies, int count, const sn_surroundings *surroundings,
                         sn_xpbd_report *reports)
{
    step_job job = {bodies, surroundings, reports};
    sn_parallel_for(jobs, count, 1, step_range, &job);
}
