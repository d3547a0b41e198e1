/* SPDX-License-Identifier: MIT */
/* Displacement modes, the classical linear subspace (Pentland and Williams 1989, "Good vibrations: modal dynamics for
 * graphics and animation"): eigenvectors of K u = E M u with the smallest eigenvalues, three unknowns per vertex. K is
 * the Hessian at rest of 1/2 mu |F - R|^2 + 1/2 lambda tr(R^T F - 1)^2:
 *   K_ij = V (mu/2 (g_i . g_j 1 + g_j g_i^T) + lambda g_i g_j^T). */
#include "author/modes/constraint/problem.h"
#include "host/math/vec3.h"
#include "research/baselines/pencil.h"

/* Replaces each entry of the Laplacian's lower triangle by a 3 x 3 block; for diagonal entries, by the block's lower
 * half. */
static sn_result expand_pattern(const sn_sparse *scalar, sn_arena *arena, sn_sparse *hessian)
{
    const size_t entries = (size_t)scalar->column_starts[scalar->size];
    if (9 * entries > INT32_MAX) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "displacement modes of %d vertices are too large", scalar->size);
    }
    hessian->size = 3 * scalar->size;
    hessian->column_starts = SN_NEW(arena, int32_t, hessian->size + 1);
    hessian->rows = SN_NEW(arena, int32_t, 9 * entries);
    hessian->values = SN_NEW(arena, double, 9 * entries);
    if (!hessian->column_starts || !hessian->rows || !hessian->values) {
        return SN_ERROR_MEMORY;
    }
    int32_t next = 0;
    for (int column = 0; column < hessian->size; ++column) {
        for (int32_t i = scalar->column_starts[column / 3]; i < scalar->column_starts[column / 3 + 1]; ++i) {
            for (int d = 0; d < 3; ++d) {
                const int32_t row = 3 * scalar->rows[i] + d;
                hessian->rows[next] = row;
                next += row >= column;
            }
        }
        hessian->column_starts[column + 1] = next;
    }
    return SN_OK;
}

/* Binary search; the rows of a column are ascending. */
static double *find_entry(const sn_sparse *matrix, int row, int column)
{
    int32_t low = matrix->column_starts[column], high = matrix->column_starts[column + 1] - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (matrix->rows[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return matrix->values + low;
}

static void add_tet(const sn_baseline_body *body, int tet, sn_sparse *hessian)
{
    const int32_t *corners = body->mesh.tets + 4 * (size_t)tet;
    const double *g = body->gradients + 12 * (size_t)tet;
    const double mu = body->volumes[tet] * body->tet_mu[tet];
    const double lame = body->tet_lame ? body->volumes[tet] * body->tet_lame[tet] : 0;
    for (int entry = 0; entry < 144; ++entry) {
        const int i = entry / 36, j = entry / 9 % 4, a = entry / 3 % 3, b = entry % 3;
        const int row = 3 * corners[i] + a, column = 3 * corners[j] + b;
        const double *gi = g + 3 * i, *gj = g + 3 * j;
        if (row >= column) {
            *find_entry(hessian, row, column) +=
                0.5 * mu * ((a == b ? sn_dot3(gi, gj) : 0) + gj[a] * gi[b]) + lame * gi[a] * gj[b];
        }
    }
}

sn_result sn_elastic_hessian(const sn_baseline_body *body, sn_arena *arena, sn_sparse *hessian)
{
    sn_arena scratch = {0};
    sn_sparse scalar;
    sn_result result = sn_laplacian_build(&body->mesh, body->gradients, body->volumes, NULL, NULL, &scratch, &scalar);
    if (result == SN_OK) {
        result = expand_pattern(&scalar, arena, hessian);
    }
    for (int t = 0; t < body->mesh.tet_count && result == SN_OK; ++t) {
        add_tet(body, t, hessian);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* The squared time in which waves cross the body: diagonal^2 density / stiffness. */
double sn_elastic_unit(const sn_baseline_body *body)
{
    double low[3], high[3], mass = 0, stiffness = 0;
    const double diagonal = sn_tet_mesh_box(&body->mesh, low, high);
    for (int v = 0; v < body->mesh.vertex_count; ++v) {
        mass += body->mass[v];
    }
    for (int t = 0; t < body->mesh.tet_count; ++t) {
        stiffness += body->tet_mu[t] * body->volumes[t];
    }
    return diagonal * diagonal * mass / stiffness;
}

sn_result sn_displacement_modes(const sn_baseline_body *body, int requested_count, sn_arena *arena, double *eigenvalues,
                                sn_subspace *modes)
{
    return sn_displacement_modes_by(body, SN_EIGEN_BY_SIZE, requested_count, arena, eigenvalues, modes);
}

sn_result sn_displacement_modes_by(const sn_baseline_body *body, sn_eigen_method method, int requested_count,
                                   sn_arena *arena, double *eigenvalues, sn_subspace *modes)
{
    sn_arena scratch = {0};
    sn_pencil pencil = {.axis_count = 3,
                        .vertex_count = body->mesh.vertex_count,
                        .mass = body->mass,
                        .constraint = &body->constraint,
                        .unit = sn_elastic_unit(body),
                        .method = method,
                        .positions = body->mesh.positions,
                        .density = sn_mode_mean_density(&body->mesh, body->volumes, body->mass)};
    *modes = (sn_subspace){requested_count,
                           SN_NEW(arena, double, 3 * (size_t)body->mesh.vertex_count * (size_t)requested_count)};
    sn_result result = modes->basis ? sn_elastic_hessian(body, &scratch, &pencil.matrix) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_pencil_smallest(&pencil, requested_count, eigenvalues, modes->basis);
    }
    sn_arena_finish(&scratch);
    return result;
}
