/* SPDX-License-Identifier: MIT */
#include "host/reduced/contacts.h"

#include <math.h>

#include "host/reduced/solver.h"

#define RIGID 1e-8 /* of the largest compliance: a sample with less has no contact */

sn_result sn_contacts_allocate(sn_arena *arena, int coordinate_count, sn_contact_set *set)
{
    const bool is_ok = (set->contacts = SN_NEW(arena, sn_contact, SN_CONTACT_LIMIT)) &&
                       (set->rows.rows = SN_NEW(arena, sn_f32x8, coordinate_count * SN_CONTACT_BLOCKS)) &&
                       (set->coupling = SN_NEW(arena, sn_f32x8, SN_CONTACT_LIMIT * SN_CONTACT_BLOCKS)) &&
                       (set->normals = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->displacement = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->points = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->forces = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->displacement_before = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->forces_before = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->displacement_direction = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->force_direction = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->push = SN_NEW(arena, float, 3 * coordinate_count)) &&
                       (set->scaled = SN_NEW(arena, float, coordinate_count));
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

static float dot(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Static displacement of a sample for a force of 1. Coordinates without stiffness count as 0.001 of their inertia. */
static double static_response(const sn_model *model, double time_step, double stiffness, int sample)
{
    const size_t count = (size_t)model->counts.coordinate_count;
    const float *row = model->sample_coordinate + (size_t)sample * count;
    const double min_stiffness = 1e-3 / (time_step * time_step);
    double sum = 0;
    for (size_t k = 0; k < count; ++k) {
        sum += (double)row[k] * (double)row[k] / (min_stiffness + stiffness * model->coordinate_stiffness[k]);
    }
    return sum;
}

static double dynamic_response(const sn_reduced_solver *solver, int sample)
{
    const float *row = solver->model->sample_coordinate + (size_t)sample * (size_t)solver->coordinate_count;
    double sum = 0;
    for (int k = 0; k < solver->coordinate_count; ++k) {
        sum += solver->inverse_system[k] * (double)row[k] * (double)row[k];
    }
    return sum;
}

float sn_sample_patch_radius(const sn_model *model, int sample)
{
    const float *centre = model->surface_positions + 3 * (size_t)model->sample_vertices[sample];
    float max_distance = 0;
    for (int i = 0; i < SN_SAMPLE_EXTREMES; ++i) {
        const float *x = model->surface_positions + 3 * (size_t)model->sample_extremes[SN_SAMPLE_EXTREMES * sample + i];
        const float offset[3] = {x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]};
        max_distance = fmaxf(max_distance, sqrtf(dot(offset, offset)));
    }
    return 1.5F * max_distance;
}

/* The root of sum_k (V_k - V'_k)^2 / b_k^2, with b the model's reach (host/model/displacement_bound.h). By
 * Cauchy-Schwarz, the displacements of two surface points differ by at most this times the root of sum_k b_k^2 |Z_k|^2.
 * Null: V' = 0. */
static double difference_bound(int count, const double *inverse_bound, const float *row, const float *other)
{
    double sum = 0;
    for (int k = 0; k < count; ++k) {
        const double difference = (double)row[k] - (other ? (double)other[k] : 0);
        const double term = difference != 0 ? difference * inverse_bound[k] : 0;
        sum += term * term;
    }
    return 1.001 * sqrt(sum);
}

static void bound_sample(const sn_model *model, int sample, const double *inverse_bound, sn_contact_response *r)
{
    const size_t count = (size_t)model->counts.coordinate_count, first = SN_SAMPLE_EXTREMES * (size_t)sample;
    const float *own = model->sample_coordinate + (size_t)sample * count;
    double spread = 0, maximum = difference_bound((int)count, inverse_bound, own, NULL);
    for (size_t i = first; i < first + SN_SAMPLE_EXTREMES; ++i) {
        const float *row = model->extreme_coordinate + i * count;
        spread = fmax(spread, difference_bound((int)count, inverse_bound, row, own));
        maximum = fmax(maximum, difference_bound((int)count, inverse_bound, row, NULL));
    }
    r->spread[sample] = (float)spread;
    r->max_displacement_factor = fmax(r->max_displacement_factor, maximum);
    r->influence_radius[sample] = sn_sample_patch_radius(model, sample);
    r->max_influence_radius = fmaxf(r->max_influence_radius, r->influence_radius[sample]);
}

void sn_contacts_compute_compliance(const sn_model *model, double time_step, double stiffness, float *compliance)
{
    const int count = model->counts.sample_count;
    const double unit = sn_reduced_unit(model);
    double max_static_response = 0;
    for (int sample = 0; sample < count; ++sample) {
        compliance[sample] = (float)(unit * unit * static_response(model, time_step, stiffness, sample));
        max_static_response = fmax(max_static_response, (double)compliance[sample]);
    }
    /* Geometric mean with the softest sample's compliance: in stiff regions, contact forces must not cause large motion
     * of distant soft flesh. */
    for (int sample = 0; sample < count; ++sample) {
        const double own = (double)compliance[sample];
        compliance[sample] =
            own > RIGID * max_static_response ? (float)(SN_CONTACT_SOFTNESS * sqrt(own * max_static_response)) : 0;
    }
}

sn_result sn_contacts_prepare(sn_reduced_solver *solver)
{
    const int count = solver->model->counts.sample_count;
    const double square = solver->unit * solver->unit;
    sn_contact_response *r = &solver->response;
    double maximum = 0;
    r->compliance = SN_NEW(&solver->arena, float, count);
    r->influence_radius = SN_NEW(&solver->arena, float, count);
    r->spread = SN_NEW(&solver->arena, float, count);
    r->inverse_system = SN_NEW(&solver->arena, float, solver->coordinate_count);
    double *inverse_bound = SN_NEW(&solver->arena, double, solver->coordinate_count); /* 1 / b */
    r->limits = SN_NEW(&solver->arena, sn_f32x8, solver->sample_rows.block_count);
    if (!inverse_bound || !r->limits || !r->compliance || !r->influence_radius || !r->spread || !r->inverse_system) {
        return SN_ERROR_MEMORY;
    }
    for (int k = 0; k < solver->coordinate_count; ++k) {
        r->inverse_system[k] = (float)solver->inverse_system[k];
        inverse_bound[k] = 1 / solver->model->coordinate_bounds[k];
    }
    r->max_influence_radius = 0;
    r->max_displacement_factor = 0;
    for (int sample = 0; sample < count; ++sample) {
        bound_sample(solver->model, sample, inverse_bound, r);
        maximum = fmax(maximum, dynamic_response(solver, sample));
    }
    r->maximum = (float)(square * maximum);
    r->max_static_response = (float)(square * sn_grabs_max_response(solver->model, solver->desc.stiffness));
    sn_contacts_compute_compliance(solver->model, solver->desc.time_step, solver->desc.stiffness, r->compliance);
    for (int sample = 0; sample < SN_LANES * solver->sample_rows.block_count; ++sample) {
        const bool is_soft = sample < count && r->compliance[sample] > 0;
        const double limit =
            SN_CONTACT_MARGIN * solver->model->diagonal + (is_soft ? (double)r->influence_radius[sample] : 0);
        r->limits[sample / SN_LANES][sample % SN_LANES] = is_soft ? (float)limit : -INFINITY;
    }
    solver->own_count = solver->desc.is_without_bone_colliders ? 0 : sn_model_valid_bone_collider_count(solver->model);
    r->max_compliance = 0;
    for (int sample = 0; sample < count; ++sample) {
        r->max_compliance = fmaxf(r->max_compliance, r->compliance[sample]);
    }
    return SN_OK;
}

void sn_contacts_store_forces(sn_reduced_body *body)
{
    const sn_contact_set *set = &body->contacts;
    sn_stored_forces *held = &body->stored_forces;
    held->count = 0;
    for (int i = 0; i < set->count; ++i) {
        const sn_contact *c = &set->contacts[i];
        if (!c->is_grab && (c->force[0] != 0 || c->force[1] != 0 || c->force[2] != 0)) {
            held->all[held->count++] =
                (sn_stored_force){c->sample, c->collider, c->key, {c->force[0], c->force[1], c->force[2]}};
        }
    }
}

void sn_reduced_body_collider_impulse(const sn_reduced_body *body, uint32_t key, double *impulse)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_stored_forces *held = &body->stored_forces;
    for (int i = 0; i < held->count; ++i) {
        for (int d = 0; d < 3 && held->all[i].key == key; ++d) {
            impulse[d] += solver->unit * solver->unit * solver->desc.time_step * (double)held->all[i].force[d];
        }
    }
}

