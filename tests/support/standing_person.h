/* SPDX-License-Identifier: MIT */
/* Somebody who stands with arms stretched out, as landmarks. */
#ifndef SN_TESTS_SUPPORT_STANDING_PERSON_H
#define SN_TESTS_SUPPORT_STANDING_PERSON_H

#include <string.h>

#include "runtime/puppet/landmarks.h"

/* Coordinates written down here, not made from rotations: x right in the picture, y down, z away. */
static const double standing[SN_POSE_COUNT][3] = {
    [SN_POSE_NOSE] = {0, -0.6776, -0.1},       [SN_POSE_EAR] = {0.08, -0.7, 0},
    [SN_POSE_EAR + 1] = {-0.08, -0.7, 0},      [SN_POSE_SHOULDER] = {0.18, -0.5, 0},
    [SN_POSE_SHOULDER + 1] = {-0.18, -0.5, 0}, [SN_POSE_ELBOW] = {0.46, -0.5, 0},
    [SN_POSE_ELBOW + 1] = {-0.46, -0.5, 0},    [SN_POSE_WRIST] = {0.71, -0.5, 0},
    [SN_POSE_WRIST + 1] = {-0.71, -0.5, 0},    [SN_POSE_LITTLE] = {0.8, -0.5, 0.03},
    [SN_POSE_LITTLE + 1] = {-0.8, -0.5, 0.03}, [SN_POSE_INDEX] = {0.8, -0.5, -0.03},
    [SN_POSE_INDEX + 1] = {-0.8, -0.5, -0.03}, [SN_POSE_HIP] = {0.1, 0, 0},
    [SN_POSE_HIP + 1] = {-0.1, 0, 0},          [SN_POSE_KNEE] = {0.1, 0.42, 0},
    [SN_POSE_KNEE + 1] = {-0.1, 0.42, 0},      [SN_POSE_ANKLE] = {0.1, 0.82, 0},
    [SN_POSE_ANKLE + 1] = {-0.1, 0.82, 0},     [SN_POSE_HEEL] = {0.1, 0.9, 0.04},
    [SN_POSE_HEEL + 1] = {-0.1, 0.9, 0.04},    [SN_POSE_TOE] = {0.1, 0.9, -0.18},
    [SN_POSE_TOE + 1] = {-0.1, 0.9, -0.18}};

static inline sn_landmarks sn_test_stand(void)
{
    sn_landmarks seen = {.has_pose = true};
    for (int i = 0; i < SN_POSE_COUNT; ++i) {
        memcpy(seen.pose[i], standing[i], sizeof standing[i]);
        seen.pose[i][3] = 0.9;
    }
    return seen;
}

static inline sn_tracking sn_test_solve_once(const sn_landmarks *landmarks)
{
    sn_landmark_solver solver = {0};
    sn_tracking tracking_frame = {0};
    sn_landmarks_solve(&solver, landmarks, &tracking_frame);
    return tracking_frame;
}

#endif
