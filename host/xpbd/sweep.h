/* SPDX-License-Identifier: MIT */
/* The loops over constraints and vertices: one source, sweep.inc, compiled for one lane, for the baseline's four,
 * AVX2's eight and AVX-512's sixteen in float, and for one lane in double, the reference. All of float give the same
 * bits.
 *
 * Arrays of the state are rows of four REALs, padded to SN_BATCH rows, 64-byte aligned. */
#ifndef SN_HOST_XPBD_SWEEP_H
#define SN_HOST_XPBD_SWEEP_H

#include "host/xpbd/batches.h"

typedef struct sn_xpbd_state {
    int row_count;       /* vertices, the spare one and padding */
    void *displacements; /* u, 1 / mass: 0 where pinned */
    void *predicted;     /* u, as the substep's inertia alone would have it */
    void *velocities;    /* v, mass: 0 where pinned */
} sn_xpbd_state;

typedef struct sn_xpbd_sweep {
    const sn_xpbd_batches *batches;
    int first, last; /* of the batches: [first, last) */
    void *displacements;
    void *multipliers; /* (batch_count x 7, 2 or 1 x SN_BATCH) REAL, kept between a substep's sweeps; null: one sweep */
    double inverse_h2;
    bool is_first; /* the multipliers are zero, whatever stands there */
} sn_xpbd_sweep;

/* Affine velocity fields, one a row. */
typedef struct sn_xpbd_motions {
    int row_count;
    const int32_t *of_row; /* (row_count) */
    void *fields;          /* (motions x 4 x 4) REAL: columns, the last that of the body's origin; fourth numbers 0 */
    double kept;           /* share of what is not along */
} sn_xpbd_motions;

/* Sums over the vertices that are not pinned, about a centre: mass, m v, m r, m r x v, m r_i r_j (xx yy zz xy yz zx).
 */
typedef struct sn_xpbd_moments {
    double mass, momentum[3], first[3], angular[3], second[6];
} sn_xpbd_moments;

/* A rigid velocity field, and what share of the rest is kept. */
typedef struct sn_xpbd_damping {
    double centre[3], linear[3], angular[3], kept;
} sn_xpbd_damping;

typedef void sn_xpbd_sweep_function(const sn_xpbd_sweep *sweep);

typedef struct sn_xpbd_kernels {
    sn_xpbd_sweep_function *tets, *tets_legacy, *tets_polar, *strains, *strains_framed, *triangles, *triangles_legacy,
        *distances, *bendings, *volumes;
    /* v += h g, u += h v, where not pinned; predicted = u. */
    void (*predict)(const sn_xpbd_state *state, const double *gravity, double h);
    /* v += (u - predicted) / h: v is (u - u before) / h, but keeps the digits that u rounds away. */
    void (*take_velocities)(const sn_xpbd_state *state, double h);
    /* The same, and what has them; rest (row_count x 4) positions in float. */
    void (*take_and_measure)(const sn_xpbd_state *state, double h, const float *rest, const double *centre,
                             sn_xpbd_moments *moments);
    void (*damp)(const sn_xpbd_state *state, const float *rest, const sn_xpbd_damping *damping);
    /* One after the other. */
    void (*damp_and_predict)(const sn_xpbd_state *state, const float *rest, const sn_xpbd_damping *damping,
                             const double *gravity, double h);
    /* The largest numbers of u and of v but for their signs; not numbers where any is not finite. */
    void (*extent)(const sn_xpbd_state *state, double *farthest, double *fastest);
    void (*damp_along)(const sn_xpbd_state *state, const float *rest, const sn_xpbd_motions *motions);
    /* The box of rows [first, last), each (3). */
    void (*bound)(const sn_xpbd_state *state, const float *rest, int first, int last, double *low, double *high);
} sn_xpbd_kernels;

extern const sn_xpbd_kernels sn_xpbd_kernels_scalar, sn_xpbd_kernels_baseline, sn_xpbd_kernels_f64;
#if defined(__x86_64__)
extern const sn_xpbd_kernels sn_xpbd_kernels_avx2, sn_xpbd_kernels_avx512;
#endif

#endif
