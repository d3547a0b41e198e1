/* SPDX-License-Identifier: MIT */
/* World transforms of a scene's nodes, at rest and along its clips (glTF 2.0, "Animations"). */
#ifndef SN_AUTHOR_IO_SCENE_POSE_H
#define SN_AUTHOR_IO_SCENE_POSE_H

#include "author/io/scene_file.h"

typedef struct sn_scene_pose {
    const sn_scene_file *scene;
    int32_t *order; /* (node_count) parents before children */
    double *world;  /* (node_count x 12), row-major: what the last call below left */
    double *parts;  /* (node_count x 10): translation, rotation, scale */
} sn_scene_pose;

/* The pose at rest. */
sn_result sn_scene_pose_init(const sn_scene_file *scene, sn_arena *arena, sn_scene_pose *pose);
/* Small files can hang nodes below each other, and who asks for a bone walks up: SN_ERROR_UNSUPPORTED, with a line that
 * names the file, where a node has more than 4096 above it. */
sn_result sn_scene_pose_check_depth(const sn_scene_pose *pose, const char *name, sn_arena *scratch);
void sn_scene_pose_rest(sn_scene_pose *pose);
/* The pose at rest, but what rests shrunk away, to below a hundredth of what clips make of it, at the largest scale
 * that they give it: where a character binds, everything that is ever seen has a place. */
sn_result sn_scene_pose_bind(sn_scene_pose *pose, sn_arena *arena);
/* Worlds of the translations, rotations and scales in `parts`; a node with a matrix keeps it. */
void sn_scene_pose_place(sn_scene_pose *pose);
/* What the clip does not animate rests. */
void sn_scene_pose_clip(sn_scene_pose *pose, int clip, double seconds);

/* The values of a channel (its width) at a time. Before the first key and behind the last it holds. */
void sn_scene_channel_sample(const sn_scene_channel *channel, double seconds, double *values);

/* Quaternions x y z w, the shorter way at constant speed. */
void sn_scene_blend_rotations(const double *a, const double *b, double fraction, double *result);

/* scene_moves.c. is_moving (node_count): some clip takes the node off its rest, by its own transform. What exporters
 * key at rest throughout does not move. */
void sn_scene_find_moving(const sn_scene_file *scene, bool *is_moving);
/* scales (node_count x 3): those at rest, but the largest that a clip has where the rest is below `smallness` of it;
 * whether there are any such. */
bool sn_scene_raise_scales(const sn_scene_file *scene, double smallness, double *scales);

#endif
