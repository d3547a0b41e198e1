/* SPDX-License-Identifier: MIT */
/* Fast automatic skinning transformations: minimizes E over skinned positions, x = sum_k w_k (A_k (xbar - p_k) + c_k),
 * with one rotation per cluster of vertices. The unknowns are the columns of [A_k, c_k], four per handle, the same on
 * each axis. All per-vertex work of an iteration is precomputed: the Hessian H of the columns, and a matrix S (clusters
 * by columns) that gives the summed deformation gradients and the right-hand side. */
#include <math.h>
#include <string.h>

#include "author/modes/clusters/cluster_kmeans.h"
#include "author/sparse/sparse.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "research/baselines/spokes_rims.h"

#define KMEANS_ITERATIONS 20
#define MIN_DIAGONAL                                                                                                   \
    1e-10 /* relative to the mean diagonal of H; regularizes columns that the energy does not determine */

struct sn_fast {
    sn_fast_desc desc; /* `weights` is null */
    int column_count;  /* 4 handle_count: three columns of A_k, then c_k */
    int32_t *labels;   /* (vertex_count) cluster of each vertex */
    double *pivots;    /* (handle_count x 3) */
    double *hessian;   /* (column_count x column_count) */
    double *sums;      /* S (cluster_count x column_count x 3): sum_(i in c) sum_(t of i) V_t / d grad(column) */
    int free_count;
    int32_t *free;     /* (column_count) columns that are unknowns */
    double *lower;     /* Cholesky factor of the free part of H */
    double *columns;   /* (column_count x 3) [A_k, c_k]^T */
    double *residual;  /* (column_count x 3) column-major for LAPACK */
    double *gradients; /* (cluster_count x 9) padded to whole blocks */
    double *rotations;
    sn_arena arena;
};

/* ---- clusters ---- */

