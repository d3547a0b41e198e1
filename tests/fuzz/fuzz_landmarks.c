/* SPDX-License-Identifier: MIT */
/* Fuzz target: a page's messages, one a line of the input, each solved after the last: rotations are rotations. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "runtime/puppet/arkit.h"
#include "runtime/puppet/landmarks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_moment(const sn_tracking *tracking_frame)
{
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        const double *q = tracking_frame->rotations[bone];
        if (sn_tracking_has(tracking_frame, bone)) {
            SN_ASSERT(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-9);
            SN_ASSERT(tracking_frame->confidence[bone] >= 0 && tracking_frame->confidence[bone] <= 1);
        }
    }
    if (tracking_frame->has_hips) {
        SN_ASSERT(isfinite(tracking_frame->hips[1]) && tracking_frame->hips[1] >= 0 && tracking_frame->hips_height > 0);
    }
}

static void check_face(sn_landmarks *landmarks)
{
    double presets[SN_ARKIT_PRESET_COUNT], eyes[2][4];
    sn_arkit_mirror(&landmarks->blendshapes, landmarks->blendshape_weights);
    sn_arkit_presets(landmarks->blendshape_weights, presets);
    sn_arkit_eyes(landmarks->blendshape_weights, eyes);
    for (int i = 0; i < SN_ARKIT_PRESET_COUNT; ++i) {
        SN_ASSERT(presets[i] >= 0 && presets[i] <= 1);
    }
    SN_ASSERT(isfinite(eyes[0][3]) && isfinite(eyes[1][3]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *end = text + size;
    sn_landmark_solver solver = {0};
    static sn_tracking tracking_frame;
    static sn_landmarks landmarks;
    memset(&tracking_frame, 0, sizeof tracking_frame);
    for (int line = 0; text < end && line < 8; ++line) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        int version;
        stop = stop ? stop : end;
        if (sn_message_read(text, (size_t)(stop - text), &landmarks, &version) == SN_MESSAGE_ACCEPTED) {
            SN_ASSERT(version == SN_MESSAGE_VERSION);
            sn_landmarks_solve(&solver, &landmarks, &tracking_frame);
            check_moment(&tracking_frame);
            check_face(&landmarks);
        }
        text = stop == end ? end : stop + 1;
    }
    return 0;
}
