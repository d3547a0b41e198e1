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
void sn_scene_pose_rest(sn_scene_pose *pose);
/* What the clip does not animate rests. */
void sn_scene_pose_clip(sn_scene_pose *pose, int clip, double seconds);

/* The values of a channel (its width) at a time. Before the first key and behind the last it holds. */
void sn_scene_channel_sample(const sn_scene_channel *channel, double seconds, double *values);

#endif
