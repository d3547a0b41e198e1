/* SPDX-License-Identifier: MIT */
/* Data shared by the bodies: the tets' operators and the factored system. */
#include "author/fullspace/solver.h"

#include <math.h>
#include <string.h>

#include "author/sparse/laplacian.h"
#include "host/reduced/reduced.h"

sn_fullspace_desc sn_default_fullspace_desc(void)
{
    const sn_reduced_desc reduced = sn_default_reduced_desc();
    return (sn_fullspace_desc){.time_step = reduced.time_step,
                               .stiffness = reduced.stiffness,
                               .iteration_limit = reduced.iteration_limit,
                               .tolerance = reduced.tolerance};
}

static bool is_desc_valid(const sn_fullspace_desc *desc)
{
    return isfinite(desc->time_step) && desc->time_step > 0 && isfinite(desc->stiffness) && desc->stiffness >= 0 &&
           isfinite(desc->damping) && desc->damping >= 0 && isfinite(desc->gravity[0]) && isfinite(desc->gravity[1]) &&
           isfinite(desc->gravity[2]) && desc->iteration_limit >= 1 && isfinite(desc->tolerance) &&
           desc->tolerance >= 0;
}

static sn_result measure_tets(sn_fullspace_solver *solver)
{
    const sn_fullspace_input *in = &solver->input;
    const size_t tets = (size_t)in->mesh.tet_count;
    double low[3], high[3];
    solver->diagonal = sn_tet_mesh_box(&in->mesh, low, high);
    solver->gradients = SN_NEW(&solver->arena, double, 12 * tets);
    solver->volumes = SN_NEW(&solver->arena, double, tets);
    solver->weights = SN_NEW(&solver->arena, double, tets);
    solver->labels = SN_NEW(&solver->arena, int32_t, tets);
    const bool is_clustered = solver->desc.is_clustered;
    const int rotation_count = is_clustered ? in->cluster_count : in->mesh.tet_count;
    solver->block_count = (rotation_count + SN_LANES - 1) / SN_LANES;
    solver->shear = SN_NEW(&solver->arena, double, SN_LANES * solver->block_count);
    solver->lame = SN_NEW(&solver->arena, double, SN_LANES * solver->block_count);
    if (!solver->gradients || !solver->volumes || !solver->weights || !solver->labels || !solver->shear ||
        !solver->lame) {
        return SN_ERROR_MEMORY;
    }
    sn_tet_gradients(&in->mesh, solver->gradients, solver->volumes);
    for (size_t t = 0; t < tets; ++t) {
        solver->weights[t] = in->tet_mu[t] * solver->volumes[t];
        solver->labels[t] = is_clustered ? in->clusters[t] : (int32_t)t;
        solver->shear[solver->labels[t]] += solver->weights[t];
        solver->lame[solver->labels[t]] += in->tet_lame ? in->tet_lame[t] * solver->volumes[t] : 0;
    }
    return SN_OK;
}

/* Removes pinned vertices from the system: only their diagonal remains, and their right-hand side is 0. */
static void remove_pins(const bool *is_pinned, const sn_sparse *system)
{
    for (int column = 0; is_pinned && column < system->size; ++column) {
        for (int32_t i = system->column_starts[column]; i < system->column_starts[column + 1]; ++i) {
            const int32_t row = system->rows[i];
            if (row != column && (is_pinned[row] || is_pinned[column])) {
                system->values[i] = 0;
            }
        }
    }
}

/* As in host/reduced/solver.c: the energy decreases if the system exceeds half of the curvature. The volumetric term
 * adds at most 3 Lambda / m of the other term, because tr(R^T F)^2 <= 3 |F|^2. */
static double stiffness_of(const sn_fullspace_solver *solver, size_t tet)
{
    const int32_t label = solver->labels[tet];
    const double bound = solver->lame[label] / solver->shear[label];
    return solver->desc.stiffness * solver->input.tet_mu[tet] * (1 + SN_VOLUME_BOUND_FACTOR * bound);
}

static sn_result factor_system(sn_fullspace_solver *solver)
{
    const sn_fullspace_input *in = &solver->input;
    const size_t vertices = (size_t)in->mesh.vertex_count, tets = (size_t)in->mesh.tet_count;
    const double h = solver->desc.time_step;
    sn_arena scratch = {0};
    sn_sparse system;
    double *inertia = SN_NEW(&scratch, double, vertices), *stiffness = SN_NEW(&scratch, double, tets);
    sn_result result = inertia && stiffness ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        for (size_t v = 0; v < vertices; ++v) {
            inertia[v] = in->mass[v] / (h * h);
        }
        for (size_t t = 0; t < tets; ++t) {
            stiffness[t] = stiffness_of(solver, t);
        }
        result =
            sn_laplacian_build(&in->mesh, solver->gradients, solver->volumes, stiffness, inertia, &scratch, &system);
    }
    if (result == SN_OK) {
        remove_pins(in->is_pinned, &system);
        result = sn_factor_create(&system, in->name, &solver->factor);
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_fullspace_solver_create(const sn_fullspace_input *input, const sn_fullspace_desc *desc,
                                     sn_fullspace_solver **solver)
{
    *solver = NULL;
    if (!is_desc_valid(desc)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "full-space solver: a parameter is not finite or out of range");
    }
    sn_result result = sn_dense_reserve_memory();
    if (result != SN_OK) {
        return result;
    }
    sn_fullspace_solver *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    created->input = *input;
    created->desc = *desc;
    created->velocity_factor = exp(-desc->damping * desc->time_step);
    result = measure_tets(created);
    if (result == SN_OK) {
        result = factor_system(created);
    }
    if (result == SN_OK && !desc->is_unconstrained) {
        result = sn_fullspace_constraint_init(created);
    }
    if (result != SN_OK) {
        sn_fullspace_solver_destroy(&created);
        return result;
    }
    *solver = created;
    return SN_OK;
}

void sn_fullspace_solver_destroy(sn_fullspace_solver **solver)
{
    if (*solver) {
        sn_factor_destroy(&(*solver)->factor);
        sn_arena_finish(&(*solver)->arena);
        sn_free(*solver, 1, sizeof **solver);
        *solver = NULL;
    }
}

int sn_fullspace_constraint_rank(const sn_fullspace_solver *solver)
{
    return solver->constraint.row_count;
}
