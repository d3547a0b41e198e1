/* SPDX-License-Identifier: MIT */
/* The complementary projection (the paper's section 3.2), for all rows at once: (G + a~) L = C, x -= M^-1 grad C^T L,
 * that is x -= sum_k w_k (y of L, as a motion of the handles): skinning by the multipliers. Also adds the impulses of
 * the locks. */
#include <string.h>

#include "host/coupled/scalars.h"

static bool solve(sn_coupled_body *body)
{
    const sn_coupled_system *system = &body->projection;
    const int count = system->scalar_count;
    sn_coupled_compute_generators(body, system, body->generators);
    sn_coupled_assemble(body, system);
    return count == 0 || sn_coupled_solve(body, system);
}

/* Converts the multipliers to y of the columns in Q, axis by axis. */
static void scalars_to_columns(const sn_coupled_body *body, double *columns_changed)
{
    const sn_coupled_system *system = &body->projection;
    const int dimension = body->rig->dimension, columns = dimension * system->solved_count;
    memset(columns_changed, 0, (size_t)(dimension * columns) * sizeof *columns_changed);
    for (int s = 0; s < system->scalar_count; ++s) {
        for (int i = 0; i < dimension * dimension; ++i) {
            columns_changed[columns * (i / dimension) + dimension * system->scalars[s].solved + i % dimension] +=
                body->right[s] * body->generators[dimension * dimension * s + i];
        }
    }
}

/* Computes body->change: y of the multipliers. */
static void compute_change(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const sn_coupled_system *system = &body->projection;
    const sn_coupled_elimination *e = &system->axes[0];
    const int basis = rig->basis_count, columns = rig->dimension * system->solved_count;
    for (int d = 0; d < rig->dimension; ++d) {
        sn_coupled_reduce(rig, e, system, body->residual + basis * d, body->free_solution + basis * d,
                          body->reduced_residual + columns * d);
    }
    memset(body->change, 0, (size_t)(rig->dimension * basis) * sizeof *body->change);
    if (!solve(body)) {
        return;
    }
    scalars_to_columns(body, body->reduced_residual);
    for (int d = 0; d < rig->dimension; ++d) {
        const double *changed = body->reduced_residual + columns * d;
        double *free_solution = body->free_solution + basis * d, *change = body->change + basis * d;
        sn_coupled_back_substitute(rig, e, system, changed, free_solution);
        for (int i = 0; i < e->free_count; ++i) {
            change[e->free[i]] = free_solution[i];
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
    sn_coupled_subtract_product(body, body->fit_gram, body->y, body->residual);
    compute_change(body);
    sn_coupled_limit_change(body);
    sn_coupled_from_basis(rig, body->change, body->handle_sums);
    for (int k = 0; k < rig->handle_count; ++k) {
        double *own = body->handle_sums + stride * k;
        for (int d = 0; d < dimension; ++d) {
            own[d] = -own[d];
            for (int e = 0; e < dimension; ++e) {
                own[dimension * (e + 1) + d] = -own[dimension * (e + 1) + d];
                own[d] -= own[dimension * (e + 1) + d] * rig->handles[k].pivot[e];
            }
        }
    }
    body->kernels->add_changes(&rig->blocks, body->handle_sums, body->matrices, body->flesh->state.displacements);
    sn_coupled_add_impulses(body);
}
