/* SPDX-License-Identifier: MIT */
#include "host/model/displacement_bound.h"

#include <math.h>
#include <string.h>

#define STEP_COUNT 8      /* iterations of the dual's multiplicative ascent */
#define ROUND_COUNT 3     /* passes over all vertices, each of which may add the most violating one */
#define MIN_STIFFNESS 0.1 /* min stiffness, fraction of the mean: free coordinates have none */
#define SLACK 1.01        /* tolerated violation of the bound without another round */

typedef struct search {
    const sn_displacement_basis *basis;
    size_t width;        /* number of coordinates */
    size_t count;        /* candidates: two per coordinate, and those added by rounds */
    size_t *vertices;    /* (count) the candidates */
    double *multipliers; /* (count) m_v, of sum 1 */
    double *expected;    /* (width) c_i */
    double *weights;     /* (width) b_i^2, up to a factor */
    double *inverses;    /* (width) 1 / weights, 0 where that is 0 */
    double *lengths;     /* (count) sum_i V_vi^2 / weights_i */
    sn_arena arena;
} search;

static sn_result allocate(search *s)
{
    const size_t q = s->width, max_vertices = 2 * q + ROUND_COUNT;
    const bool is_ok = (s->vertices = SN_NEW(&s->arena, size_t, max_vertices)) &&
                       (s->multipliers = SN_NEW(&s->arena, double, max_vertices)) &&
                       (s->expected = SN_NEW(&s->arena, double, q)) && (s->weights = SN_NEW(&s->arena, double, q)) &&
                       (s->inverses = SN_NEW(&s->arena, double, q)) &&
                       (s->lengths = SN_NEW(&s->arena, double, max_vertices));
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
    size_t *max_vertices = SN_NEW(&s->arena, size_t, q), *min_vertices = SN_NEW(&s->arena, size_t, q);
    double *max_values = SN_NEW(&s->arena, double, q), *min_values = SN_NEW(&s->arena, double, q);
    if (!max_vertices || !min_vertices || !max_values || !min_values) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < s->basis->vertex_count; ++v) {
        const double *row = row_of(s, v);
        for (size_t i = 0; i < q; ++i) {
            if (row[i] > max_values[i]) {
                max_values[i] = row[i];
                max_vertices[i] = v;
            }
            if (row[i] < min_values[i]) {
                min_values[i] = row[i];
                min_vertices[i] = v;
            }
        }
    }
    for (size_t i = 0; i < q && s->basis->vertex_count > 0; ++i) {
        s->vertices[s->count++] = max_vertices[i];
        s->vertices[s->count++] = min_vertices[i];
    }
    return SN_OK;
}

static void compute_expected(search *s)
{
    const double *stiffness = s->basis->stiffness;
    double mean = 0;
    for (size_t i = 0; i < s->width; ++i) {
        mean += stiffness[i] / (double)s->width;
    }
    mean = mean > 0 ? mean : 1;
    for (size_t i = 0; i < s->width; ++i) {
        const double lambda = fmax(stiffness[i] / mean, MIN_STIFFNESS);
        s->expected[i] = lambda / ((1 + lambda) * (1 + lambda));
    }
}

static void compute_weights(search *s)
{
    memset(s->weights, 0, s->width * sizeof *s->weights);
    for (size_t v = 0; v < s->count; ++v) {
        const double *row = row_of(s, s->vertices[v]);
        for (size_t i = 0; i < s->width; ++i) {
            s->weights[i] += s->multipliers[v] * (row[i] * row[i]);
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
    double partial_sums[4] = {0};
    for (size_t i = 0; i < width; ++i) {
        partial_sums[i % 4] += row[i] * row[i] * inverses[i];
    }
    return (partial_sums[0] + partial_sums[2]) + (partial_sums[1] + partial_sums[3]);
}

/* Optimises the weights for the candidates; returns the max of their lengths. */
static double ascend(search *s)
{
    double max_length = 0;
    for (size_t v = 0; v < s->count; ++v) {
        s->multipliers[v] = 1 / (double)s->count;
    }
    for (int step = 0; step <= STEP_COUNT; ++step) {
        double sum = 0;
        max_length = 0;
        compute_weights(s);
        for (size_t v = 0; v < s->count; ++v) {
            s->lengths[v] = length_of(row_of(s, s->vertices[v]), s->inverses, s->width);
            max_length = fmax(max_length, s->lengths[v]);
            sum += s->multipliers[v] * s->lengths[v];
        }
        for (size_t v = 0; v < s->count && sum > 0 && step < STEP_COUNT; ++v) {
            s->multipliers[v] *= s->lengths[v] / sum;
        }
    }
    return max_length;
}

/* The max over all vertices. */
static double find_max_length(search *s, size_t *vertex)
{
    double max_length = 0;
    for (size_t v = 0; v < s->basis->vertex_count; ++v) {
        const double length = length_of(row_of(s, v), s->inverses, s->width);
        if (length > max_length) {
            max_length = length;
            *vertex = v;
        }
    }
    return max_length;
}

static void solve(search *s, double *b)
{
    double max_length = 0;
    bool is_enough = false;
    for (int round = 0; round < ROUND_COUNT && !is_enough; ++round) {
        size_t vertex = 0;
        const double candidate_length = ascend(s);
        max_length = find_max_length(s, &vertex);
        is_enough = max_length <= SLACK * candidate_length;
        if (!is_enough && round + 1 < ROUND_COUNT) {
            s->vertices[s->count++] = vertex;
        }
    }
    for (size_t i = 0; i < s->width; ++i) {
        b[i] = sqrt(s->weights[i] * max_length);
    }
}

sn_result sn_displacement_bound_compute(const sn_displacement_basis *basis, double *b)
{
    search s = {.basis = basis, .width = basis->coordinate_count};
    sn_result result = allocate(&s);
    result = result == SN_OK ? add_extremes(&s) : result;
    if (result == SN_OK) {
        compute_expected(&s);
        solve(&s, b);
    }
    sn_arena_finish(&s.arena);
    return result;
}
