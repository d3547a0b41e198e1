/* SPDX-License-Identifier: MIT */
/* Contacts of keys at a hit, by a Schur complement of the system. With the columns c_a = N^-1 e_a of touching vertices,
 * S_ab = (n_a . n_b) (c_b)_a,  dq = dq0 + sum_a force_a n_a c_a,  S force = gap - n . dq0 where force > 0. The active
 * set is found by non-negative least squares (Lawson and Hanson 1974), one contact at a time. */
#include "author/spacetime/contact.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

#define ROUNDS_PER_CONTACT 3
#define ACTIVE_LIMIT 2000    /* max. active contacts; others are ignored */
#define MIN_PENETRATION 1e-9 /* min. penetration, in diagonals of the mesh */

static bool is_hit(const sn_spacetime_problem *p, int key)
{
    return key + 1 < p->input->key_count && !(p->input->keys[key].duration > 0);
}

static int count_contacts(const sn_spacetime_problem *p)
{
    const size_t n = (size_t)p->elastic.vertex_count;
    int count = 0;
    for (int key = 0; key < p->input->key_count && p->input->obstacle_count > 0; ++key) {
        const bool *is_free = p->is_free + (size_t)p->trajectory.position_functions[key] * n;
        for (size_t v = 0; v < n && is_hit(p, key); ++v) {
            count += is_free[v] ? p->input->obstacle_count : 0;
        }
    }
    return count;
}

static double *position_of(const sn_spacetime_contacts *c, const sn_spacetime_contact *contact)
{
    const size_t n = (size_t)c->problem->elastic.vertex_count;
    return c->problem->q + 3 * ((size_t)contact->function * n + (size_t)contact->vertex);
}

/* Computes normal and gap of a contact at the vertex position x. */
static void measure(sn_spacetime_contact *contact, const sn_spacetime_obstacle *obstacle, const double *x)
{
    double offset[3];
    sn_subtract3(x, obstacle->point, offset);
    if (obstacle->is_sphere) {
        contact->gap = obstacle->radius - sn_length3(offset);
        memcpy(contact->normal, offset, sizeof offset);
        sn_normalize3(contact->normal, (const double[3]){0, 1, 0});
    } else {
        contact->gap = -sn_dot3(obstacle->normal, offset);
        memcpy(contact->normal, obstacle->normal, sizeof contact->normal);
    }
}

static const sn_spacetime_obstacle *obstacle_of(const sn_spacetime_contacts *c, int item)
{
    return &c->problem->input->obstacles[item % c->problem->input->obstacle_count];
}

static void list_contacts(sn_spacetime_contacts *c)
{
    const sn_spacetime_problem *p = c->problem;
    const size_t n = (size_t)p->elastic.vertex_count;
    int at = 0;
    for (int key = 0; key < p->input->key_count && c->count > 0; ++key) {
        const int32_t function = p->trajectory.position_functions[key];
        for (size_t v = 0; v < n && is_hit(p, key); ++v) {
            for (int k = 0; k < p->input->obstacle_count && p->is_free[(size_t)function * n + v]; ++k) {
                c->items[at++] = (sn_spacetime_contact){.function = function, .vertex = (int32_t)v, .column = -1};
            }
        }
    }
}

sn_result sn_spacetime_contacts_init(sn_spacetime_problem *problem, sn_arena *arena, sn_spacetime_contacts *c)
{
    *c = (sn_spacetime_contacts){.problem = problem, .count = count_contacts(problem)};
    c->items = SN_NEW(arena, sn_spacetime_contact, c->count);
    if (!c->items) {
        return SN_ERROR_MEMORY;
    }
    list_contacts(c);
    for (int i = 0; i < c->count; ++i) {
        double *x = position_of(c, &c->items[i]);
        measure(&c->items[i], obstacle_of(c, i), x);
        for (int d = 0; d < 3 && c->items[i].gap > 0; ++d) {
            x[d] += c->items[i].gap * c->items[i].normal[d];
        }
    }
    return SN_OK;
}

static size_t column_size(const sn_spacetime_contacts *c)
{
    return (size_t)c->problem->trajectory.function_count * (size_t)c->problem->elastic.vertex_count;
}

