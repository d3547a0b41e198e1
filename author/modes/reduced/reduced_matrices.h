/* SPDX-License-Identifier: MIT */
/* The reduced matrices of complementary dynamics, in the basis that diagonalises mass and stiffness
 * (host/model/model.h). */
#ifndef SN_AUTHOR_MODES_REDUCED_REDUCED_MATRICES_H
#define SN_AUTHOR_MODES_REDUCED_REDUCED_MATRICES_H

#include "author/modes/modes.h"

typedef struct sn_reduced_input {
    const char *name; /* for messages */
    const sn_tet_mesh *mesh;
    const double *gradients; /* (tet_count x 4 x 3) */
    const double *volumes;   /* (tet_count) */
    const double *tet_mu;    /* (tet_count) Pa, ARAP's mu = E / (1 + nu) */
    const sn_sparse
        *laplacian; /* lower triangle; times laplacian_scale, it is sum_t mu_t V_t grad_i . grad_j; null: compute it */
    double laplacian_scale;
    const double *tet_lame; /* (tet_count) Pa, lambda = E nu / ((1 + nu) (1 - 2 nu)); null: none */
    const double *mass;     /* (vertex_count) kg */
    const sn_modes *modes;
    const sn_constraint *coordinate_constraint; /* rows A with A u = 0 for every displacement u of the coordinates;
                                  null: the modes satisfy the constraint */
    const double *rig_weights;                  /* (vertex_count x bone_count) */
    int bone_count;
    const double *morph_columns; /* E (vertex_count x 3 pair_count); null: no pairs */
    int pair_count;              /* pairs of morph fields and bones */
    const int32_t *clusters;     /* (tet_count) */
    int cluster_count;
    double strain_limit_stiffness;   /* kappa >= 0 of host/model/model.h; 0: none */
    const double *tet_strain_limits; /* (tet_count) e >= 0, averaged over a cluster's volume; null: 0 */
    const double *vertex_decay;      /* (vertex_count) decay rate in 1/s, >= 0; null: 0 */
} sn_reduced_input;

/* Names and shapes are those of host/model/model.h. */
typedef struct sn_reduced_matrices {
    int coordinate_count;             /* 4 mode_count less linearly dependent and constrained ones */
    int constrained_coordinate_count; /* coordinates that the constraint rows remove */
    double *mode_from_coordinate, *coordinate_from_mode, *coordinate_stiffness, *coordinate_bounds, *coordinate_mass;
    double *coordinate_tangent_stiffness, *coordinate_decay;
    double *constrained_from_mode;
    double *cluster_coordinate, *cluster_bone, *cluster_lame, *cluster_strain_limits;
    double *mass_cross, *stiffness_cross, *mass_bone, *stiffness_bone;
    double *morph_cross, *morph_mass;
    double total_stiffness, volume_bound;
} sn_reduced_matrices;

/* Errors: SN_ERROR_ARGUMENT if the constraint rows leave no coordinate. */
sn_result sn_reduced_matrices_build(const sn_reduced_input *input, sn_arena *arena, sn_reduced_matrices *reduced);

#endif
