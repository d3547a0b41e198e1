/* SPDX-License-Identifier: MIT */
/* Random poses of a skeleton, for quantities that are needed before there is any animation. */
#ifndef SN_AUTHOR_MESHER_TEST_POSES_H
#define SN_AUTHOR_MESHER_TEST_POSES_H

#include "host/base/base.h"

typedef struct sn_skeleton {
    int bone_count;
    const int32_t *parents; /* (bone_count) -1: a root; cyclic bones are allowed */
    const double *origins;  /* (bone_count x 3) joints in the bind pose */
} sn_skeleton;

/* Creates seeded random poses: every joint rotates about a random axis, by 30 degrees in half of the poses and by 50
 * degrees in the others. transforms (pose_count x bone_count x 12): world, relative to bind, row-major. */
sn_result sn_test_poses(const sn_skeleton *skeleton, uint64_t seed, int pose_count, double *transforms);

#endif
