/* SPDX-License-Identifier: MIT */
/* Bezier trajectories (the paper's (1) and (2)) with inner control points x +- T v / 3, so that v is the velocity. */
#include "author/spacetime/trajectory.h"

#include <string.h>

void sn_bernstein(double theta, double *value, double *first, double *second)
{
    const double t = theta, u = 1 - theta;
    memcpy(value, (double[]){u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t}, 4 * sizeof *value);
    memcpy(first, (double[]){-3 * u * u, 3 * u * (u - 2 * t), 3 * t * (2 * u - t), 3 * t * t}, 4 * sizeof *first);
    memcpy(second, (double[]){6 * u, 6 * t - 12 * u, 6 * u - 12 * t, 6 * t}, 4 * sizeof *second);
}

static void combine(const double *bernstein, double duration, double scale, double *coefficients)
{
    coefficients[0] = scale * (bernstein[0] + bernstein[1]);
    coefficients[1] = scale * bernstein[1] * duration / 3;
    coefficients[2] = scale * (bernstein[2] + bernstein[3]);
    coefficients[3] = -scale * bernstein[2] * duration / 3;
}

sn_spacetime_span sn_spacetime_span_at(double theta, double duration)
{
    double value[4], first[4], second[4];
    sn_spacetime_span span;
    sn_bernstein(theta, value, first, second);
    combine(value, duration, 1, span.position);
    combine(first, duration, 1 / duration, span.velocity);
    combine(second, duration, 1 / (duration * duration), span.acceleration);
    return span;
}

static int count_samples(const sn_spacetime_input *input)
{
    int count = 0;
    for (int i = 0; i + 1 < input->key_count; ++i) {
        count += input->keys[i].duration > 0 ? input->keys[i].sample_count : 0;
    }
    return count;
}

/* Numbers the functions in the order of the keys. */
static void number_functions(const sn_spacetime_input *input, sn_spacetime_trajectory *t)
{
    const int last = input->key_count - 1;
    for (int key = 0; key <= last; ++key) {
        const bool closes_cycle = key == last && input->is_cyclic;
        const bool is_after_hit = key > 0 && !(input->keys[key - 1].duration > 0);
        t->position_functions[key] = closes_cycle   ? t->position_functions[0]
                                     : is_after_hit ? t->position_functions[key - 1]
                                                    : t->function_count++;
        t->velocity_functions[key] = closes_cycle ? t->velocity_functions[0] : t->function_count++;
    }
}

static void set_samples(const sn_spacetime_input *input, sn_spacetime_trajectory *t)
{
    int sample = 0;
    for (int i = 0; i + 1 < input->key_count; ++i) {
        const int count = input->keys[i].sample_count;
        for (int k = 0; k < count && input->keys[i].duration > 0; ++k, ++sample) {
            t->intervals[sample] = i;
            t->thetas[sample] = (double)k / count;
            t->fractions[sample] = 1.0 / count;
        }
    }
    if (sample > 0) {
        t->thetas[sample - 1] = 1;
    }
}

sn_result sn_spacetime_trajectory_build(const sn_spacetime_input *input, sn_arena *arena, sn_spacetime_trajectory *t)
{
    *t = (sn_spacetime_trajectory){.key_count = input->key_count, .sample_count = count_samples(input)};
    t->position_functions = SN_NEW(arena, int32_t, t->key_count);
    t->velocity_functions = SN_NEW(arena, int32_t, t->key_count);
    t->durations = SN_NEW(arena, double, t->key_count - 1);
    t->intervals = SN_NEW(arena, int32_t, t->sample_count);
    t->thetas = SN_NEW(arena, double, t->sample_count);
    t->fractions = SN_NEW(arena, double, t->sample_count);
    if (!t->position_functions || !t->velocity_functions || !t->durations || !t->intervals || !t->thetas ||
        !t->fractions) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i + 1 < t->key_count; ++i) {
        t->durations[i] = input->keys[i].duration;
    }
    number_functions(input, t);
    set_samples(input, t);
    return SN_OK;
}

sn_spacetime_span sn_spacetime_trajectory_span(const sn_spacetime_trajectory *t, int sample, int32_t *functions)
{
    const int i = t->intervals[sample];
    functions[0] = t->position_functions[i];
    functions[1] = t->velocity_functions[i];
    functions[2] = t->position_functions[i + 1];
    functions[3] = t->velocity_functions[i + 1];
    return sn_spacetime_span_at(t->thetas[sample], t->durations[i]);
}

double sn_spacetime_trajectory_weight(const sn_spacetime_trajectory *t, int sample)
{
    return t->fractions[sample] * t->durations[t->intervals[sample]];
}
