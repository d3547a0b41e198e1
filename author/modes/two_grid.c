/* SPDX-License-Identifier: MIT */
/* A symmetric two-grid cycle: Chebyshev smoothing on D^-1 K (Adams et al. 2003), the exact solution on the lattice, the
 * same smoothing again. */
#include "author/modes/two_grid.h"

#include <math.h>

#include "host/base/random.h"

#define DEGREE 3
#define POWER_STEPS 12
#define POWER_MARGIN 1.1
#define SMOOTHED_SHARE 0.08 /* of the largest eigenvalue: from there on the smoother takes care */

/* The largest eigenvalue of D^-1 K, from below by a few per cent. */
static double find_largest(const sn_matrix_rows *k, double *x, double *y)
{
    uint64_t random = 1;
    double largest = 1;
    for (size_t i = 0; i < 4 * k->size; ++i) {
        x[i] = 2 * sn_random_unit(&random) - 1;
    }
    for (int step = 0; step < POWER_STEPS; ++step) {
        double before = 0, after = 0;
        sn_matrix_rows_multiply(k, 4, x, y);
        for (size_t i = 0; i < 4 * k->size; ++i) {
            before += x[i] * x[i];
            x[i] = k->inverse_diagonal[i / 4] * y[i];
            after += x[i] * x[i];
        }
        largest = sqrt(after / before);
        const double scale = 1 / sqrt(after);
        for (size_t i = 0; i < 4 * k->size; ++i) {
            x[i] *= scale;
        }
    }
    return largest;
}

sn_result sn_two_grid_init(const sn_matrix_rows *k, const sn_coarse_space *space, sn_factor *factor, size_t widest,
                           sn_arena *arena, sn_two_grid *grid)
{
    *grid = (sn_two_grid){.k = k,
                          .space = space,
                          .factor = factor,
                          .residual = SN_NEW(arena, double, k->size *widest),
                          .direction = SN_NEW(arena, double, k->size *widest),
                          .product = SN_NEW(arena, double, k->size *widest),
                          .coarse = SN_NEW(arena, double, space->coarse_size *widest)};
    if (!grid->residual || !grid->direction || !grid->product || !grid->coarse) {
        return SN_ERROR_MEMORY;
    }
    grid->high = POWER_MARGIN * find_largest(k, grid->residual, grid->direction);
    grid->low = SMOOTHED_SHARE * grid->high;
    return SN_OK;
}

/* y += q(D^-1 K) D^-1 r for the residual r of y, which becomes that of the new y where is_kept asks for it. */
static void smooth(const sn_two_grid *g, size_t width, double *r, double *y, double *product, bool is_kept)
{
    const size_t count = g->k->size * width;
    const double middle = 0.5 * (g->high + g->low), half = 0.5 * (g->high - g->low), sigma = middle / half;
    double rho = 1 / sigma, keep = 0, take = 1 / middle;
    for (int step = 0; step < DEGREE; ++step) {
        for (size_t i = 0; i < count; i += width) {
            const double inverse = take * g->k->inverse_diagonal[i / width];
            for (size_t c = i; c < i + width; ++c) {
                g->direction[c] = keep * (step > 0 ? g->direction[c] : 0) + inverse * r[c];
                y[c] += g->direction[c];
            }
        }
        const double next = 1 / (2 * sigma - rho);
        keep = next * rho, take = 2 * next / half;
        rho = next;
        if (step + 1 < DEGREE || is_kept) {
            sn_matrix_rows_multiply(g->k, width, g->direction, product);
            for (size_t i = 0; i < count; ++i) {
                r[i] -= product[i];
            }
        }
    }
}

static sn_result correct(const sn_two_grid *g, size_t width, const double *r, double *correction)
{
    sn_coarse_space_restrict(g->space, width, r, g->coarse);
    const sn_result result = sn_factor_solve_rows(g->factor, (int)width, g->coarse);
    for (size_t i = 0; i < g->k->size * width; ++i) {
        correction[i] = 0;
    }
    sn_coarse_space_prolong(g->space, width, g->coarse, correction);
    return result;
}

sn_result sn_two_grid_apply(const sn_two_grid *g, size_t width, const double *x, double *y)
{
    const size_t count = g->k->size * width;
    double *r = g->residual, *product = g->product;
    for (size_t i = 0; i < count; ++i) {
        r[i] = x[i];
        y[i] = 0;
    }
    smooth(g, width, r, y, product, true);
    const sn_result result = correct(g, width, r, g->direction);
    sn_matrix_rows_multiply(g->k, width, g->direction, product);
    for (size_t i = 0; i < count; ++i) {
        y[i] += g->direction[i];
        r[i] -= product[i];
    }
    smooth(g, width, r, y, product, false);
    return result;
}
