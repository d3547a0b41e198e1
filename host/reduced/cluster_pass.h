/* SPDX-License-Identifier: MIT */
/* One local-global pass over the clusters of one body: the inner loop of complementary dynamics.
 *
 * Eight clusters lie in the eight lanes of a vector. One source, cluster_pass.inc, is compiled for float (baseline and
 * AVX2) and double; the order of operations is fixed and contraction is off, so that baseline and AVX2 agree to the
 * bit. */
#ifndef SN_HOST_REDUCED_CLUSTER_PASS_H
#define SN_HOST_REDUCED_CLUSTER_PASS_H

#include <stdint.h>

#define SN_LANES 8

typedef float sn_f32x8 __attribute__((vector_size(32)));
typedef double sn_f64x8 __attribute__((vector_size(64)));

/* Packed by blocks of eight clusters; absent lanes are zero (their rotation is the identity and moves nothing). */
#define SN_CLUSTER_PASS_TYPES(suffix, real, lanes)                                                                     \
    typedef struct sn_cluster_data_##suffix {                                                                          \
        int block_count;                                                                                               \
        int coordinate_count;                                                                                          \
        int column_count;                /* 4 bone_count */                                                            \
        const lanes *cluster_coordinate; /* S_B (block_count x coordinate_count x 3) */                                \
        const lanes *cluster_bone;       /* S_J (block_count x column_count x 3) */                                    \
    } sn_cluster_data_##suffix;                                                                                        \
    /* rig_gradient (block_count x 9) = S_J P, with P (column_count x 3). */                                           \
    typedef void sn_cluster_rig_function_##suffix(const sn_cluster_data_##suffix *data, const real *rig,               \
                                                  lanes *rig_gradient);                                                \
    /* F_c^T = S_B Z + rig_gradient; R_c = polar(F_c); result (coordinate_count x 3) = sum_c S_B^T (R_c - 1)^T.        \
     * scratch is (coordinate_count x 3). Returns sum_c tr R_c^T F_c. */                                               \
    typedef real sn_cluster_pass_function_##suffix(const sn_cluster_data_##suffix *data, const lanes *rig_gradient,    \
                                                   const real *coordinates, lanes *scratch, real *result);

SN_CLUSTER_PASS_TYPES(f32, float, sn_f32x8)
SN_CLUSTER_PASS_TYPES(f64, double, sn_f64x8)

sn_cluster_rig_function_f32 sn_cluster_rig_f32, sn_cluster_rig_f32_avx2;
sn_cluster_pass_function_f32 sn_cluster_pass_f32, sn_cluster_pass_f32_avx2;
sn_cluster_rig_function_f64 sn_cluster_rig_f64;
sn_cluster_pass_function_f64 sn_cluster_pass_f64;

/* Rotations of eight matrices, element-major (9 x 8): the same polar decomposition, for tests. */
void sn_polar_f32(const sn_f32x8 *matrices, sn_f32x8 *rotations);
void sn_polar_f64(const sn_f64x8 *matrices, sn_f64x8 *rotations);

#endif