void sn_contacts_project(sn_reduced_body *body, double *difference)
{
    const sn_reduced_solver *solver = body->solver;
    float *difference32 = body->f32.coordinates; /* double steps do not use this array */
    if (body->contacts.count == 0) {
        return;
    }
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        difference32[i] = (float)(difference[i] / solver->unit);
    }
    solver->kernels->project(solver, &body->contacts, difference32);
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        difference[i] += solver->unit * (double)body->contacts.push[i];
    }
}

void sn_contacts_evaluate_points(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    float *difference32 = body->f32.coordinates; /* double steps do not use this array */
    if (body->contacts.count == 0) {
        return;
    }
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        difference32[i] = (float)((body->z64[i] - body->predicted64[i]) / solver->unit);
    }
    solver->kernels->flesh_offset(&body->contacts.rows, solver->coordinate_count, difference32, body->contacts.points);
}

double sn_contacts_energy(sn_reduced_body *body, double *noise)
{
    const sn_reduced_solver *solver = body->solver;
    const double square = solver->unit * solver->unit;
    if (body->contacts.count == 0) {
        return 0;
    }
    const sn_contact_energy contact_energy =
        solver->kernels->measure_contact_energy(solver, &body->contacts, body->contacts.points, true);
    *noise += SN_ENERGY_NOISE_F32 * square * contact_energy.size;
    return square * (contact_energy.normal_part + contact_energy.friction_part);
}
