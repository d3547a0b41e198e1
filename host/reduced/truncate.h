/* SPDX-License-Identifier: MIT */
/* A model at a lower level of detail: its first modes alone, and coarser clusters. */
#ifndef SN_HOST_REDUCED_TRUNCATE_H
#define SN_HOST_REDUCED_TRUNCATE_H

#include "host/model/model.h"

/* A model whose reduced matrices are those of a smaller space: what reads a model reads this one alike. */
typedef struct sn_reduced_view {
    sn_model model;      /* the source's, but for what the level of detail changes */
    int mode_count;      /* of the source's modes, the first: mode_from_coordinate has zeros for the others */
    const double *basis; /* (source's coordinate_count x coordinate_count): Z_source = basis Z, basis^T basis = 1; null:
                            they are the same coordinates */
} sn_reduced_view;

/* mode_count 0, or more than there are: all; cluster_level beyond the coarsest: that one. With all modes and level 0
 * the view is the source. The source and the arena must outlive the view.
 *
 * V restricted to the span of the first modes' columns is V' = V basis, with V'^T M V' = 1 and V'^T L V' diagonal
 * again: the same as if the model had been cooked with these modes, up to signs. Where coordinates are barred, that is
 * what of these columns' span lies in V's, and it takes sn_model_level_mode_count modes. */
sn_result sn_reduced_view_build(const sn_model *source, int mode_count, int cluster_level, sn_arena *arena,
                                sn_reduced_view *view);

/* Coordinates that the first modes leave, before anything else is made of them. */
sn_result sn_reduced_count_coordinates(const sn_model *source, int mode_count, int *count);

/* m_c = sum mu_t V_t of a cluster: S_J at rest is m_c times the identity. */
double sn_reduced_cluster_stiffness(const sn_model *model, int cluster);

#endif