void sn_spacetime_contacts_finish(sn_spacetime_contacts *c)
{
    if (c->columns) {
        sn_free(c->columns, (size_t)c->column_capacity, column_size(c) * sizeof *c->columns);
        c->columns = NULL;
    }
}

void sn_spacetime_contacts_invalidate(sn_spacetime_contacts *c)
{
    c->column_count = 0;
    for (int i = 0; i < c->count; ++i) {
        c->items[i].column = -1;
    }
}

int sn_spacetime_contacts_active_count(const sn_spacetime_contacts *c)
{
    int count = 0;
    for (int i = 0; i < c->count; ++i) {
        count += c->items[i].is_active;
    }
    return count;
}

/* Adds the missing columns of all active contacts and solves them together. */
static sn_result add_columns(sn_spacetime_contacts *c, const sn_spacetime_solver *solver)
{
    const size_t size = column_size(c), n = (size_t)c->problem->elastic.vertex_count;
    const int first = c->column_count;
    for (int i = 0; i < c->count; ++i) {
        sn_spacetime_contact *contact = &c->items[i];
        if (!contact->is_active || contact->column >= 0) {
            continue;
        }
        double *grown = sn_grow(c->columns, c->column_count, &c->column_capacity, size * sizeof *c->columns);
        if (!grown) {
            return SN_ERROR_MEMORY;
        }
        c->columns = grown;
        contact->column = c->column_count++;
        double *column = c->columns + (size_t)contact->column * size;
        memset(column, 0, size * sizeof *column);
        column[(size_t)contact->function * n + (size_t)contact->vertex] = 1;
    }
    return c->column_count > first
               ? sn_spacetime_solver_solve(solver, c->column_count - first, c->columns + (size_t)first * size)
               : SN_OK;
}

/* Returns the distance that a contact still has to move along its normal after the unconstrained step. */
static double remaining_gap(const sn_spacetime_contacts *c, const sn_spacetime_contact *contact,
                            const double *free_step)
{
    const size_t size = column_size(c), n = (size_t)c->problem->elastic.vertex_count;
    const double *at = free_step + (size_t)contact->function * n + (size_t)contact->vertex;
    return contact->gap -
           (contact->normal[0] * at[0] + contact->normal[1] * at[size] + contact->normal[2] * at[2 * size]);
}

/* Returns S of two contacts; `from` must have a column. */
static double compliance(const sn_spacetime_contacts *c, const sn_spacetime_contact *to,
                         const sn_spacetime_contact *from)
{
    const size_t n = (size_t)c->problem->elastic.vertex_count;
    const double *column = c->columns + (size_t)from->column * column_size(c);
    return sn_dot3(to->normal, from->normal) * column[(size_t)to->function * n + (size_t)to->vertex];
}

typedef struct active_set {
    const double *gaps; /* (contacts.count) remaining gaps after the unconstrained step */
    int count, capacity;
    int32_t *list;                 /* (contacts.count) active contacts */
    double *schur, *target_forces; /* (room x room), (room) */
    bool *is_dependent;            /* (contacts.count) linearly dependent on active contacts */
} active_set;

static void list_active(const sn_spacetime_contacts *c, active_set *set)
{
    set->count = 0;
    for (int i = 0; i < c->count; ++i) {
        if (c->items[i].is_active) {
            set->list[set->count++] = i;
        }
    }
}

/* Computes forces that bring all active contacts to the surface. Returns false if they are linearly dependent. */
static bool compute_target_forces(const sn_spacetime_contacts *c, active_set *set)
{
    for (int a = 0; a < set->count; ++a) {
        for (int b = 0; b < set->count; ++b) {
            set->schur[(size_t)b * (size_t)set->count + (size_t)a] =
                compliance(c, &c->items[set->list[a]], &c->items[set->list[b]]);
        }
        set->target_forces[a] = set->gaps[set->list[a]];
    }
    if (!sn_dense_cholesky(set->count, set->schur)) {
        return false;
    }
    sn_dense_cholesky_solve(set->count, set->schur, 1, set->target_forces);
    return true;
}

static void deactivate(sn_spacetime_contact *contact)
{
    contact->force = 0;
    contact->is_active = false;
}

/* Moves the forces towards the target forces until the first one becomes negative; that contact is deactivated. Returns
 * true if none did. */
