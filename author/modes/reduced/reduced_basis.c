/* SPDX-License-Identifier: MIT */
/* Computes V = B map with V^T M V = 1 and V^T L V = diag(lambda). B = [w_j x, w_j y, w_j z, w_j] is only n x 4r, since
 * the three axes share it (Kronecker product), and is generated in blocks of rows. */
#include "author/modes/reduced/reduced_parts.h"

#include <math.h>
#include <string.h>

#include "author/modes/constraint/row_sums.h"

/* Directions of B whose mass, after scaling, is below this fraction of the largest are linear combinations of the
 * others. */
#define DEPENDENCE 1e-11

typedef struct scratch {
    double *rows;      /* (block x columns) */
    double *mass_rows; /* (block x columns) rows times mass */
    double *gram;      /* (columns x columns) */
    double *other;     /* (columns x columns) */
    double *rotated;   /* (columns x columns) */
    double *scale;     /* (columns) */
    double *mass;      /* (columns x columns) B^T M B */
} scratch;

/* rows (m x n) row-major = matrix (m x n) column-major. */
static void transpose(size_t m, size_t n, const double *matrix, double *rows)
{
    for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < n; ++j) {
            rows[i * n + j] = matrix[j * m + i];
        }
    }
}

/* Columns 4 j + k = weight_j x~_k. */
static void skin_block(const sn_reduced_scratch_pool *work, size_t first, size_t count, double *rows)
{
    const size_t modes = (size_t)work->in->modes->mode_count;
    for (size_t v = first; v < first + count; ++v) {
        const double *x = work->places + 4 * v;
        for (size_t j = 0; j < modes; ++j) {
            const double w = work->in->modes->weights[v * modes + j];
            for (size_t k = 0; k < 4; ++k) {
                *rows++ = w * x[k];
            }
        }
    }
}

static void scale_block(const sn_reduced_scratch_pool *work, size_t first, size_t count, size_t columns,
                        const double *rows, double *mass_rows)
{
    for (size_t i = 0; i < count; ++i) {
        const double mass = work->in->mass[first + i];
        for (size_t j = 0; j < columns; ++j) {
            mass_rows[i * columns + j] = mass * rows[i * columns + j];
        }
    }
}

/* Computes map (size x q) with map^T gram map = 1, from the eigenvectors of the gram matrix (its lower triangle) scaled
 * to a unit diagonal, without those of small eigenvalues. Returns q through *count; destroys gram. */
