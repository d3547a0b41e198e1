/* SPDX-License-Identifier: MIT */
/* Reduced steps of many bodies on a device, and what all benches of reduced steps have in common. */
#ifndef SN_TOOLS_BENCH_REDUCED_H
#define SN_TOOLS_BENCH_REDUCED_H

#include "host/model/model.h"
#include "tools/bench/device.h"
#include "tools/bench/models.h"

/* A violent affine handle: rotation .4 sin about z, translation along x and y, as in the reference run. */
void sn_bench_pose(int frame, int bone_count, double *pose);
/* Flops of one iteration: S Z and S^T R, 3 C x q by 3 columns, two flops each; a polar decomposition near a rotation
 * is about 270 a cluster, counted in its source. S is read once from the level 2 cache: 12 C q bytes. */
double sn_bench_flops(int cluster_count, int coordinate_count);
/* The same of a model with every detail. */
double sn_bench_iteration_flops(const sn_model *model);

/* 1 to 20000 bodies of these models (SN_BENCH_MODEL_COUNT at most), plain and to a tolerance; on a floor 1000 at
 * most. */
sn_result sn_bench_reduced_on_device(sn_bench_device *on, sn_model *const *models, int model_count,
                                     sn_bench_table *table);

#endif
