/* SPDX-License-Identifier: MIT */
/* Alternatives to skinning eigenmodes, by similar eigenproblems: weights for other covariances of the affine entries
 * (fast complementary dynamics, equation 15 and figure 8), and of the bi-Laplacian, which are smooth but independent of
 * the material (as in Wang, Jacobson, Barbic, Kavan 2015, "Linear subspace design for real-time shape deformation"). */
#include <math.h>

#include "author/weights/bilaplacian.h"
#include "research/baselines/pencil.h"

static sn_result start_modes(const sn_baseline_body *body, int requested_count, sn_arena *arena, sn_modes *modes)
{
    *modes = (sn_modes){.mode_count = requested_count,
                        .eigenvalues = SN_NEW(arena, double, requested_count),
                        .weights = SN_NEW(arena, double, (size_t)body->mesh.vertex_count *(size_t)requested_count)};
    return modes->eigenvalues && modes->weights ? SN_OK : SN_ERROR_MEMORY;
}

/* Solves and transposes; weights are row-major. */
static sn_result solve(const sn_baseline_body *body, sn_pencil *pencil, sn_arena *scratch, sn_modes *modes)
{
    const size_t n = (size_t)body->mesh.vertex_count, requested_count = (size_t)modes->mode_count;
    double *vectors = SN_NEW(scratch, double, n *requested_count);
    const sn_result result =
        vectors ? sn_pencil_smallest(pencil, modes->mode_count, modes->eigenvalues, vectors) : SN_ERROR_MEMORY;
    for (size_t i = 0; i < n * requested_count && result == SN_OK; ++i) {
        modes->weights[i] = vectors[i % requested_count * n + i / requested_count];
    }
    return result;
}

sn_result sn_covariance_modes(const sn_baseline_body *body, const double *variances, const double *origin,
                              int requested_count, sn_arena *arena, sn_modes *modes)
{
    sn_arena scratch = {0};
    sn_pencil pencil = {.axis_count = 1,
                        .vertex_count = body->mesh.vertex_count,
                        .mass = body->mass,
                        .constraint = &body->constraint,
                        .unit = sn_elastic_unit(body),
                        .method = SN_EIGEN_FACTOR};
    sn_result result = start_modes(body, requested_count, arena, modes);
    if (result == SN_OK) {
        result = sn_laplacian_build(&body->mesh, body->gradients, body->volumes, body->tet_mu, NULL, &scratch,
                                    &pencil.matrix);
    }
    for (int column = 0; column < body->mesh.vertex_count && result == SN_OK; ++column) {
        for (int32_t i = pencil.matrix.column_starts[column]; i < pencil.matrix.column_starts[column + 1]; ++i) {
            const double *x = body->mesh.positions + 3 * (size_t)column;
            const double *y = body->mesh.positions + 3 * (size_t)pencil.matrix.rows[i];
            double factor = variances[3];
            for (int k = 0; k < 3; ++k) {
                factor += variances[k] * (x[k] - origin[k]) * (y[k] - origin[k]);
            }
            pencil.matrix.values[i] *= factor;
        }
    }
    if (result == SN_OK) {
        result = solve(body, &pencil, &scratch, modes);
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_biharmonic_modes(const sn_baseline_body *body, int requested_count, sn_arena *arena, sn_modes *modes)
{
    const size_t n = (size_t)body->mesh.vertex_count;
    sn_arena scratch = {0};
    sn_simplices simplices;
    sn_symmetric_rows laplacian;
    sn_sparse bilaplacian;
    int32_t *free_index = SN_NEW(&scratch, int32_t, n);
    double *shift = SN_NEW(&scratch, double, n), low[3], high[3];
    sn_result result = free_index && shift ? start_modes(body, requested_count, arena, modes) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_simplices_build(&body->mesh, NULL, "comparison modes", &scratch, &simplices);
    }
    if (result == SN_OK) {
        result = sn_simplices_laplacian(&simplices, &scratch, &laplacian);
    }
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        free_index[v] = (int32_t)v; /* the pencil handles the pins */
    }
    if (result == SN_OK) {
        result = sn_bilaplacian_build(&laplacian, simplices.mass, free_index, shift, &scratch, &bilaplacian);
    }
    if (result == SN_OK) {
        sn_pencil pencil = {.matrix = bilaplacian,
                            .axis_count = 1,
                            .vertex_count = body->mesh.vertex_count,
                            .mass = simplices.mass,
                            .constraint = &body->constraint,
                            .unit = pow(sn_tet_mesh_box(&body->mesh, low, high), 4),
                            .method = SN_EIGEN_FACTOR};
        result = solve(body, &pencil, &scratch, modes);
    }
    sn_arena_finish(&scratch);
    return result;
}
