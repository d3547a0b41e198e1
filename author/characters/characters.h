/* SPDX-License-Identifier: MIT */
/* Built-in characters that are generated procedurally, as scenes. */
#ifndef SN_AUTHOR_CHARACTERS_CHARACTERS_H
#define SN_AUTHOR_CHARACTERS_CHARACTERS_H

#include "author/io/scene_file.h"

/* A plush biped with floppy ears; clips idle, walk, jump, shake. Everything is allocated in the arena. */
sn_result sn_mascot_build(sn_arena *arena, sn_scene_file *scene);
/* An octopus with eight arms below a big head; clips idle, swim, wave. */
sn_result sn_octopus_build(sn_arena *arena, sn_scene_file *scene);

#endif
