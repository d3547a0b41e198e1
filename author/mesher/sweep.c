/* SPDX-License-Identifier: MIT */
/* Zhao 2005, "A fast sweeping method for Eikonal equations": Gauss-Seidel sweeps in eight axis orders, with upwind
 * differences. */
#include "author/mesher/sweep.h"

#include <math.h>

#define ROUND_LIMIT 4 /* rounds of eight orders; one suffices in free space, distances around corners need more */
#define CONVERGED_CHANGE 1e-3

typedef struct sweeper {
    const int *counts;
    const bool *is_fixed;
    double *distances;
    int8_t *signs;
    double max_change;
} sweeper;

static void sort_pair(double *a, double *b)
{
    const double old_a = *a;
    *a = fmin(*a, *b);
    *b = fmax(old_a, *b);
}

/* Returns the smallest d with sum_k max(d - a_k, 0)^2 = 1. */
static double solve_upwind(const double *nearest)
{
    double a = nearest[0], b = nearest[1], c = nearest[2];
    sort_pair(&a, &b);
    sort_pair(&b, &c);
    sort_pair(&a, &b);
    double d = a + 1;
    if (d > b) {
        d = 0.5 * (a + b + sqrt(2 - (a - b) * (a - b)));
    }
    if (d > c) {
        const double sum = a + b + c;
        d = (sum + sqrt(sum * sum - 3 * (a * a + b * b + c * c - 1))) / 3;
    }
    return d;
}

static void update(sweeper *s, const int *at)
{
    const size_t strides[3] = {1, (size_t)s->counts[0], (size_t)s->counts[0] * (size_t)s->counts[1]};
    const size_t node = (size_t)at[0] + (size_t)at[1] * strides[1] + (size_t)at[2] * strides[2];
    double nearest[3] = {INFINITY, INFINITY, INFINITY}, min_neighbour = INFINITY;
    int8_t sign = 0;
    if (s->is_fixed[node]) {
        return;
    }
    for (int k = 0; k < 6; ++k) {
        const int d = k / 2;
        if (k % 2 ? at[d] == 0 : at[d] == s->counts[d] - 1) {
            continue;
        }
        const size_t other = k % 2 ? node - strides[d] : node + strides[d];
        nearest[d] = fmin(nearest[d], s->distances[other]);
        if (s->distances[other] < min_neighbour) {
            min_neighbour = s->distances[other];
            sign = s->signs[other];
        }
    }
    const double distance = min_neighbour < INFINITY ? solve_upwind(nearest) : INFINITY;
    if (distance < s->distances[node]) {
        s->max_change = fmax(s->max_change, s->distances[node] - distance);
        s->distances[node] = distance;
        s->signs[node] = s->signs[node] ? s->signs[node] : sign;
    }
}

static void sweep(sweeper *s, int order)
{
    const int *n = s->counts;
    for (int z = 0; z < n[2]; ++z) {
        for (int y = 0; y < n[1]; ++y) {
            for (int x = 0; x < n[0]; ++x) {
                update(s, (const int[3]){order & 1 ? n[0] - 1 - x : x, order & 2 ? n[1] - 1 - y : y,
                                         order & 4 ? n[2] - 1 - z : z});
            }
        }
    }
}

void sn_distances_sweep(const int *counts, const bool *is_fixed, double *distances, int8_t *signs)
{
    sweeper s = {.counts = counts, .is_fixed = is_fixed, .distances = distances, .signs = signs};
    for (int round = 0; round < ROUND_LIMIT; ++round) {
        s.max_change = 0;
        for (int order = 0; order < 8; ++order) {
            sweep(&s, order);
        }
        if (s.max_change < CONVERGED_CHANGE) {
            break;
        }
    }
}
