/* SPDX-License-Identifier: MIT */
/* Chooses the times at which weights and poses are sampled: equal steps in each segment, so that keys are hit exactly.
 */
#include <math.h>

#include "author/bake/shaper.h"

#define MAX_STEPS                                                                                                      \
    2048 /* max. steps per segment to meet the error; faster oscillations are undersampled, with a warning */
#define MAX_FRAMES 65536

/* Computes the largest surface displacement of each target. */
static double *measure_targets(sn_shaper *s)
{
    const size_t count = (size_t)s->segment_count * (size_t)s->mode_count;
    double *target_sizes = SN_NEW(&s->scratch, double, count);
    for (size_t k = 0; target_sizes && k < count; ++k) {
        for (size_t i = 0; i < 3 * (size_t)s->vertex_count; i += 3) {
            const float *x = s->targets[k] + i;
            target_sizes[k] = fmax(target_sizes[k], sqrt((double)x[0] * (double)x[0] + (double)x[1] * (double)x[1] +
                                                         (double)x[2] * (double)x[2]));
        }
    }
    return target_sizes;
}

/* Computes reach (2 x mode_count): how far gamma of each mode moves the surface in a segment, and how far sigma does,
 * given the velocities carried over from earlier segments. The sum is constant along the segment. */
static void find_amplitudes(const sn_shaper *s, int segment, const double *target_sizes, double *amplitudes)
{
    const size_t modes = (size_t)s->mode_count;
    const double *velocity_factors = s->sequence.velocity_factors + (size_t)segment * (size_t)s->segment_count * modes;
    for (size_t n = 0; n < modes; ++n) {
        amplitudes[n] = target_sizes[(size_t)segment * modes + n];
        amplitudes[modes + n] = 0;
        for (size_t j = 0; j < (size_t)segment; ++j) {
            amplitudes[modes + n] += target_sizes[j * modes + n] * fabs(velocity_factors[j * modes + n]);
        }
    }
}

/* Returns a bound on the distance between the middle of a step and the mean of its ends. Times are in 0 to 1. */
static double find_bend(const sn_shaper *s, int segment, double from, double to, const double *amplitudes)
{
    double sum = 0;
    for (int n = 0; n < s->mode_count; ++n) {
        const sn_fourier_solution *mode = &s->sequence.solutions[segment * s->mode_count + n];
        const sn_fourier_response a = sn_fourier_solution_at(mode, from), b = sn_fourier_solution_at(mode, to);
        const sn_fourier_response mid = sn_fourier_solution_at(mode, (from + to) / 2);
        const double rate = amplitudes[s->mode_count + n];
        sum += amplitudes[n] * fabs(mid.gamma - (a.gamma + b.gamma) / 2);
        sum += rate > 0 ? rate * fabs(mid.sigma - (a.sigma + b.sigma) / 2) : 0;
    }
    return sum;
}

/* Returns the largest bend, or the first one above `limit`. */
static double find_max_bend(const sn_shaper *s, int segment, int steps, const double *amplitudes, double limit)
{
    double max_bend = 0;
    for (int i = 0; i < steps && max_bend <= limit; ++i) {
        const double bend = find_bend(s, segment, (double)i / steps, (i + 1.0) / steps, amplitudes);
        max_bend = bend <= max_bend ? max_bend : bend; /* propagates NaN */
    }
    return max_bend;
}

static int min_steps(const sn_shaper *s, int segment)
{
    return (int)fmin(fmax(ceil(s->durations[segment] * s->desc.frame_rate - 1e-9), 1), MAX_FRAMES);
}

/* Returns the number of steps that the frame rate requires, or more for the error bound, up to MAX_STEPS. */
static int count_steps(const sn_shaper *s, int segment, const double *amplitudes, sn_shapes_report *report)
{
    const double bound = s->desc.key_error / 4;
    int steps = min_steps(s, segment);
    bool is_fine = find_max_bend(s, segment, steps, amplitudes, bound) <= bound;
    while (!is_fine && steps < MAX_STEPS) {
        steps = 2 * steps < MAX_STEPS ? 2 * steps : MAX_STEPS;
        is_fine = find_max_bend(s, segment, steps, amplitudes, bound) <= bound;
    }
    const double bend = is_fine ? 0 : find_max_bend(s, segment, steps, amplitudes, INFINITY);
    if (bend > report->bend) {
        report->bend = bend;
        report->bent_key = segment + 1;
    }
    return steps;
}

