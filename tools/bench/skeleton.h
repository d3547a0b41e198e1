/* SPDX-License-Identifier: MIT */
/* A benchmark body with a skeleton: a trunk with four limbs, and 50 joints. */
#ifndef SN_TOOLS_BENCH_SKELETON_H
#define SN_TOOLS_BENCH_SKELETON_H

#include "host/coupled/coupled.h"

#define SN_BENCH_JOINT_COUNT 50

/* pivot (3): the root's pivot. */
sn_result sn_bench_skeleton_create(sn_xpbd_model **model, sn_coupled_rig **rig, double *pivot);

#endif
