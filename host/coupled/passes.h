/* SPDX-License-Identifier: MIT */
/* The two loops over vertices and the small dense algebra of a substep. One source, passes.inc, is compiled for one
 * lane, four (baseline), eight (AVX2) and sixteen (AVX-512) in float, and for one lane in double. All float variants
 * give identical bits.
 *
 * Vertices lie along a curve, so a block of consecutive vertices depends on few handles. Weights are stored block by
 * block, only for these handles; each is a slot. */
#ifndef SN_HOST_COUPLED_PASSES_H
#define SN_HOST_COUPLED_PASSES_H

#include "host/coupled/tiles.h"
#include "host/xpbd/batches.h"

struct sn_coupled_system;

typedef struct sn_coupled_blocks {
    int dimension, handle_count, block_count, slot_count;
    float *positions;       /* (block_count x 4 x SN_BATCH) rest position relative to the model's centre, mass */
    float *weights;         /* (slot_count x SN_BATCH) */
    int32_t *starts;        /* (block_count + 1) slots of a block */
    int32_t *handles;       /* (slot_count) */
    int32_t *handle_starts; /* (handle_count + 1) range of a handle's entries in `slots` */
    int32_t *slots;         /* (slot_count) */
    int32_t *slot_blocks;   /* (slot_count) block of each entry of `slots` */
} sn_coupled_blocks;

typedef struct sn_coupled_kernels {
    /* sums (handle_count x (dimension + 1) x dimension): sum m w u, then sum m w u x_e; lanes: scratch of SN_BATCH
     * times as many REAL */
    void (*compute_moments)(const sn_coupled_blocks *blocks, const void *displacements, void *lanes, double *sums);
    /* result -= S y for every axis, (axis_count x count); S symmetric (count^2), `rows` lists its nonzero rows */
    void (*subtract_product)(int count, int axis_count, const double *gram, const sn_coupled_nonzero_rows *rows,
                             const double *y, double *result);
    /* clears the tiles that the factor fills */
    void (*clear)(const sn_coupled_tiles *tiles, double *matrix);
    /* writes the lower half of N S' N^T of a rotation-only system into the tiles and clears the others; linear (9 x
     * lanes): A of the handles in Q */
    void (*couple_rotations)(const struct sn_coupled_system *system, const double *linear, double *matrix);
    /* solves A x = b, x (count), with b in row `count` of A; A becomes L with the reciprocals of its diagonal; false if
     * a pivot is not positive */
    bool (*solve)(const sn_coupled_tiles *tiles, double *matrix, double *x);
    /* u += sum_k w_k (change_k + sum_e x_e change_k,e) for unpinned rows; changes (handle_count x (dimension + 1) x
     * dimension); reals: scratch of as many REAL */
    void (*add_changes)(const sn_coupled_blocks *blocks, const double *changes, void *reals, void *displacements);
} sn_coupled_kernels;

extern const sn_coupled_kernels sn_coupled_kernels_scalar, sn_coupled_kernels_baseline, sn_coupled_kernels_f64;
#if defined(__x86_64__)
extern const sn_coupled_kernels sn_coupled_kernels_avx2, sn_coupled_kernels_avx512;
#endif

#endif
