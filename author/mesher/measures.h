/* SPDX-License-Identifier: MIT */
/* What the mesh is worth, counted on the finished mesh by code that shares no decision with what built it, in poses
 * that this never saw. */
#ifndef SN_AUTHOR_MESHER_MEASURES_H
#define SN_AUTHOR_MESHER_MEASURES_H

#include "author/mesher/pieces.h"

typedef struct sn_measured {
    const sn_surface *surface;
    const sn_mesher_output *output;
    const sn_piece_list *pieces; /* what the surface was cut into */
    const int32_t *piece_tets;   /* (pieces' count) the tets that are said to hold them */
    double cell_size;            /* unit coordinates */
} sn_measured;

/* Face-connected components, vertices outside their tets, the least dihedral angle. */
sn_result sn_measure_shape(const sn_measured *measured, sn_mesher_report *report);

/* Tets that glue, tets that tear. Nothing where there is no skin. */
sn_result sn_measure_ties(const sn_measured *measured, sn_mesher_report *report);

/* Edges that the rig stretches, with weights smoothed as a cook does. */
sn_result sn_measure_stretch(const sn_measured *measured, sn_mesher_report *report);

#endif
