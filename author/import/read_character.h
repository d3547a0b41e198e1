/* SPDX-License-Identifier: MIT */
/* Reads a scene file as a character, with its sidecar and rigid parts. */
#ifndef SN_AUTHOR_IMPORT_READ_CHARACTER_H
#define SN_AUTHOR_IMPORT_READ_CHARACTER_H

#include "author/import/character.h"
#include "author/io/rig/sidecar.h"

sn_result sn_character_read(const char *path, sn_arena *arena, sn_sidecar *sidecar, sn_character *character);
/* The same for a scene that has been read from `path`; the scene must outlive the character. */
sn_result sn_character_from_scene(const sn_scene_file *scene, const char *path, sn_arena *arena, sn_sidecar *sidecar,
                                  sn_character *character);

#endif
