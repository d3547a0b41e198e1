/* SPDX-License-Identifier: MIT */
/* The subspace of fast complementary dynamics: momentum leak, constraint rows, constrained skinning eigenmodes. */
#ifndef SN_AUTHOR_MODES_MODES_H
#define SN_AUTHOR_MODES_MODES_H

#include "author/sparse/laplacian.h"
#include "host/mesh/tet_mesh.h"

/* Momentum leak D (vertex_count) in [0, 1] by diffusion from the surface: (dt L + M) w = 0 inside, w = 1 on boundary
 * vertices, scaled to the range [0, 1], D = 1 - w; dt = 1e-3 (y extent)^2, with the extent at least 0.05 of the
 * diagonal. All zero if no vertex is inside. */
sn_result sn_momentum_leak(const sn_tet_mesh *mesh, const double *gradients, const double *volumes, const double *mass,
                           sn_arena *arena, double *leak);

typedef struct sn_constraint {
    const char *name; /* of the model, for messages of sn_modes_localise; null: "modes" */
    int row_count;
    double *rows;          /* (row_count x vertex_count) row-major, independent, of unit norm in M^-1: A w = 0 */
    const bool *is_pinned; /* (vertex_count) w = 0 and A = 0 there; null: none */
} sn_constraint;

/* Largest number of bone groups in the constraint. Rigs with more bones are grouped: the bone that moves the least mass
 * is merged into the bone with which it shares the most, repeatedly; the weight of a group is the sum of its bones'
 * weights. Modes then cannot undo the motion of a group as a whole, but can undo part of a bone's motion within it.
 * Separate rows for hundreds of bones would leave only modes that are too stiff to be visible. */
#define SN_CONSTRAINT_GROUP_CAP 64

typedef struct sn_constraint_rig {
    int bone_count;
    const double *weights;     /* (vertex_count x bone_count) */
    const bool *is_translated; /* (bone_count) bones that only translate; null: none */
} sn_constraint_rig;

/* Builds a full-rank basis of the rows { M D g_b q : q in 1, x, y, z, x^2, xy, xz, y^2, yz, z^2 } of all bones or
 * groups: at most ten each. For a bone that only translates, the column of J is g_b, so q is in 1, x, y, z. The leak
 * must be 0 at vertices that will be pinned. */
sn_result sn_constraint_build(const sn_tet_mesh *mesh, const double *mass, const double *leak,
                              const sn_constraint_rig *rig, sn_arena *arena, sn_constraint *constraint);

/* Largest number of user rows, since their products form a dense matrix. Pins are not rows. */
#define SN_CONSTRAINT_ROW_LIMIT 4096

/* Adds rows C (row_count x vertex_count), finite and of any rank, so that C w = 0 in addition to A w = 0; is_pinned
 * must be set before. A row is dropped as dependent if less than 1e-4 of its norm in M^-1 is outside of the span of the
 * others and the pins. */
sn_result sn_constraint_add(int vertex_count, const double *mass, const double *rows, int row_count, sn_arena *arena,
                            sn_constraint *constraint);

typedef struct sn_modes {
    int mode_count;
    double *eigenvalues; /* (mode_count) ascending, H w = E M w */
    double *weights;     /* (vertex_count x mode_count) row-major, w^T M w = 1 */
    bool *is_target;     /* (mode_count) added by sn_modes_add_targets; null: none */
    sn_sparse hessian;   /* H of all vertices, which the reduced matrices need */
} sn_modes;

/* Computes the mode_count smallest eigenpairs of H w = E M w subject to A w = 0 and w = 0 at pins, both exact.
 * stiffness (tet_count) is mu_t / mean mu (null: 1). The sign of a mode makes its entry of largest magnitude positive
 * (the first one on ties within rounding). Errors: SN_ERROR_ARGUMENT if the constraint leaves fewer than mode_count
 * modes. */
sn_result sn_modes_build(const sn_tet_mesh *mesh, const double *gradients, const double *volumes, const double *mass,
                         const double *stiffness, const sn_constraint *constraint, int mode_count, sn_arena *arena,
                         sn_modes *modes);

#define SN_MAX_SPARSITY 100.0

/* Replaces modes that sn_modes_build computed with the same arguments by as many sparse ones, which are zero over most
 * of the body: each minimises 1/2 w^T H w + mu sum m_v |w_v| orthogonally to the previous ones, with mu = sparsity
 * E_last / volume^1/2, so that sparsity does not depend on size. A w = 0 and W^T M W = 1 still hold; eigenvalues become
 * w^T H w, ascending. Sparsity 0 changes nothing; useful values are 1 to 10. Errors: SN_ERROR_ARGUMENT if a mode would
 * lie on fewer vertices than the constraint has rows. (Brandt and Hildebrandt 2017; fast complementary dynamics,
 * section 9.5) */
sn_result sn_modes_localise(const sn_tet_mesh *mesh, const double *gradients, const double *volumes, const double *mass,
                            const double *stiffness, const sn_constraint *constraint, double sparsity, sn_modes *modes);

#endif
