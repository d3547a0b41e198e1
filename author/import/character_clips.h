/* SPDX-License-Identifier: MIT */
/* Samples the clips of a scene as transforms of a character's bones relative to bind. */
#ifndef SN_AUTHOR_IMPORT_CHARACTER_CLIPS_H
#define SN_AUTHOR_IMPORT_CHARACTER_CLIPS_H

#include "author/import/character_bones.h"
#include "author/import/character_morphs.h"

typedef struct sn_character_clips_input {
    const sn_scene_file *scene;
    const char *name;    /* for messages */
    sn_scene_pose *pose; /* of the scene; its state is undefined after the call */
    const sn_bone_list *bones;
    const sn_morph_map *morphs;
} sn_character_clips_input;

/* Fills the clips of a character whose bones and morph targets are set. If the file has no clips, adds one with the
 * rest pose, unless that is the bind pose. Errors: SN_ERROR_FORMAT for a transform that is singular or not finite,
 * SN_ERROR_UNSUPPORTED for clips that are too long. */
sn_result sn_character_build_clips(const sn_character_clips_input *input, sn_arena *arena, sn_character *character);

#endif
