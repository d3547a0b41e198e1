/* SPDX-License-Identifier: MIT */
/* A symmetric two-grid cycle: Chebyshev smoothing on D^-1 K (Adams et al. 2003), the exact solution on the lattice, and
 * the same smoothing again. It runs in float, since it is limited by memory bandwidth, and the accuracy of a
 * preconditioner does not limit that of the result. */
#include "author/modes/eigen/two_grid.h"

#include <math.h>
#include <string.h>

#include "host/base/random.h"

#define DEGREE 3
#define LANCZOS_STEPS 12
#define MARGIN 1.1             /* above the estimate of the largest eigenvalue */
#define SMOOTHED_FRACTION 0.08 /* of the largest eigenvalue: the smoother reduces those above it */
#define HALF_LANES SN_TWO_GRID_LANES
#define LANES 8
#define STRIP 3 /* lanes that a pass over the matrix keeps in registers */
#define TILE_ROWS 256
#define INLINE static inline __attribute__((always_inline))

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

/* y = x + momentum (x - y) + step_scale D^-1 (r - K x) for the residual r, with y = 0 before if is_y_new. If y is null:
 * tile (count x width) = r - K x. */
typedef struct pass {
    size_t first, count; /* rows */
    const float *x;
    float momentum, step_scale;
    float *y;
    bool is_y_new;
    float *tile;
} pass;

INLINE lanes load(const float *from)
{
    lanes value;
    memcpy(&value, from, sizeof value);
    return value;
}

INLINE void store(lanes value, float *to, bool is_half)
{
    memcpy(to, &value, is_half ? sizeof value / 2 : sizeof value);
}

/* Computes a row's lanes from its sum of K x. */
INLINE void finish_row(const sn_two_grid *g, const pass *p, size_t row, size_t width, size_t column, lanes sum,
                       bool is_half)
{
    const size_t at = row * width + column;
    const lanes r = load(g->residual + at) - sum;
    if (!p->y) {
        store(r, p->tile + (row - p->first) * width + column, is_half);
        return;
    }
    const lanes y = (1 + p->momentum) * load(p->x + at) + p->step_scale * g->inverse_diagonal[row] * r;
    store(p->is_y_new ? y : y - p->momentum * load(p->y + at), p->y + at, is_half);
}

/* Every call passes a constant count, and whether the last vector is half in the next row, which is only read, so that
 * the sums stay in registers. */
INLINE void run_strip(const sn_two_grid *g, const pass *p, size_t width, size_t column, size_t count, bool is_half)
{
    const sn_matrix_rows *k = g->k;
    for (size_t i = p->first; i < p->first + p->count; ++i) {
        lanes sums[STRIP] = {{0}};
        for (size_t e = k->starts[i]; e < k->starts[i + 1]; ++e) {
            const float *from = p->x + (size_t)k->columns[e] * width + column;
#pragma GCC unroll 3
            for (size_t c = 0; c < count; ++c) {
                sums[c] += g->values[e] * load(from + LANES * c);
            }
        }
#pragma GCC unroll 3
        for (size_t c = 0; c < count; ++c) {
            finish_row(g, p, i, width, column + LANES * c, sums[c], is_half && c + 1 == count);
        }
    }
}

INLINE void run_dispatch(const sn_two_grid *g, const pass *p, size_t width)
{
    size_t column = 0;
    for (; column + STRIP * LANES <= width; column += STRIP * LANES) {
        run_strip(g, p, width, column, STRIP, false);
    }
    switch ((width - column) / HALF_LANES) {
    case 5:
        run_strip(g, p, width, column, 3, true);
        break;
    case 4:
        run_strip(g, p, width, column, 2, false);
        break;
    case 3:
        run_strip(g, p, width, column, 2, true);
        break;
    case 2:
        run_strip(g, p, width, column, 1, false);
        break;
    case 1:
        run_strip(g, p, width, column, 1, true);
        break;
    default:
        break;
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void run_avx2(const sn_two_grid *g, const pass *p, size_t width)
{
    run_dispatch(g, p, width);
}
#endif

static void run(const sn_two_grid *g, size_t width, const pass *p)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        run_avx2(g, p, width);
        return;
    }
#endif
    run_dispatch(g, p, width);
}

/* w = D^-1 K v - beta previous; returns v . w in the norm of D. */
static double lanczos_product(const sn_two_grid *g, double beta, const float *v, const float *previous, float *w)
{
    const sn_matrix_rows *k = g->k;
    double dot = 0;
    for (size_t i = 0; i < k->size; ++i) {
        float sum = 0;
        for (size_t e = k->starts[i]; e < k->starts[i + 1]; ++e) {
            sum += g->values[e] * v[k->columns[e]];
        }
        w[i] = g->inverse_diagonal[i] * sum - (float)beta * previous[i];
        dot += (double)v[i] * (double)w[i] / (double)g->inverse_diagonal[i];
    }
    return dot;
}

/* w -= alpha v; returns w^2 in the norm of D. */
static double lanczos_subtract(const sn_two_grid *g, double alpha, const float *v, float *w)
{
    double square = 0;
    for (size_t i = 0; i < g->k->size; ++i) {
        w[i] -= (float)alpha * v[i];
        square += (double)w[i] * (double)w[i] / (double)g->inverse_diagonal[i];
    }
    return square;
}

/* The largest eigenvalue of D^-1 K by Lanczos, a few % too low. With sliver tets it is isolated, with an eigenvector on
 * few vertices, to which a power method converges too slowly. */
