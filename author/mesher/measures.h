/* SPDX-License-Identifier: MIT */
/* Quality measures of the finished mesh. They share no code with the mesher's decisions and use poses that it has not
 * seen. */
#ifndef SN_AUTHOR_MESHER_MEASURES_H
#define SN_AUTHOR_MESHER_MEASURES_H

#include "author/mesher/pieces.h"

typedef struct sn_measured {
    const sn_surface *surface;
    const sn_mesher_output *output;
    const sn_piece_list *pieces; /* the pieces that the surface was cut into */
    const int32_t *piece_tets;   /* (pieces' count) the tet that contains each piece */
    double cell_size;            /* unit coordinates */
} sn_measured;

/* Counts face-connected components and surface vertices outside their tets, and finds the minimum dihedral angle. */
sn_result sn_measure_shape(const sn_measured *measured, sn_mesher_report *report);

/* Counts tets that glue or tear parts of the surface. Both are 0 without a skin. */
sn_result sn_measure_separation(const sn_measured *measured, sn_mesher_report *report);

/* Counts edges that the rig alone stretches, with weights smoothed as in a cook. */
sn_result sn_measure_stretch(const sn_measured *measured, sn_mesher_report *report);

#endif
