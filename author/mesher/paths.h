/* SPDX-License-Identifier: MIT */
/* Lengths of paths along the surface and along the skeleton, for the measures. */
#ifndef SN_AUTHOR_MESHER_PATHS_H
#define SN_AUTHOR_MESHER_PATHS_H

#include "author/mesher/surface.h"

/* A point of the surface. */
typedef struct sn_spot {
    int32_t triangle;
    double barycentric[3];
    double position[3]; /* unit coordinates */
    int32_t bone;       /* that moves it most, or -1 */
} sn_spot;

typedef struct sn_paths {
    const sn_surface *surface;
    int32_t *starts, *others; /* welded points across the edges of each point */
    float *lengths;           /* of those edges */
    float *distances;         /* (point_count) from the last source; valid where stamped */
    int32_t *stamps, *queue;
    uint8_t *is_queued;
    int32_t stamp;
    double *joints; /* (bone_count x 3), unit coordinates */
} sn_paths;

sn_result sn_paths_start(const sn_surface *surface, sn_arena *arena, sn_paths *paths);

/* Fills a spot's position and bone from its triangle and barycentric coordinates. */
void sn_paths_place(const sn_paths *paths, sn_spot *spot);

/* Whether no bone moves both by more than a hundredth. */
bool sn_paths_bones_disjoint(const sn_paths *paths, const sn_spot *a, const sn_spot *b);

/* Whether a path along edges is no longer than `bound`. */
bool sn_paths_near_on_surface(sn_paths *paths, const sn_spot *a, const sn_spot *b, double bound);

/* The length along the skeleton between the two spots' projections to their bones; INFINITY between two skeletons. */
double sn_paths_along_rig(const sn_paths *paths, const sn_spot *a, const sn_spot *b);

#endif
