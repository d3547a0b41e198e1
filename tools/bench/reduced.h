/* SPDX-License-Identifier: MIT */
/* Reduced steps of many bodies on a device, and the helpers shared by all benchmarks of reduced steps. */
#ifndef SN_TOOLS_BENCH_REDUCED_H
#define SN_TOOLS_BENCH_REDUCED_H

#include "host/model/model.h"
#include "tools/bench/device.h"
#include "tools/bench/models.h"

/* Motion of a strongly excited affine handle: rotation 0.4 sin about z and translation along x and y, as in the
 * reference run. */
void sn_bench_pose(int frame, int bone_count, double *pose);
/* Flops of one iteration: S Z and S^T R, 3 C x q by 3 columns, two flops each; a polar decomposition near a rotation
 * takes about 270 flops per cluster. S is read once from the level 2 cache: 12 C q bytes. */
double sn_bench_flops(int cluster_count, int coordinate_count);
/* The same for a model at full detail. */
double sn_bench_iteration_flops(const sn_model *model);

/* Steps of 1 to 20,000 bodies of these models (at most SN_BENCH_MODEL_COUNT), with fixed iterations and to a tolerance;
 * at most 1000 bodies on a floor. */
sn_result sn_bench_reduced_on_device(sn_bench_device *on, sn_model *const *models, int model_count,
                                     sn_bench_table *table);

#endif
