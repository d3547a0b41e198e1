/* SPDX-License-Identifier: MIT */
/* Computes a frame in every tet of a mesh from frames along a few curves. Vertices near a curve have its frame; the
 * others have the smoothest field in between (Laplacian smoothing, Cai et al. 2016). The cotangent Laplacian is used
 * because a graph Laplacian has shape-dependent boundary effects. Axes have no sign: signs are chosen so that
 * neighbours agree, always two at once, so that frames are never reflections.
 *
 * Frames are stored as unit quaternions. Their normalized mean equals the polar decomposition of the mean matrix to
 * second order in the angles between neighbours, at 10% of the cost. */
#ifndef SN_AUTHOR_FRAMES_FRAME_FIELD_H
#define SN_AUTHOR_FRAMES_FRAME_FIELD_H

#include "host/mesh/tet_mesh.h"

/* Points along a curve with frames. */
typedef struct sn_frame_line {
    int count;               /* >= 1 */
    const double *points;    /* (count x 3) */
    const double *frames;    /* (count x 9) rotations, row-major, axes in columns */
    double influence_radius; /* vertices within this distance, and always the nearest one, have the line's frame */
} sn_frame_line;

typedef struct sn_frame_field_report {
    int known_count; /* number of vertices with the frame of a line */
    int sweep_count;
} sn_frame_field_report;

/* Computes frames (tet_count x 9), rotations, row-major. line_count >= 1. Components without a line take the frame of
 * the nearest line. Deterministic. */
sn_result sn_frame_field_build(const sn_tet_mesh *mesh, const sn_frame_line *lines, int line_count, double *frames,
                               sn_frame_field_report *report);

/* Chooses the signs of the axes of q so that they match `like`: of q, q i, q j, q k and their negatives, returns the
 * nearest. All are unit quaternions, xyzw. */
void sn_frame_align(const double *like, const double *q, double *aligned);

#endif
