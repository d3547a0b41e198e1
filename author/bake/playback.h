/* SPDX-License-Identifier: MIT */
/* Plays a scene as other programs do (glTF 2.0, "Skins" and "Morph Targets"): vertex positions along a clip. */
#ifndef SN_AUTHOR_BAKE_PLAYBACK_H
#define SN_AUTHOR_BAKE_PLAYBACK_H

#include "author/io/scene_pose.h"

typedef struct sn_playback {
    const sn_scene_file *scene;
    int stride;
    int vertex_count;
    sn_scene_pose pose;
    double *skin;    /* (max. joint_count x 12) world times inverse bind */
    double *weights; /* (max. morph_count) */
} sn_playback;

/* Plays the vertices of every primitive of every node with a mesh, node by node; of each primitive only vertices 0,
 * stride, 2 stride, etc. The scene must outlive the playback; arrays are allocated in the arena. */
sn_result sn_playback_init(const sn_scene_file *scene, int stride, sn_arena *arena, sn_playback *playback);

/* Computes positions (vertex_count x 3) at a time. */
void sn_playback_evaluate(sn_playback *playback, double seconds, double *positions);

#endif
