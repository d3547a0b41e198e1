/* SPDX-License-Identifier: MIT */
#include "author/bake/joint_fit.h"

#include <math.h>
#include <string.h>

#include "author/bake/trs.h"
#include "host/math/vec3.h"

#define REGULARIZATION 1e-3 /* regularization towards the previous rotation, relative to the accumulated spread */
#define MIN_SQUARE_WEIGHT                                                                                              \
    0.02 /* regularization in units of vertices that keep their motion; stabilizes joints with small weights */
#define MIN_SCALE 0.25
#define MAX_SCALE 4.0
#define MIN_WEIGHT 0.01

void sn_similarity_add(sn_similarity_moments *s, double weight, const double *source, const double *target)
{
    s->square += weight * weight;
    s->length2 += weight * weight * sn_dot3(source, source);
    for (int d = 0; d < 3; ++d) {
        s->source[d] += weight * weight * source[d];
        s->target[d] += weight * target[d];
        for (int k = 0; k < 3; ++k) {
            s->cross[3 * d + k] += weight * target[d] * source[k];
        }
    }
}

void sn_similarity_solve(const sn_similarity_moments *s, double *m)
{
    double source[3], target[3], h[9], rotation[9], along = 0;
    if (!(s->square > 1e-12)) {
        return;
    }
    for (int d = 0; d < 3; ++d) {
        source[d] = s->source[d] / s->square;
        target[d] = s->target[d] / s->square;
    }
    const double spread = s->length2 - s->square * sn_dot3(source, source);
    const double regularization = (REGULARIZATION + MIN_SQUARE_WEIGHT / s->square) * fmax(spread, 1e-9 * s->length2);
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) {
            h[3 * d + k] = s->cross[3 * d + k] - s->square * target[d] * source[k] + regularization * m[4 * d + k];
        }
    }
    sn_rotation_towards(h, rotation);
    for (int k = 0; k < 9; ++k) {
        along += rotation[k] * h[k];
    }
    double previous[3]; /* the previous position of the center, for regularization */
    for (int d = 0; d < 3; ++d) {
        previous[d] = sn_dot3(m + 4 * d, source) + m[4 * d + 3];
        target[d] = (s->square * target[d] + MIN_SQUARE_WEIGHT * previous[d]) / (s->square + MIN_SQUARE_WEIGHT);
    }
    /* a rotation has |m|^2 = 3, so the regularization counts like the spread of 3 unit vectors */
    const double scale = fmin(fmax(along / (fmax(spread, 0) + 3 * regularization), MIN_SCALE), MAX_SCALE);
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < 3; ++k) {
            m[4 * d + k] = scale * rotation[3 * d + k];
        }
        m[4 * d + 3] = target[d] - sn_dot3(m + 4 * d, source);
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
        int min_index = 0;
        for (int i = 1; i < active_count; ++i) {
            min_index = y[i] < y[min_index] ? i : min_index;
        }
        if (active_count == 1 || (y[min_index] >= MIN_WEIGHT && active_count <= limit)) {
            break;
        }
        --active_count;
        memmove(active + min_index, active + min_index + 1, (size_t)(active_count - min_index) * sizeof *active);
    }
    memset(weights, 0, (size_t)count * sizeof(double));
    for (int i = 0; i < active_count; ++i) {
        weights[active[i]] = y[i];
    }
}
