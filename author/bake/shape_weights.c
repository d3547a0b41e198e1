/* SPDX-License-Identifier: MIT */
/* Computes the target weights at all frames. */
#include "author/bake/shaper.h"

/* At a key, weights are exact regardless of rounding of the frame's time. */
static void set_key_weights(const sn_shaper *s, int segment, float *weights)
{
    for (int k = 0; k < s->target_count; ++k) {
        weights[k] = k / s->mode_count <= segment ? 1 : 0;
    }
}

sn_result sn_shaper_compute_weights(sn_shaper *s)
{
    const size_t count = (size_t)s->target_count;
    double *weights = SN_NEW(&s->scratch, double, count);
    s->weights = sn_arena_alloc(&s->scratch, (size_t)s->frame_count, count * sizeof *s->weights);
    if (!weights || !s->weights) {
        return SN_ERROR_MEMORY;
    }
    for (int f = 0, segment = 0; f < s->frame_count; ++f) {
        float *to = s->weights + (size_t)f * count;
        if (f > 0 && s->is_fixed[f]) {
            set_key_weights(s, segment++, to);
            continue;
        }
        sn_fourier_sequence_weights(&s->sequence, (double)s->times[f] - s->desc.keys[0].seconds, weights);
        for (size_t k = 0; k < count; ++k) {
            to[k] = (float)weights[k];
        }
    }
    return SN_OK;
}