static sn_result add_steps(sn_shaper *s, int segment, int steps)
{
    const size_t weights = (size_t)s->segment_count * (size_t)s->mode_count * (size_t)s->body_count;
    s->frame_count += steps;
    if (s->frame_count > MAX_FRAMES) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: keys[%d].seconds: frames up to %g s exceed the limit of %d; reduce the time between keys "
                       "or fps, or increase key_error",
                       s->desc.name, segment + 1, s->desc.keys[segment + 1].seconds, MAX_FRAMES);
    }
    if ((size_t)s->frame_count * weights > SN_SHAPES_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: keys[%d].seconds: %d frames of %zu weights up to %g s exceed the limit of %d values; use "
                       "fewer keys or harmonics, a lower fps or a larger key_error",
                       s->desc.name, segment + 1, s->frame_count, weights, s->desc.keys[segment + 1].seconds,
                       SN_SHAPES_LIMIT);
    }
    return SN_OK;
}

sn_result sn_shaper_check_size(sn_shaper *s)
{
    const size_t targets = (size_t)s->segment_count * (size_t)s->mode_count, n = (size_t)s->vertex_count;
    if (targets * n > SN_SHAPES_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: keys: %d keys of %d harmonics give %zu targets of %zu vertices, which exceeds the limit of "
                       "%d offsets; use fewer keys, harmonics or vertices",
                       s->desc.name, s->desc.key_count, s->mode_count - 1, targets, n, SN_SHAPES_LIMIT);
    }
    s->frame_count = 1;
    for (int i = 0; i < s->segment_count; ++i) {
        SN_TRY(add_steps(s, i, min_steps(s, i)));
    }
    return SN_OK;
}

static sn_result count_frames(sn_shaper *s, int *steps, sn_shapes_report *report)
{
    double *target_sizes = measure_targets(s), *amplitudes = SN_NEW(&s->scratch, double, 2 * (size_t)s->mode_count);
    sn_result result = target_sizes && amplitudes ? SN_OK : SN_ERROR_MEMORY;
    s->frame_count = 1;
    for (int i = 0; i < s->segment_count && result == SN_OK; ++i) {
        find_amplitudes(s, i, target_sizes, amplitudes);
        steps[i] = count_steps(s, i, amplitudes, report);
        result = add_steps(s, i, steps[i]);
    }
    return result;
}

sn_result sn_shaper_find_frames(sn_shaper *s, sn_shapes_report *report)
{
    int *steps = SN_NEW(&s->scratch, int, s->segment_count);
    const sn_result result = steps ? count_frames(s, steps, report) : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        return result;
    }
    s->times = SN_NEW(s->arena, float, s->frame_count);
    s->is_fixed = SN_NEW(&s->scratch, bool, s->frame_count);
    if (!s->times || !s->is_fixed) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0, frame = 0; i < s->segment_count; ++i) {
        const double start = s->desc.keys[i].seconds, end = s->desc.keys[i + 1].seconds;
        for (int k = 0; k <= steps[i]; ++k) {
            s->times[frame + k] = (float)(start + (end - start) * k / steps[i]);
        }
        s->is_fixed[frame] = s->is_fixed[frame + steps[i]] = true;
        frame += steps[i];
    }
    for (int f = 1, key = 1; f < s->frame_count; ++f) {
        if (!(s->times[f] > s->times[f - 1])) {
            return sn_fail(SN_ERROR_UNSUPPORTED,
                           "%s: keys[%d].seconds: frames up to %g s have equal times in single precision; use more "
                           "time between keys, or keys nearer to 0",
                           s->desc.name, key, s->desc.keys[key].seconds);
        }
        key += s->is_fixed[f];
    }
    return SN_OK;
}
