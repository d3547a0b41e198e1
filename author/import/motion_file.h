/* SPDX-License-Identifier: MIT */
/* Reads motion files for any skeleton: .bvh captures, .vrma, and the animations of other characters. */
#ifndef SN_AUTHOR_IMPORT_MOTION_FILE_H
#define SN_AUTHOR_IMPORT_MOTION_FILE_H

#include "author/import/face.h"
#include "author/retarget/skeleton.h"

/* The file extensions, each after the string `before`: " .bvh .vrma ..." for " ". */
#define SN_MOTION_FILES(before) before ".bvh" before ".vrma" before ".glb" before ".gltf" before ".vrm" before ".fbx"

/* Whether the path ends in one of SN_MOTION_FILES. */
bool sn_is_motion_file(const char *path);
bool sn_is_bvh_file(const char *path);

/* Limits for all motions that are in memory together; start with SN_MOTION_LIMIT. */
typedef struct sn_motion_limit {
    int clip_count; /* clips to read from a file, from the first */
    int64_t bytes;  /* remaining memory for poses; each read subtracts what it stores */
} sn_motion_limit;
#define SN_MOTION_LIMIT ((sn_motion_limit){.clip_count = INT32_MAX, .bytes = (int64_t)2 << 30})

/* The character that the motion is for. */
typedef struct sn_motion_target {
    sn_rig_skeleton skeleton; /* its name is used in messages */
    sn_face face;             /* all zero: none */
} sn_motion_target;

/* Reads the clips of a file for `target`: bone transforms relative to its rest, in its units, and weights of its morph
 * targets matched by name (face_motion.h), with a warning for weights without a match. A clip that animates only
 * weights leaves the bones at rest. The only clip of a file is named after the file (without folder and extension),
 * further ones NAME.2 and so on, or "NAME.OWN" for clips with a name of their own. Motions are sampled at 60 frames per
 * second at most, or 30 where that gives more than SN_LONG_MOTION_FRAMES frames. Errors: those of the readers and of
 * sn_retarget (author/retarget/retarget.h); a file without animation; a motion that is too long; more poses than the
 * limit allows, before any is allocated. */
#define SN_LONG_MOTION_FRAMES 3600
sn_result sn_motion_file_read(const char *path, const sn_motion_target *target, sn_motion_limit *limit, sn_arena *arena,
                              sn_character_clip **clips, int *clip_count);

/* The clip name that sn_motion_file_read uses for a clip of a scene, before names are made unique. */
sn_result sn_motion_clip_name(const sn_scene_file *scene, int index, const char *path, sn_arena *arena,
                              const char **name);

/* The file's name without folder and extension, in the arena; null when memory is exhausted. */
const char *sn_file_stem(sn_arena *arena, const char *path);

#endif
