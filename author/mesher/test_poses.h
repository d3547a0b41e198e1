/* SPDX-License-Identifier: MIT */
/* Poses that a skeleton might take, for what must be known before there is any animation. */
#ifndef SN_AUTHOR_MESHER_TEST_POSES_H
#define SN_AUTHOR_MESHER_TEST_POSES_H

#include "host/base/base.h"

typedef struct sn_skeleton {
    int bone_count;
    const int32_t *parents; /* (bone_count) -1: a root; a circle's bones may come as they are */
    const double *origins;  /* (bone_count x 3) joints in the bind pose */
} sn_skeleton;

/* Seeded poses in which every joint turns about a random axis, by 30 degrees in one half of them and by 50 in the
 * other. transforms (pose_count x bone_count x 12): world, relative to bind, row-major. */
sn_result sn_test_poses(const sn_skeleton *skeleton, uint64_t seed, int pose_count, double *transforms);

#endif
