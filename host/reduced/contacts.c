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
                       (set->moved = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->points = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->forces = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->moved_before = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->forces_before = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->moved_way = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
                       (set->forces_way = SN_NEW(arena, sn_f32x8, 3 * SN_CONTACT_BLOCKS)) &&
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
    const double least = 1e-3 / (time_step * time_step);
    double sum = 0;
    for (size_t k = 0; k < count; ++k) {
        sum += (double)row[k] * (double)row[k] / (least + stiffness * model->coordinate_stiffness[k]);
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

float sn_sample_extent(const sn_model *model, int sample)
{
    const float *centre = model->surface_positions + 3 * (size_t)model->sample_vertices[sample];
    float largest = 0;
    for (int i = 0; i < SN_SAMPLE_EXTREMES; ++i) {
        const float *x = model->surface_positions + 3 * (size_t)model->sample_extremes[SN_SAMPLE_EXTREMES * sample + i];
        const float offset[3] = {x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]};
        largest = fmaxf(largest, sqrtf(dot(offset, offset)));
    }
    return 1.5F * largest;
}

/* The root of sum_k (V_k - V'_k)^2 / b_k^2, with b the model's reach (host/model/reach.h). By Cauchy-Schwarz, the
 * displacements of two surface points differ by at most this times the root of sum_k b_k^2 |Z_k|^2. Null: V' = 0. */
static double spread_of(int count, const double *per_reach, const float *row, const float *other)
{
    double sum = 0;
    for (int k = 0; k < count; ++k) {
        const double difference = (double)row[k] - (other ? (double)other[k] : 0);
        const double share = difference != 0 ? difference * per_reach[k] : 0;
        sum += share * share;
    }
    return 1.001 * sqrt(sum);
}

static void bound_sample(const sn_model *model, int sample, const double *per_reach, sn_contact_response *r)
{
    const size_t count = (size_t)model->counts.coordinate_count, first = SN_SAMPLE_EXTREMES * (size_t)sample;
    const float *own = model->sample_coordinate + (size_t)sample * count;
    double spread = 0, most = spread_of((int)count, per_reach, own, NULL);
    for (size_t i = first; i < first + SN_SAMPLE_EXTREMES; ++i) {
        const float *row = model->extreme_coordinate + i * count;
        spread = fmax(spread, spread_of((int)count, per_reach, row, own));
        most = fmax(most, spread_of((int)count, per_reach, row, NULL));
    }
    r->spread[sample] = (float)spread;
    r->most_spread = fmax(r->most_spread, most);
    r->reach[sample] = sn_sample_extent(model, sample);
    r->most_reach = fmaxf(r->most_reach, r->reach[sample]);
}

void sn_contacts_soften(const sn_model *model, double time_step, double stiffness, float *give)
{
    const int count = model->counts.sample_count;
    const double unit = sn_reduced_unit(model);
    double softest = 0;
    for (int sample = 0; sample < count; ++sample) {
        give[sample] = (float)(unit * unit * static_response(model, time_step, stiffness, sample));
        softest = fmax(softest, (double)give[sample]);
    }
    /* Geometric mean with the softest sample's compliance: in stiff regions, contact forces must not cause large motion
     * of distant soft flesh. */
    for (int sample = 0; sample < count; ++sample) {
        const double own = (double)give[sample];
        give[sample] = own > RIGID * softest ? (float)(SN_CONTACT_SOFTNESS * sqrt(own * softest)) : 0;
    }
}

sn_result sn_contacts_prepare(sn_reduced_solver *solver)
{
    const int count = solver->model->counts.sample_count;
    const double square = solver->unit * solver->unit;
    sn_contact_response *r = &solver->response;
    double most = 0;
    r->give = SN_NEW(&solver->arena, float, count);
    r->reach = SN_NEW(&solver->arena, float, count);
    r->spread = SN_NEW(&solver->arena, float, count);
    r->inverse_system = SN_NEW(&solver->arena, float, solver->coordinate_count);
    double *per_reach = SN_NEW(&solver->arena, double, solver->coordinate_count); /* 1 / b */
    r->limits = SN_NEW(&solver->arena, sn_f32x8, solver->sample_rows.block_count);
    if (!per_reach || !r->limits || !r->give || !r->reach || !r->spread || !r->inverse_system) {
        return SN_ERROR_MEMORY;
    }
    for (int k = 0; k < solver->coordinate_count; ++k) {
        r->inverse_system[k] = (float)solver->inverse_system[k];
        per_reach[k] = 1 / solver->model->coordinate_reach[k];
    }
    r->most_reach = 0;
    r->most_spread = 0;
    for (int sample = 0; sample < count; ++sample) {
        bound_sample(solver->model, sample, per_reach, r);
        most = fmax(most, dynamic_response(solver, sample));
    }
    r->most = (float)(square * most);
    r->softest = (float)(square * sn_grabs_softest(solver->model, solver->desc.stiffness));
    sn_contacts_soften(solver->model, solver->desc.time_step, solver->desc.stiffness, r->give);
    for (int sample = 0; sample < SN_LANES * solver->sample_rows.block_count; ++sample) {
        const bool is_soft = sample < count && r->give[sample] > 0;
        const double limit = SN_CONTACT_MARGIN * solver->model->diagonal + (is_soft ? (double)r->reach[sample] : 0);
        r->limits[sample / SN_LANES][sample % SN_LANES] = is_soft ? (float)limit : -INFINITY;
    }
    solver->own_count = solver->desc.is_without_bone_colliders ? 0 : sn_model_bone_colliders(solver->model);
    r->most_give = 0;
    for (int sample = 0; sample < count; ++sample) {
        r->most_give = fmaxf(r->most_give, r->give[sample]);
    }
    return SN_OK;
}

void sn_contacts_hold(sn_reduced_body *body)
{
    const sn_contact_set *set = &body->contacts;
    sn_held_forces *held = &body->held_forces;
    held->count = 0;
    for (int i = 0; i < set->count; ++i) {
        const sn_contact *c = &set->contacts[i];
        if (!c->is_grab && (c->force[0] != 0 || c->force[1] != 0 || c->force[2] != 0)) {
            held->all[held->count++] =
                (sn_held_force){c->sample, c->collider, c->key, {c->force[0], c->force[1], c->force[2]}};
        }
    }
}

void sn_reduced_body_pushed(const sn_reduced_body *body, uint32_t key, double *impulse)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_held_forces *held = &body->held_forces;
    for (int i = 0; i < held->count; ++i) {
        for (int d = 0; d < 3 && held->all[i].key == key; ++d) {
            impulse[d] += solver->unit * solver->unit * solver->desc.time_step * (double)held->all[i].force[d];
        }
    }
}

