/* SPDX-License-Identifier: MIT */
#include "author/bake/joint_fit.h"

#include <math.h>
#include <string.h>

#include "author/bake/trs.h"
#include "host/math/vec3.h"

#define HOLD 1e-3 /* regularization towards the previous rotation, relative to the accumulated spread */
#define LEAST_SQUARE                                                                                                   \
    0.02 /* regularization in units of vertices that keep their motion; stabilizes joints with small weights */
#define LEAST_SCALE 0.25
#define MOST_SCALE 4.0
#define LEAST_WEIGHT 0.01

void sn_similarity_add(sn_similarity_sums *s, double weight, const double *place, const double *goal)
{
    s->square += weight * weight;
    s->length2 += weight * weight * sn_dot3(place, place);
    for (int d = 0; d < 3; ++d) {
        s->place[d] += weight * weight * place[d];
        s->goal[d] += weight * goal[d];
        for (int k = 0; k < 3; ++k) {
            s->cross[3 * d + k] += weight * goal[d] * place[k];
        }
    }
}

void sn_similarity_solve(const sn_similarity_sums *s, double *m)
{
    double place[3], goal[3], h[9], rotation[9], along = 0;
    if (!(s->square > 1e-12)) {
        return;
    }
    for (int d = 0; d < 3; ++d) {
        place[d] = s->place[d] / s->square;
        goal[d] = s->goal[d] / s->square;
    }
    const double spread = s->length2 - s->square * sn_dot3(place, place);
    const double held = (HOLD + LEAST_SQUARE / s->square) * fmax(spread, 1e-9 * s->length2);
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) {
            h[3 * d + k] = s->cross[3 * d + k] - s->square * goal[d] * place[k] + held * m[4 * d + k];
        }
    }
    sn_rotation_towards(h, rotation);
    for (int k = 0; k < 9; ++k) {
        along += rotation[k] * h[k];
    }
    double before[3]; /* the previous position of the center, for regularization */
    for (int d = 0; d < 3; ++d) {
        before[d] = sn_dot3(m + 4 * d, place) + m[4 * d + 3];
        goal[d] = (s->square * goal[d] + LEAST_SQUARE * before[d]) / (s->square + LEAST_SQUARE);
    }
    /* a rotation has |m|^2 = 3, so the regularization counts like the spread of 3 unit vectors */
    const double scale = fmin(fmax(along / (fmax(spread, 0) + 3 * held), LEAST_SCALE), MOST_SCALE);
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) {
            m[4 * d + k] = scale * rotation[3 * d + k];
        }
        m[4 * d + 3] = goal[d] - sn_dot3(m + 4 * d, place);
    }
}

/* Computes y = gram^-1 1 over the active entries by Cholesky with a small diagonal shift, then scales y to sum 1. */
static void solve_active(int count, const double *gram, const int *active, int active_count, double *y)
{
    double lower[SN_SIMPLEX_LIMIT * SN_SIMPLEX_LIMIT], trace = 0, sum = 0;
    for (int i = 0; i < active_count; ++i) {
        trace += gram[active[i] * count + active[i]];
    }
    const double shift = 1e-9 * trace + 1e-30;
    for (int i = 0; i < active_count; ++i) {
        for (int k = 0; k <= i; ++k) {
            double value = gram[active[i] * count + active[k]] + (i == k ? shift : 0);
            for (int j = 0; j < k; ++j) {
                value -= lower[i * active_count + j] * lower[k * active_count + j];
            }
            lower[i * active_count + k] = i == k ? sqrt(fmax(value, shift)) : value / lower[k * active_count + k];
        }
        y[i] = 1;
        for (int j = 0; j < i; ++j) {
            y[i] -= lower[i * active_count + j] * y[j];
        }
        y[i] /= lower[i * active_count + i];
    }
    for (int i = active_count - 1; i >= 0; --i) {
        for (int j = i + 1; j < active_count; ++j) {
            y[i] -= lower[j * active_count + i] * y[j];
        }
        y[i] /= lower[i * active_count + i];
        sum += y[i];
    }
    for (int i = 0; i < active_count; ++i) {
        y[i] /= sum;
    }
}

void sn_simplex_weights(int count, const double *gram, int limit, double *weights)
{
    int active[SN_SIMPLEX_LIMIT], active_count = count;
    double y[SN_SIMPLEX_LIMIT];
    for (int i = 0; i < count; ++i) {
        active[i] = i;
    }
    for (;;) {
        solve_active(count, gram, active, active_count, y);
        int least = 0;
        for (int i = 1; i < active_count; ++i) {
            least = y[i] < y[least] ? i : least;
        }
        if (active_count == 1 || (y[least] >= LEAST_WEIGHT && active_count <= limit)) {
            break;
        }
        --active_count;
        memmove(active + least, active + least + 1, (size_t)(active_count - least) * sizeof *active);
    }
    memset(weights, 0, (size_t)count * sizeof(double));
    for (int i = 0; i < active_count; ++i) {
        weights[active[i]] = y[i];
    }
}
