/* SPDX-License-Identifier: MIT */
/* Chooses the times at which weights and poses are sampled: equal steps in each segment, so that keys are hit exactly.
 */
#include <math.h>

#include "author/bake/shaper.h"

#define MOST_STEPS                                                                                                     \
    2048 /* max. steps per segment to meet the error; faster oscillations are undersampled, with a warning */
#define MOST_FRAMES 65536

/* Computes the largest surface displacement of each target. */
static double *measure_targets(sn_shaper *s)
{
    const size_t count = (size_t)s->segment_count * (size_t)s->mode_count;
    double *spread = SN_NEW(&s->scratch, double, count);
    for (size_t k = 0; spread && k < count; ++k) {
        for (size_t i = 0; i < 3 * (size_t)s->vertex_count; i += 3) {
            const float *x = s->targets[k] + i;
            spread[k] = fmax(spread[k], sqrt((double)x[0] * (double)x[0] + (double)x[1] * (double)x[1] +
                                             (double)x[2] * (double)x[2]));
        }
    }
    return spread;
}

/* Computes reach (2 x mode_count): how far gamma of each mode moves the surface in a segment, and how far sigma does,
 * given the velocities carried over from earlier segments. The sum is constant along the segment. */
static void find_reach(const sn_shaper *s, int segment, const double *spread, double *reach)
{
    const size_t modes = (size_t)s->mode_count;
    const double *carried = s->sequence.carried + (size_t)segment * (size_t)s->segment_count * modes;
    for (size_t n = 0; n < modes; ++n) {
        reach[n] = spread[(size_t)segment * modes + n];
        reach[modes + n] = 0;
        for (size_t j = 0; j < (size_t)segment; ++j) {
            reach[modes + n] += spread[j * modes + n] * fabs(carried[j * modes + n]);
        }
    }
}

/* Returns a bound on the distance between the middle of a step and the mean of its ends. Times are in 0 to 1. */
static double find_bend(const sn_shaper *s, int segment, double from, double to, const double *reach)
{
    double sum = 0;
    for (int n = 0; n < s->mode_count; ++n) {
        const sn_fourier_solution *mode = &s->sequence.solutions[segment * s->mode_count + n];
        const sn_fourier_response a = sn_fourier_solution_at(mode, from), b = sn_fourier_solution_at(mode, to);
        const sn_fourier_response middle = sn_fourier_solution_at(mode, (from + to) / 2);
        const double rate = reach[s->mode_count + n];
        sum += reach[n] * fabs(middle.gamma - (a.gamma + b.gamma) / 2);
        sum += rate > 0 ? rate * fabs(middle.sigma - (a.sigma + b.sigma) / 2) : 0;
    }
    return sum;
}

/* Returns the largest bend, or the first one above `limit`. */
static double find_largest_bend(const sn_shaper *s, int segment, int steps, const double *reach, double most)
{
    double largest = 0;
    for (int i = 0; i < steps && largest <= most; ++i) {
        const double bend = find_bend(s, segment, (double)i / steps, (i + 1.0) / steps, reach);
        largest = bend <= largest ? largest : bend; /* propagates NaN */
    }
    return largest;
}

static int least_steps(const sn_shaper *s, int segment)
{
    return (int)fmin(fmax(ceil(s->durations[segment] * s->desc.frame_rate - 1e-9), 1), MOST_FRAMES);
}

/* Returns the number of steps that the frame rate requires, or more for the error bound, up to MOST_STEPS. */
static int count_steps(const sn_shaper *s, int segment, const double *reach, sn_shapes_report *report)
{
    const double bound = s->desc.key_error / 4;
    int steps = least_steps(s, segment);
    bool is_fine = find_largest_bend(s, segment, steps, reach, bound) <= bound;
    while (!is_fine && steps < MOST_STEPS) {
        steps = 2 * steps < MOST_STEPS ? 2 * steps : MOST_STEPS;
        is_fine = find_largest_bend(s, segment, steps, reach, bound) <= bound;
    }
    const double bend = is_fine ? 0 : find_largest_bend(s, segment, steps, reach, INFINITY);
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
    if (s->frame_count > MOST_FRAMES) {
        return sn_fail(SN_ERROR_UNSUPPORTED,
                       "%s: keys[%d].seconds: frames up to %g s exceed the limit of %d; reduce the time between keys "
                       "or fps, or increase key_error",
                       s->desc.name, segment + 1, s->desc.keys[segment + 1].seconds, MOST_FRAMES);
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
    sn_result result = SN_OK;
    s->frame_count = 1;
    for (int i = 0; i < s->segment_count && result == SN_OK; ++i) {
        result = add_steps(s, i, least_steps(s, i));
    }
    return result;
}

static sn_result count_frames(sn_shaper *s, int *steps, sn_shapes_report *report)
{
    double *spread = measure_targets(s), *reach = SN_NEW(&s->scratch, double, 2 * (size_t)s->mode_count);
    sn_result result = spread && reach ? SN_OK : SN_ERROR_MEMORY;
    s->frame_count = 1;
    for (int i = 0; i < s->segment_count && result == SN_OK; ++i) {
        find_reach(s, i, spread, reach);
        steps[i] = count_steps(s, i, reach, report);
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
