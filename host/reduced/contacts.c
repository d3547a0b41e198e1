/* SPDX-License-Identifier: MIT */
#include "host/reduced/contacts.h"

#include <math.h>

#include "host/math/vec3.h"
#include "host/reduced/solver.h"

#define MARGIN 0.05     /* of the diagonal: nearer samples may touch during the iterations */
#define YIELD 0.1       /* of the diagonal: how deep a pose may be and still be pushed out */
#define COMPLIANCE 1e-3 /* of a sample's own response: contacts that contradict each other stay finite */
#define SWEEP_COUNT 12

sn_result sn_contacts_allocate(sn_arena *arena, sn_contact_set *set)
{
    set->contacts = SN_NEW(arena, sn_contact, SN_CONTACT_LIMIT);
    set->coupling = SN_NEW(arena, double, SN_CONTACT_LIMIT *SN_CONTACT_LIMIT);
    return set->contacts && set->coupling ? SN_OK : SN_ERROR_MEMORY;
}

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

/* The place for one more contact: the shallowest gives way where all are taken; null if this one is shallower. */
static sn_contact *take_place(sn_contact_set *set, double gap)
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

typedef struct sample_place {
    double rig[3], position[3]; /* at the prediction: by the rig alone, with the flesh */
} sample_place;

static void find_contact(sn_reduced_body *body, int sample, const sample_place *place, const sn_collider *collider)
{
    const sn_model *model = body->solver->model;
    double normal[3], rig_normal[3], before[3], flesh[3], movement[3];
    const double distance = sn_collider_distance(collider, place->position, normal);
    if (!(distance < MARGIN * model->diagonal)) {
        return;
    }
    const double rig_distance = sn_collider_distance(collider, place->rig, rig_normal);
    const double gap = distance - fmin(rig_distance + YIELD * model->diagonal, 0);
    sn_contact *contact = take_place(&body->contacts, gap);
    if (!contact) {
        return;
    }
    sn_reduced_sample_rig(model, sample, body->rig, before);
    sn_reduced_sample_flesh(model, sample, body->coordinates, flesh);
    sn_collider_movement(collider, place->position, movement);
    *contact = (sn_contact){.sample = sample, .gap = gap, .friction = collider->friction};
    for (int d = 0; d < 3; ++d) {
        contact->normal[d] = normal[d];
        contact->slide[d] = place->position[d] - before[d] - flesh[d] - movement[d];
    }
}

/* G between two samples. */
static double couple(const sn_reduced_solver *solver, int a, int b)
{
    const size_t count = (size_t)solver->coordinate_count;
    const float *left = solver->model->sample_coordinate + (size_t)a * count;
    const float *right = solver->model->sample_coordinate + (size_t)b * count;
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += solver->inverse_system[i] * (double)left[i] * (double)right[i];
    }
    return sum;
}

void sn_contacts_find(sn_reduced_body *body, const sn_surroundings *surroundings)
{
    const sn_model *model = body->solver->model;
    sn_contact_set *set = &body->contacts;
    set->count = 0;
    if (!surroundings || surroundings->collider_count == 0) {
        return;
    }
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        sample_place place;
        double flesh[3];
        sn_reduced_sample_rig(model, sample, body->rig_next, place.rig);
        sn_reduced_sample_flesh(model, sample, body->predicted64, flesh);
        for (int d = 0; d < 3; ++d) {
            place.position[d] = place.rig[d] + flesh[d];
        }
        for (int i = 0; i < surroundings->collider_count; ++i) {
            find_contact(body, sample, &place, &surroundings->colliders[i]);
        }
    }
    for (int i = 0; i < set->count; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double value = couple(body->solver, set->contacts[i].sample, set->contacts[j].sample);
            set->coupling[i * SN_CONTACT_LIMIT + j] = set->coupling[j * SN_CONTACT_LIMIT + i] = value;
        }
    }
}

/* The force of one contact for what the others do: out of the collider, and against sliding inside Coulomb's cone. */
static void solve_contact(const sn_contact *c, double response, double *force)
{
    const double pressed = sn_dot3(c->normal, c->force);
    const double gap = c->gap + sn_dot3(c->normal, c->moved) + COMPLIANCE * response * pressed;
    const double press = fmax(pressed - gap / ((1 + COMPLIANCE) * response), 0);
    double slide[3], tangent[3];
    for (int d = 0; d < 3; ++d) {
        slide[d] = c->slide[d] + c->moved[d];
    }
    const double along = sn_dot3(c->normal, slide);
    for (int d = 0; d < 3; ++d) {
        tangent[d] = c->force[d] - pressed * c->normal[d] - (slide[d] - along * c->normal[d]) / response;
    }
    const double length = sn_length3(tangent), most = c->friction * press;
    const double scale = length > most ? most / length : 1;
    for (int d = 0; d < 3; ++d) {
        force[d] = press * c->normal[d] + scale * tangent[d];
    }
}

static void push_others(sn_contact_set *set, int from, const double *change)
{
    const double *row = set->coupling + from * SN_CONTACT_LIMIT;
    for (int j = 0; j < set->count; ++j) {
        for (int d = 0; d < 3; ++d) {
            set->contacts[j].moved[d] += row[j] * change[d];
        }
    }
}

static void sweep(sn_contact_set *set)
{
    for (int i = 0; i < set->count; ++i) {
        sn_contact *c = &set->contacts[i];
        const double response = set->coupling[i * SN_CONTACT_LIMIT + i];
        double force[3], change[3];
        if (!(response > 0)) {
            continue;
        }
        solve_contact(c, response, force);
        for (int d = 0; d < 3; ++d) {
            change[d] = force[d] - c->force[d];
            c->force[d] = force[d];
        }
        if (change[0] != 0 || change[1] != 0 || change[2] != 0) {
            push_others(set, i, change);
        }
    }
}

void sn_contacts_project(sn_reduced_body *body, double *difference)
{
    const sn_reduced_solver *solver = body->solver;
    const size_t count = (size_t)solver->coordinate_count;
    sn_contact_set *set = &body->contacts;
    for (int i = 0; i < set->count; ++i) {
        sn_reduced_sample_flesh(solver->model, set->contacts[i].sample, difference, set->contacts[i].moved);
    }
    for (int i = 0; i < set->count; ++i) { /* the forces of the iteration before are where this one starts */
        push_others(set, i, set->contacts[i].force);
    }
    for (int k = 0; k < SWEEP_COUNT && set->count > 0; ++k) {
        sweep(set);
    }
    for (int i = 0; i < set->count; ++i) {
        const float *row = solver->model->sample_coordinate + (size_t)set->contacts[i].sample * count;
        const double *force = set->contacts[i].force;
        for (size_t k = 0; k < count; ++k) {
            const double scale = solver->inverse_system[k] * (double)row[k];
            for (size_t d = 0; d < 3; ++d) {
                difference[3 * k + d] += scale * force[d];
            }
        }
    }
}
