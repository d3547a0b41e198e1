/* SPDX-License-Identifier: MIT */
/* A body with a skeleton, for benches: a trunk with four limbs of tets, and fifty joints. */
#ifndef SN_TOOLS_BENCH_SKELETON_H
#define SN_TOOLS_BENCH_SKELETON_H

#include "host/coupled/coupled.h"

#define SN_BENCH_JOINT_COUNT 50

/* pivot (3): of the root. */
sn_result sn_bench_skeleton_make(sn_xpbd_model **model, sn_coupled_rig **rig, double *pivot);

#endif
