/* SPDX-License-Identifier: MIT */
/* Contacts of a hit's keys, by a Schur complement on the system: with the columns c_a = N^-1 e_a of the active
 * vertices, S_ab = (n_a . n_b) (c_b)_a,  S force = gap - n . dq0,  dq = dq0 + sum_a force_a n_a c_a, force >= 0 where
 * the obstacle pushes. */
#include "author/spacetime/contact.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

#define ROUND_LIMIT 12
#define TOUCH 1e-9 /* of penetration that counts, in diagonals of the mesh */

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

/* The way out of the obstacle from where the vertex is. */
static void measure(sn_spacetime_contact *contact, const sn_spacetime_obstacle *obstacle, const double *x)
{
    double away[3];
    sn_subtract3(x, obstacle->point, away);
    if (obstacle->is_sphere) {
        contact->gap = obstacle->radius - sn_length3(away);
        memcpy(contact->normal, away, sizeof away);
        sn_normalize3(contact->normal, (const double[3]){0, 1, 0});
    } else {
        contact->gap = -sn_dot3(obstacle->normal, away);
        memcpy(contact->normal, obstacle->normal, sizeof contact->normal);
    }
}

static const sn_spacetime_obstacle *obstacle_of(const sn_spacetime_contacts *c, int item)
{
    return &c->problem->input->obstacles[item % c->problem->input->obstacle_count];
}

static void measure_all(sn_spacetime_contacts *c)
{
    for (int i = 0; i < c->count; ++i) {
        measure(&c->items[i], obstacle_of(c, i), position_of(c, &c->items[i]));
    }
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

sn_result sn_spacetime_contacts_begin(sn_spacetime_problem *problem, sn_arena *arena, sn_spacetime_contacts *c)
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
        sn_free(c->columns, (size_t)c->column_room, column_size(c) * sizeof *c->columns);
        c->columns = NULL;
    }
}

void sn_spacetime_contacts_forget(sn_spacetime_contacts *c)
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

/* Columns of those active ones that have none, solved together. */
static sn_result add_columns(sn_spacetime_contacts *c, const sn_spacetime_solver *solver)
{
    const size_t size = column_size(c), n = (size_t)c->problem->elastic.vertex_count;
    const int first = c->column_count;
    for (int i = 0; i < c->count; ++i) {
        sn_spacetime_contact *contact = &c->items[i];
        if (!contact->is_active || contact->column >= 0) {
            continue;
        }
        double *grown = sn_grow(c->columns, c->column_count, &c->column_room, size * sizeof *c->columns);
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

static double moved_along(const sn_spacetime_contacts *c, const sn_spacetime_contact *contact, const double *step)
{
    const size_t size = column_size(c), n = (size_t)c->problem->elastic.vertex_count;
    const double *at = step + (size_t)contact->function * n + (size_t)contact->vertex;
    return contact->normal[0] * at[0] + contact->normal[1] * at[size] + contact->normal[2] * at[2 * size];
}

/* Forces of the active ones; list (active) are their places among the items. */
static sn_result find_forces(const sn_spacetime_contacts *c, const double *step, int active, const int32_t *list,
                             double *schur, double *forces)
{
    const size_t size = column_size(c), n = (size_t)c->problem->elastic.vertex_count;
    for (int a = 0; a < active; ++a) {
        const sn_spacetime_contact *to = &c->items[list[a]];
        for (int b = 0; b < active; ++b) {
            const sn_spacetime_contact *from = &c->items[list[b]];
            const double *column = c->columns + (size_t)from->column * size;
            schur[(size_t)b * (size_t)active + (size_t)a] =
                sn_dot3(to->normal, from->normal) * column[(size_t)to->function * n + (size_t)to->vertex];
        }
        forces[a] = to->gap - moved_along(c, to, step);
    }
    if (!sn_dense_cholesky(active, schur)) {
        return sn_fail_within(SN_ERROR_NUMERIC, "%d contacts are not independent", active);
    }
    sn_dense_cholesky_solve(active, schur, 1, forces);
    return SN_OK;
}

static void apply_forces(const sn_spacetime_contacts *c, const double *free_step, double *step)
{
    const size_t size = column_size(c);
    memcpy(step, free_step, 3 * size * sizeof *step);
    for (int i = 0; i < c->count; ++i) {
        const sn_spacetime_contact *contact = &c->items[i];
        for (size_t k = 0; k < 3 * size && contact->is_active; ++k) {
            step[k] +=
                contact->force * contact->normal[k / size] * c->columns[(size_t)contact->column * size + k % size];
        }
    }
}

/* One round with the present set; true where it stays as it is. */
static sn_result solve_round(sn_spacetime_contacts *c, const sn_spacetime_solver *solver, const double *free_step,
                             double *step, bool *is_settled)
{
    sn_arena scratch = {0};
    const int active = sn_spacetime_contacts_active_count(c);
    int32_t *list = SN_NEW(&scratch, int32_t, active);
    double *schur = SN_NEW(&scratch, double, (size_t)active *(size_t)active);
    double *forces = SN_NEW(&scratch, double, active);
    sn_result result = list && schur && forces ? add_columns(c, solver) : SN_ERROR_MEMORY;
    for (int i = 0, at = 0; i < c->count && result == SN_OK; ++i) {
        if (c->items[i].is_active) {
            list[at++] = i;
        }
    }
    if (result == SN_OK) {
        result = find_forces(c, free_step, active, list, schur, forces);
    }
    for (int a = 0; a < active && result == SN_OK; ++a) {
        c->items[list[a]].force = forces[a];
        if (forces[a] < 0) {
            c->items[list[a]].is_active = false;
            *is_settled = false;
        }
    }
    if (result == SN_OK) {
        apply_forces(c, free_step, step);
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_spacetime_contacts_constrain(sn_spacetime_contacts *c, const sn_spacetime_solver *solver, double *step)
{
    const size_t size = column_size(c);
    double low[3], high[3];
    if (c->count == 0) {
        return SN_OK;
    }
    const double touch = TOUCH * sn_tet_mesh_box(c->problem->input->mesh, low, high);
    double *free_step = sn_alloc(3 * size, sizeof *free_step);
    if (!free_step) {
        return SN_ERROR_MEMORY;
    }
    memcpy(free_step, step, 3 * size * sizeof *step);
    measure_all(c);
    sn_result result = SN_OK;
    bool is_settled = false;
    for (int round = 0; round < ROUND_LIMIT && !is_settled && result == SN_OK; ++round) {
        is_settled = true;
        for (int i = 0; i < c->count; ++i) {
            sn_spacetime_contact *contact = &c->items[i];
            if (!contact->is_active && contact->gap - moved_along(c, contact, step) > touch) {
                contact->is_active = true;
                is_settled = false;
            }
        }
        result = solve_round(c, solver, free_step, step, &is_settled);
    }
    sn_free(free_step, 3 * size, sizeof *free_step);
    return result;
}
