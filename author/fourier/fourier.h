/* SPDX-License-Identifier: MIT */
/* Analytic physics-based skin (Bian et al. 2019, "Efficient and realistic character animation through analytical
 * physics-based skin deformation"): what lies between two shapes of a skin in closed form. A displacement D with
 *   density D'' + damping D' + stiffness D = t e,   D(0) = 0,   D'(0) = v,   D(1) = D1
 * for each Fourier mode of the skin, where the force e is what makes it arrive:
 *   D(t) = gamma(t) D1 + sigma(t) v.
 * gamma = r(t) / r(1) with the response r to a ramp; sigma = s(t) - gamma(t) s(1) with the response s to a unit rate.
 * Both are divided differences of e^{zt} over the roots of density z^2 + damping z + stiffness and, of r, a double
 * root at 0, and are computed as such where the roots are apart, so that nothing cancels and nothing overflows.
 *
 * Departures from the paper's appendix A, whose gamma is right for a stiffness and a density of 1 alone: delta takes
 * e^{alpha} at t = 1, beta has the density, D'(0) is kept, and h grows with the mode unless `paper` is asked for. */
#ifndef SN_AUTHOR_FOURIER_FOURIER_H
#define SN_AUTHOR_FOURIER_FOURIER_H

#include "host/base/arena.h"
#include "host/base/jobs.h"

/* All per area of skin, so that forces are pressures; only their ratios count. */
typedef enum sn_fourier_stiffness {
    SN_FOURIER_MEMBRANE, /* stretch + (2 pi n)^2 bending: a membrane under tension */
    SN_FOURIER_PLATE,    /* stretch + (2 pi n)^4 bending: a plate */
    SN_FOURIER_PAPER,    /* stretch - (2 pi n)^2 bending, as the paper has it: negative for large n, where modes grow */
    SN_FOURIER_STIFFNESS_COUNT
} sn_fourier_stiffness;

/* What density and damping count time by. */
typedef enum sn_fourier_time {
    SN_FOURIER_SECOND,
    SN_FOURIER_SEGMENT, /* the time from shape to shape: what lies between them is the same however long it takes */
    SN_FOURIER_TIME_COUNT
} sn_fourier_time;

typedef struct sn_fourier_material {
    double density; /* kg / m^2, >= 0 */
    double damping; /* kg / (m^2 s), >= 0 */
    double stretch; /* kg / (m^2 s^2), any sign: what pulls a displacement back */
    double bending; /* the same, >= 0, for derivatives by the curve's parameter, which has no unit */
    sn_fourier_stiffness stiffness;
    sn_fourier_time time;
} sn_fourier_material;

/* By segments, and chosen by measurement: docs/fourier.md. */
sn_fourier_material sn_default_fourier_material(void);

/* Of one equation, with the time from shape to shape as the unit. */
typedef struct sn_fourier_mode {
    double density, damping, stiffness;
} sn_fourier_mode;

/* The mode of a harmonic where shapes are `duration` seconds apart. */
sn_fourier_mode sn_fourier_mode_of(const sn_fourier_material *material, int harmonic, double duration);

typedef enum sn_fourier_case {
    SN_FOURIER_STATIC,      /* neither density nor damping: gamma = t */
    SN_FOURIER_FIRST_ORDER, /* no density */
    SN_FOURIER_OSCILLATING, /* complex roots */
    SN_FOURIER_CRITICAL,    /* real roots near each other */
    SN_FOURIER_APART        /* real roots that are not */
} sn_fourier_case;

/* A mode, ready to be evaluated. Numbers beside those of the mode: of its roots, and r(1), s(1) over e^growth. */
typedef struct sn_fourier_solution {
    sn_fourier_case kind;
    double density, damping, stiffness; /* the largest is 1 */
    double alpha, beta, root_high, root_low;
    double growth; /* the larger root, if positive, else 0 */
    double ramp_end, impulse_end;
} sn_fourier_solution;

/* SN_ERROR_ARGUMENT, with one line, where a number is not finite, or density or damping is negative. */
sn_result sn_fourier_solution_init(const sn_fourier_mode *mode, sn_fourier_solution *solution);

/* Whether sn_fourier_solution_init takes it; says nothing. */
bool sn_fourier_mode_is_in_range(const sn_fourier_mode *mode);

