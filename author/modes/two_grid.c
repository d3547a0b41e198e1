/* SPDX-License-Identifier: MIT */
/* A symmetric two-grid cycle: Chebyshev smoothing on D^-1 K (Adams et al. 2003), the exact solution on the lattice, the
 * same smoothing again. In float: what it is off by costs no digit of what it is the preconditioner of, and all of it
 * is traffic with memory. */
#include "author/modes/two_grid.h"

#include <math.h>
#include <string.h>

#include "host/base/random.h"

#define DEGREE 3
#define LANCZOS_STEPS 12
#define MARGIN 1.1          /* of the largest eigenvalue */
#define SMOOTHED_SHARE 0.08 /* of the largest eigenvalue: from there on the smoother takes care */
#define LANES SN_TWO_GRID_LANES
#define STRIP 3 /* of lanes, that a pass over the matrix keeps in registers */
#define INLINE static inline __attribute__((always_inline))

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

/* r -= K x; to = keep x + take D^-1 r; y += to, and x where it is not there yet. `to` and y may be null. */
typedef struct pass {
    const float *x;
    float keep, take;
    float *to, *y;
    bool is_x_new;
} pass;

INLINE lanes load(const float *from)
{
    lanes value;
    memcpy(&value, from, sizeof value);
    return value;
}

INLINE void store(lanes value, float *to)
{
    memcpy(to, &value, sizeof value);
}

/* What a row's lanes become, for its sum of K x. */
INLINE void finish_row(const sn_two_grid *g, const pass *p, size_t row, size_t at, lanes sum)
{
    const lanes r = load(g->residual + at) - sum;
    store(r, g->residual + at);
    if (p->to) {
        const lanes x = load(p->x + at), to = p->keep * x + p->take * g->inverse_diagonal[row] * r;
        store(to, p->to + at);
        store(load(p->y + at) + (p->is_x_new ? x + to : to), p->y + at);
    }
}

/* Every call names a constant count: the sums stay in registers. */
INLINE void run_strip(const sn_two_grid *g, const pass *p, size_t count, size_t width, size_t first)
{
    const sn_matrix_rows *k = g->k;
    for (size_t i = 0; i < k->size; ++i) {
        lanes sums[STRIP] = {{0}};
        for (size_t e = k->starts[i]; e < k->starts[i + 1]; ++e) {
            const float *from = p->x + (size_t)k->columns[e] * width + first;
#pragma GCC unroll 3
            for (size_t c = 0; c < count; ++c) {
                sums[c] += g->values[e] * load(from + LANES * c);
            }
        }
#pragma GCC unroll 3
        for (size_t c = 0; c < count; ++c) {
            finish_row(g, p, i, i * width + first + LANES * c, sums[c]);
        }
    }
}