static sn_result whiten(size_t size, double *gram, double *scale, double *lambda, double *map, size_t *count)
{
    for (size_t i = 0; i < size; ++i) {
        const double diagonal = gram[i * size + i];
        scale[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 0;
    }
    for (size_t i = 0; i < size * size; ++i) {
        gram[i] *= scale[i % size] * scale[i / size];
    }
    const sn_result result = sn_symmetric_eigen((int)size, gram, lambda);
    *count = 0;
    for (size_t c = 0; c < size && result == SN_OK; ++c) {
        if (lambda[c] > DEPENDENCE * lambda[size - 1]) {
            for (size_t i = 0; i < size; ++i) {
                map[*count * size + i] = scale[i] * gram[c * size + i] / sqrt(lambda[c]);
            }
            ++*count;
        }
    }
    return result;
}

/* first (columns x q) whitens the mass of B, up to rounding errors that grow with its condition number. */
static sn_result whiten_columns(sn_reduced_scratch_pool *work, const scratch *s, double *first)
{
    const size_t columns = work->columns;
    for (size_t at = 0; at < work->n; at += SN_REDUCED_BLOCK) {
        const size_t count = sn_reduced_block_rows(work, at);
        skin_block(work, at, count, s->rows);
        scale_block(work, at, count, columns, s->rows, s->mass_rows);
        sn_row_gram_add_symmetric(count, s->rows, s->mass_rows, columns, s->gram);
    }
    memcpy(s->mass, s->gram, columns * columns * sizeof *s->mass);
    sn_row_gram_mirror(columns, s->mass);
    return whiten(columns, s->gram, s->scale, work->lambda, first, &work->q);
}

/* basis = V_1 = B first; mass (q x q) = V_1^T M V_1. */
static void map_rows(sn_reduced_scratch_pool *work, const scratch *s, const double *first, double *mass)
{
    const size_t q = work->q;
    transpose(work->columns, q, first, s->rotated);
    for (size_t at = 0; at < work->n; at += SN_REDUCED_BLOCK) {
        const size_t count = sn_reduced_block_rows(work, at);
        double *basis = work->basis + at * q;
        skin_block(work, at, count, s->rows);
        sn_row_multiply(count, s->rows, work->columns, work->columns, s->rotated, q, basis);
        scale_block(work, at, count, q, basis, s->mass_rows);
        sn_row_gram_add_symmetric(count, basis, s->mass_rows, q, mass);
    }
}

/* stiffness (q x q) = V_1^T L V_1, and the products of the rig's columns with V_1 and L V_1. */
static sn_result apply_laplacian(sn_reduced_scratch_pool *work, const scratch *s, double *stiffness)
{
    const size_t q = work->q;
    const sn_reduced_rows *l = &work->laplacian;
    const sn_result result = sn_reduced_cross_init(work, &work->arena, &work->cross);
    if (result != SN_OK) {
        return result;
    }
    for (size_t at = 0; at < work->n; at += SN_REDUCED_BLOCK) {
        const size_t count = sn_reduced_block_rows(work, at);
        memset(s->rows, 0, count * q * sizeof(double));
        for (size_t v = at; v < at + count; ++v) {
            const size_t start = (size_t)l->starts[v], entry_count = (size_t)l->starts[v + 1] - start;
            sn_row_sums_add(entry_count, l->indices + start, l->values + start, 1, work->basis, q,
                            s->rows + (v - at) * q);
        }
        sn_row_gram_add_symmetric(count, work->basis + at * q, s->rows, q, stiffness);
        sn_reduced_cross_add(work, at, count, s->rows, &work->cross);
    }
    sn_row_gram_mirror(q, stiffness);
    return SN_OK;
}

/* Computes rotation with rotation^T mass rotation = 1 and rotation^T stiffness rotation = diag(lambda). Destroys mass
 * and stiffness. */
static sn_result diagonalise(sn_reduced_scratch_pool *work, const scratch *s, double *mass, double *stiffness,
                             double *rotation)
{
    const int q = (int)work->q;
    size_t count = 0;
    sn_result result = whiten(work->q, mass, s->scale, work->lambda, s->other, &count);
    if (result == SN_OK && count < work->q) {
        return sn_fail(SN_ERROR_NUMERIC, "%s: the basis of %d coordinates lost rank in orthonormalisation",
                       work->in->name, q);
    }
    if (result == SN_OK) {
        sn_dense_product(stiffness, q, q, s->other, q, mass);
        sn_dense_gram(s->other, mass, q, q, stiffness);
        result = sn_symmetric_eigen(q, stiffness, work->lambda);
    }
    for (size_t c = 0; c < work->q && result == SN_OK; ++c) {
        work->lambda[c] = fmax(work->lambda[c], 0);
    }
    sn_dense_product(s->other, q, q, stiffness, q, rotation);
    return result;
}

/* basis (n x q) <- basis matrix (q x count), count <= q, in place. */
static void rotate_basis(const sn_reduced_scratch_pool *work, const scratch *s, const double *matrix, size_t count)
{
    transpose(work->q, count, matrix, s->rotated);
    for (size_t at = 0; at < work->n; at += SN_REDUCED_BLOCK) {
        const size_t rows = sn_reduced_block_rows(work, at);
        memcpy(s->rows, work->basis + at * work->q, rows * work->q * sizeof *s->rows);
        sn_row_multiply(rows, s->rows, work->q, work->q, s->rotated, count, work->basis + at * count);
    }
}

/* inverse (count x columns) = (B map)^T M B = map^T (B^T M B). */
static void invert_map(const sn_reduced_scratch_pool *work, const scratch *s, const double *map, size_t count,
                       double *inverse)
{
    sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                 .m = (int)count,
                                 .n = (int)work->columns,
                                 .k = (int)work->columns,
                                 .alpha = 1,
                                 .a = map,
                                 .lda = (int)work->columns,
                                 .b = s->mass,
                                 .ldb = (int)work->columns,
                                 .c = inverse,
                                 .ldc = (int)count});
}

/* Restricts first (columns x q) and the basis to the coordinates that satisfy the constraint rows, and replaces mass (q
 * x q) by theirs. The mass of all coordinates is whitened first: only then are the removed coordinates orthogonal to
 * the others, so that a smaller space can be derived from both (host/reduced/view.c). */
