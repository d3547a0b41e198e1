/* SPDX-License-Identifier: MIT */
/* Analytic physics-based skin (Bian et al. 2019, "Efficient and realistic character animation through analytical
 * physics-based skin deformation"): closed-form interpolation between two shapes of a skin. For each Fourier mode of
 * the skin, the displacement D satisfies
 *   density D'' + damping D' + stiffness D = t e,   D(0) = 0,   D'(0) = v,   D(1) = D1,
 * where the force e is determined by D1. The solution is
 *   D(t) = gamma(t) D1 + sigma(t) v,
 * with gamma = r(t) / r(1), where r is the response to a ramp, and sigma = s(t) - gamma(t) s(1), where s is the impulse
 * response. Both are divided differences of e^{zt} over the roots of density z^2 + damping z + stiffness and, for r, a
 * double root at 0. They are computed in this form if the roots are well separated, which avoids cancellation and
 * overflow.
 *
 * Differences from the paper's appendix A, whose gamma is only correct for a stiffness and a density of 1: delta
 * contains e^{alpha} at t = 1, beta contains the density, D'(0) is kept, and the stiffness grows with the mode unless
 * SN_FOURIER_PAPER is selected. */
#ifndef SN_AUTHOR_FOURIER_FOURIER_H
#define SN_AUTHOR_FOURIER_FOURIER_H

#include "host/base/arena.h"
#include "host/base/jobs.h"

/* All quantities are per skin area, so forces are pressures. Only their ratios matter. */
typedef enum sn_fourier_stiffness {
    SN_FOURIER_MEMBRANE, /* stretch + (2 pi n)^2 bending: membrane under tension */
    SN_FOURIER_PLATE,    /* stretch + (2 pi n)^4 bending: plate */
    SN_FOURIER_PAPER,    /* stretch - (2 pi n)^2 bending, as in the paper; negative for large n, where modes grow */
    SN_FOURIER_STIFFNESS_COUNT
} sn_fourier_stiffness;

/* The unit of time of density and damping. */
typedef enum sn_fourier_time {
    SN_FOURIER_SECOND,
    SN_FOURIER_SEGMENT, /* the time from shape to shape: the motion between shapes does not depend on the duration */
    SN_FOURIER_TIME_COUNT
} sn_fourier_time;

typedef struct sn_fourier_material {
    double density; /* kg / m^2, >= 0 */
    double damping; /* kg / (m^2 s), >= 0 */
    double stretch; /* kg / (m^2 s^2), any sign: restoring stiffness */
    double bending; /* the same unit, >= 0; applies to derivatives by the dimensionless curve parameter */
    sn_fourier_stiffness stiffness;
    sn_fourier_time time;
} sn_fourier_material;

/* Uses SN_FOURIER_SEGMENT; measured defaults, see docs/benchmarks/fourier.csv. */
sn_fourier_material sn_default_fourier_material(void);

/* The coefficients of one equation. The unit of time is the time from shape to shape. */
typedef struct sn_fourier_mode {
    double density, damping, stiffness;
} sn_fourier_mode;

/* Returns the coefficients of a harmonic for shapes `duration` seconds apart. */
sn_fourier_mode sn_fourier_mode_of(const sn_fourier_material *material, int harmonic, double duration);

typedef enum sn_fourier_case {
    SN_FOURIER_STATIC,      /* no density and no damping: gamma = t */
    SN_FOURIER_FIRST_ORDER, /* no density */
    SN_FOURIER_OSCILLATING, /* complex roots */
    SN_FOURIER_CRITICAL,    /* real roots near each other */
    SN_FOURIER_SEPARATED    /* well separated real roots */
} sn_fourier_case;

/* A mode prepared for evaluation, with its roots and r(1) and s(1), both divided by e^growth. */
typedef struct sn_fourier_solution {
    sn_fourier_case type;
    double density, damping, stiffness; /* scaled so that the largest is 1 */
    double alpha, beta, root_high, root_low;
    double growth; /* the larger root if positive, otherwise 0 */
    double ramp_end, impulse_end;
} sn_fourier_solution;

/* Returns SN_ERROR_ARGUMENT if a number is not finite or out of range, or density or damping is negative. */
sn_result sn_fourier_solution_init(const sn_fourier_mode *mode, sn_fourier_solution *solution);

/* Returns whether sn_fourier_solution_init would succeed, without a message. */
bool sn_fourier_mode_is_in_range(const sn_fourier_mode *mode);

