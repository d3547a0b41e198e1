/* SPDX-License-Identifier: MIT */
/* Poses of the keys of a sequence, per node. */
#ifndef SN_TOOLS_FOURIER_KEY_POSE_H
#define SN_TOOLS_FOURIER_KEY_POSE_H

#include "author/bake/trs.h"
#include "author/io/scene_file.h"
#include "tools/fourier/sequence_json.h"

/* Decomposes the matrices of nodes that keys move into translation, rotation and scale. Errors name `path` (the
 * sequence) and the key's node if it does not exist or its matrix has shear. */
sn_result sn_key_poses_open(const char *path, const sn_sequence_file *file, sn_scene_file *scene);

/* Computes the pose (node_count, in the arena) of a key: the rest pose with the key's nodes replaced. */
sn_result sn_key_pose_compute(const sn_sequence_key *key, const sn_scene_file *scene, sn_arena *arena,
                              const sn_trs **pose);

#endif
