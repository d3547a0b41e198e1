/* SPDX-License-Identifier: MIT */
/* Path lengths along the surface and along the skeleton, for the quality measures. */
#ifndef SN_AUTHOR_MESHER_PATHS_H
#define SN_AUTHOR_MESHER_PATHS_H

#include "author/mesher/surface.h"

/* A point of the surface. */
typedef struct sn_surface_sample {
    int32_t triangle;
    double barycentric[3];
    double position[3]; /* unit coordinates */
    int32_t bone;       /* the bone with the largest weight, or -1 */
} sn_surface_sample;

typedef struct sn_paths {
    const sn_surface *surface;
    int32_t *starts, *others; /* welded points that share an edge with each point */
    float *lengths;           /* lengths of these edges */
    float *distances;         /* (point_count) distance from the last source; valid if stamps[point] == stamp */
    int32_t *stamps, *queue;
    uint8_t *is_queued;
    int32_t stamp;
    double *joints; /* (bone_count x 3), unit coordinates */
} sn_paths;

sn_result sn_paths_start(const sn_surface *surface, sn_arena *arena, sn_paths *paths);

/* Computes the position and bone of a surface point from its triangle and barycentric coordinates. */
void sn_paths_locate(const sn_paths *paths, sn_surface_sample *sample);

/* Returns whether no bone moves both points with a weight over 1%. */
bool sn_paths_bones_disjoint(const sn_paths *paths, const sn_surface_sample *a, const sn_surface_sample *b);

/* Returns whether some path along surface edges is no longer than `bound`. */
bool sn_paths_near_on_surface(sn_paths *paths, const sn_surface_sample *a, const sn_surface_sample *b, double bound);

/* Returns the length of the path along the skeleton between the projections of both points to their bones; INFINITY if
 * they belong to different skeletons. */
double sn_paths_along_rig(const sn_paths *paths, const sn_surface_sample *a, const sn_surface_sample *b);

#endif
