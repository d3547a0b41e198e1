/* SPDX-License-Identifier: MIT */
/* Subspaces that skinning eigenmodes are compared with, for tests and figures only; never part of a cook. Each file
 * cites its paper. Displacements are (vertex_count x 3); all values are double. */
#ifndef SN_RESEARCH_BASELINES_BASELINES_H
#define SN_RESEARCH_BASELINES_BASELINES_H

#include "author/modes/modes.h"

/* The deformed body. Arrays are not copied. */
typedef struct sn_baseline_body {
    sn_tet_mesh mesh;
    const double *gradients;  /* (tet_count x 4 x 3) */
    const double *volumes;    /* (tet_count) */
    const double *tet_mu;     /* (tet_count) Pa, ARAP's mu = E / (1 + nu) */
    const double *tet_lame;   /* (tet_count) Pa; null: 0 */
    const double *mass;       /* (vertex_count) kg */
    sn_constraint constraint; /* A u = 0 on each axis; u = 0 at pinned vertices */
} sn_baseline_body;

/* Adds the linearly independent rows of J^T M D on one axis: at most four per bone. The constraint must be zero or
 * contain only pins. */
sn_result sn_baseline_rig_rows(const sn_baseline_body *body, const double *leak, const double *rig_weights,
                               int bone_count, sn_arena *arena, sn_constraint *constraint);

/* u = basis q. Columns are orthonormal in the mass, and satisfy the body's constraint if they were built to. */
typedef struct sn_subspace {
    int dimension;
    double *basis; /* (3 vertex_count x dimension) column-major */
} sn_subspace;

/* ---- displacement modes and their nonlinear corrections ---- */

/* Method for the smallest eigenpairs of a large pencil. */
typedef enum sn_eigen_method {
    SN_EIGEN_BY_SIZE, /* SN_EIGEN_FACTOR up to 400,000 unknowns, or for more than SN_LARGE_ROW_LIMIT constraint columns
                         (three per row); otherwise SN_EIGEN_LATTICE, with SN_EIGEN_FACTOR as fallback */
    SN_EIGEN_FACTOR,  /* Lanczos on the inverse by a sparse factorization; relative residuals of 1e-8 */
    SN_EIGEN_LATTICE  /* the method of skinning eigenmodes of large meshes; eigenvalues to 2e-7, spans to 5e-4 */
} sn_eigen_method;

/* Computes the smallest `requested_count` eigenpairs of K u = E M u, where K is the Hessian of linear elasticity at
 * rest. */
sn_result sn_displacement_modes(const sn_baseline_body *body, int requested_count, sn_arena *arena, double *eigenvalues,
                                sn_subspace *modes);
/* The same with a given method. Returns SN_ERROR_NUMERIC if SN_EIGEN_LATTICE does not converge. */
sn_result sn_displacement_modes_by(const sn_baseline_body *body, sn_eigen_method method, int requested_count,
                                   sn_arena *arena, double *eigenvalues, sn_subspace *modes);

/* Computes `modes` plus modal derivatives of mode pairs, softest first, up to dimension `limit`. eigenvalues: those of
 * the modes, all > 0. */
sn_result sn_modal_derivatives(const sn_baseline_body *body, const sn_subspace *modes, const double *eigenvalues,
                               int limit, sn_arena *arena, sn_subspace *subspace);

/* Warps a linear displacement: rotates each vertex by its own linearized rotation. */
void sn_modal_warp(const sn_baseline_body *body, const double *displacements, double *warped);

/* Computes the displacement whose deformation gradients are nearest to exp(antisymmetric part) (1 + symmetric part) of
 * the input's gradients, with the same center of mass or the same pinned vertices. */
sn_result sn_rotation_strain(const sn_baseline_body *body, const double *displacements, double *corrected);

/* ---- other weights ---- */

/* Computes weights of the smallest eigenvalues of sum_k P_k diag(x_k) H diag(x_k), where x_k are the homogeneous rest
 * coordinates about `origin`: the weight-space Hessian for independent affine entries with variances P_k (4). Variances
 * 0 0 0 1 give skinning eigenmodes. */
sn_result sn_covariance_modes(const sn_baseline_body *body, const double *variances, const double *origin,
                              int requested_count, sn_arena *arena, sn_modes *modes);

/* Computes weights of the smallest eigenvalues of L M^-1 L: smooth, but independent of the material. */
sn_result sn_biharmonic_modes(const sn_baseline_body *body, int requested_count, sn_arena *arena, sn_modes *modes);

/* Computes hat functions of a lattice of tets around the body with at most `limit` nodes: weights (vertex_count x
 * node_count). */
sn_result sn_lattice_weights(const sn_tet_mesh *mesh, int limit, sn_arena *arena, double **weights, int *node_count);

/* ---- subspaces of weights ---- */

/* Builds the space of all w_j [x, 1] on each axis, or of all w_j alone if is_affine is false. weights (vertex_count x
 * weight_count). */
sn_result sn_weight_subspace(const sn_baseline_body *body, const double *weights, int weight_count, bool is_affine,
                             sn_arena *arena, sn_subspace *subspace);

/* Restricts an orthonormal subspace to displacements that satisfy the body's constraint (not its pins); dimension 0 if
 * there are none. Fast complementary dynamics, section 9.9, calls this a constraint at run time. */
sn_result sn_subspace_constrain(const sn_baseline_body *body, sn_arena *arena, sn_subspace *subspace);

/* Orthonormalises in the mass, in place. Removes columns with less than 1e-7 of their norm left. */
void sn_subspace_orthonormalise(const double *mass, int vertex_count, sn_subspace *subspace);
/* Computes the nearest displacement in the subspace, in the mass norm. Returns the relative error. */
double sn_subspace_fit(const sn_subspace *subspace, const double *mass, int vertex_count, const double *displacements,
                       double *nearest);
/* Computes eigenvalues (dimension), ascending, of K in an orthonormal subspace: squared angular frequencies of a free
 * body in the subspace, 1/s^2. */
sn_result sn_subspace_eigenvalues(const sn_baseline_body *body, const sn_subspace *subspace, double *eigenvalues);
/* sqrt(u^T M u) */
double sn_mass_norm(const double *mass, int vertex_count, const double *displacements);

/* ---- time step in any subspace ---- */

/* Minimizes 1/(2 h^2) |u - y|^2_M + 1/2 sum mu V |F - R|^2 - g . M u over u = basis q on top of a rig's positions, with
 * y as in author/fullspace and one rotation per tet, so only the subspace differs. */
typedef struct sn_subspace_desc {
    double time_step;
    double gravity[3];
    int iteration_limit;
    double tolerance; /* max. vertex movement in an iteration, in the body's unit */
} sn_subspace_desc;

typedef struct sn_subspace_solver sn_subspace_solver;

/* Creates a solver at rest with the vertices at rig_positions (vertex_count x 3). Body and subspace are not copied. */
sn_result sn_subspace_solver_create(const sn_baseline_body *body, const sn_subspace *subspace,
                                    const sn_subspace_desc *desc, const double *rig_positions,
                                    sn_subspace_solver **solver);
void sn_subspace_solver_destroy(sn_subspace_solver **solver);
/* Returns the number of iterations. */
int sn_subspace_solver_step(sn_subspace_solver *solver, const double *rig_positions);
/* Gets u (vertex_count x 3). */
void sn_subspace_solver_displacements(const sn_subspace_solver *solver, double *displacements);
/* Returns 1/2 sum mu V |F - R|^2 - g . M u of the current state. */
double sn_subspace_solver_potential(sn_subspace_solver *solver);

#endif
