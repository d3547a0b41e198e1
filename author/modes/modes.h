/* SPDX-License-Identifier: MIT */
/* The subspace of fast complementary dynamics: momentum leak, constraint rows, constrained skinning eigenmodes. */
#ifndef SN_AUTHOR_MODES_MODES_H
#define SN_AUTHOR_MODES_MODES_H

#include "author/sparse/laplacian.h"
#include "host/mesh/tet_mesh.h"

/* Momentum leak D (vertex_count) in [0,1] by diffusion from the surface: (dt L + M) w = 0 inside, w = 1 on boundary
 * vertices, min-max to [0,1], D = 1 - w; dt = 1e-3 (y extent)^2, the extent at least .05 of the diagonal. All zero
 * where no vertex is inside. */
sn_result sn_momentum_leak(const sn_tet_mesh *mesh, const double *gradients, const double *volumes, const double *mass,
                           sn_arena *arena, double *leak);

typedef struct sn_constraint {
    const char *name; /* of the model, for messages of sn_modes_localise; null: modes */
    int row_count;
    double *rows;          /* (row_count x vertex_count) row-major, independent, of unit norm in M^-1: A w = 0 */
    const bool *is_pinned; /* (vertex_count) w = 0 there, and so is A; null: nowhere */
} sn_constraint;

/* Bones are taken one by one while no more than this move anything. Of more, the one that moves the least joins the one
 * whose flesh it shares most, and so on; a group's weight is the sum of its bones'. Modes then undo nothing of what a
 * group does as a whole, and some of what a bone does within it: of a human's 57 bones in 48 groups at most .05 of any
 * bone's motion, in 32 groups .03 of a limb's but up to .9 of a finger's; of 200 equal bones in 64 groups .08 on
 * average by mass, where modes without a constraint undo .37. Rows for each of those 200 would leave modes three times
 * as stiff. */
#define SN_CONSTRAINT_GROUP_CAP 64

typedef struct sn_constraint_rig {
    int bone_count;
    const double *weights;     /* (vertex_count x bone_count) */
    const bool *is_translated; /* (bone_count) what only translations move; null: nothing */
} sn_constraint_rig;

/* Full-rank basis of the rows { M D g_b q : q in 1, x, y, z, x^2, xy, xz, y^2, yz, z^2 } of all bones or groups: at
 * most ten each. The column of J of a bone that is only translated is g_b alone: q in 1, x, y, z then, at most four.
 * Where vertices will be pinned the leak must be 0. */
sn_result sn_constraint_build(const sn_tet_mesh *mesh, const double *mass, const double *leak,
                              const sn_constraint_rig *rig, sn_arena *arena, sn_constraint *constraint);

/* The most rows that a user may add: their products are a dense matrix. Pins are not rows. */
#define SN_CONSTRAINT_ROW_LIMIT 4096

/* Adds rows C (row_count x vertex_count), finite, any rank: C w = 0 besides A w = 0, with is_pinned in place. A row
 * counts as dependent, and is dropped, where less than 1e-4 of it, in the norm of M^-1, is outside of the others and
 * the pins. */
sn_result sn_constraint_add(int vertex_count, const double *mass, const double *rows, int row_count, sn_arena *arena,
                            sn_constraint *constraint);

typedef struct sn_modes {
    int mode_count;
    double *eigenvalues; /* (mode_count) ascending, H w = E M w */
    double *weights;     /* (vertex_count x mode_count) row-major, w^T M w = 1 */
    bool *is_target;     /* (mode_count) what sn_modes_add_targets has added; null: nothing */
    sn_sparse hessian;   /* H, of all vertices: what precomputing needs again */
} sn_modes;

/* The mode_count smallest eigenpairs of H w = E M w subject to A w = 0 and to w = 0 at pins, exactly. stiffness
 * (tet_count) is mu_t / mean mu (null: 1). SN_ERROR_ARGUMENT if the constraint leaves fewer than mode_count modes. The
 * sign of a mode makes its entry of largest magnitude (first on ties within rounding) positive. */
sn_result sn_modes_build(const sn_tet_mesh *mesh, const double *gradients, const double *volumes, const double *mass,
                         const double *stiffness, const sn_constraint *constraint, int mode_count, sn_arena *arena,
                         sn_modes *modes);

#define SN_MOST_SPARSITY 100.0

/* Replaces modes that sn_modes_build has found for the same arguments by as many that are zero over most of the body:
 * each minimises 1/2 w^T H w + mu sum m_v |w_v| orthogonally to those before it, mu = sparsity E_last / volume^1/2, so
 * that a sparsity means the same at any size. Still A w = 0, and W^T M W = 1; eigenvalues become w^T H w, ascending. 0
 * changes nothing; 1 to 10 are of use. SN_ERROR_ARGUMENT where modes would lie on fewer vertices than the constraint
 * has rows. (Brandt and Hildebrandt 2017; fast complementary dynamics, section 9.5) */
sn_result sn_modes_localise(const sn_tet_mesh *mesh, const double *gradients, const double *volumes, const double *mass,
                            const double *stiffness, const sn_constraint *constraint, double sparsity, sn_modes *modes);

#endif
