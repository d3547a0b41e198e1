/* SPDX-License-Identifier: MIT */
/* Spacetime projective dynamics on parametric blendshapes (Wu and Umetani, BlendSim): between a few keys, each
 * vertex goes along cubic Bezier curves; the shapes and velocities at the keys are moved until the motion obeys
 *   M x'' + D x' = f_in(x) + f_ext
 * as well as such curves can, in the least squares of all samples. What is held at the keys stays. */
#ifndef SN_AUTHOR_SPACETIME_SPACETIME_H
#define SN_AUTHOR_SPACETIME_SPACETIME_H

#include "author/spacetime/elastic.h"
#include "host/base/jobs.h"

#define SN_SPACETIME_KEY_LIMIT 256
#define SN_SPACETIME_SAMPLE_LIMIT 256 /* of an interval */

/* A key. Positions and velocities are where the optimisation begins, and what held vertices keep. */
typedef struct sn_spacetime_key {
    const double *positions;      /* (vertex_count x 3) */
    const double *velocities;     /* (vertex_count x 3), or null: 0 */
    const bool *is_held;          /* (vertex_count) positions that stay, or null: none */
    const bool *is_velocity_held; /* (vertex_count), or null: none */
    double duration;              /* seconds to the next key; of the last key: not read. 0: the two keys are the moment
                                     before and after a hit: they share their positions and have a velocity each */
    int sample_count;             /* in the interval behind it, 2 or more */
} sn_spacetime_key;

/* Of the residual force: its square over the mass (the paper's (4)), or its square (the authors' program). */
typedef enum sn_spacetime_norm { SN_SPACETIME_INVERSE_MASS, SN_SPACETIME_IDENTITY } sn_spacetime_norm;

/* What may change of the durations. */
typedef enum sn_spacetime_timing {
    SN_SPACETIME_TIMES_FIXED,
    SN_SPACETIME_TOTAL_FIXED, /* their sum stays */
    SN_SPACETIME_TIMES_ALIKE, /* all by the same number of seconds, and */
    SN_SPACETIME_TIMES_FREE   /* each by itself: to a third of what it is at least, three times that at most */
} sn_spacetime_timing;

/* How the linear system is solved. */
typedef enum sn_spacetime_method {
    SN_SPACETIME_BEST,    /* by size: see solver.c */
    SN_SPACETIME_MODAL,   /* eigenmodes of the mesh, and a small system each; with the inverse mass alone */
    SN_SPACETIME_SPARSE,  /* a supernodal Cholesky factor */
    SN_SPACETIME_RATIONAL /* such a factor a temporal function; where the same vertices are free in all of them */
} sn_spacetime_method;

/* "best", "modal", "sparse" or "rational". */
const char *sn_spacetime_method_name(sn_spacetime_method method);

/* What vertices of keys around a hit may not enter. */
typedef struct sn_spacetime_obstacle {
    bool is_sphere;
    double point[3];  /* on the plane, or the middle of the sphere */
    double normal[3]; /* of the plane, unit, to the free side */
    double radius;
} sn_spacetime_obstacle;

typedef struct sn_spacetime_input {
    const sn_tet_mesh *mesh; /* at rest */
    sn_spacetime_material material;
    double damping;    /* D = damping M, 1/s */
    double gravity[3]; /* m/s^2 */
    int key_count;     /* 2 .. SN_SPACETIME_KEY_LIMIT */
    const sn_spacetime_key *keys;
    bool is_cyclic; /* the last key is the first one */
    int obstacle_count;
    const sn_spacetime_obstacle *obstacles;
} sn_spacetime_input;

typedef struct sn_spacetime_desc {
    sn_spacetime_norm norm;
    sn_spacetime_timing timing;
    sn_spacetime_method method;
    double regularisation; /* seconds: h_r of R = sum w B^T M B / h_r^2, which damps a step; 0: none */
    int iteration_limit;
    double tolerance;    /* stops at a change of the objective below this share of its first value */
    bool is_full_step;   /* steps are taken whole, whatever they do to the objective */
    bool has_reactions;  /* forces that hold vertices in all keys count as residual, as in the authors' program */
    sn_jobs *jobs;       /* or null */
    double memory_limit; /* bytes that the factors of SN_SPACETIME_RATIONAL may take; 0: any number */
} sn_spacetime_desc;

sn_spacetime_desc sn_default_spacetime_desc(void);

typedef struct sn_spacetime_report {
    int iteration_count, sample_count, contact_count;
    double objective_first, objective_last;
    double precompute_seconds, iteration_seconds; /* an iteration's: the mean */
    sn_spacetime_method method;                   /* the one taken */
    int objective_count;
    double *objectives; /* (objective_count): before the first iteration, and after each */
} sn_spacetime_report;

/* The optimised motion: in interval i, between keys i and i + 1, at theta from 0 to 1, the cubic Bezier curve through
 *   x_i,  x_i + T_i v_i / 3,  x_i+1 - T_i v_i+1 / 3,  x_i+1. */
typedef struct sn_spacetime_motion {
    int vertex_count, key_count;
    bool is_cyclic;     /* the last key is the first one */
    double *positions;  /* (key_count x vertex_count x 3) */
    double *velocities; /* (key_count x vertex_count x 3) */
    double *durations;  /* (key_count - 1) seconds */
} sn_spacetime_motion;

/* The keys as they are given: what the optimisation begins with. */
sn_result sn_spacetime_begin(const sn_spacetime_input *input, sn_arena *arena, sn_spacetime_motion *motion);

/* Optimises. The mesh is valid (sn_tet_mesh_validate); the motion and the report live in the arena. The best motion met
 * is kept: the objective never ends above where it began. Same input, same motion, whatever the number of threads.
 * Errors: SN_ERROR_MEMORY; SN_ERROR_NUMERIC where nothing is finite; SN_ERROR_UNSUPPORTED for systems too large. */
sn_result sn_spacetime_optimise(const sn_spacetime_input *input, const sn_spacetime_desc *desc, sn_arena *arena,
                                sn_spacetime_motion *motion, sn_spacetime_report *report);

/* positions (vertex_count x 3) at `seconds`, within 0 and the sum of the durations. */
void sn_spacetime_sample(const sn_spacetime_motion *motion, double seconds, double *positions);

#endif
