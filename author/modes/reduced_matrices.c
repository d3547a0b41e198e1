/* SPDX-License-Identifier: MIT */
/* Precompute of the reduced step (paper, section 5; spec, "Precompute"). B = [w_j x, w_j y, w_j z, w_j] is n x 4r only:
 * the three axes share it (Kronecker split). All products over U = [V, Jc] at once: U^T M U and U^T L U. */
#include "author/modes/reduced_matrices.h"

#include <math.h>
#include <string.h>

/* Directions of B whose mass is below this fraction of the largest after scaling are combinations of the others. */
#define DEPENDENCE 1e-11

typedef struct workspace {
    const sn_reduced_input *in;
    int n, modes, columns, q, p; /* q coordinates, p = 4 bones */
    double *skinning;            /* B (n x columns), column-major */
    double *basis;               /* U (n x (q + p)), column-major */
    double *image;               /* L U or M U, same shape */
    double *small;               /* Gram matrix */
    sn_sparse laplacian;
    sn_arena arena;
} workspace;

/* columns 4 j + k = weight_j x~_k of a column-major matrix */
static void skin_columns(const sn_tet_mesh *mesh, const double *weights, int weight_count, double *columns)
{
    const size_t n = (size_t)mesh->vertex_count;
    for (size_t v = 0; v < n; ++v) {
        for (size_t j = 0; j < (size_t)weight_count; ++j) {
            const double w = weights[v * (size_t)weight_count + j];
            for (size_t k = 0; k < 4; ++k) {
                columns[(4 * j + k) * n + v] = w * (k < 3 ? mesh->positions[3 * v + k] : 1);
            }
        }
    }
}

static void apply_mass(const double *mass, int n, int columns, const double *x, double *y)
{
    for (size_t c = 0; c < (size_t)columns; ++c) {
        for (size_t v = 0; v < (size_t)n; ++v) {
            y[c * (size_t)n + v] = mass[v] * x[c * (size_t)n + v];
        }
    }
}

static void apply_laplacian(const sn_sparse *laplacian, int columns, const double *x, double *y)
{
    const size_t n = (size_t)laplacian->size;
    memset(y, 0, n * (size_t)columns * sizeof(double));
    for (size_t c = 0; c < (size_t)columns; ++c, x += n, y += n) {
        for (int32_t column = 0; column < laplacian->size; ++column) {
            for (int32_t at = laplacian->column_starts[column]; at < laplacian->column_starts[column + 1]; ++at) {
                const int32_t row = laplacian->rows[at];
                y[row] += laplacian->values[at] * x[column];
                if (row != column) {
                    y[column] += laplacian->values[at] * x[row];
                }
            }
        }
    }
}

/* map (columns x q) with (B map)^T M (B map) = 1: eigenvectors of the scaled Gram matrix, small ones dropped; twice,
 * since a Gram matrix squares the condition number. */
