/* SPDX-License-Identifier: MIT */
/* The two loops over vertices, and the small dense algebra that a substep has most of: one source, passes.inc, compiled
 * for one lane, for the baseline's four, AVX2's eight and AVX-512's sixteen in float, and for one lane in double. All
 * of float give the same bits.
 *
 * Vertices lie along a curve, so that a block of consecutive ones feels few handles: weights are stored block by block
 * for the handles that it feels. */
#ifndef SN_HOST_COUPLED_PASSES_H
#define SN_HOST_COUPLED_PASSES_H

#include "host/coupled/tiles.h"
#include "host/xpbd/batches.h"

struct sn_coupled_system;

typedef struct sn_coupled_blocks {
    int dimension, handle_count, block_count, slot_count;
    float *places;          /* (block_count x 4 x SN_BATCH) place at rest from the model's centre, mass */
    float *weights;         /* (slot_count x SN_BATCH) */
    int32_t *starts;        /* (block_count + 1) slots of a block */
    int32_t *handles;       /* (slot_count) */
    int32_t *handle_starts; /* (handle_count + 1) the slots of a handle are slots[start], ... */
    int32_t *slots;         /* (slot_count) */
    int32_t *slot_blocks;   /* (slot_count) in the order of `slots` */
} sn_coupled_blocks;

typedef struct sn_coupled_kernels {
    /* sums (handle_count x (dimension + 1) x dimension): sum m w u, then sum m w u x_e. lanes: SN_BATCH times as many
     * REAL of scratch. */
    void (*take_moments)(const sn_coupled_blocks *blocks, const void *displacements, void *lanes, double *sums);
    /* result -= S y of every axis, (axis_count x count); S symmetric (count^2), of which some rows are not zero. */
    void (*subtract_product)(int count, int axis_count, const double *gram, const sn_coupled_rows *rows,
                             const double *y, double *result);
    /* Zeros where the factor is not zero. */
    void (*clear)(const sn_coupled_tiles *tiles, double *matrix);
    /* N S' N^T of a system that turns, its lower half into the tiles, the rest of which it clears; linear (9 x lanes):
     * A of the handles in Q. */
    void (*couple_turns)(const struct sn_coupled_system *system, const double *linear, double *matrix);
    /* x (count): A x = b, where the row `count` of A is b; A becomes L, with the reciprocals of its diagonal. False
     * where a pivot is not positive. */
    bool (*solve)(const sn_coupled_tiles *tiles, double *matrix, double *x);
    /* u += sum_k w_k (change_k + sum_e x_e change_k,e), where not pinned. changes (handle_count x (dimension + 1) x
     * dimension); reals: as many REAL of scratch. */
    void (*add_changes)(const sn_coupled_blocks *blocks, const double *changes, void *reals, void *displacements);
} sn_coupled_kernels;

extern const sn_coupled_kernels sn_coupled_kernels_scalar, sn_coupled_kernels_baseline, sn_coupled_kernels_f64;
#if defined(__x86_64__)
extern const sn_coupled_kernels sn_coupled_kernels_avx2, sn_coupled_kernels_avx512;
#endif

#endif
