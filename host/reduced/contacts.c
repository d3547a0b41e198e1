/* SPDX-License-Identifier: MIT */
#include "host/reduced/contacts.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/reduced/solver.h"

#define MARGIN 0.02F /* of the diagonal: nearer samples may touch during the iterations */
/* A pose may put the skin of a body anywhere; flesh that cannot follow must not be torn by trying. So: */
#define YIELD 0.05F      /* of the diagonal: how far a sample is moved out of where the pose itself has put it */
#define STRENGTH 1.0F    /* times the force that would move a sample alone by that much: no contact presses harder */
#define COMPLIANCE 0.05F /* of a sample's own response: contacts that contradict each other share */
#define SWEEP_COUNT 12
#define SETTLED 1e-6F /* of the diagonal: a sweep that moves no contact by more is the last */

/* Three numbers a contact. */
typedef struct contact_vectors {
    sn_f32x8 axes[3][SN_CONTACT_BLOCKS];
} contact_vectors;

sn_result sn_contacts_allocate(sn_arena *arena, int coordinate_count, sn_contact_set *set)
{
    set->contacts = SN_NEW(arena, sn_contact, SN_CONTACT_LIMIT);
    set->rows = SN_NEW(arena, sn_f32x8, coordinate_count * SN_CONTACT_BLOCKS);
    set->coupling = SN_NEW(arena, sn_f32x8, SN_CONTACT_LIMIT * SN_CONTACT_BLOCKS);
    return set->contacts && set->rows && set->coupling ? SN_OK : SN_ERROR_MEMORY;
}

/* ---- finding ---- */

void sn_reduced_sample_rig(const sn_model *model, int sample, const double *rig, double *position)
{
    const size_t v = (size_t)model->sample_vertices[sample];
    const float *x = model->surface_positions + 3 * v;
    position[0] = position[1] = position[2] = 0;
    for (int32_t i = model->influence_starts[v]; i < model->influence_starts[v + 1]; ++i) {
        const double *p = rig + 12 * (size_t)model->influences[i].bone;
        const double weight = (double)model->influences[i].weight;
        for (int d = 0; d < 3; ++d) {
            position[d] +=
                weight * (p[d] * (double)x[0] + p[3 + d] * (double)x[1] + p[6 + d] * (double)x[2] + p[9 + d]);
        }
    }
}

void sn_reduced_sample_flesh(const sn_model *model, int sample, const double *coordinates, double *displacement)
{
    const float *row = model->sample_coordinate + (size_t)sample * (size_t)model->counts.coordinate_count;
    double x = 0, y = 0, z = 0;
    for (int i = 0; i < model->counts.coordinate_count; ++i, coordinates += 3) {
        x += (double)row[i] * coordinates[0];
        y += (double)row[i] * coordinates[1];
        z += (double)row[i] * coordinates[2];
    }
    displacement[0] = x;
    displacement[1] = y;
    displacement[2] = z;
}

/* How far flesh can be from its rig at the prediction, anywhere. */
static double largest_displacement(const sn_reduced_body *body)
{
    double square = 0;
    for (int i = 0; i < body->solver->coordinate_count; ++i) {
        const double *z = body->predicted64 + 3 * i;
        square += sn_reduced_change(body->solver->model, i, z[0], z[1], z[2]);
    }
    return sqrt(square);
}

/* The place for one more contact: the shallowest gives way where all are taken; null if this one is shallower. */
static sn_contact *take_place(sn_contact_set *set, float gap)
{
    if (set->count < SN_CONTACT_LIMIT) {
        return &set->contacts[set->count++];
    }
    sn_contact *shallowest = set->contacts;
    for (int i = 1; i < set->count; ++i) {
        shallowest = set->contacts[i].gap > shallowest->gap ? &set->contacts[i] : shallowest;
    }
    return gap < shallowest->gap ? shallowest : NULL;
}

