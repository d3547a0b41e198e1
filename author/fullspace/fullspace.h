/* SPDX-License-Identifier: MIT */
/* Complementary dynamics without a subspace (Zhang et al. 2020), by the local-global step of fast complementary
 * dynamics: the reference of host/reduced, in double, for ablations and tests. A displacement u of every vertex on top
 * of the rig, backward Euler, linear co-rotational; ARAP where Poisson's ratio is 0. A step minimises
 *   1/(2 h^2) |u - y|^2_M + s/2 sum_t mu_t V_t |F_t - R_t|^2 + s/2 sum_t lambda_t V_t (tr(R_t^T F_t) - 3)^2 - g . M u
 *   subject to   J^T M D u = 0,
 * (J with the columns of morph targets, which are in y but not in F, as there),
 * with y, the damping in it and all units as in host/reduced, so that the two differ in where u may lie (and in the
 * tets that share a rotation), in nothing else. */
#ifndef SN_AUTHOR_FULLSPACE_FULLSPACE_H
#define SN_AUTHOR_FULLSPACE_FULLSPACE_H

#include "host/mesh/tet_mesh.h"
#include "host/model/model.h"

/* What is simulated. Arrays are borrowed and must outlive the solver. */
typedef struct sn_fullspace_input {
    const char *name; /* for messages */
    sn_tet_mesh mesh;
    const double *tet_mu;      /* (tet_count) Pa, ARAP's mu = E / (1 + nu) */
    const double *tet_lame;    /* (tet_count) Pa, lambda = E nu / ((1 + nu) (1 - 2 nu)); null: 0 */
    const double *mass;        /* (vertex_count) kg */
    const double *leak;        /* (vertex_count) D */
    const bool *is_pinned;     /* (vertex_count) u = 0 there, and D must be; null: nowhere */
    const double *rig_weights; /* (vertex_count x bone_count) */
    int bone_count;
    const bool *is_translated;        /* (bone_count) what only translations move: J has g_b alone; null: nothing */
    const double *morph_columns;      /* (vertex_count x 3 pair_count) E: see host/model/model.h */
    const sn_morph_pair *morph_pairs; /* (pair_count) */
    int pair_count, field_count;      /* 0: no morph targets */
    const int32_t *clusters;          /* (tet_count), for desc.is_clustered */
    int cluster_count;
} sn_fullspace_input;

/* The tets of a model, in double; the rest is borrowed from it. Vertices that no mode moves are pinned. A model does
 * not hold the rows that its maker may have added to the constraint. SN_ERROR_NUMERIC where a tet has no volume in
 * float. */
sn_result sn_fullspace_input_from_model(const sn_model *model, const char *name, sn_arena *arena,
                                        sn_fullspace_input *input);

typedef struct sn_fullspace_desc {
    double time_step; /* as in sn_reduced_desc, up to tolerance */
    double stiffness;
    double damping;
    double gravity[3];
    int iteration_limit;
    double tolerance;      /* stop when no vertex moved by more than this fraction of the diagonal in an iteration */
    bool is_unconstrained; /* without J^T M D u = 0: flesh that knows the rig by its rest shape alone */
    bool is_clustered;     /* a rotation for each cluster, as the reduced step has; else one for each tet */
} sn_fullspace_desc;

/* The reduced step's defaults; constrained, a rotation for each tet. */
sn_fullspace_desc sn_default_fullspace_desc(void);

typedef struct sn_fullspace_solver sn_fullspace_solver;
typedef struct sn_fullspace_body sn_fullspace_body;

typedef struct sn_fullspace_report {
    int iteration_count;
    double change;     /* the last iteration's largest movement, as a fraction of the diagonal */
    bool is_recovered; /* as in sn_reduced_report */
} sn_fullspace_report;

/* Factors the system. Bodies of one solver share its workspace: one thread at a time. */
sn_result sn_fullspace_solver_create(const sn_fullspace_input *input, const sn_fullspace_desc *desc,
                                     sn_fullspace_solver **solver);
void sn_fullspace_solver_destroy(sn_fullspace_solver **solver);
/* Independent rows of the constraint on one axis: at most 4 a bone. */
int sn_fullspace_constraint_rank(const sn_fullspace_solver *solver);

/* A body at rest in `pose` (bone_count x 3 x 4, row-major, relative to bind); null = the bind pose. */
sn_result sn_fullspace_body_create(sn_fullspace_solver *solver, const double *pose, sn_fullspace_body **body);
void sn_fullspace_body_destroy(sn_fullspace_body **body);

/* Weights (field_count) of the morph fields in the next steps; 0 at first. */
void sn_fullspace_body_set_fields(sn_fullspace_body *body, const double *fields);
/* At rest in a pose and with the fields that were set last. */
void sn_fullspace_body_reset(sn_fullspace_body *body, const double *pose);

/* Moves the rig to `pose` and the flesh by one time step. */
sn_fullspace_report sn_fullspace_body_step(sn_fullspace_body *body, const double *pose);

/* u (vertex_count x 3). */
void sn_fullspace_body_displacements(const sn_fullspace_body *body, double *displacements);

typedef struct sn_fullspace_energy {
    double kinetic; /* 1/2 |x_n - x_(n-1)|^2_M / h^2, rig and flesh */
    double elastic; /* s/2 sum mu V |F - R|^2, and the volumetric term */
} sn_fullspace_energy;
sn_fullspace_energy sn_fullspace_body_energy(sn_fullspace_body *body);

/* The step's objective at displacements u for the motion that the next step to `pose` would see, up to a constant, and
 * its gradient, both (vertex_count x 3). */
double sn_fullspace_body_objective(sn_fullspace_body *body, const double *pose, const double *displacements,
                                   double *gradient);

#endif
