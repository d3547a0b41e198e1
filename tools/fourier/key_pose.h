/* SPDX-License-Identifier: MIT */
/* Poses that the keys of a sequence say, node by node. */
#ifndef SN_TOOLS_FOURIER_KEY_POSE_H
#define SN_TOOLS_FOURIER_KEY_POSE_H

#include "author/bake/trs.h"
#include "author/io/scene_file.h"
#include "tools/fourier/sequence_json.h"

/* Nodes that keys move and that have a matrix get the translation, rotation and scale it is made of. A failure's line
 * names `path`, the sequence, and the key's node: one that is not there, or whose matrix is not made of these. */
sn_result sn_key_poses_open(const char *path, const sn_sequence_file *file, sn_scene_file *scene);

/* pose: (node_count) in the arena, at rest but for the nodes that the key names. */
sn_result sn_key_pose_take(const sn_sequence_key *key, const sn_scene_file *scene, sn_arena *arena,
                           const sn_trs **pose);

#endif
