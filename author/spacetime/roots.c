/* SPDX-License-Identifier: MIT */
#include "author/spacetime/roots.h"

#include <math.h>
#include <string.h>

#include "author/sparse/sparse.h"

#define ROOT_ERROR 1e-9 /* max. error of K K^-1, whose entries have different units */

/* Solves l x = x or l^T x = x in place for columns x (size x columns, column-major) and a lower triangle l
 * (column-major). */
static void solve_triangle(int size, const double *l, bool is_transposed, int columns, double *x)
{
    for (int c = 0; c < columns; ++c, x += size) {
        for (int k = 0; k < size; ++k) {
            const int i = is_transposed ? size - 1 - k : k;
            for (int j = 0; j < k; ++j) {
                const int from = is_transposed ? size - 1 - j : j;
                x[i] -= (is_transposed ? l[i * size + from] : l[from * size + i]) * x[from];
            }
            x[i] /= l[i * size + i];
        }
    }
}

/* Computes l^-1 matrix l^-T of a symmetric matrix in place. */
static void transform(int size, const double *l, double *matrix)
{
    for (int k = 0; k < 2; ++k) {
        solve_triangle(size, l, false, size, matrix);
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j < i; ++j) {
                const double upper = matrix[i * size + j];
                matrix[i * size + j] = matrix[j * size + i];
                matrix[j * size + i] = upper;
            }
        }
    }
}

/* With P2 = C C^T and l = scale z, K is C (scale^2) (z^2 + z B + A) C^T. The roots z are the eigenvalues of its
 * companion matrix [0, 1; -A, -B]. Eigenvectors are (u, z u); the duals come from rows of their inverse. */
typedef struct companion {
    double scale;
    double *c;       /* (count x count) column-major, lower */
    double *a, *b;   /* (count x count) */
    double *matrix;  /* (2 count x 2 count) column-major */
    double *vectors; /* (2 count x 2 count) as in sn_general_eigen */
    double *inverse;
    double *values; /* (2 x 2 count) */
} companion;

static sn_result build_companion(const sn_spacetime_polynomial *p, sn_arena *arena, companion *k)
{
    const int count = p->count, twice = 2 * count;
    const size_t square = (size_t)count * (size_t)count;
    *k = (companion){.c = SN_NEW(arena, double, square),
                     .a = SN_NEW(arena, double, square),
                     .b = SN_NEW(arena, double, square),
                     .matrix = SN_NEW(arena, double, 4 * square),
                     .vectors = SN_NEW(arena, double, 4 * square),
                     .inverse = SN_NEW(arena, double, 4 * square),
                     .values = SN_NEW(arena, double, 4 * count)};
    if (!k->c || !k->a || !k->b || !k->matrix || !k->vectors || !k->inverse || !k->values) {
        return SN_ERROR_MEMORY;
    }
    memcpy(k->c, p->square, square * sizeof *k->c);
    memcpy(k->a, p->constant, square * sizeof *k->a);
    memcpy(k->b, p->linear, square * sizeof *k->b);
    if (!sn_dense_cholesky(count, k->c)) {
        return sn_fail_within(SN_ERROR_NUMERIC, "the spacetime system has too few samples");
    }
    transform(count, k->c, k->a);
    transform(count, k->c, k->b);
    for (int i = 0; i < count; ++i) {
        k->scale = fmax(k->scale, sqrt(fabs(k->a[i * count + i])));
    }
    for (int i = 0; i < count; ++i) {
        k->matrix[(count + i) * twice + i] = 1;
        for (int j = 0; j < count; ++j) {
            k->matrix[j * twice + count + i] = -k->a[j * count + i] / (k->scale * k->scale);
            k->matrix[(count + j) * twice + count + i] = -k->b[j * count + i] / k->scale;
        }
    }
    return SN_OK;
}

/* Computes shape and dual of a root: C^-T of real and imaginary part of the eigenvector's upper half, and of its row of
 * the inverse. */
static void extract_root(int count, const companion *k, int column, sn_spacetime_root *at)
{
    const int twice = 2 * count;
    at->real = k->scale * k->values[column];
    at->imaginary = k->scale * k->values[twice + column];
    for (int part = 0; part < 2; ++part) {
        for (int i = 0; i < count; ++i) {
            const double half = part == 0 ? 0.5 : -0.5;
            k->a[i] = k->vectors[(column + part) * twice + i] / k->scale;
            k->b[i] = half * k->inverse[(count + i) * twice + column + part];
        }
        solve_triangle(count, k->c, true, 1, k->a);
        solve_triangle(count, k->c, true, 1, k->b);
        for (int i = 0; i < count; ++i) {
            at->shape[2 * i + part] = k->a[i];
            at->dual[2 * i + part] = k->b[i];
        }
    }
}

/* Checks whether K(l) K^-1(l) is the identity at a real l, with K^-1 as the sum over the roots. */
static bool check_roots(const sn_spacetime_polynomial *p, const sn_spacetime_root *roots, double l, double *inverse)
{
    const int count = p->count;
    bool is_one = true;
    for (int i = 0; i < count * count; ++i) {
        inverse[i] = 0;
        for (int j = 0; j < count; ++j) {
            const sn_spacetime_root *at = &roots[j];
            const double *u = at->shape + 2 * (i / count), *y = at->dual + 2 * (i % count);
            const double product[2] = {u[0] * y[0] - u[1] * y[1], u[0] * y[1] + u[1] * y[0]};
            const double offset = l - at->real, size = offset * offset + at->imaginary * at->imaginary;
            inverse[i] += 2 * (product[0] * offset - product[1] * at->imaginary) / size;
        }
    }
    for (int i = 0; i < count * count; ++i) {
        double sum = i / count == i % count ? -1 : 0;
        for (int j = 0; j < count; ++j) {
            const int from = i / count * count + j;
            sum += (p->constant[from] + l * (p->linear[from] + l * p->square[from])) * inverse[j * count + i % count];
        }
        is_one = is_one && fabs(sum) < ROOT_ERROR;
    }
    return is_one;
}

sn_result sn_spacetime_roots_find(const sn_spacetime_polynomial *p, sn_spacetime_root *roots)
{
    sn_arena scratch = {0};
    companion k;
    sn_result result = build_companion(p, &scratch, &k);
    if (result == SN_OK) {
        result = sn_general_eigen(2 * p->count, k.matrix, k.values, k.vectors, k.inverse);
    }
    for (int j = 0; j < p->count && result == SN_OK; ++j) {
        extract_root(p->count, &k, 2 * j, &roots[j]);
        if (!(roots[j].imaginary > 0)) { /* K is positive definite for real l, so only rounding leads here */
            result = sn_fail_within(SN_ERROR_NUMERIC, "a root of the spacetime system is real");
        }
    }
    for (int i = 0; i < 3 && result == SN_OK && p->count > 0; ++i) {
        if (!check_roots(p, roots, 0.5 * i * k.scale, k.a)) {
            result = sn_fail_within(SN_ERROR_NUMERIC, "roots of the spacetime system coincide");
        }
    }
    sn_arena_finish(&scratch);
    return result;
}