static sn_result whiten(workspace *w, double *map)
{
    const int columns = w->columns;
    double *gram_matrix = w->small;
    double *scale = SN_NEW(&w->arena, double, columns);
    double *eigenvalues = SN_NEW(&w->arena, double, columns);
    if (!scale || !eigenvalues) {
        return SN_ERROR_MEMORY;
    }
    apply_mass(w->in->mass, w->n, columns, w->skinning, w->image);
    sn_dense_gram(w->skinning, w->image, w->n, columns, gram_matrix);
    for (int i = 0; i < columns; ++i) {
        const double diagonal = gram_matrix[(size_t)i * (size_t)columns + (size_t)i];
        scale[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 0;
    }
    for (int i = 0; i < columns * columns; ++i) {
        gram_matrix[i] *= scale[i % columns] * scale[i / columns];
    }
    const sn_result result = sn_symmetric_eigen(columns, gram_matrix, eigenvalues);
    w->q = 0;
    for (int c = 0; c < columns && result == SN_OK; ++c) {
        if (eigenvalues[c] > DEPENDENCE * eigenvalues[columns - 1]) {
            for (int i = 0; i < columns; ++i) {
                map[(size_t)w->q * (size_t)columns + (size_t)i] =
                    scale[i] * gram_matrix[(size_t)c * (size_t)columns + (size_t)i] / sqrt(eigenvalues[c]);
            }
            ++w->q;
        }
    }
    return result;
}

/* rotated (columns x q) = map times the eigenvectors of (B map)^T A (B map), where image = A B map; eigenvalues
 * ascending. */
static sn_result rotate(workspace *w, const double *map, double *rotated, double *eigenvalues)
{
    sn_dense_gram(w->basis, w->image, w->n, w->q, w->small);
    const sn_result result = sn_symmetric_eigen(w->q, w->small, eigenvalues);
    if (result == SN_OK) {
        sn_dense_product(map, w->columns, w->q, w->small, w->q, rotated);
    }
    return result;
}

/* map (columns x q): V = B map has V^T M V = 1 and V^T L V = diag(lambda). */
static sn_result build_basis(workspace *w, double *map, double *lambda)
{
    double *other = SN_NEW(&w->arena, double, (size_t)w->columns *(size_t)w->columns);
    if (!other) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = whiten(w, map);
    if (result != SN_OK) {
        return result;
    }
    /* the rounding of the first pass: orthonormalise once more */
    sn_dense_product(w->skinning, w->n, w->columns, map, w->q, w->basis);
    apply_mass(w->in->mass, w->n, w->q, w->basis, w->image);
    result = rotate(w, map, other, lambda);
    for (int c = 0; c < w->q && result == SN_OK; ++c) {
        for (int i = 0; i < w->columns; ++i) {
            other[(size_t)c * (size_t)w->columns + (size_t)i] /= sqrt(lambda[c]);
        }
    }
    if (result == SN_OK) {
        sn_dense_product(w->skinning, w->n, w->columns, other, w->q, w->basis);
        apply_laplacian(&w->laplacian, w->q, w->basis, w->image);
        result = rotate(w, other, map, lambda);
    }
    for (int c = 0; c < w->q && result == SN_OK; ++c) {
        lambda[c] = fmax(lambda[c], 0);
    }
    sn_dense_product(w->skinning, w->n, w->columns, map, w->q, w->basis);
    return result;
}

/* Row-major block (rows x columns) of the column-major symmetric Gram matrix of size q + p. */
static void copy_block(const double *small, int size, int row, int rows, int column, int columns, double *block)
{
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            block[(size_t)i * (size_t)columns + (size_t)j] =
                small[(size_t)(column + j) * (size_t)size + (size_t)(row + i)];
        }
    }
}

static void build_products(workspace *w, sn_reduced_matrices *out)
{
    const int size = w->q + w->p;
    apply_mass(w->in->mass, w->n, size, w->basis, w->image);
    sn_dense_gram(w->basis, w->image, w->n, size, w->small);
    copy_block(w->small, size, 0, w->q, w->q, w->p, out->mass_cross);
    copy_block(w->small, size, w->q, w->p, w->q, w->p, out->mass_bone);
    for (int i = 0; i < w->q; ++i) {
        double sum = 0;
        for (int v = 0; v < w->n; ++v) {
            sum += w->image[(size_t)i * (size_t)w->n + (size_t)v];
        }
        out->coordinate_mass[i] = sum;
    }
    apply_laplacian(&w->laplacian, size, w->basis, w->image);
    sn_dense_gram(w->basis, w->image, w->n, size, w->small);
    copy_block(w->small, size, 0, w->q, w->q, w->p, out->stiffness_cross);
    copy_block(w->small, size, w->q, w->p, w->q, w->p, out->stiffness_bone);
}

/* b_i such that |sum_i V_i(v) dZ_i| <= |(b_i dZ_i)| at every vertex v: Cauchy-Schwarz with the weights max_v |V_i|. */
static void build_reach(const workspace *w, double *reach)
{
    const size_t n = (size_t)w->n;
    for (size_t i = 0; i < (size_t)w->q; ++i) {
        double most = 0;
        for (size_t v = 0; v < n; ++v) {
            most = fmax(most, fabs(w->basis[i * n + v]));
        }
        reach[i] = most;
    }
    double bound = 0;
    for (size_t v = 0; v < n; ++v) {
        double sum = 0;
        for (size_t i = 0; i < (size_t)w->q; ++i) {
            const double share = reach[i] > 0 ? w->basis[i * n + v] / reach[i] : 0;
            sum += share * share;
        }
        bound = fmax(bound, sum);
    }
    for (int i = 0; i < w->q; ++i) {
        reach[i] *= sqrt(bound);
    }
}

/* S[c] = sum_{t in c} mu_t V_t G_t^T U, split into V's and Jc's columns. The spec: mu inside the sum, else rest is no
 * fixed point where a cluster mixes materials. */
