/* SPDX-License-Identifier: MIT */
/* Measures how far parts of the surface move apart under the rig. The pose distance of two points is the largest growth
 * of their distance over a set of poses. It is small for clothes and the body beneath, and large for a hand that hangs
 * next to a thigh. */
#ifndef SN_AUTHOR_MESHER_MOTION_H
#define SN_AUTHOR_MESHER_MOTION_H

#include "author/mesher/surface.h"

#define SN_MOTION_POSES 24

/* A set of poses and the posed vertices. A posed point is (3 x pose_count): all x, all y, all z. */
typedef struct sn_motion {
    int pose_count; /* 0: nothing moves */
    int bone_count;
    double *bones;   /* (pose_count x bone_count x 12) transforms relative to bind, in unit coordinates */
    float *vertices; /* (vertex_count x 3 x pose_count) posed positions */
} sn_motion;

/* Creates seeded random poses: every joint rotates about a random axis, by 30 degrees in half of the poses and by 50
 * degrees in the others. Creates no poses without a skin. */
sn_result sn_motion_random(const sn_surface *surface, uint64_t seed, sn_arena *arena, sn_motion *motion);

/* Takes up to SN_MOTION_POSES evenly spaced poses from the file's clips. */
sn_result sn_motion_clips(const sn_surface *surface, sn_arena *arena, sn_motion *motion);

/* Adds `weight` times the posed point of a triangle. */
void sn_motion_add(const sn_motion *motion, const sn_surface *surface, int triangle, const float *barycentric,
                   float weight, float *moved);

/* Transforms a point with the skinning that a triangle has at `barycentric`; the point need not lie on the triangle. */
void sn_motion_transform(const sn_motion *motion, const sn_surface *surface, int triangle, const float *barycentric,
                         const double *point, float *moved);

/* Returns the largest growth of the distance of two posed points whose rest distance is `distance`; at least 0. */
double sn_motion_growth(const sn_motion *motion, double distance, const float *a, const float *b);

#endif
