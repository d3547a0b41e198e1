/* SPDX-License-Identifier: MIT */
/* The subspaces that skinning eigenmodes are compared with: for tests and figures only, never part of a cook. Each file
 * opens with its paper. Displacements are (vertex_count x 3); everything is in double. */
#ifndef SN_RESEARCH_BASELINES_BASELINES_H
#define SN_RESEARCH_BASELINES_BASELINES_H

#include "author/modes/modes.h"

/* What is deformed. Arrays are borrowed. */
typedef struct sn_baseline_body {
    sn_tet_mesh mesh;
    const double *gradients;  /* (tet_count x 4 x 3) */
    const double *volumes;    /* (tet_count) */
    const double *tet_mu;     /* (tet_count) Pa, ARAP's mu = E / (1 + nu) */
    const double *tet_lame;   /* (tet_count) Pa; null: 0 */
    const double *mass;       /* (vertex_count) kg */
    sn_constraint constraint; /* A u = 0 on each axis; u = 0 at pins */
} sn_baseline_body;

/* The rows of J^T M D on one axis, without those that depend on others: at most four a bone. The constraint is zero, or
 * has its pins. */
sn_result sn_baseline_rig_rows(const sn_baseline_body *body, const double *leak, const double *rig_weights,
                               int bone_count, sn_arena *arena, sn_constraint *constraint);

/* u = basis q; columns are orthonormal in the mass, and keep the body's constraint where they were made to. */
typedef struct sn_subspace {
    int dimension;
    double *basis; /* (3 vertex_count x dimension) column-major, rows as displacements */
} sn_subspace;

/* ---- displacement modes and what mends them ---- */

/* How the least pairs of a large pencil are found. */
typedef enum sn_eigen_way {
    SN_EIGEN_BY_SIZE, /* with a factor up to 400 thousand unknowns, or of more than SN_LARGE_ROW_LIMIT columns of the
                         constraint, three a row; else on a lattice, unless that fails */
    SN_EIGEN_FACTOR,  /* Lanczos on the inverse by a sparse factor: residuals of 1e-8 of it */
    SN_EIGEN_LATTICE  /* as skinning eigenmodes of large meshes: eigenvalues to 2e-7, spans to 5e-4 */
} sn_eigen_way;

/* The smallest `wanted` pairs of K u = E M u, K the Hessian of linear elasticity at rest. */
sn_result sn_displacement_modes(const sn_baseline_body *body, int wanted, sn_arena *arena, double *eigenvalues,
                                sn_subspace *modes);
/* The same in the way that is given; SN_ERROR_NUMERIC where the lattice's does not converge. */
sn_result sn_displacement_modes_by(const sn_baseline_body *body, sn_eigen_way way, int wanted, sn_arena *arena,
                                   double *eigenvalues, sn_subspace *modes);

/* `modes` and the derivatives of its pairs, softest first, up to dimension `most`. eigenvalues, above 0, are those of
 * the modes. */
sn_result sn_modal_derivatives(const sn_baseline_body *body, const sn_subspace *modes, const double *eigenvalues,
                               int most, sn_arena *arena, sn_subspace *subspace);

/* A displacement of linear modes, with each vertex turned by its own linearised rotation. */
void sn_modal_warp(const sn_baseline_body *body, const double *displacements, double *warped);

/* The displacement whose deformation gradients are nearest to exp(antisymmetric part) (1 + symmetric part) of those
 * given, with the same centre of mass, or the same pinned vertices. */
sn_result sn_rotation_strain(const sn_baseline_body *body, const double *displacements, double *mended);

/* ---- other weights ---- */

/* Weights of the smallest eigenvalues of sum_k P_k diag(x_k) H diag(x_k), x_k the homogeneous rest coordinates about
 * `origin`: the weight-space Hessian for independent affine entries of variance P_k (4). 0 0 0 1 are skinning
 * eigenmodes. */
sn_result sn_covariance_modes(const sn_baseline_body *body, const double *variances, const double *origin, int wanted,
                              sn_arena *arena, sn_modes *modes);

/* Weights of the smallest eigenvalues of L M^-1 L: smooth, blind to the material. */
sn_result sn_biharmonic_modes(const sn_baseline_body *body, int wanted, sn_arena *arena, sn_modes *modes);

/* Hat functions of a lattice of tets around the body, with at most `most` nodes: weights (vertex_count x node_count).
 */
sn_result sn_lattice_weights(const sn_tet_mesh *mesh, int most, sn_arena *arena, double **weights, int *node_count);

/* ---- subspaces of weights ---- */

/* All w_j [x, 1] on each axis; without affine parts all w_j alone. weights (vertex_count x weight_count). */
sn_result sn_weight_subspace(const sn_baseline_body *body, const double *weights, int weight_count, bool is_affine,
                             sn_arena *arena, sn_subspace *subspace);

/* What of an orthonormal subspace keeps the body's constraint (not its pins): 0 dimensions where it leaves none. Fast
 * complementary dynamics calls this a constraint at run time, section 9.9. */
sn_result sn_subspace_constrain(const sn_baseline_body *body, sn_arena *arena, sn_subspace *subspace);

/* Orthonormal in the mass, in place, without columns of which less than 1e-7 is left. */
void sn_subspace_orthonormalise(const double *mass, int vertex_count, sn_subspace *subspace);
/* The nearest displacement in the subspace, in the mass; returns what is left out, relative to the norm. */
double sn_subspace_fit(const sn_subspace *subspace, const double *mass, int vertex_count, const double *displacements,
                       double *nearest);
/* eigenvalues (dimension), ascending, of K in an orthonormal subspace: squares of the frequencies at which a free body
 * that keeps to it swings, 1/s^2. */
sn_result sn_subspace_eigenvalues(const sn_baseline_body *body, const sn_subspace *subspace, double *eigenvalues);
/* sqrt(u^T M u) */
double sn_mass_norm(const double *mass, int vertex_count, const double *displacements);

/* ---- a step in any subspace ---- */

/* Minimises 1/(2 h^2) |u - y|^2_M + 1/2 sum mu V |F - R|^2 - g . M u over u = basis q on top of a rig's positions, with
 * y as in author/fullspace and a rotation a tet: only the subspace differs. */
typedef struct sn_subspace_desc {
    double time_step;
    double gravity[3];
    int iteration_limit;
    double tolerance; /* of the largest movement in an iteration, in the body's unit */
} sn_subspace_desc;

typedef struct sn_subspace_solver sn_subspace_solver;

/* Borrows body and subspace; at rest with its vertices at rig_positions (vertex_count x 3). */
sn_result sn_subspace_solver_create(const sn_baseline_body *body, const sn_subspace *subspace,
                                    const sn_subspace_desc *desc, const double *rig_positions,
                                    sn_subspace_solver **solver);
void sn_subspace_solver_destroy(sn_subspace_solver **solver);
/* Returns the number of iterations. */
int sn_subspace_solver_step(sn_subspace_solver *solver, const double *rig_positions);
/* u (vertex_count x 3) */
void sn_subspace_solver_displacements(const sn_subspace_solver *solver, double *displacements);
/* 1/2 sum mu V |F - R|^2 - g . M u as it is. */
double sn_subspace_solver_potential(sn_subspace_solver *solver);

#endif