void sn_contacts_project(sn_reduced_body *body, double *difference)
{
    const sn_reduced_solver *solver = body->solver;
    float *narrow = body->f32.coordinates; /* double steps do not use this array */
    if (body->contacts.count == 0) {
        return;
    }
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        narrow[i] = (float)(difference[i] / solver->unit);
    }
    solver->kernels->project(solver, &body->contacts, narrow);
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        difference[i] += solver->unit * (double)body->contacts.push[i];
    }
}

void sn_contacts_place_points(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    float *narrow = body->f32.coordinates; /* double steps do not use this array */
    if (body->contacts.count == 0) {
        return;
    }
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        narrow[i] = (float)((body->z64[i] - body->predicted64[i]) / solver->unit);
    }
    solver->kernels->flesh(&body->contacts.rows, solver->coordinate_count, narrow, body->contacts.points);
}

double sn_contacts_measure(sn_reduced_body *body, double *noise)
{
    const sn_reduced_solver *solver = body->solver;
    const double square = solver->unit * solver->unit;
    if (body->contacts.count == 0) {
        return 0;
    }
    const sn_touch_energy touch = solver->kernels->measure_touch(solver, &body->contacts, body->contacts.points, true);
    *noise += SN_ENERGY_NOISE_F32 * square * touch.size;
    return square * (touch.pressed + touch.slid);
}
