/* SPDX-License-Identifier: MIT */
#include "host/math/one_euro.h"

#include <math.h>
#include <string.h>

#include "host/math/quaternion.h"

#define TWO_PI 6.283185307179586

/* Weight of a new sample: equation 6 of the paper. */
static double sample_weight(double cutoff, double seconds)
{
    const double phase = TWO_PI * cutoff * seconds;
    return phase / (1 + phase);
}

/* Whether to filter: a first sample is used unchanged, and a sample without elapsed time is ignored. */
static bool begin(double seconds, int count, sn_one_euro_state *state, double *values)
{
    bool is_finite = true;
    for (int i = 0; i < count; ++i) {
        is_finite = is_finite && isfinite(values[i]);
    }
    if (!state->has_value && is_finite) {
        memcpy(state->value, values, (size_t)count * sizeof *values);
        memset(state->velocity, 0, sizeof state->velocity);
        state->has_value = true;
        return false;
    }
    if (!is_finite || !(seconds > 0)) {
        memcpy(values, state->value, (size_t)count * sizeof *values);
        return false;
    }
    return true;
}

/* Weight of a sample (count). The speed is that of the filtered velocity, which is low for jitter. */
static double advance(const sn_one_euro *filter, double seconds, int count, const double *change,
                      sn_one_euro_state *state)
{
    const double velocity_weight = sample_weight(filter->speed_cutoff, seconds);
    double square = 0;
    for (int i = 0; i < count; ++i) {
        state->velocity[i] += velocity_weight * (change[i] / seconds - state->velocity[i]);
        square += state->velocity[i] * state->velocity[i];
    }
    return sample_weight(filter->cutoff + filter->beta * sqrt(square), seconds);
}

void sn_one_euro_filter(const sn_one_euro *filter, double seconds, int count, sn_one_euro_state *state, double *values)
{
    double change[4];
    if (!begin(seconds, count, state, values)) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        change[i] = values[i] - state->value[i];
    }
    const double weight = advance(filter, seconds, count, change, state);
    for (int i = 0; i < count; ++i) {
        state->value[i] += weight * change[i];
        values[i] = state->value[i];
    }
}

void sn_one_euro_rotate(const sn_one_euro *filter, double seconds, sn_one_euro_state *state, double *rotation)
{
    double back[4], change[4];
    if (!begin(seconds, 4, state, rotation)) {
        return;
    }
    sn_quaternion_conjugate(state->value, back);
    sn_quaternion_multiply(rotation, back, change);
    const double sine = sqrt(change[0] * change[0] + change[1] * change[1] + change[2] * change[2]);
    const double angle = 2 * atan2(sine, fabs(change[3])), sign = change[3] < 0 ? -1 : 1;
    for (int d = 0; d < 3; ++d) {
        change[d] *= sine > 0 ? sign * angle / sine : 0;
    }
    sn_quaternion_blend(state->value, rotation, advance(filter, seconds, 3, change, state), state->value);
    memcpy(rotation, state->value, sizeof state->value);
}