static sn_result estimate_max_eigenvalue(const sn_two_grid *g, double *max_eigenvalue)
{
    float *previous = g->solution, *v = g->other, *w = g->residual;
    double matrix[LANCZOS_STEPS * LANCZOS_STEPS] = {0}, values[LANCZOS_STEPS], beta = 0, square = 0;
    uint64_t random = 1;
    for (size_t i = 0; i < g->k->size; ++i) {
        w[i] = (float)(2 * sn_random_unit(&random) - 1);
    }
    square = lanczos_subtract(g, 0, w, w);
    for (size_t step = 0; step < LANCZOS_STEPS && square > 0; ++step) {
        float *const recycled = previous;
        previous = v;
        v = w;
        w = recycled;
        const float scale = (float)(1 / sqrt(square));
        for (size_t i = 0; i < g->k->size; ++i) {
            v[i] *= scale;
        }
        const double alpha = lanczos_product(g, beta, v, previous, w);
        square = lanczos_subtract(g, alpha, v, w);
        matrix[step * (LANCZOS_STEPS + 1)] = alpha;
        beta = sqrt(square);
        if (step + 1 < LANCZOS_STEPS) {
            matrix[step * (LANCZOS_STEPS + 1) + 1] = beta;
        }
    }
    const sn_result result = sn_symmetric_eigen(LANCZOS_STEPS, matrix, values);
    *max_eigenvalue = values[LANCZOS_STEPS - 1];
    return result;
}

sn_result sn_two_grid_init(const sn_matrix_rows *k, const sn_coarse_space *space, sn_factor *factor, size_t max_width,
                           sn_arena *arena, sn_two_grid *grid)
{
    const size_t count = k->size * max_width + HALF_LANES, filled = k->starts[k->size];
    *grid = (sn_two_grid){.k = k,
                          .space = space,
                          .factor = factor,
                          .values = SN_NEW(arena, float, filled),
                          .inverse_diagonal = SN_NEW(arena, float, k->size),
                          .residual = SN_NEW(arena, float, count),
                          .solution = SN_NEW(arena, float, count),
                          .other = SN_NEW(arena, float, count),
                          .tile = SN_NEW(arena, float, TILE_ROWS *max_width),
                          .coarse = SN_NEW(arena, double, space->coarse_size *max_width)};
    if (!grid->values || !grid->inverse_diagonal || !grid->residual || !grid->solution || !grid->other || !grid->tile ||
        !grid->coarse) {
        return SN_ERROR_MEMORY;
    }
    for (size_t e = 0; e < filled; ++e) {
        grid->values[e] = (float)k->values[e];
    }
    for (size_t i = 0; i < k->size; ++i) {
        grid->inverse_diagonal[i] = (float)k->inverse_diagonal[i];
    }
    const sn_result result = estimate_max_eigenvalue(grid, &grid->high);
    grid->high *= MARGIN;
    grid->low = SMOOTHED_FRACTION * grid->high;
    return result;
}

/* The first step from 0. */
static void start_smoothing(const sn_two_grid *g, size_t width, float step_scale, float *y)
{
    for (size_t i = 0; i < g->k->size; ++i) {
        const float scale = step_scale * g->inverse_diagonal[i];
        for (size_t c = i * width; c < (i + 1) * width; ++c) {
            y[c] = scale * g->residual[c];
        }
    }
}

/* DEGREE steps towards K^-1 residual, from *x or, if is_x_new, from 0; each reads *x, writes *y and swaps them. */
static void smooth(const sn_two_grid *g, size_t width, bool is_x_new, float **x, float **y)
{
    const double center = 0.5 * (g->high + g->low), half_range = 0.5 * (g->high - g->low), sigma = center / half_range;
    double rho = 0, next = 1 / sigma;
    for (int step = 0; step < DEGREE; ++step) {
        if (step == 0 && is_x_new) {
            start_smoothing(g, width, (float)(1 / center), *y);
        } else {
            run(g, width,
                &(pass){.count = g->k->size,
                        .x = *x,
                        .momentum = (float)(next * rho),
                        .step_scale = (float)(step > 0 ? 2 * next / half_range : 1 / center),
                        .y = *y,
                        .is_y_new = step == 0 || (step == 1 && is_x_new)});
        }
        float *const swapped = *x;
        *x = *y;
        *y = swapped;
        rho = next;
        next = 1 / (2 * sigma - rho);
    }
}

/* coarse = p^T (residual - K x) */
static void restrict_residual(const sn_two_grid *g, size_t width, const float *x)
{
    memset(g->coarse, 0, g->space->coarse_size * width * sizeof *g->coarse);
    for (size_t first = 0; first < g->k->size; first += TILE_ROWS) {
        const size_t remaining = g->k->size - first, count = remaining < TILE_ROWS ? remaining : TILE_ROWS;
        run(g, width, &(pass){.first = first, .count = count, .x = x, .tile = g->tile});
        sn_coarse_space_restrict_add(g->space, first, count, width, g->tile, g->coarse);
    }
}

sn_result sn_two_grid_apply(const sn_two_grid *g, size_t width)
{
    SN_ASSERT(width % SN_TWO_GRID_LANES == 0);
    float *x = g->solution, *y = g->other; /* swapped an even number of times */
    smooth(g, width, true, &x, &y);
    restrict_residual(g, width, x);
    const sn_result result = sn_factor_solve_rows(g->factor, (int)width, g->coarse);
    sn_coarse_space_prolong_add(g->space, width, g->coarse, x);
    smooth(g, width, false, &x, &y);
    return result;
}

void sn_two_grid_solution(const sn_two_grid *g, size_t first, size_t count, size_t width, double *x)
{
    const float *solution = g->solution + first * width;
    for (size_t i = 0; i < count * width; ++i) {
        x[i] = (double)solution[i];
    }
}
