/* SPDX-License-Identifier: MIT */
/* Spacetime projective dynamics on parametric blendshapes (Wu and Umetani, BlendSim). Between a few keys, each vertex
 * follows cubic Bezier curves. The shapes and velocities at the keys are optimised until the motion obeys
 *   M x'' + D x' = f_in(x) + f_ext
 * as well as such curves can, in the least squares sense over all samples. Fixed values at keys do not change. */
#ifndef SN_AUTHOR_SPACETIME_SPACETIME_H
#define SN_AUTHOR_SPACETIME_SPACETIME_H

#include "author/spacetime/elastic.h"
#include "host/base/jobs.h"

#define SN_SPACETIME_KEY_LIMIT 256
#define SN_SPACETIME_SAMPLE_LIMIT 256 /* per interval */

/* A key. Positions and velocities are initial values, and the final values of fixed vertices. */
typedef struct sn_spacetime_key {
    const double *positions;       /* (vertex_count x 3) */
    const double *velocities;      /* (vertex_count x 3), or null: 0 */
    const bool *is_fixed;          /* (vertex_count) positions are fixed, or null: none */
    const bool *is_velocity_fixed; /* (vertex_count) velocities are fixed, or null: none */
    double duration;  /* seconds to the next key; ignored for the last key; 0: the two keys are before and after a hit,
                         and share positions but not velocities */
    int sample_count; /* samples in the interval after the key, at least 2 */
} sn_spacetime_key;

/* Norm of the residual force: squared and divided by mass (the paper's (4)), or squared (the authors' program). */
typedef enum sn_spacetime_norm { SN_SPACETIME_INVERSE_MASS, SN_SPACETIME_IDENTITY } sn_spacetime_norm;

/* Which durations may change. */
typedef enum sn_spacetime_timing {
    SN_SPACETIME_TIMES_FIXED,
    SN_SPACETIME_TOTAL_FIXED,   /* their sum is fixed */
    SN_SPACETIME_TIMES_UNIFORM, /* all change by the same number of seconds, within the range below */
    SN_SPACETIME_TIMES_FREE     /* each between 1/3 and 3 times its input value */
} sn_spacetime_timing;

/* Solver of the linear system. */
typedef enum sn_spacetime_method {
    SN_SPACETIME_BEST,    /* chosen by size; see solver.c */
    SN_SPACETIME_MODAL,   /* eigenmodes of the mesh with a small system each; requires the inverse mass norm */
    SN_SPACETIME_SPARSE,  /* one supernodal Cholesky factorization */
    SN_SPACETIME_RATIONAL /* one such factorization per temporal function; requires the same free vertices in all of
                             them */
} sn_spacetime_method;

/* Returns "best", "modal", "sparse" or "rational". */
const char *sn_spacetime_method_name(sn_spacetime_method method);

/* An obstacle for the vertices of keys at a hit. */
typedef struct sn_spacetime_obstacle {
    bool is_sphere;
    double point[3];  /* on the plane, or the sphere's center */
    double normal[3]; /* of the plane, unit, towards the free side */
    double radius;
} sn_spacetime_obstacle;

typedef struct sn_spacetime_input {
    const sn_tet_mesh *mesh; /* at rest */
    sn_spacetime_material material;
    double damping;    /* D = damping M, in 1/s */
    double gravity[3]; /* m/s^2 */
    int key_count;     /* 2 to SN_SPACETIME_KEY_LIMIT */
    const sn_spacetime_key *keys;
    bool is_cyclic; /* the last key equals the first */
    int obstacle_count;
    const sn_spacetime_obstacle *obstacles;
} sn_spacetime_input;

typedef struct sn_spacetime_desc {
    sn_spacetime_norm norm;
    sn_spacetime_timing timing;
    sn_spacetime_method method;
    double regularisation; /* h_r in seconds, of R = sum w B^T M B / h_r^2, which damps steps; 0: none */
    int iteration_limit;
    double tolerance;    /* stops if the objective changes by less than this fraction of its initial value */
    bool is_full_step;   /* never halve steps, even if they increase the objective */
    bool has_reactions;  /* count the reaction forces of vertices fixed in all keys as residual, as the authors' program
                            does */
    sn_jobs *jobs;       /* or null */
    double memory_limit; /* max. bytes of the factors of SN_SPACETIME_RATIONAL; 0: no limit */
} sn_spacetime_desc;

sn_spacetime_desc sn_default_spacetime_desc(void);

typedef struct sn_spacetime_report {
    int iteration_count, sample_count, contact_count;
    double objective_first, objective_last;
    double precompute_seconds, iteration_seconds; /* mean seconds per iteration */
    sn_spacetime_method method;                   /* the solver that was used */
    int objective_count;
    double *objectives; /* (objective_count) before the first iteration and after each */
} sn_spacetime_report;

/* The optimised motion. In interval i between keys i and i + 1, with theta from 0 to 1, it is the cubic Bezier curve
 * with control points
 *   x_i,  x_i + T_i v_i / 3,  x_i+1 - T_i v_i+1 / 3,  x_i+1. */
typedef struct sn_spacetime_motion {
    int vertex_count, key_count;
    bool is_cyclic;     /* the last key equals the first */
    double *positions;  /* (key_count x vertex_count x 3) */
    double *velocities; /* (key_count x vertex_count x 3) */
    double *durations;  /* (key_count - 1) seconds */
} sn_spacetime_motion;

/* Copies the input keys to a motion, which is the optimisation's initial state. */
sn_result sn_spacetime_initial_motion(const sn_spacetime_input *input, sn_arena *arena, sn_spacetime_motion *motion);

/* Optimises a motion. The mesh must be valid (sn_tet_mesh_validate). Motion and report are allocated in the arena. The
 * final objective is never above the initial one. Deterministic for any number of threads. Errors: SN_ERROR_MEMORY;
 * SN_ERROR_NUMERIC if values are not finite; SN_ERROR_UNSUPPORTED if the system is too large. */
sn_result sn_spacetime_optimise(const sn_spacetime_input *input, const sn_spacetime_desc *desc, sn_arena *arena,
                                sn_spacetime_motion *motion, sn_spacetime_report *report);

/* Computes positions (vertex_count x 3) at `seconds`, between 0 and the sum of the durations. */
void sn_spacetime_sample(const sn_spacetime_motion *motion, double seconds, double *positions);

#endif
