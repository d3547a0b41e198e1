/* SPDX-License-Identifier: MIT */
/* The complementary projection (the paper's section 3.2), of all rows at once: (G + a~) L = C, x -= M^-1 grad C^T L,
 * that is x -= sum_k w_k (y of L, as a motion of the handles): skinning by the multipliers. And what the locks gave by
 * it. */
#include <string.h>

#include "host/coupled/scalars.h"

/* ---- impulses ---- */

/* The rig has no mass: what the flesh takes up along a scalar, a lock gave. Along the basis: -(C - a~ L), less what
 * held joints gave. given: (dimension x basis_count). */
static void find_given(sn_coupled_body *body, double *given)
{
    const sn_coupled_rig *rig = body->rig;
    const size_t basis = (size_t)rig->basis_count;
    const double per_second = 1 / body->flesh->substep;
    for (size_t i = 0; i < (size_t)rig->dimension * basis; ++i) {
        given[i] = -per_second * (body->residual[i] - body->softness[i % basis] * body->change[i]);
    }
    for (int i = 0; i < body->hold_count; ++i) {
        const sn_coupled_hold *hold = &body->holds[i];
        sn_coupled_handle_state *handle = &body->handles[hold->handle];
        for (int d = 0; d < rig->dimension; ++d) {
            const double left = hold->target[d] + body->flesh->origin[d] - handle->place[d];
            const double impulse = hold->axes >> d & 1 ? per_second * body->hold_mass * left : 0;
            handle->impulse[d] += impulse;
            for (size_t b = 0; b < basis; ++b) {
                given[basis * (size_t)d + b] -= impulse * hold->functions[b];
            }
        }
    }
}

/* r x F of the flesh's own places, not the skinned ones: less C x L. */
static void add_angular(const sn_coupled_body *body, const double *given, int handle, double torque[3])
{
    const sn_coupled_rig *rig = body->rig;
    const int basis = rig->basis_count, turning = rig->turning[handle];
    const double *linear = body->handles[handle].linear, per_second = 1 / body->flesh->substep;
    for (int e = 0; e < rig->dimension && turning >= 0; ++e) {
        double arm[3] = {0}, force[3] = {0}, missed[3] = {0}, moved[3] = {0};
        for (int d = 0; d < rig->dimension; ++d) {
            arm[d] = rig->length * linear[3 * d + e];
            force[d] = given[basis * d + turning + e];
            missed[d] = body->residual[basis * d + turning + e];
            moved[d] = per_second * body->change[basis * d + turning + e];
        }
        for (int d = 0; d < 3; ++d) {
            const int f = (d + 1) % 3, g = (d + 2) % 3;
            torque[d] += arm[f] * force[g] - arm[g] * force[f] - (missed[f] * moved[g] - missed[g] * moved[f]);
        }
    }
}

static void add_impulses(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const int basis = rig->basis_count;
    double *given = body->found;
    find_given(body, given);
    for (int k = 0; k < rig->handle_count; ++k) {
        sn_coupled_handle_state *handle = &body->handles[k];
        if (!handle->is_driven) {
            continue;
        }
        double torque[3] = {0}, missed[3] = {0}, moved[3] = {0};
        for (int d = 0; d < rig->dimension && rig->handles[k].parent < 0; ++d) {
            handle->impulse[d] += given[basis * d + rig->roots[k]];
            missed[d] = body->residual[basis * d + rig->roots[k]];
            moved[d] = body->change[basis * d + rig->roots[k]] / body->flesh->substep;
        }
        add_angular(body, given, k, torque);
        for (int d = 0; d < 3; ++d) {
            const int f = (d + 1) % 3, g = (d + 2) % 3;
            handle->impulse[3 + d] += torque[d] - (missed[f] * moved[g] - missed[g] * moved[f]);
        }
    }
}

/* ---- the projection ---- */

static bool solve(sn_coupled_body *body)
{
    const sn_coupled_system *system = &body->projection;
    const size_t count = (size_t)system->scalar_count;
    sn_coupled_generate(body, system, body->generators);
    sn_coupled_assemble(body, system);
    for (size_t s = 0; s < count; ++s) {
        body->matrix[count * s + s] += body->handles[system->scalars[s].handle].softness;
    }
    return count == 0 || sn_coupled_solve(body, (int)count);
}

/* Multipliers to y of the columns in Q, axis after axis. */
static void spread_scalars(const sn_coupled_body *body, double *columns_changed)
{
    const sn_coupled_system *system = &body->projection;
    const int dimension = body->rig->dimension, columns = dimension * system->kept_count;
    memset(columns_changed, 0, (size_t)(dimension * columns) * sizeof *columns_changed);
    for (int s = 0; s < system->scalar_count; ++s) {
        for (int i = 0; i < dimension * dimension; ++i) {
            columns_changed[columns * (i / dimension) + dimension * system->scalars[s].kept + i % dimension] +=
                body->right[s] * body->generators[dimension * dimension * s + i];
        }
    }
}

/* body->change: y of the multipliers. */
static void find_change(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const sn_coupled_system *system = &body->projection;
    const sn_coupled_elimination *e = &system->axes[0];
    const int basis = rig->basis_count, columns = rig->dimension * system->kept_count;
    for (int d = 0; d < rig->dimension; ++d) {
        sn_coupled_reduce(rig, e, system, body->residual + basis * d, body->found + basis * d,
                          body->missing + columns * d);
    }
    memset(body->change, 0, (size_t)(rig->dimension * basis) * sizeof *body->change);
    if (!solve(body)) {
        return;
    }
    spread_scalars(body, body->missing);
    for (int d = 0; d < rig->dimension; ++d) {
        const double *changed = body->missing + columns * d;
        double *found = body->found + basis * d, *change = body->change + basis * d;
        sn_coupled_restore(rig, e, system, changed, found);
        for (int i = 0; i < e->free_count; ++i) {
            change[e->free[i]] = found[i];
        }
        for (int q = 0; q < columns; ++q) {
            change[system->columns[q]] = changed[q];
        }
    }
}

void sn_coupled_project(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const int dimension = rig->dimension, stride = (dimension + 1) * dimension;
    memcpy(body->residual, body->moments, (size_t)(dimension * rig->basis_count) * sizeof *body->residual);
    sn_coupled_read_handles(body);
    sn_coupled_subtract_product(rig, body->y, body->residual);
    find_change(body);
    sn_coupled_spread(rig, body->change, body->raw);
    for (int k = 0; k < rig->handle_count; ++k) {
        double *own = body->raw + stride * k;
        for (int d = 0; d < dimension; ++d) {
            own[d] = -own[d];
            for (int e = 0; e < dimension; ++e) {
                own[dimension * (e + 1) + d] = -own[dimension * (e + 1) + d];
                own[d] -= own[dimension * (e + 1) + d] * rig->handles[k].pivot[e];
            }
        }
    }
    body->kernels->add_changes(&rig->blocks, body->raw, body->matrices, body->flesh->state.displacements);
    add_impulses(body);
}
