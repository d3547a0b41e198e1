/* SPDX-License-Identifier: MIT */
#include "author/modes/eigen/ritz.h"

#include <math.h>
#include <string.h>

#include "author/sparse/sparse.h"

#define DEPENDENT                                                                                                      \
    1e-11 /* relative to the Gram matrix's largest eigenvalue, for unit columns; below are dependent directions */

typedef struct problem {
    size_t columns;
    double *gram, *energy;      /* (columns^2) for columns scaled to norm 1 */
    double *scale;              /* (columns) the scale factors, 0 for zero columns */
    double *squares;            /* (columns) */
    double *whitened, *product; /* (columns^2) */
} problem;

static bool allocate(size_t columns, sn_arena *scratch, problem *p)
{
    const size_t square = columns * columns;
    *p = (problem){.columns = columns,
                   .gram = SN_NEW(scratch, double, square),
                   .energy = SN_NEW(scratch, double, square),
                   .scale = SN_NEW(scratch, double, columns),
                   .squares = SN_NEW(scratch, double, columns),
                   .whitened = SN_NEW(scratch, double, square),
                   .product = SN_NEW(scratch, double, square)};
    return p->gram && p->energy && p->scale && p->squares && p->whitened && p->product;
}

static void equilibrate(const problem *p, const double *gram, const double *energy)
{
    const size_t columns = p->columns;
    for (size_t i = 0; i < columns; ++i) {
        const double square = gram[i * columns + i];
        p->scale[i] = square > 0 ? 1 / sqrt(square) : 0;
    }
    for (size_t i = 0; i < columns * columns; ++i) {
        const double scale = p->scale[i % columns] * p->scale[i / columns];
        p->gram[i] = scale * gram[i];
        p->energy[i] = scale * energy[i];
    }
}

/* Drops dependent directions by the Gram matrix's eigenvalues. Returns the number of the remaining ones. */
static size_t drop_dependent(const problem *p)
{
    const size_t columns = p->columns;
    size_t kept_count = 0;
    for (size_t e = 0; e < columns; ++e) {
        if (p->squares[e] > DEPENDENT * p->squares[columns - 1]) {
            for (size_t i = 0; i < columns; ++i) {
                p->whitened[kept_count * columns + i] = p->gram[e * columns + i] / sqrt(p->squares[e]);
            }
            ++kept_count;
        }
    }
    return kept_count;
}

static sn_result solve(const problem *p, size_t requested, double *values, double *map, size_t *rank)
{
    sn_result result = sn_symmetric_eigen((int)p->columns, p->gram, p->squares);
    *rank = result == SN_OK ? drop_dependent(p) : 0;
    if (result != SN_OK || *rank < requested) {
        return result;
    }
    const int n = (int)p->columns, m = (int)*rank;
    sn_dense_product(p->energy, n, n, p->whitened, m, p->product);
    sn_dense_gram(p->whitened, p->product, n, m, p->gram);
    result = sn_symmetric_eigen(m, p->gram, p->squares);
    memcpy(values, p->squares, requested * sizeof *values);
    sn_dense_product(p->whitened, n, m, p->gram, (int)requested, map);
    for (size_t i = 0; i < p->columns * requested; ++i) {
        map[i] *= p->scale[i % p->columns];
    }
    return result;
}

sn_result sn_ritz_lowest(size_t columns, const double *gram, const double *energy, size_t requested, double *values,
                         double *map, size_t *rank)
{
    sn_arena scratch = {0};
    problem p;
    sn_result result = SN_ERROR_MEMORY;
    *rank = 0;
    if (allocate(columns, &scratch, &p)) {
        equilibrate(&p, gram, energy);
        result = solve(&p, requested, values, map, rank);
    }
    sn_arena_finish(&scratch);
    return result;
}