typedef struct sn_fourier_response {
    double gamma, gamma_rate; /* 0 at t = 0, 1 at t = 1; with a density, the rate is 0 at t = 0 */
    double sigma, sigma_rate; /* 0 at both ends, rate 1 at t = 0; all 0 without a density, where no initial velocity is
                                 possible */
} sn_fourier_response;

/* Evaluates gamma and sigma at t in [0, 1]. */
sn_fourier_response sn_fourier_solution_at(const sn_fourier_solution *solution, double t);
/* Evaluates s and s'; infinite where a growing mode exceeds the range of double. */
void sn_fourier_impulse_at(const sn_fourier_solution *solution, double t, double *value, double *rate);

/* A sequence of segments between consecutive shapes. */
typedef struct sn_fourier_sequence {
    int segment_count;
    int mode_count;                 /* harmonics and the mean: N + 1 */
    double *starts;                 /* (segment_count + 1) seconds */
    sn_fourier_solution *solutions; /* (segment_count x mode_count) provide gamma */
    sn_fourier_solution
        *impulse_solutions; /* (segment_count x mode_count) provide sigma, for the initial velocity of a segment. Equal
                    to `solutions`, except with SN_FOURIER_SEGMENT: these use the shorter of the segment's and the
                    previous duration, so that a short segment's velocity does not cause a large overshoot */
    double *velocity_factors; /* (segment_count x segment_count x mode_count) see sn_fourier_sequence_weights */
} sn_fourier_sequence;

#define SN_FOURIER_SEGMENT_LIMIT 256
#define SN_FOURIER_HARMONIC_LIMIT 64

typedef struct sn_fourier_sequence_desc {
    sn_fourier_material material;
    int harmonic_count;      /* N, 0 to SN_FOURIER_HARMONIC_LIMIT */
    int segment_count;       /* 1 to SN_FOURIER_SEGMENT_LIMIT */
    const double *durations; /* (segment_count) seconds, > 0 */
    bool starts_at_rest;     /* every segment starts with velocity 0 instead of the previous segment's final velocity */
} sn_fourier_sequence_desc;

/* Builds a sequence in the arena. Errors: SN_ERROR_ARGUMENT, SN_ERROR_MEMORY. */
sn_result sn_fourier_sequence_build(const sn_fourier_sequence_desc *desc, sn_arena *arena,
                                    sn_fourier_sequence *sequence);

/* Computes weights (segment_count x mode_count): D(seconds) = sum over segments j and modes n of weights[j][n] q[j][n],
 * where q[j][n] is the final displacement of mode n of segment j. The weight of a finished segment is 1, of a future
 * one 0, of the current one gamma. The initial velocity of segment i is a combination of the displacements of earlier
 * segments, v[i][n] = sum_j carried[i][j][n] q[j][n]. It is therefore included in their weights, 1 + carried sigma, and
 * needs no additional targets. Times outside the sequence are clamped. */
void sn_fourier_sequence_weights(const sn_fourier_sequence *sequence, double seconds, double *weights);
/* Returns the largest |sigma'(1)| of all modes, in seconds: how velocities of segment `segment` carry over to the next
 * one. Above 1, velocities grow from segment to segment. */
double sn_fourier_sequence_gain(const sn_fourier_sequence *sequence, int segment);

/* Displacements as morph targets, with SN_FOURIER_BLOCK vertices of all targets stored together. */
#define SN_FOURIER_BLOCK 16
#define SN_FOURIER_BLOCK_FLOATS (3 * SN_FOURIER_BLOCK)

typedef struct sn_fourier_targets {
    int vertex_count, target_count, block_count;
    float *values; /* (block_count x target_count x SN_FOURIER_BLOCK_FLOATS) */
} sn_fourier_targets;

/* Builds targets in the arena. fields: (target_count) arrays of (vertex_count x 3). */
sn_result sn_fourier_targets_build(int vertex_count, int target_count, const float *const *fields, sn_arena *arena,
                                   sn_fourier_targets *targets);

typedef enum sn_fourier_instructions {
    SN_FOURIER_BASELINE,
    SN_FOURIER_AVX2,
    SN_FOURIER_BEST = SN_FOURIER_AVX2
} sn_fourier_instructions;

/* Computes displacements (block_count x SN_FOURIER_BLOCK_FLOATS, 64-byte aligned) = sum_k weights[k] target k. The
 * order of the sum is fixed, so the result is bitwise identical for any number of threads and any instruction set. jobs
 * may be null. Does not allocate. */
void sn_fourier_targets_evaluate(const sn_fourier_targets *targets, const float *weights,
                                 sn_fourier_instructions instructions, sn_jobs *jobs, float *displacements);

#endif
