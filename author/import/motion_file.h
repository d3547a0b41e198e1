/* SPDX-License-Identifier: MIT */
/* Motions from files of their own, for any skeleton: .bvh captures, .vrma, and the animations of other characters. */
#ifndef SN_AUTHOR_IMPORT_MOTION_FILE_H
#define SN_AUTHOR_IMPORT_MOTION_FILE_H

#include "author/import/face.h"
#include "author/retarget/skeleton.h"

/* How their names end, with something before each: " .bvh .vrma ..." for " ". */
#define SN_MOTION_FILES(before) before ".bvh" before ".vrma" before ".glb" before ".gltf" before ".vrm" before ".fbx"

/* Whether the name ends in one of SN_MOTION_FILES. */
bool sn_is_motion_file(const char *path);
bool sn_is_bvh_file(const char *path);

/* How much is read of motions: SN_MOTION_LIMIT before the first of those that are in memory together. */
typedef struct sn_motion_limit {
    int clip_count; /* of a file: its first ones at most */
    int64_t bytes;  /* of poses that may still come; each read takes off what it keeps */
} sn_motion_limit;
#define SN_MOTION_LIMIT ((sn_motion_limit){.clip_count = INT32_MAX, .bytes = (int64_t)2 << 30})

/* What is to be moved. */
typedef struct sn_motion_target {
    sn_rig_skeleton skeleton; /* its name is for messages */
    sn_face face;             /* zeros: none */
} sn_motion_target;

/* Clips for the bones of `target`: transforms relative to its rest, in its units; and weights of its morph targets, by
 * names (face_motion.h), with a warning for those that meet nothing. A clip that moves nothing but weights leaves the
 * bones at rest, whatever they are. The one of a .bvh or .vrma is called as the file is, without folder and extension;
 * more of them NAME.2 and on, but with names of their own, "NAME.THEIRS". Of a motion 60 frames a second are kept at
 * most, and where those are more than SN_LONG_MOTION_FRAMES, 30. Memory is bounded by the limit: what is kept, and the
 * poses of one of the file's own clips. Errors: those of the readers and of sn_retarget (author/retarget/retarget.h);
 * no animation; one that is too long; more poses than the limit has, before any is taken. */
#define SN_LONG_MOTION_FRAMES 3600
sn_result sn_motion_file_read(const char *path, const sn_motion_target *target, sn_motion_limit *limit, sn_arena *arena,
                              sn_character_clip **clips, int *clip_count);

/* What sn_motion_file_read calls a clip of a scene, before the model makes the names of its clips differ. */
sn_result sn_motion_clip_name(const sn_scene_file *scene, int index, const char *path, sn_arena *arena,
                              const char **name);

/* The file's name without folder and extension; null when memory is out. */
const char *sn_file_stem(sn_arena *arena, const char *path);

#endif
