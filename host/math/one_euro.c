/* SPDX-License-Identifier: MIT */
#include "host/math/one_euro.h"

#include <math.h>
#include <string.h>

#include "host/math/quaternion.h"

#define TWO_PI 6.283185307179586

/* The share of a new sample: equation 6 of the paper. */
static double share(double cutoff, double seconds)
{
    const double turns = TWO_PI * cutoff * seconds;
    return turns / (1 + turns);
}

/* Whether there is anything to filter: a first sample is taken as it is, and one of no time leaves all as it was. */
static bool begin(double seconds, int count, sn_one_euro_state *state, double *values)
{
    bool is_finite = true;
    for (int i = 0; i < count; ++i) {
        is_finite = is_finite && isfinite(values[i]);
    }
    if (!state->has_value && is_finite) {
        memcpy(state->value, values, (size_t)count * sizeof *values);
        state->speed = 0;
        state->has_value = true;
        return false;
    }
    if (!is_finite || !(seconds > 0)) {
        memcpy(values, state->value, (size_t)count * sizeof *values);
        return false;
    }
    return true;
}

/* How much of the way to a sample that is so far is gone. */
static double advance(const sn_one_euro *filter, double seconds, double distance, sn_one_euro_state *state)
{
    state->speed += share(filter->speed_cutoff, seconds) * (distance / seconds - state->speed);
    return share(filter->cutoff + filter->beta * state->speed, seconds);
}

void sn_one_euro_filter(const sn_one_euro *filter, double seconds, int count, sn_one_euro_state *state, double *values)
{
    double square = 0;
    if (!begin(seconds, count, state, values)) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        square += (values[i] - state->value[i]) * (values[i] - state->value[i]);
    }
    const double gone = advance(filter, seconds, sqrt(square), state);
    for (int i = 0; i < count; ++i) {
        state->value[i] += gone * (values[i] - state->value[i]);
        values[i] = state->value[i];
    }
}

void sn_one_euro_rotate(const sn_one_euro *filter, double seconds, sn_one_euro_state *state, double *rotation)
{
    double dot = 0;
    if (!begin(seconds, 4, state, rotation)) {
        return;
    }
    for (int i = 0; i < 4; ++i) {
        dot += rotation[i] * state->value[i];
    }
    const double angle = 2 * acos(fmin(fabs(dot), 1));
    sn_quaternion_blend(state->value, rotation, advance(filter, seconds, angle, state), state->value);
    memcpy(rotation, state->value, sizeof state->value);
}
