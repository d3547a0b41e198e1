/* SPDX-License-Identifier: MIT */
/* Motions from files of their own, for any skeleton: .bvh captures, .vrma, and the animations of other characters. */
#ifndef SN_AUTHOR_COOK_MOTION_FILE_H
#define SN_AUTHOR_COOK_MOTION_FILE_H

#include "author/cook/character.h"
#include "host/rig/skeleton.h"

/* Whether the name ends in .bvh, .vrma, .glb, .gltf or .vrm. */
bool sn_is_motion_file(const char *path);

/* Clips for the bones of `target`, whose name is for messages: transforms relative to its rest, in its units. The one
 * of a .bvh or .vrma is called as the file is, without folder and extension; more of them NAME.2 and on, but with names
 * of their own, "NAME.THEIRS". Of a motion 60 frames a second are kept at most, and where those are more than
 * SN_LONG_MOTION_FRAMES, 30. Errors: those of the readers and of sn_retarget (host/rig/retarget.h); no animation; one
 * that is too long. */
#define SN_LONG_MOTION_FRAMES 3600
sn_result sn_motion_file_read(const char *path, const sn_rig_skeleton *target, sn_arena *arena,
                              sn_character_clip **clips, int *clip_count);

/* The file's name without folder and extension; null when memory is out. */
const char *sn_file_stem(sn_arena *arena, const char *path);

#endif
