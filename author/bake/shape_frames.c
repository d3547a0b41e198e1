/* SPDX-License-Identifier: MIT */
/* When weights and poses are sampled: each segment in equal steps, so that keys are met. */
#include <math.h>

#include "author/bake/shaper.h"

#define MOST_STEPS 2048 /* a segment: modes that swing faster are cut */
#define MOST_FRAMES 65536

/* How far each target moves the surface at most. */
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

/* How far the middle of a step is from the mean of its ends, at most. weights: (3 x targets). */
static double find_bend(const sn_shaper *s, double from, double to, const double *spread, double *weights)
{
    const int count = s->segment_count * s->mode_count;
    double sum = 0;
    sn_fourier_sequence_weights(&s->sequence, from, weights);
    sn_fourier_sequence_weights(&s->sequence, to, weights + count);
    sn_fourier_sequence_weights(&s->sequence, (from + to) / 2, weights + 2 * count);
    for (int k = 0; k < count; ++k) {
        sum += spread[k] * fabs(weights[2 * count + k] - (weights[k] + weights[count + k]) / 2);
    }
    return sum;
}

static int count_steps(const sn_shaper *s, int segment, const double *spread, double *weights)
{
    const double start = s->sequence.starts[segment], span = s->durations[segment];
    int steps = (int)fmin(fmax(ceil(span * s->desc.frame_rate - 1e-9), 1), MOST_STEPS);
    for (bool is_fine = false; !is_fine && steps < MOST_STEPS;) {
        is_fine = true;
        for (int i = 0; i < steps && is_fine; ++i) {
            is_fine = find_bend(s, start + span * i / steps, start + span * (i + 1) / steps - 1e-9 * span, spread,
                                weights) <= s->desc.key_error / 4;
        }
        steps = is_fine ? steps : 2 * steps < MOST_STEPS ? 2 * steps : MOST_STEPS;
    }
    return steps;
}

sn_result sn_shaper_find_frames(sn_shaper *s)
{
    double *spread = measure_targets(s);
    double *weights = SN_NEW(&s->scratch, double, 3 * (size_t)s->segment_count * (size_t)s->mode_count);
    int *steps = SN_NEW(&s->scratch, int, s->segment_count);
    if (!spread || !weights || !steps) {
        return SN_ERROR_MEMORY;
    }
    s->frame_count = 1;
    for (int i = 0; i < s->segment_count; ++i) {
        steps[i] = count_steps(s, i, spread, weights);
        s->frame_count += steps[i];
    }
    if (s->frame_count > MOST_FRAMES) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: %d frames are more than %d", s->desc.name, s->frame_count,
                       MOST_FRAMES);
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
    for (int f = 1; f < s->frame_count; ++f) {
        if (!(s->times[f] > s->times[f - 1])) {
            return sn_fail(SN_ERROR_UNSUPPORTED, "%s: keys at %g seconds are too close to be told apart", s->desc.name,
                           (double)s->times[f]);
        }
    }
    return SN_OK;
}
