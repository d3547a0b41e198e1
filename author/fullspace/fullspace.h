/* SPDX-License-Identifier: MIT */
/* Complementary dynamics without a subspace (Zhang et al. 2020), solved by the local-global step of fast complementary
 * dynamics. This is the reference of host/reduced, in double, for ablations and tests. Each vertex has a displacement u
 * on top of the rig; backward Euler, linear co-rotational elasticity, ARAP if Poisson's ratio is 0. A step minimizes
 *   1/(2 h^2) |u - y|^2_M + s/2 sum_t mu_t V_t |F_t - R_t|^2 + s/2 sum_t lambda_t V_t (tr(R_t^T F_t) - 3)^2 - g . M u
 *   subject to   J^T M D u = 0,
 * where J includes the columns of morph targets, which affect y but not F. y, its damping and all units are the same as
 * in host/reduced, so the two differ only in the space of u and in the tets that share a rotation. */
#ifndef SN_AUTHOR_FULLSPACE_FULLSPACE_H
#define SN_AUTHOR_FULLSPACE_FULLSPACE_H

#include "host/mesh/tet_mesh.h"
#include "host/model/model.h"

/* The simulated body. Arrays are not copied and must outlive the solver. */
typedef struct sn_fullspace_input {
    const char *name; /* for messages */
    sn_tet_mesh mesh;
    const double *tet_mu;      /* (tet_count) Pa, ARAP's mu = E / (1 + nu) */
    const double *tet_lame;    /* (tet_count) Pa, lambda = E nu / ((1 + nu) (1 - 2 nu)); null: 0 */
    const double *mass;        /* (vertex_count) kg */
    const double *leak;        /* (vertex_count) D */
    const bool *is_pinned;     /* (vertex_count) u = 0, and D must be 0; null: none */
    const double *rig_weights; /* (vertex_count x bone_count) */
    int bone_count;
    const bool *is_translated;        /* (bone_count) the bone is only translated, so J contains only g_b; null: none */
    const double *morph_columns;      /* (vertex_count x 3 pair_count) E; see host/model/model.h */
    const sn_morph_pair *morph_pairs; /* (pair_count) */
    int pair_count, field_count;      /* 0: no morph targets */
    bool is_posed; /* flesh is at rest in the rig's pose: F of a tet is the rotation of the rig's, plus grad u */
    const int32_t *clusters; /* (tet_count), for desc.is_clustered */
    int cluster_count;
} sn_fullspace_input;

/* Converts the tets of a model to double; the rest references the model. Vertices without mode weights are pinned. A
 * model does not store constraint rows added at cook time. Returns SN_ERROR_NUMERIC if a tet has no volume in float
 * precision. */
sn_result sn_fullspace_input_from_model(const sn_model *model, const char *name, sn_arena *arena,
                                        sn_fullspace_input *input);

typedef struct sn_fullspace_desc {
    double time_step; /* the fields up to `tolerance` are as in sn_reduced_desc */
    double stiffness;
    double damping;
    double gravity[3];
    int iteration_limit;
    double tolerance;      /* stops if no vertex moved by more than this fraction of the diagonal in an iteration */
    bool is_unconstrained; /* omit J^T M D u = 0 */
    bool is_clustered;     /* one rotation per cluster, as in the reduced step; otherwise one per tet */
} sn_fullspace_desc;

/* The reduced step's defaults, constrained, with a rotation per tet. */
sn_fullspace_desc sn_default_fullspace_desc(void);

typedef struct sn_fullspace_solver sn_fullspace_solver;
typedef struct sn_fullspace_body sn_fullspace_body;

typedef struct sn_fullspace_report {
    int iteration_count;
    double change;     /* largest vertex movement of the last iteration, as a fraction of the diagonal */
    bool is_recovered; /* as in sn_reduced_report */
} sn_fullspace_report;

/* Factors the system. Bodies of one solver share its workspace, so only one thread may use them at a time. */
sn_result sn_fullspace_solver_create(const sn_fullspace_input *input, const sn_fullspace_desc *desc,
                                     sn_fullspace_solver **solver);
void sn_fullspace_solver_destroy(sn_fullspace_solver **solver);
/* Returns the number of independent constraint rows per axis: at most 4 per bone. */
int sn_fullspace_constraint_rank(const sn_fullspace_solver *solver);

/* Creates a body at rest in `pose` (bone_count x 3 x 4, row-major, relative to bind); null: the bind pose. */
sn_result sn_fullspace_body_create(sn_fullspace_solver *solver, const double *pose, sn_fullspace_body **body);
void sn_fullspace_body_destroy(sn_fullspace_body **body);

/* Sets the weights (field_count) of the morph fields for the next steps; initially 0. */
void sn_fullspace_body_set_fields(sn_fullspace_body *body, const double *fields);
/* Puts the body to rest in a pose with the current field weights. */
void sn_fullspace_body_reset(sn_fullspace_body *body, const double *pose);

/* Sets the rig to `pose` and advances the flesh by one time step. */
sn_fullspace_report sn_fullspace_body_step(sn_fullspace_body *body, const double *pose);

/* Gets u (vertex_count x 3). */
void sn_fullspace_body_displacements(const sn_fullspace_body *body, double *displacements);

typedef struct sn_fullspace_energy {
    double kinetic; /* 1/2 |x_n - x_(n-1)|^2_M / h^2 of rig and flesh */
    double elastic; /* s/2 sum mu V |F - R|^2, and the volumetric term */
} sn_fullspace_energy;
sn_fullspace_energy sn_fullspace_body_energy(sn_fullspace_body *body);

/* Returns the objective of the next step to `pose` at displacements u, up to a constant, and its gradient; both arrays
 * are (vertex_count x 3). */
double sn_fullspace_body_objective(sn_fullspace_body *body, const double *pose, const double *displacements,
                                   double *gradient);

#endif