typedef struct sn_fourier_response {
    double gamma, gamma_rate; /* 0 at t = 0, 1 at t = 1; the rate is 0 at t = 0 where there is a density */
    double sigma, sigma_rate; /* rate 1 at t = 0, 0 at t = 1; all 0 where there is no density: no rate can be given */
} sn_fourier_response;

/* t within 0 .. 1. */
sn_fourier_response sn_fourier_solution_at(const sn_fourier_solution *solution, double t);
/* s and s'; infinite where a growing mode leaves the doubles. */
void sn_fourier_impulse_at(const sn_fourier_solution *solution, double t, double *value, double *rate);

/* How one shape follows the other: a list of durations. */
typedef struct sn_fourier_sequence {
    int segment_count;
    int mode_count;                 /* harmonics and the mean: N + 1 */
    double *starts;                 /* (segment_count + 1) seconds */
    sn_fourier_solution *solutions; /* (segment_count x mode_count): their gamma */
    sn_fourier_solution *swings;    /* (segment_count x mode_count): their sigma, of the rate that a segment begins
                                     * with. The solutions, but where time is counted by segments: there by the shorter
                                     * of this one and the one before, lest what is left of a short one swings far */
    double *carried;                /* (segment_count x segment_count x mode_count): see below */
} sn_fourier_sequence;

#define SN_FOURIER_SEGMENT_LIMIT 256
#define SN_FOURIER_HARMONIC_LIMIT 64

typedef struct sn_fourier_sequence_desc {
    sn_fourier_material material;
    int harmonic_count;      /* N, 0 .. SN_FOURIER_HARMONIC_LIMIT */
    int segment_count;       /* 1 .. SN_FOURIER_SEGMENT_LIMIT */
    const double *durations; /* (segment_count) seconds, > 0 */
    bool is_held;            /* every segment begins at rest, in place of the rate that the one before ends with */
} sn_fourier_sequence_desc;

/* Lives in the arena. Errors: SN_ERROR_ARGUMENT, SN_ERROR_MEMORY. */
sn_result sn_fourier_sequence_build(const sn_fourier_sequence_desc *desc, sn_arena *arena,
                                    sn_fourier_sequence *sequence);

/* weights (segment_count x mode_count): D(seconds) = sum over segments j and modes n of weights[j][n] q[j][n], with
 * q[j][n] what mode n of segment j is displaced by at its end. A segment that is over has 1, one to come 0, the
 * present one gamma. The rate that segment i begins with is a combination of what the earlier ones were displaced by,
 * v[i][n] = sum_j carried[i][j][n] q[j][n]: so it is carried by their weights, 1 + carried sigma, and needs no targets
 * of its own. Before the first second and behind the last it holds. */
void sn_fourier_sequence_weights(const sn_fourier_sequence *sequence, double seconds, double *weights);
/* The largest |sigma'(1)| of all modes, as rates of segment `segment` reach the next in seconds: above 1, rates grow
 * from join to join. */
double sn_fourier_sequence_gain(const sn_fourier_sequence *sequence, int segment);

/* Displacements as morph targets, laid out for evaluation: SN_FOURIER_BLOCK vertices of all targets together. */
#define SN_FOURIER_BLOCK 16
#define SN_FOURIER_BLOCK_FLOATS (3 * SN_FOURIER_BLOCK)

typedef struct sn_fourier_targets {
    int vertex_count, target_count, block_count;
    float *values; /* (block_count x target_count x SN_FOURIER_BLOCK_FLOATS) */
} sn_fourier_targets;

/* fields: (target_count) of (vertex_count x 3). Lives in the arena. */
sn_result sn_fourier_targets_build(int vertex_count, int target_count, const float *const *fields, sn_arena *arena,
                                   sn_fourier_targets *targets);

typedef enum sn_fourier_instructions {
    SN_FOURIER_BASELINE,
    SN_FOURIER_AVX2,
    SN_FOURIER_BEST = SN_FOURIER_AVX2
} sn_fourier_instructions;

/* displacements (block_count x SN_FOURIER_BLOCK_FLOATS), 64-byte aligned = sum_k weights[k] target k, in this order for
 * every number: the same bits for any number of threads and any instructions. jobs may be null. Allocates nothing. */
void sn_fourier_targets_evaluate(const sn_fourier_targets *targets, const float *weights,
                                 sn_fourier_instructions instructions, sn_jobs *jobs, float *displacements);

#endif
