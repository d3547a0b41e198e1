/* SPDX-License-Identifier: MIT */
/* Builds the skeletons of motion files: of .bvh captures, and of all nodes of a scene. */
#ifndef SN_AUTHOR_IMPORT_MOTION_SKELETON_H
#define SN_AUTHOR_IMPORT_MOTION_SKELETON_H

#include "author/io/motion/bvh.h"
#include "author/io/scene_pose.h"
#include "author/retarget/skeleton.h"

/* The rest pose has zero rotations. name is the file, for messages. */
sn_result sn_bvh_skeleton(const sn_bvh_file *file, const char *name, sn_arena *arena, sn_rig_skeleton *skeleton);
/* pose is the scene's rest pose. The roles are those of a VRM. Errors: SN_ERROR_UNSUPPORTED for more than
 * SN_BVH_JOINT_LIMIT nodes. */
sn_result sn_scene_skeleton(const sn_scene_pose *pose, const char *name, sn_arena *arena, sn_rig_skeleton *skeleton);

#endif
