/* SPDX-License-Identifier: MIT */
/* Creates motions from keys and samples them at a time. */
#include <string.h>

#include "author/spacetime/trajectory.h"

sn_result sn_spacetime_initial_motion(const sn_spacetime_input *input, sn_arena *arena, sn_spacetime_motion *motion)
{
    const size_t width = 3 * (size_t)input->mesh->vertex_count, keys = (size_t)input->key_count;
    *motion = (sn_spacetime_motion){.vertex_count = input->mesh->vertex_count,
                                    .key_count = input->key_count,
                                    .is_cyclic = input->is_cyclic,
                                    .positions = SN_NEW(arena, double, keys *width),
                                    .velocities = SN_NEW(arena, double, keys *width),
                                    .durations = SN_NEW(arena, double, keys - 1)};
    if (!motion->positions || !motion->velocities || !motion->durations) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < keys; ++i) {
        const sn_spacetime_key *key = &input->keys[i];
        memcpy(motion->positions + i * width, key->positions, width * sizeof(double));
        if (key->velocities) {
            memcpy(motion->velocities + i * width, key->velocities, width * sizeof(double));
        }
        if (i + 1 < keys) {
            motion->durations[i] = key->duration;
        }
    }
    return SN_OK;
}

void sn_spacetime_sample(const sn_spacetime_motion *motion, double seconds, double *positions)
{
    const size_t width = 3 * (size_t)motion->vertex_count;
    size_t i = 0;
    while (i + 2 < (size_t)motion->key_count && seconds >= motion->durations[i]) {
        seconds -= motion->durations[i++];
    }
    const double duration = motion->durations[i];
    const double theta = duration > 0 ? seconds < duration ? seconds / duration : 1 : 1;
    const sn_spacetime_span span = sn_spacetime_span_at(theta, duration > 0 ? duration : 1);
    const double *x = motion->positions + i * width, *v = motion->velocities + i * width;
    for (size_t k = 0; k < width; ++k) {
        positions[k] = span.position[0] * x[k] + span.position[1] * v[k] + span.position[2] * x[width + k] +
                       span.position[3] * v[width + k];
    }
}
