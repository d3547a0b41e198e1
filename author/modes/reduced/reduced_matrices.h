/* SPDX-License-Identifier: MIT */
/* The reduced matrices of complementary dynamics, in the basis that diagonalises mass and stiffness
 * (host/model/model.h). */
#ifndef SN_AUTHOR_MODES_REDUCED_REDUCED_MATRICES_H
#define SN_AUTHOR_MODES_REDUCED_REDUCED_MATRICES_H

#include "author/modes/modes.h"

typedef struct sn_reduced_input {
    const char *name; /* for messages */
    const sn_tet_mesh *mesh;
    const double *gradients;    /* (tet_count x 4 x 3) */
    const double *volumes;      /* (tet_count) */
    const double *tet_mu;       /* (tet_count) Pa, ARAP's mu = E / (1 + nu) */
    const sn_sparse *laplacian; /* lower triangle; sum_t mu_t V_t grad_i . grad_j is laplacian_scale times it; null: it
                                   is computed */
    double laplacian_scale;
    const double *tet_lame; /* (tet_count) Pa, lambda = E nu / ((1 + nu) (1 - 2 nu)); null: none */
    const double *mass;     /* (vertex_count) kg */
    const sn_modes *modes;
    const sn_constraint *held; /* rows A: A u = 0 for every displacement u of the coordinates; null: modes see to it */
    const double *rig_weights; /* (vertex_count x bone_count) */
    int bone_count;
    const double *morph_columns; /* E (vertex_count x 3 pair_count); null: no pairs */
    int pair_count;              /* of morph fields and bones */
    const int32_t *clusters;     /* (tet_count) */
    int cluster_count;
} sn_reduced_input;

/* Names and shapes are those of host/model/model.h. */
typedef struct sn_reduced_matrices {
    int coordinate_count; /* 4 mode_count less what is linearly dependent or barred */
    int barred_count;     /* what the held rows take */
    double *mode_from_coordinate, *coordinate_from_mode, *coordinate_stiffness, *coordinate_reach, *coordinate_mass;
    double *barred_from_mode;
    double *cluster_coordinate, *cluster_bone, *cluster_lame;
    double *mass_cross, *stiffness_cross, *mass_bone, *stiffness_bone;
    double *morph_cross, *morph_mass;
    double total_stiffness, volume_bound;
} sn_reduced_matrices;

/* SN_ERROR_ARGUMENT where the held rows leave no coordinate. */
sn_result sn_reduced_matrices_build(const sn_reduced_input *input, sn_arena *arena, sn_reduced_matrices *reduced);

#endif
