/* SPDX-License-Identifier: MIT */
/* A model at a lower level of detail: its first modes only, and coarser clusters. */
#ifndef SN_HOST_REDUCED_VIEW_H
#define SN_HOST_REDUCED_VIEW_H

#include "host/model/model.h"

/* A model whose reduced matrices are those of a smaller space; it can be used wherever a model is read. */
typedef struct sn_reduced_view {
    sn_model model;      /* the source's data, with the reduced parts replaced */
    int mode_count;      /* number of the source's modes in use; mode_from_coordinate is zero for the others */
    const double *basis; /* (source's coordinate_count x coordinate_count): Z_source = basis Z, basis^T basis = 1; null:
                            identity */
} sn_reduced_view;

/* Builds a view. mode_count 0 or too large: all modes; cluster_level is clamped to the coarsest. With all modes and
 * level 0 the view equals the source. The source and the arena must outlive the view.
 *
 * V restricted to the span of the first modes' columns is V' = V basis, with V'^T M V' = 1 and V'^T L V' diagonal
 * again: the same as if the model had been cooked with these modes, up to signs. Where coordinates are constrained out,
 * the basis spans the part of these columns' span that lies in V's, with sn_model_level_mode_count modes. */
sn_result sn_reduced_view_build(const sn_model *source, int mode_count, int cluster_level, sn_arena *arena,
                                sn_reduced_view *view);

/* Number of coordinates that remain with the first modes, without building the view. */
sn_result sn_reduced_count_coordinates(const sn_model *source, int mode_count, int *count);

#endif
