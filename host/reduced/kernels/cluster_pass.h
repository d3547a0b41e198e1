/* SPDX-License-Identifier: MIT */
/* One local-global pass over the clusters of one body: the inner loop of complementary dynamics.
 *
 * Clusters lie in groups of SN_GROUP, one per lane. One source, cluster_pass.inc, is compiled for float (baseline,
 * AVX2, AVX-512) and double. The order of operations is fixed and contraction is off, so all instruction sets give
 * identical bits. Arrays with a dimension of SN_GROUP or SN_LANES are 64-byte aligned. */
#ifndef SN_HOST_REDUCED_KERNELS_CLUSTER_PASS_H
#define SN_HOST_REDUCED_KERNELS_CLUSTER_PASS_H

#include <stdbool.h>
#include <stdint.h>

#define SN_GROUP 16 /* clusters, or coordinates, per group */
#define SN_LANES 8  /* lanes of sums over clusters, and of other data processed eight at a time */

typedef float sn_f32x8 __attribute__((vector_size(32)));
typedef int32_t sn_i32x8 __attribute__((vector_size(32)));
typedef double sn_f64x8 __attribute__((vector_size(64)));

/* Unused lanes are zero: their rotation is the identity and has no effect. Bones that do not affect a group of
 * clusters, or the whole model, are left out of the lists. "Padded" means rounded up to a multiple of SN_GROUP. */
#define SN_CLUSTER_PASS_TYPES(suffix, real)                                                                            \
    typedef struct sn_cluster_data_##suffix {                                                                          \
        int cluster_count, group_count, coordinate_count, padded_count;                                                \
        const real *cluster_coordinate; /* S_B (group_count x 2 halves x coordinate_count x 3 x SN_LANES) */           \
        const int32_t *bone_starts;     /* (group_count + 1) */                                                        \
        const int32_t *bones;           /* of group g: from starts[g] to starts[g + 1] */                              \
        const real *cluster_bone;       /* S_J (for each of these bones, 2 halves x 4 x 3 x SN_LANES) */               \
        const real *volume;             /* (group_count x 2 x SN_GROUP) Lambda_c / m_c^2, 3 m_c; null: Lambda = 0 */   \
        const real                                                                                                     \
            *hookean;      /* (group_count x 3 x SN_GROUP) 1 / m_c, m_c, Lambda_c / m_c + 1/2; null: co-rotational */  \
        const real *posed; /* (group_count x 3 x SN_GROUP) diagonal of F^T at rest, if flesh rests in the rig's pose;  \
                              null: in the bind pose */                                                                \
        const real *limit; /* (group_count x 3 x SN_GROUP) m_c, 1 / m_c, e_c; null: no strain limits */                \
        const real                                                                                                     \
            *rest_error;      /* (group_count x 9 x SN_GROUP) with limit: rig_gradient at rest less m_c 1, rounding */ \
        real limit_stiffness; /* kappa */                                                                              \
        bool is_flat;                                                                                                  \
    } sn_cluster_data_##suffix;                                                                                        \
    /* rig_gradient (group_count x 9 x SN_GROUP) = S_J P, with P (bone_count x 4 x 3); with posed, its value at rest,  \
     * rotated by the rotation of S_J P. With limit, (2 x group_count x SN_GROUP) ranges of strain follow. */          \
    typedef void sn_cluster_rig_function_##suffix(const sn_cluster_data_##suffix *data, const real *rig,               \
                                                  real *rig_gradient);                                                 \
    /* F_c^T = S_B Z + rig_gradient; R_c = polar(F_c); e_c = tr R_c^T F_c - 3 m_c; p_c = Lambda_c / m_c^2 e_c;         \
     * result (padded_count x 3) = sum_c S_B^T (R_c - 1 - p_c R_c)^T. scratch is (padded_count x 3 x SN_LANES).        \
     * Returns sum_c tr (R_c - 1)^T F_c - 1/2 p_c e_c. With hookean, see neo_hookean.inc.                              \
     * With limit, the result has kappa S_B^T (T_c - 1)^T in addition (see strain_limit.inc). */                       \
    typedef real sn_cluster_pass_function_##suffix(const sn_cluster_data_##suffix *data, const real *rig_gradient,     \
                                                   const real *coordinates, real *scratch, real *result);

SN_CLUSTER_PASS_TYPES(f32, float)
SN_CLUSTER_PASS_TYPES(f64, double)

sn_cluster_rig_function_f32 sn_cluster_rig_f32, sn_cluster_rig_f32_avx2, sn_cluster_rig_f32_avx512;
sn_cluster_pass_function_f32 sn_cluster_pass_f32, sn_cluster_pass_f32_avx2, sn_cluster_pass_f32_avx512;
sn_cluster_rig_function_f64 sn_cluster_rig_f64;
sn_cluster_pass_function_f64 sn_cluster_pass_f64;

/* Rotations of eight matrices, element-major (9 x 8), by the same polar decomposition. */
void sn_polar_f32(const sn_f32x8 *matrices, sn_f32x8 *rotations);
void sn_polar_f64(const sn_f64x8 *matrices, sn_f64x8 *rotations);

#endif
