/* SPDX-License-Identifier: MIT */
/* How far parts of the surface move apart under the rig: the pose distance of two points is the largest growth of their
 * distance over a set of poses. Clothes and the body beneath are near by this measure, a hand and the thigh that it
 * hangs beside are not. */
#ifndef SN_AUTHOR_MESHER_MOTION_H
#define SN_AUTHOR_MESHER_MOTION_H

#include "author/mesher/surface.h"

#define SN_MOTION_POSES 24

/* Moved points are (3 x pose_count): all x, all y, all z. */
typedef struct sn_motion {
    int pose_count; /* 0: nothing moves */
    int bone_count;
    double *bones;   /* (pose_count x bone_count x 12) relative to bind, in unit coordinates */
    float *vertices; /* (vertex_count x 3 x pose_count) moved */
} sn_motion;

/* Seeded poses in which every joint turns about a random axis, by 30 degrees in one half of them and by 50 in the
 * other. No poses where there is no skin. */
sn_result sn_motion_random(const sn_surface *surface, uint64_t seed, sn_arena *arena, sn_motion *motion);

/* Poses of the file's clips, evenly chosen. No poses where there are none. */
sn_result sn_motion_clips(const sn_surface *surface, sn_arena *arena, sn_motion *motion);

/* Adds weight times the moved point of a triangle. */
void sn_motion_add(const sn_motion *motion, const sn_surface *surface, int triangle, const float *barycentric,
                   float weight, float *moved);

/* Where a point goes that moves as that point of a triangle does: the affine map, not the place, is the triangle's. */
void sn_motion_carry(const sn_motion *motion, const sn_surface *surface, int triangle, const float *barycentric,
                     const double *point, float *moved);

/* The largest growth of a distance that is `distance` at rest; never less than 0. */
double sn_motion_growth(const sn_motion *motion, double distance, const float *a, const float *b);

#endif
