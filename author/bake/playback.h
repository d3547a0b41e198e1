/* SPDX-License-Identifier: MIT */
/* A scene as other programs show it (glTF 2.0, "Skins" and "Morph Targets"): where its vertices are along a clip. */
#ifndef SN_AUTHOR_BAKE_PLAYBACK_H
#define SN_AUTHOR_BAKE_PLAYBACK_H

#include "author/io/scene_pose.h"

typedef struct sn_playback {
    const sn_scene_file *scene;
    int stride;
    int vertex_count;
    sn_scene_pose pose;
    double *skin;    /* (largest joint_count x 12): world times inverse bind */
    double *weights; /* (largest morph_count) */
} sn_playback;

/* The vertices of every primitive of every drawn node, node by node; of each primitive, vertices 0, stride, 2 stride,
 * ... alone. The scene, whose one clip is played, must outlive the playback; arrays live in the arena. */
sn_result sn_playback_init(const sn_scene_file *scene, int stride, sn_arena *arena, sn_playback *playback);

/* positions: (vertex_count x 3) at a time. */
void sn_playback_place(sn_playback *playback, double seconds, double *positions);

#endif