static bool move_to_target_forces(sn_spacetime_contacts *c, active_set *set)
{
    double fraction = 1;
    int first = -1;
    for (int a = 0; a < set->count; ++a) {
        const double force = c->items[set->list[a]].force;
        if (set->target_forces[a] < 0 && force / (force - set->target_forces[a]) < fraction) {
            fraction = force / (force - set->target_forces[a]);
            first = a;
        }
    }
    for (int a = 0; a < set->count; ++a) {
        sn_spacetime_contact *contact = &c->items[set->list[a]];
        contact->force += fraction * (set->target_forces[a] - contact->force);
        if (a == first || contact->force < 0) {
            deactivate(contact);
        }
    }
    return first < 0;
}

/* Returns the contact with the largest penetration, -1 if there is none. */
static int find_deepest_contact(const sn_spacetime_contacts *c, const active_set *set, double min_penetration)
{
    int deepest_contact = -1;
    for (int i = 0; i < c->count; ++i) {
        double depth = set->gaps[i];
        if (c->items[i].is_active || set->is_dependent[i]) {
            continue;
        }
        for (int a = 0; a < set->count; ++a) {
            const sn_spacetime_contact *from = &c->items[set->list[a]];
            depth -= from->force * compliance(c, &c->items[i], from);
        }
        if (depth > min_penetration) {
            min_penetration = depth;
            deepest_contact = i;
        }
    }
    return deepest_contact;
}

static sn_result push_out(sn_spacetime_contacts *c, const sn_spacetime_solver *solver, double min_penetration,
                          active_set *set)
{
    for (int round = 0; round < ROUNDS_PER_CONTACT * c->count; ++round) {
        list_active(c, set);
        const int deepest_contact = find_deepest_contact(c, set, min_penetration);
        if (deepest_contact < 0 || set->count == set->capacity) {
            break;
        }
        c->items[deepest_contact].is_active = true;
        const sn_result result = add_columns(c, solver);
        if (result != SN_OK) {
            return result;
        }
        for (bool is_converged = false; !is_converged;) {
            list_active(c, set);
            if (!compute_target_forces(c, set)) {
                deactivate(&c->items[deepest_contact]);
                set->is_dependent[deepest_contact] = true;
                break;
            }
            is_converged = move_to_target_forces(c, set);
        }
    }
    return SN_OK;
}

static void apply_forces(const sn_spacetime_contacts *c, double *step)
{
    const size_t size = column_size(c);
    for (int i = 0; i < c->count; ++i) {
        const sn_spacetime_contact *contact = &c->items[i];
        for (size_t k = 0; k < 3 * size && contact->is_active; ++k) {
            step[k] +=
                contact->force * contact->normal[k / size] * c->columns[(size_t)contact->column * size + k % size];
        }
    }
}

sn_result sn_spacetime_contacts_constrain(sn_spacetime_contacts *c, const sn_spacetime_solver *solver, double *step)
{
    const size_t count = (size_t)c->count, capacity = count < ACTIVE_LIMIT ? count : ACTIVE_LIMIT;
    double low[3], high[3];
    sn_arena scratch = {0};
    if (count == 0) {
        return SN_OK;
    }
    const double min_penetration = MIN_PENETRATION * sn_tet_mesh_box(c->problem->input->mesh, low, high);
    double *gaps = SN_NEW(&scratch, double, count);
    active_set set = {.gaps = gaps,
                      .capacity = (int)capacity,
                      .list = SN_NEW(&scratch, int32_t, count),
                      .schur = SN_NEW(&scratch, double, capacity *capacity),
                      .target_forces = SN_NEW(&scratch, double, capacity),
                      .is_dependent = SN_NEW(&scratch, bool, count)};
    sn_result result = gaps && set.list && set.schur && set.target_forces && set.is_dependent ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < c->count && result == SN_OK; ++i) {
        measure(&c->items[i], obstacle_of(c, i), position_of(c, &c->items[i]));
        gaps[i] = remaining_gap(c, &c->items[i], step);
        c->items[i].is_active = false;
        c->items[i].force = 0;
    }
    if (result == SN_OK) {
        result = push_out(c, solver, min_penetration, &set);
    }
    if (result == SN_OK) {
        apply_forces(c, step);
    }
    sn_arena_finish(&scratch);
    return result;
}
