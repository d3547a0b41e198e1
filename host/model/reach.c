/* SPDX-License-Identifier: MIT */
#include "host/model/reach.h"

#include <math.h>
#include <string.h>

#define STEP_COUNT 8    /* iterations of the dual's multiplicative ascent */
#define ROUND_COUNT 3   /* passes over all vertices, each of which may add the most violating one */
#define LEAST_SHARE 0.1 /* min stiffness, fraction of the mean: free coordinates have none */
#define SLACK 1.01      /* tolerated violation of the bound without another round */

typedef struct search {
    const sn_reach_basis *basis;
    size_t width;     /* number of coordinates */
    size_t count;     /* candidates: two per coordinate, and those added by rounds */
    size_t *vertices; /* (count) the candidates */
    double *shares;   /* (count) m_v, of sum 1 */
    double *expected; /* (width) c_i */
    double *weights;  /* (width) b_i^2, up to a factor */
    double *inverses; /* (width) 1 / weights, 0 where that is 0 */
    double *lengths;  /* (count) sum_i V_vi^2 / weights_i */
    sn_arena arena;
} search;

static sn_result allocate(search *s)
{
    const size_t q = s->width, most = 2 * q + ROUND_COUNT;
    const bool is_ok = (s->vertices = SN_NEW(&s->arena, size_t, most)) &&
                       (s->shares = SN_NEW(&s->arena, double, most)) && (s->expected = SN_NEW(&s->arena, double, q)) &&
                       (s->weights = SN_NEW(&s->arena, double, q)) && (s->inverses = SN_NEW(&s->arena, double, q)) &&
                       (s->lengths = SN_NEW(&s->arena, double, most));
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

static const double *row_of(const search *s, size_t vertex)
{
    return s->basis->rows + vertex * s->width;
}

/* Adds the vertices with the max and min displacement of each coordinate. */
static sn_result add_extremes(search *s)
{
    const size_t q = s->width;
    size_t *most = SN_NEW(&s->arena, size_t, q), *least = SN_NEW(&s->arena, size_t, q);
    double *highest = SN_NEW(&s->arena, double, q), *lowest = SN_NEW(&s->arena, double, q);
    if (!most || !least || !highest || !lowest) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < s->basis->vertex_count; ++v) {
        const double *row = row_of(s, v);
        for (size_t i = 0; i < q; ++i) {
            if (row[i] > highest[i]) {
                highest[i] = row[i];
                most[i] = v;
            }
            if (row[i] < lowest[i]) {
                lowest[i] = row[i];
                least[i] = v;
            }
        }
    }
    for (size_t i = 0; i < q && s->basis->vertex_count > 0; ++i) {
        s->vertices[s->count++] = most[i];
        s->vertices[s->count++] = least[i];
    }
    return SN_OK;
}

static void expect(search *s)
{
    const double *stiffness = s->basis->stiffness;
    double mean = 0;
    for (size_t i = 0; i < s->width; ++i) {
        mean += stiffness[i] / (double)s->width;
    }
    mean = mean > 0 ? mean : 1;
    for (size_t i = 0; i < s->width; ++i) {
        const double lambda = fmax(stiffness[i] / mean, LEAST_SHARE);
        s->expected[i] = lambda / ((1 + lambda) * (1 + lambda));
    }
}

static void weigh(search *s)
{
    memset(s->weights, 0, s->width * sizeof *s->weights);
    for (size_t v = 0; v < s->count; ++v) {
        const double *row = row_of(s, s->vertices[v]);
        for (size_t i = 0; i < s->width; ++i) {
            s->weights[i] += s->shares[v] * (row[i] * row[i]);
        }
    }
    for (size_t i = 0; i < s->width; ++i) {
        s->weights[i] = sqrt(s->weights[i] / s->expected[i]);
        s->inverses[i] = s->weights[i] > 0 ? 1 / s->weights[i] : 0;
    }
}

/* sum_i V_vi^2 / weights_i, in four independent accumulators for instruction parallelism. */
static double length_of(const double *row, const double *inverses, size_t width)
{
    double sums[4] = {0};
    for (size_t i = 0; i < width; ++i) {
        sums[i % 4] += row[i] * row[i] * inverses[i];
    }
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

/* Optimises the weights for the candidates; returns the max of their lengths. */
static double ascend(search *s)
{
    double longest = 0;
    for (size_t v = 0; v < s->count; ++v) {
        s->shares[v] = 1 / (double)s->count;
    }
    for (int step = 0; step <= STEP_COUNT; ++step) {
        double sum = 0;
        longest = 0;
        weigh(s);
        for (size_t v = 0; v < s->count; ++v) {
            s->lengths[v] = length_of(row_of(s, s->vertices[v]), s->inverses, s->width);
            longest = fmax(longest, s->lengths[v]);
            sum += s->shares[v] * s->lengths[v];
        }
        for (size_t v = 0; v < s->count && sum > 0 && step < STEP_COUNT; ++v) {
            s->shares[v] *= s->lengths[v] / sum;
        }
    }
    return longest;
}

/* The max over all vertices. */
static double find_longest(search *s, size_t *vertex)
{
    double longest = 0;
    for (size_t v = 0; v < s->basis->vertex_count; ++v) {
        const double length = length_of(row_of(s, v), s->inverses, s->width);
        if (length > longest) {
            longest = length;
            *vertex = v;
        }
    }
    return longest;
}

static void solve(search *s, double *b)
{
    double longest = 0;
    bool is_enough = false;
    for (int round = 0; round < ROUND_COUNT && !is_enough; ++round) {
        size_t vertex = 0;
        const double of_candidates = ascend(s);
        longest = find_longest(s, &vertex);
        is_enough = longest <= SLACK * of_candidates;
        if (!is_enough && round + 1 < ROUND_COUNT) {
            s->vertices[s->count++] = vertex;
        }
    }
    for (size_t i = 0; i < s->width; ++i) {
        b[i] = sqrt(s->weights[i] * longest);
    }
}

sn_result sn_reach_find(const sn_reach_basis *basis, double *b)
{
    search s = {.basis = basis, .width = basis->coordinate_count};
    sn_result result = allocate(&s);
    result = result == SN_OK ? add_extremes(&s) : result;
    if (result == SN_OK) {
        expect(&s);
        solve(&s, b);
    }
    sn_arena_finish(&s.arena);
    return result;
}
