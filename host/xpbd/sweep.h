/* SPDX-License-Identifier: MIT */
/* Loops over constraints and vertices. One source, sweep.inc, is compiled for one lane, four (baseline), eight (AVX2)
 * and sixteen (AVX-512) in float, and for one lane in double as the reference. All float variants give identical bits.
 *
 * State arrays are rows of four REALs, padded to SN_BATCH rows, 64-byte aligned. */
#ifndef SN_HOST_XPBD_SWEEP_H
#define SN_HOST_XPBD_SWEEP_H

#include "host/xpbd/batches.h"

typedef struct sn_xpbd_state {
    int row_count;       /* vertices, the spare vertex and padding */
    void *displacements; /* u, inverse mass (0 if pinned) */
    void *predicted;     /* u after the substep's inertia and gravity alone */
    void *velocities;    /* v, mass (0 if pinned) */
} sn_xpbd_state;

typedef struct sn_xpbd_sweep {
    const sn_xpbd_batches *batches;
    int first, last; /* range of batches [first, last) */
    void *displacements;
    void
        *multipliers; /* (batch_count x 7, 2 or 1 x SN_BATCH) REAL, kept between sweeps of a substep; null: one sweep */
    double inverse_h2;
    bool is_first; /* treat the stored multipliers as zero */
} sn_xpbd_sweep;

/* Affine velocity fields; each row has one. */
typedef struct sn_xpbd_motions {
    int row_count;
    const int32_t *of_row; /* (row_count) index of the field */
    void *fields;          /* (motions x 4 x 4) REAL: columns, the last for the body's origin; fourth numbers are 0 */
    double retention;      /* fraction of the remaining velocity that is kept */
} sn_xpbd_motions;

/* Sums over unpinned vertices about a centre: mass, m v, m r, m r x v, m r_i r_j (xx yy zz xy yz zx). */
typedef struct sn_xpbd_moments {
    double mass, momentum[3], first[3], angular[3], second[6];
} sn_xpbd_moments;

/* A rigid velocity field, and the fraction of the remaining velocity that is kept. */
typedef struct sn_xpbd_damping {
    double centre[3], linear[3], angular[3], retention;
} sn_xpbd_damping;

typedef void sn_xpbd_sweep_function(const sn_xpbd_sweep *sweep);

typedef struct sn_xpbd_kernels {
    sn_xpbd_sweep_function *tets, *tets_legacy, *tets_polar, *strains, *strains_framed, *triangles, *triangles_legacy,
        *distances, *bendings, *volumes;
    /* for unpinned rows: v += h g, u += h v; predicted = u */
    void (*predict)(const sn_xpbd_state *state, const double *gravity, double h);
    /* v += (u - predicted) / h: equals (u - u before) / h without the rounding of u */
    void (*update_velocities)(const sn_xpbd_state *state, double h);
    /* the same, plus the moments; rest (row_count x 4) positions in float */
    void (*update_and_measure)(const sn_xpbd_state *state, double h, const float *rest, const double *centre,
                               sn_xpbd_moments *moments);
    void (*damp)(const sn_xpbd_state *state, const float *rest, const sn_xpbd_damping *damping);
    /* damp, then predict, in one pass */
    void (*damp_and_predict)(const sn_xpbd_state *state, const float *rest, const sn_xpbd_damping *damping,
                             const double *gravity, double h);
    /* largest absolute components of u and v; NaN if any is not finite */
    void (*extent)(const sn_xpbd_state *state, double *max_displacement, double *max_velocity);
    void (*damp_to_fields)(const sn_xpbd_state *state, const float *rest, const sn_xpbd_motions *motions);
    /* bounding box of rows [first, last), each (3) */
    void (*bound)(const sn_xpbd_state *state, const float *rest, int first, int last, double *low, double *high);
} sn_xpbd_kernels;

extern const sn_xpbd_kernels sn_xpbd_kernels_scalar, sn_xpbd_kernels_baseline, sn_xpbd_kernels_f64;
#if defined(__x86_64__)
extern const sn_xpbd_kernels sn_xpbd_kernels_avx2, sn_xpbd_kernels_avx512;
#endif

#endif
