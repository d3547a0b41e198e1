/* SPDX-License-Identifier: MIT */
/* A frame in every tet of a mesh, from frames along a few curves: those near a curve have its own, the others the
 * smoothest field between (Laplacian smoothing, Cai et al. 2016), with the cotangent Laplacian: the graph's has no
 * boundary condition that knows the shape. An axis has no sign: signs are chosen so that neighbours agree, always two
 * at once, so that no frame is ever a reflection.
 *
 * Frames are unit quaternions here, of which the normalised mean is, to second order in the angles between neighbours,
 * what a polar decomposition makes of a mean of matrices, and costs a tenth. */
#ifndef SN_AUTHOR_FRAMES_FRAME_FIELD_H
#define SN_AUTHOR_FRAMES_FRAME_FIELD_H

#include "host/mesh/tet_mesh.h"

/* Places along a curve. */
typedef struct sn_frame_line {
    int count;            /* >= 1 */
    const double *points; /* (count x 3) */
    const double *frames; /* (count x 9) rotations, row-major, axes by columns */
    double reach;         /* vertices so near have its frame, and the nearest one, however far */
} sn_frame_line;

typedef struct sn_frame_field_report {
    int known_count; /* vertices that have the frame of a line */
    int sweep_count;
} sn_frame_field_report;

/* frames (tet_count x 9), rotations, row-major. line_count >= 1. A piece of the mesh that no line is near takes the
 * frames of what is nearest. The same bits for the same input. */
sn_result sn_frame_field_build(const sn_tet_mesh *mesh, const sn_frame_line *lines, int line_count, double *frames,
                               sn_frame_field_report *report);

/* The same axes as those of the frame q, signs as `like` has them: of q, q i, q j, q k and their negatives, the nearest
 * to it. All are unit quaternions, xyzw. */
void sn_frame_align(const double *like, const double *q, double *aligned);

#endif