static sn_result build_cluster_matrices(workspace *w, sn_reduced_matrices *out)
{
    const sn_reduced_input *in = w->in;
    const size_t size = (size_t)(w->q + w->p), n = (size_t)w->n;
    double *rows = SN_NEW(&w->arena, double, n *size); /* U row-major: a tet reads four rows */
    if (!rows) {
        return SN_ERROR_MEMORY;
    }
    for (size_t c = 0; c < size; ++c) {
        for (size_t v = 0; v < n; ++v) {
            rows[v * size + c] = w->basis[c * n + v];
        }
    }
    for (size_t t = 0; t < (size_t)in->mesh->tet_count; ++t) {
        const double stiffness = in->tet_mu[t] * in->volumes[t];
        for (size_t d = 0; d < 3; ++d) {
            const size_t row = 3 * (size_t)in->clusters[t] + d;
            double *coordinate = out->cluster_coordinate + row * (size_t)w->q;
            double *bone = out->cluster_bone + row * (size_t)w->p;
            for (size_t corner = 0; corner < 4; ++corner) {
                const double g = stiffness * in->gradients[12 * t + 3 * corner + d];
                const double *u = rows + (size_t)in->mesh->tets[4 * t + corner] * size;
                for (size_t i = 0; i < (size_t)w->q; ++i) {
                    coordinate[i] += g * u[i];
                }
                for (size_t i = 0; i < (size_t)w->p; ++i) {
                    bone[i] += g * u[(size_t)w->q + i];
                }
            }
        }
        out->total_stiffness += stiffness;
    }
    return SN_OK;
}

static sn_result allocate_outputs(const workspace *w, sn_arena *arena, sn_reduced_matrices *out)
{
    const size_t q = (size_t)w->q, p = (size_t)w->p, clusters = (size_t)w->in->cluster_count;
    out->coordinate_count = w->q;
    const bool is_ok =
        (out->mode_from_coordinate = SN_NEW(arena, double, (size_t)w->columns *q)) &&
        (out->coordinate_stiffness = SN_NEW(arena, double, q)) && (out->coordinate_reach = SN_NEW(arena, double, q)) &&
        (out->coordinate_mass = SN_NEW(arena, double, q)) &&
        (out->cluster_coordinate = SN_NEW(arena, double, 3 * clusters * q)) &&
        (out->cluster_bone = SN_NEW(arena, double, 3 * clusters * p)) &&
        (out->mass_cross = SN_NEW(arena, double, q *p)) && (out->stiffness_cross = SN_NEW(arena, double, q *p)) &&
        (out->mass_bone = SN_NEW(arena, double, p *p)) && (out->stiffness_bone = SN_NEW(arena, double, p *p));
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result build(workspace *w, sn_arena *arena, sn_reduced_matrices *out)
{
    const size_t n = (size_t)w->n, width = (size_t)(w->columns + w->p);
    double *map = SN_NEW(&w->arena, double, (size_t)w->columns *(size_t)w->columns);
    double *lambda = SN_NEW(&w->arena, double, w->columns);
    w->skinning = SN_NEW(&w->arena, double, n *(size_t)w->columns);
    w->basis = SN_NEW(&w->arena, double, n *width);
    w->image = SN_NEW(&w->arena, double, n *width);
    w->small = SN_NEW(&w->arena, double, width *width);
    if (!map || !lambda || !w->skinning || !w->basis || !w->image || !w->small) {
        return SN_ERROR_MEMORY;
    }
    const sn_reduced_input *in = w->in;
    sn_result result =
        sn_laplacian_build(in->mesh, in->gradients, in->volumes, in->tet_mu, NULL, &w->arena, &w->laplacian);
    if (result != SN_OK) {
        return result;
    }
    skin_columns(in->mesh, in->modes->weights, w->modes, w->skinning);
    if ((result = build_basis(w, map, lambda)) != SN_OK || (result = allocate_outputs(w, arena, out)) != SN_OK) {
        return result;
    }
    skin_columns(in->mesh, in->rig_weights, in->bone_count, w->basis + n * (size_t)w->q);
    copy_block(map, w->columns, 0, w->columns, 0, w->q, out->mode_from_coordinate);
    memcpy(out->coordinate_stiffness, lambda, (size_t)w->q * sizeof(double));
    build_products(w, out);
    build_reach(w, out->coordinate_reach);
    return build_cluster_matrices(w, out);
}

sn_result sn_reduced_matrices_build(const sn_reduced_input *input, sn_arena *arena, sn_reduced_matrices *reduced)
{
    workspace w = {.in = input,
                   .n = input->mesh->vertex_count,
                   .modes = input->modes->mode_count,
                   .columns = 4 * input->modes->mode_count,
                   .p = 4 * input->bone_count};
    *reduced = (sn_reduced_matrices){0};
    const sn_result result = build(&w, arena, reduced);
    sn_arena_finish(&w.arena);
    return result;
}