static sn_result label_vertices(sn_fast *f, const double *weights)
{
    const int handles = f->desc.handle_count, n = f->desc.body->mesh.vertex_count;
    const int width = (handles + SN_ROW_LANES - 1) / SN_ROW_LANES;
    const size_t row = (size_t)(SN_ROW_LANES * width);
    sn_arena scratch = {0};
    float *points = SN_NEW(&scratch, float, row *(size_t)n), *ones = SN_NEW(&scratch, float, n);
    sn_row_lanes *centres = SN_NEW(&scratch, sn_row_lanes, (size_t)width * (size_t)f->desc.cluster_count);
    sn_result result = points && ones && centres ? SN_OK : SN_ERROR_MEMORY;
    sn_tree tree;
    for (int v = 0; v < n && result == SN_OK; ++v) {
        ones[v] = 1;
        for (int k = 0; k < handles; ++k) {
            points[row * (size_t)v + (size_t)k] = (float)weights[(size_t)v * (size_t)handles + (size_t)k];
        }
    }
    if (result == SN_OK) {
        result = sn_tree_build(points, ones, n, handles, &scratch, &tree);
    }
    if (result == SN_OK) {
        result = sn_kmeans_seed(&tree, f->desc.cluster_count, centres);
    }
    if (result == SN_OK) {
        result = sn_kmeans_iterate(&tree, f->desc.cluster_count, KMEANS_ITERATIONS, centres, f->labels);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* ---- precomputation ---- */

/* Computes the gradients (column_count x 3) of the columns' fields in an element: w_k (xbar - p_k)_d and w_k. */
static void column_gradients(const sn_fast *f, const double *weights, int tet, double *gradients)
{
    const sn_baseline_body *body = f->desc.body;
    const size_t handles = (size_t)f->desc.handle_count;
    memset(gradients, 0, 3 * (size_t)f->column_count * sizeof *gradients);
    for (size_t c = 0; c < 4; ++c) {
        const size_t v = (size_t)body->mesh.tets[4 * (size_t)tet + c];
        const double *hat = body->gradients + 12 * (size_t)tet + 3 * c;
        for (size_t k = 0; k < handles; ++k) {
            const double weight = weights[v * handles + k];
            for (size_t d = 0; d < 4; ++d) {
                const double arm = d < 3 ? body->mesh.positions[3 * v + d] - f->pivots[3 * k + d] : 1;
                for (size_t a = 0; a < 3; ++a) {
                    gradients[3 * (4 * k + d) + a] += weight * arm * hat[a];
                }
            }
        }
    }
}

static sn_result sum_elements(sn_fast *f, const double *weights)
{
    const sn_baseline_body *body = f->desc.body;
    const size_t columns = (size_t)f->column_count;
    double *gradients = sn_alloc(3 * columns, sizeof *gradients);
    if (!gradients) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < body->mesh.tet_count; ++t) {
        column_gradients(f, weights, t, gradients);
        for (size_t i = 0; i < columns * columns; ++i) {
            f->hessian[i] += body->volumes[t] * sn_dot3(gradients + 3 * (i / columns), gradients + 3 * (i % columns));
        }
        for (int c = 0; c < 4; ++c) {
            const int32_t label = f->labels[body->mesh.tets[4 * (size_t)t + (size_t)c]];
            const double fraction = sn_tet_corner_fraction(&body->mesh, c) * body->volumes[t];
            for (size_t i = 0; i < 3 * columns; ++i) {
                f->sums[3 * columns * (size_t)label + i] += fraction * gradients[i];
            }
        }
    }
    sn_free(gradients, 3 * columns, sizeof *gradients);
    return SN_OK;
}

sn_result sn_fast_create(const sn_fast_desc *desc, sn_fast **fast)
{
    *fast = NULL;
    sn_fast *f = sn_alloc(1, sizeof *f);
    if (!f) {
        return SN_ERROR_MEMORY;
    }
    *f = (sn_fast){.desc = *desc, .column_count = 4 * desc->handle_count};
    f->desc.weights = NULL;
    const size_t columns = (size_t)f->column_count, capacity = 9 * sn_rotation_capacity(desc->cluster_count);
    f->labels = SN_NEW(&f->arena, int32_t, desc->body->mesh.vertex_count);
    f->pivots = SN_NEW(&f->arena, double, 3 * (size_t)desc->handle_count);
    f->hessian = SN_NEW(&f->arena, double, columns *columns);
    f->lower = SN_NEW(&f->arena, double, columns *columns);
    f->sums = SN_NEW(&f->arena, double, 3 * columns * (size_t)desc->cluster_count);
    f->free = SN_NEW(&f->arena, int32_t, columns);
    f->columns = SN_NEW(&f->arena, double, 3 * columns);
    f->residual = SN_NEW(&f->arena, double, 3 * columns);
    f->gradients = SN_NEW(&f->arena, double, capacity);
    f->rotations = SN_NEW(&f->arena, double, capacity);
    sn_result result = SN_ERROR_MEMORY;
    if (f->labels && f->pivots && f->hessian && f->lower && f->sums && f->free && f->columns && f->residual &&
        f->gradients && f->rotations) {
        memcpy(f->pivots, desc->pivots, 3 * (size_t)desc->handle_count * sizeof *f->pivots);
        f->desc.pivots = f->pivots;
        result = label_vertices(f, desc->weights);
    }
    if (result == SN_OK) {
        result = sum_elements(f, desc->weights);
    }
    if (result != SN_OK) {
        sn_fast_destroy(&f);
        return result;
    }
    *fast = f;
    return SN_OK;
}

void sn_fast_destroy(sn_fast **fast)
{
    if (*fast) {
        sn_arena_finish(&(*fast)->arena);
        sn_free(*fast, 1, sizeof **fast);
        *fast = NULL;
    }
}

/* ---- solving ---- */

sn_result sn_fast_fix(sn_fast *fast, const bool *is_position_fixed, const bool *is_linear_fixed)
{
    const size_t columns = (size_t)fast->column_count;
    double mean = 0;
    fast->free_count = 0;
    for (size_t i = 0; i < columns; ++i) {
        mean += fast->hessian[i * columns + i] / (double)columns;
        if (!(i % 4 == 3 ? is_position_fixed : is_linear_fixed)[i / 4]) {
            fast->free[fast->free_count++] = (int32_t)i;
        }
    }
    const size_t count = (size_t)fast->free_count;
    for (size_t i = 0; i < count * count; ++i) {
        const size_t row = (size_t)fast->free[i % count], column = (size_t)fast->free[i / count];
        fast->lower[i] = fast->hessian[column * columns + row] + (row == column ? MIN_DIAGONAL * mean : 0);
    }
    return count == 0 || sn_dense_cholesky(fast->free_count, fast->lower)
               ? SN_OK
               : sn_fail(SN_ERROR_NUMERIC, "FAST: no handle position is fixed");
}

/* Converts transforms relative to rest (12) to columns about the pivots (4 x 3). */
static void load_transforms(sn_fast *f, const double *transforms)
{
    for (size_t k = 0; k < (size_t)f->desc.handle_count; ++k) {
        const double *m = transforms + 12 * k;
        double *columns = f->columns + 12 * k;
        sn_affine_apply(m, f->pivots + 3 * k, columns + 9);
        for (size_t i = 0; i < 9; ++i) {
            columns[i] = m[i % 3 * 4 + i / 3];
        }
    }
}

static void store_transforms(const sn_fast *f, double *transforms)
{
    for (size_t k = 0; k < (size_t)f->desc.handle_count; ++k) {
        const double *columns = f->columns + 12 * k, *pivot = f->pivots + 3 * k;
        for (size_t a = 0; a < 3; ++a) {
            double *row = transforms + 12 * k + 4 * a;
            row[3] = columns[9 + a];
            for (size_t d = 0; d < 3; ++d) {
                row[d] = columns[3 * d + a];
                row[3] -= row[d] * pivot[d];
            }
        }
    }
}

/* Computes the clusters' rotations for the current columns. */
static void rotate_clusters(sn_fast *f)
{
    const size_t columns = (size_t)f->column_count;
    for (int c = 0; c < f->desc.cluster_count; ++c) {
        const double *sums = f->sums + 3 * columns * (size_t)c;
        double *gradient = f->gradients + 9 * (size_t)c;
        memset(gradient, 0, 9 * sizeof *gradient);
        for (size_t i = 0; i < columns; ++i) {
            for (size_t entry = 0; entry < 9; ++entry) {
                gradient[entry] += f->columns[3 * i + entry / 3] * sums[3 * i + entry % 3];
            }
        }
    }
    sn_nearest_rotations(f->gradients, f->desc.cluster_count, f->desc.body->mesh.is_flat, f->rotations);
}

/* Computes the negative gradient of E by the free columns: sum_c R_c S_c^T - H columns. */
static void differentiate(sn_fast *f)
{
    const size_t columns = (size_t)f->column_count, count = (size_t)f->free_count;
    for (size_t i = 0; i < count; ++i) {
        const size_t row = (size_t)f->free[i];
        double sum[3] = {0};
        for (size_t j = 0; j < columns; ++j) {
            for (size_t a = 0; a < 3; ++a) {
                sum[a] -= f->hessian[row * columns + j] * f->columns[3 * j + a];
            }
        }
        for (size_t c = 0; c < (size_t)f->desc.cluster_count; ++c) {
            const double *s = f->sums + 3 * (columns * c + row);
            for (size_t a = 0; a < 3; ++a) {
                sum[a] += sn_dot3(f->rotations + 9 * c + 3 * a, s);
            }
        }
        for (size_t a = 0; a < 3; ++a) {
            f->residual[a * count + i] = sum[a];
        }
    }
}

int sn_fast_solve(sn_fast *fast, int iteration_limit, double tolerance, double *transforms)
{
    const size_t count = (size_t)fast->free_count;
    int iteration = 0;
    load_transforms(fast, transforms);
    for (double max_change = INFINITY; count > 0 && iteration < iteration_limit && max_change > tolerance;
         ++iteration) {
        rotate_clusters(fast);
        differentiate(fast);
        sn_dense_cholesky_solve(fast->free_count, fast->lower, 3, fast->residual);
        max_change = 0;
        for (size_t i = 0; i < 3 * count; ++i) {
            fast->columns[3 * (size_t)fast->free[i % count] + i / count] += fast->residual[i];
            max_change = fmax(max_change, fabs(fast->residual[i]));
        }
    }
    store_transforms(fast, transforms);
    return iteration;
}