static void add_contact(sn_reduced_body *body, int sample, const double *rig, double rig_distance,
                        const sn_collider *collider)
{
    const sn_model *model = body->solver->model;
    double flesh[3], position[3], normal[3], before[3], flesh_before[3], movement[3];
    sn_reduced_sample_flesh(model, sample, body->predicted64, flesh);
    for (int d = 0; d < 3; ++d) {
        position[d] = rig[d] + flesh[d];
    }
    const double distance = sn_collider_distance(collider, position, normal);
    const double too_deep = fmin(rig_distance + (double)YIELD * model->diagonal, 0);
    const float gap = (float)(distance - too_deep);
    sn_contact *contact = gap < MARGIN * (float)model->diagonal ? take_place(&body->contacts, gap) : NULL;
    if (!contact) {
        return;
    }
    sn_reduced_sample_rig(model, sample, body->rig, before);
    sn_reduced_sample_flesh(model, sample, body->coordinates, flesh_before);
    sn_collider_movement(collider, position, movement);
    *contact = (sn_contact){.sample = sample, .gap = gap, .friction = (float)collider->friction};
    for (int d = 0; d < 3; ++d) {
        contact->normal[d] = (float)normal[d];
        contact->slide[d] = (float)(position[d] - before[d] - flesh_before[d] - movement[d]);
    }
}

/* Rows of V of eight contacts a vector; absent ones are zero. */
static void gather_rows(const sn_reduced_solver *solver, sn_contact_set *set)
{
    const size_t count = (size_t)solver->coordinate_count;
    memset(set->rows, 0, count * SN_CONTACT_BLOCKS * sizeof *set->rows);
    for (int c = 0; c < set->count; ++c) {
        const float *row = solver->model->sample_coordinate + (size_t)set->contacts[c].sample * count;
        for (size_t k = 0; k < count; ++k) {
            set->rows[k * SN_CONTACT_BLOCKS + (size_t)(c / SN_LANES)][c % SN_LANES] = row[k];
        }
    }
}

static void couple(const sn_reduced_solver *solver, sn_contact_set *set)
{
    const int blocks = (set->count + SN_LANES - 1) / SN_LANES;
    memset(set->coupling, 0, (size_t)set->count * SN_CONTACT_BLOCKS * sizeof *set->coupling);
    for (int k = 0; k < solver->coordinate_count; ++k) {
        const sn_f32x8 *row = set->rows + k * SN_CONTACT_BLOCKS;
        for (int c = 0; c < set->count; ++c) {
            const float scale = (float)solver->inverse_system[k] * row[c / SN_LANES][c % SN_LANES];
            for (int b = 0; b < blocks; ++b) {
                set->coupling[c * SN_CONTACT_BLOCKS + b] += scale * row[b];
            }
        }
    }
}

void sn_contacts_find(sn_reduced_body *body, const sn_surroundings *surroundings)
{
    const sn_model *model = body->solver->model;
    sn_contact_set *set = &body->contacts;
    set->count = 0;
    if (!surroundings || surroundings->collider_count == 0) {
        return;
    }
    const double reach = largest_displacement(body) + (double)MARGIN * model->diagonal;
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        double rig[3], normal[3];
        sn_reduced_sample_rig(model, sample, body->rig_next, rig);
        for (int i = 0; i < surroundings->collider_count; ++i) {
            const double distance = sn_collider_distance(&surroundings->colliders[i], rig, normal);
            if (distance < reach) {
                add_contact(body, sample, rig, distance, &surroundings->colliders[i]);
            }
        }
    }
    if (set->count > 0) {
        gather_rows(body->solver, set);
        couple(body->solver, set);
    }
}

/* ---- projecting ---- */