static sn_result restrict_basis(sn_reduced_scratch_pool *work, const scratch *s, double *first, double *mass)
{
    const size_t columns = work->columns, count_before = work->q;
    double *kept_basis = NULL, *removed = NULL, *rotated = SN_NEW(&work->arena, double, columns *count_before);
    size_t count = 0;
    sn_result result = rotated ? whiten(count_before, mass, s->scale, work->lambda, s->other, &count) : SN_ERROR_MEMORY;
    if (result == SN_OK && count < count_before) {
        result = sn_fail(SN_ERROR_NUMERIC, "%s: the basis of %zu coordinates lost rank in orthonormalisation",
                         work->in->name, count_before);
    }
    if (result == SN_OK) {
        rotate_basis(work, s, s->other, count_before);
        sn_dense_product(first, (int)columns, (int)count_before, s->other, (int)count_before, rotated);
        result = sn_reduced_split(work, &count, &kept_basis, &removed);
    }
    if (result != SN_OK) {
        return result;
    }
    work->removed = count_before - count;
    work->removed_inverse = SN_NEW(&work->arena, double, work->removed *columns);
    if (!work->removed_inverse) {
        return SN_ERROR_MEMORY;
    }
    if (work->removed > 0) {
        sn_dense_product(rotated, (int)columns, (int)count_before, removed, (int)work->removed, first);
        invert_map(work, s, first, work->removed, work->removed_inverse);
    }
    sn_dense_product(rotated, (int)columns, (int)count_before, kept_basis, (int)count, first);
    rotate_basis(work, s, kept_basis, count);
    work->q = count;
    memset(mass, 0, count * count * sizeof *mass);
    for (size_t at = 0; at < work->n; at += SN_REDUCED_BLOCK) {
        const size_t rows = sn_reduced_block_rows(work, at);
        scale_block(work, at, rows, count, work->basis + at * count, s->mass_rows);
        sn_row_gram_add_symmetric(rows, work->basis + at * count, s->mass_rows, count, mass);
    }
    return SN_OK;
}

static bool allocate(sn_reduced_scratch_pool *work, scratch *s)
{
    const size_t columns = work->columns;
    *s = (scratch){.rows = SN_NEW(&work->arena, double, SN_REDUCED_BLOCK *columns),
                   .mass_rows = SN_NEW(&work->arena, double, SN_REDUCED_BLOCK *columns),
                   .gram = SN_NEW(&work->arena, double, columns *columns),
                   .other = SN_NEW(&work->arena, double, columns *columns),
                   .rotated = SN_NEW(&work->arena, double, columns *columns),
                   .scale = SN_NEW(&work->arena, double, columns),
                   .mass = SN_NEW(&work->arena, double, columns *columns)};
    work->lambda = SN_NEW(&work->arena, double, columns);
    work->map = SN_NEW(&work->arena, double, columns *columns);
    work->inverse = SN_NEW(&work->arena, double, columns *columns);
    return s->rows && s->mass_rows && s->gram && s->other && s->rotated && s->scale && s->mass && work->lambda &&
           work->map && work->inverse;
}

sn_result sn_reduced_basis_build(sn_reduced_scratch_pool *work)
{
    scratch s;
    double *first = SN_NEW(&work->arena, double, work->columns * work->columns);
    if (!first || !allocate(work, &s)) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = whiten_columns(work, &s, first);
    if (result != SN_OK) {
        return result;
    }
    const size_t square = work->q * work->q;
    double *mass = SN_NEW(&work->arena, double, square);
    double *stiffness = SN_NEW(&work->arena, double, square);
    work->rotation = SN_NEW(&work->arena, double, square);
    work->basis = SN_NEW(&work->arena, double, work->n * work->q);
    if (!mass || !stiffness || !work->rotation || !work->basis) {
        return SN_ERROR_MEMORY;
    }
    map_rows(work, &s, first, mass);
    if (work->in->coordinate_constraint && work->in->coordinate_constraint->row_count > 0) {
        result = restrict_basis(work, &s, first, mass);
    }
    result = result == SN_OK ? apply_laplacian(work, &s, stiffness) : result;
    if (result == SN_OK && work->in->strain_limit_stiffness > 0) {
        result = sn_reduced_limit_stiffness(work, stiffness);
    }
    if (result == SN_OK) {
        result = diagonalise(work, &s, mass, stiffness, work->rotation);
    }
    if (result == SN_OK) {
        rotate_basis(work, &s, work->rotation, work->q);
        sn_dense_product(first, (int)work->columns, (int)work->q, work->rotation, (int)work->q, work->map);
        invert_map(work, &s, work->map, work->q, work->inverse);
    }
    return result;
}
