/* SPDX-License-Identifier: MIT */
/* World transforms of a scene's nodes, at rest and in its clips (glTF 2.0, "Animations"). */
#ifndef SN_AUTHOR_IO_SCENE_POSE_H
#define SN_AUTHOR_IO_SCENE_POSE_H

#include "author/io/scene_file.h"

typedef struct sn_scene_pose {
    const sn_scene_file *scene;
    int32_t *order; /* (node_count) parents before children */
    double *world;  /* (node_count x 12), row-major, of the most recent pose */
    double *parts;  /* (node_count x 10): translation, rotation, scale */
} sn_scene_pose;

/* Starts in the rest pose. */
sn_result sn_scene_pose_init(const sn_scene_file *scene, sn_arena *arena, sn_scene_pose *pose);
/* Returns SN_ERROR_UNSUPPORTED if a node has more than 4096 ancestors, since walks from every node to its root would
 * take quadratic time. */
sn_result sn_scene_pose_check_depth(const sn_scene_pose *pose, const char *name, sn_arena *scratch);
void sn_scene_pose_rest(sn_scene_pose *pose);
/* The rest pose, except that scales below 1/100 of their largest animated value are replaced by that value, so that
 * everything that becomes visible has a valid bind transform. */
sn_result sn_scene_pose_bind(sn_scene_pose *pose, sn_arena *arena);
/* Computes world transforms from `parts`; a node with a matrix keeps it. */
void sn_scene_pose_update_world(sn_scene_pose *pose);
/* Poses a clip at a time; nodes without channels are at rest. */
void sn_scene_pose_clip(sn_scene_pose *pose, int clip, double seconds);

/* Samples a channel (its width values) at a time, clamped to the first and last key. */
void sn_scene_channel_sample(const sn_scene_channel *channel, double seconds, double *values);

/* Spherical linear interpolation of quaternions x y z w along the shorter arc. */
void sn_scene_blend_rotations(const double *a, const double *b, double fraction, double *result);

/* In scene_animated.c: fills is_moving (node_count), whether some clip changes the node's local transform. Channels
 * that equal the rest transform throughout do not count. */
void sn_scene_find_animated_nodes(const sn_scene_file *scene, bool *is_moving);
/* Fills scales (node_count x 3): the rest scales, or the largest animated scale where the rest is below `ratio`
 * times it. Returns whether there are any such. */
bool sn_scene_max_scales(const sn_scene_file *scene, double ratio, double *scales);

#endif