static float dot(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The force of one contact for what the others do: out of the collider, and against sliding inside Coulomb's cone.
 * moved: from the prediction to where the sweep has come. */
static void solve_contact(const sn_contact *c, float response, float strongest, const float *moved, float *force)
{
    const float pressed = dot(c->normal, c->force);
    const float gap = c->gap + dot(c->normal, moved) + COMPLIANCE * response * pressed;
    const float press = fminf(fmaxf(pressed - gap / ((1 + COMPLIANCE) * response), 0), strongest / response);
    float slide[3], tangent[3];
    for (int d = 0; d < 3; ++d) {
        slide[d] = c->slide[d] + moved[d];
    }
    const float along = dot(c->normal, slide);
    for (int d = 0; d < 3; ++d) {
        tangent[d] = c->force[d] - pressed * c->normal[d] - (slide[d] - along * c->normal[d]) / response;
    }
    const float length = sqrtf(dot(tangent, tangent)), most = c->friction * press;
    const float scale = length > most ? most / length : 1;
    for (int d = 0; d < 3; ++d) {
        force[d] = press * c->normal[d] + scale * tangent[d];
    }
}

static void push(const sn_contact_set *set, int from, const float *change, contact_vectors *moved)
{
    const sn_f32x8 *row = set->coupling + from * SN_CONTACT_BLOCKS;
    const int blocks = (set->count + SN_LANES - 1) / SN_LANES;
    for (int d = 0; d < 3 && (change[0] != 0 || change[1] != 0 || change[2] != 0); ++d) {
        for (int b = 0; b < blocks; ++b) {
            moved->axes[d][b] += row[b] * change[d];
        }
    }
}

/* Returns how far a contact has moved by its own change of force, at most. */
static float sweep(sn_contact_set *set, float strongest, contact_vectors *moved)
{
    float largest = 0;
    for (int i = 0; i < set->count; ++i) {
        sn_contact *c = &set->contacts[i];
        const int block = i / SN_LANES, lane = i % SN_LANES;
        const float response = set->coupling[i * SN_CONTACT_BLOCKS + block][lane];
        const float own[3] = {moved->axes[0][block][lane], moved->axes[1][block][lane], moved->axes[2][block][lane]};
        float force[3] = {0}, change[3];
        if (response > 0) {
            solve_contact(c, response, strongest, own, force);
        }
        for (int d = 0; d < 3; ++d) {
            change[d] = force[d] - c->force[d];
            c->force[d] = force[d];
        }
        push(set, i, change, moved);
        largest = fmaxf(largest, response * response * dot(change, change));
    }
    return sqrtf(largest);
}

static float sum_lanes(sn_f32x8 v)
{
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

static void apply_forces(const sn_reduced_solver *solver, const sn_contact_set *set, double *difference)
{
    const int blocks = (set->count + SN_LANES - 1) / SN_LANES;
    contact_vectors forces = {{{{0}}}};
    for (int c = 0; c < set->count; ++c) {
        for (int d = 0; d < 3; ++d) {
            forces.axes[d][c / SN_LANES][c % SN_LANES] = set->contacts[c].force[d];
        }
    }
    for (int k = 0; k < solver->coordinate_count; ++k) {
        const sn_f32x8 *row = set->rows + k * SN_CONTACT_BLOCKS;
        for (int d = 0; d < 3; ++d) {
            sn_f32x8 sum = {0};
            for (int b = 0; b < blocks; ++b) {
                sum += row[b] * forces.axes[d][b];
            }
            difference[3 * k + d] += solver->inverse_system[k] * (double)sum_lanes(sum);
        }
    }
}

void sn_contacts_project(sn_reduced_body *body, double *difference)
{
    const sn_reduced_solver *solver = body->solver;
    sn_contact_set *set = &body->contacts;
    const int blocks = (set->count + SN_LANES - 1) / SN_LANES;
    const float diagonal = (float)solver->model->diagonal;
    contact_vectors moved = {{{{0}}}};
    if (set->count == 0) {
        return;
    }
    for (int k = 0; k < solver->coordinate_count; ++k) {
        const sn_f32x8 *row = set->rows + k * SN_CONTACT_BLOCKS;
        for (int d = 0; d < 3; ++d) {
            const float value = (float)difference[3 * k + d];
            for (int b = 0; b < blocks; ++b) {
                moved.axes[d][b] += row[b] * value;
            }
        }
    }
    for (int i = 0; i < set->count; ++i) { /* the forces of the iteration before are where this one starts */
        push(set, i, set->contacts[i].force, &moved);
    }
    for (int k = 0; k < SWEEP_COUNT; ++k) {
        if (sweep(set, STRENGTH * YIELD * diagonal, &moved) <= SETTLED * diagonal) {
            break;
        }
    }
    apply_forces(solver, set, difference);
}