INLINE void run_any(const sn_two_grid *g, const pass *p, size_t width)
{
    size_t first = 0;
    for (; first + STRIP * LANES <= width; first += STRIP * LANES) {
        run_strip(g, p, STRIP, width, first);
    }
    if (width - first == 2 * LANES) {
        run_strip(g, p, 2, width, first);
    } else if (width > first) {
        run_strip(g, p, 1, width, first);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void run_avx2(const sn_two_grid *g, const pass *p, size_t width)
{
    run_any(g, p, width);
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
    run_any(g, p, width);
}

/* w = D^-1 K v - beta before; v . w in the norm of D. */
static double lead_on(const sn_two_grid *g, double beta, const float *v, const float *before, float *w)
{
    const sn_matrix_rows *k = g->k;
    double dot = 0;
    for (size_t i = 0; i < k->size; ++i) {
        float sum = 0;
        for (size_t e = k->starts[i]; e < k->starts[i + 1]; ++e) {
            sum += g->values[e] * v[k->columns[e]];
        }
        w[i] = g->inverse_diagonal[i] * sum - (float)beta * before[i];
        dot += (double)v[i] * (double)w[i] / (double)g->inverse_diagonal[i];
    }
    return dot;
}

/* w -= alpha v; w^2 in the norm of D. */
static double take_off(const sn_two_grid *g, double alpha, const float *v, float *w)
{
    double square = 0;
    for (size_t i = 0; i < g->k->size; ++i) {
        w[i] -= (float)alpha * v[i];
        square += (double)w[i] * (double)w[i] / (double)g->inverse_diagonal[i];
    }
    return square;
}

/* The largest eigenvalue of D^-1 K, from below by a few per cent, by Lanczos' method: where slivers are, it is far from
 * all others and belongs to a vector of few vertices, which a power method finds too late. */
static sn_result find_largest(const sn_two_grid *g, double *largest)
{
    float *before = g->directions[0], *v = g->directions[1], *w = g->residual;
    double matrix[LANCZOS_STEPS * LANCZOS_STEPS] = {0}, values[LANCZOS_STEPS], beta = 0, square = 0;
    uint64_t random = 1;
    for (size_t i = 0; i < g->k->size; ++i) {
        w[i] = (float)(2 * sn_random_unit(&random) - 1);
    }
    square = take_off(g, 0, w, w);
    for (size_t step = 0; step < LANCZOS_STEPS && square > 0; ++step) {
        float *const free_one = before;
        before = v;
        v = w;
        w = free_one;
        const float scale = (float)(1 / sqrt(square));
        for (size_t i = 0; i < g->k->size; ++i) {
            v[i] *= scale;
        }
        const double alpha = lead_on(g, beta, v, before, w);
        square = take_off(g, alpha, v, w);
        matrix[step * (LANCZOS_STEPS + 1)] = alpha;
        beta = sqrt(square);
        if (step + 1 < LANCZOS_STEPS) {
            matrix[step * (LANCZOS_STEPS + 1) + 1] = beta;
        }
    }
    const sn_result result = sn_symmetric_eigen(LANCZOS_STEPS, matrix, values);
    *largest = values[LANCZOS_STEPS - 1];
    return result;
}

sn_result sn_two_grid_init(const sn_matrix_rows *k, const sn_coarse_space *space, sn_factor *factor, size_t widest,
                           sn_arena *arena, sn_two_grid *grid)
{
    const size_t count = k->size * widest, filled = k->starts[k->size];
    *grid = (sn_two_grid){.k = k,
                          .space = space,
                          .factor = factor,
                          .values = SN_NEW(arena, float, filled),
                          .inverse_diagonal = SN_NEW(arena, float, k->size),
                          .residual = SN_NEW(arena, float, count),
                          .solution = SN_NEW(arena, float, count),
                          .directions = {SN_NEW(arena, float, count), SN_NEW(arena, float, count)},
                          .coarse = SN_NEW(arena, double, space->coarse_size *widest)};
    if (!grid->values || !grid->inverse_diagonal || !grid->residual || !grid->solution || !grid->directions[0] ||
        !grid->directions[1] || !grid->coarse) {
        return SN_ERROR_MEMORY;
    }
    for (size_t e = 0; e < filled; ++e) {
        grid->values[e] = (float)k->values[e];
    }
    for (size_t i = 0; i < k->size; ++i) {
        grid->inverse_diagonal[i] = (float)k->inverse_diagonal[i];
    }
    const sn_result result = find_largest(grid, &grid->high);
    grid->high *= MARGIN;
    grid->low = SMOOTHED_SHARE * grid->high;
    return result;
}

/* solution += q(D^-1 K) D^-1 r for the residual r = residual - K of what has just been added, if anything has: that is
 * directions[1]. The last step's direction is left to be taken off the residual. */
static float *smooth(const sn_two_grid *g, size_t width, bool is_corrected)
{
    const size_t count = g->k->size * width;
    const double middle = 0.5 * (g->high + g->low), half = 0.5 * (g->high - g->low), sigma = middle / half;
    double rho = 1 / sigma;
    float *from = g->directions[1], *to = g->directions[0];
    const float first = (float)(1 / middle);
    if (is_corrected) {
        run(g, width, &(pass){.x = from, .take = first, .to = to, .y = g->solution, .is_x_new = true});
    } else {
        for (size_t i = 0; i < count; ++i) {
            g->solution[i] = to[i] = first * g->inverse_diagonal[i / width] * g->residual[i];
        }
    }
    for (int step = 1; step < DEGREE; ++step) {
        const double next = 1 / (2 * sigma - rho);
        float *const other = from;
        from = to;
        to = other;
        run(g, width,
            &(pass){
                .x = from, .keep = (float)(next * rho), .take = (float)(2 * next / half), .to = to, .y = g->solution});
        rho = next;
    }
    return to;
}

sn_result sn_two_grid_apply(const sn_two_grid *g, size_t width)
{
    SN_ASSERT(width % LANES == 0);
    run(g, width, &(pass){.x = smooth(g, width, false)});
    sn_coarse_space_restrict(g->space, width, g->residual, g->coarse);
    const sn_result result = sn_factor_solve_rows(g->factor, (int)width, g->coarse);
    sn_coarse_space_prolong(g->space, width, g->coarse, g->directions[1]);
    (void)smooth(g, width, true);
    return result;
}
