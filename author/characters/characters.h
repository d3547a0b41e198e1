/* SPDX-License-Identifier: MIT */
/* The characters that the project brings along, made from formulas: scenes as if read from files. */
#ifndef SN_AUTHOR_CHARACTERS_CHARACTERS_H
#define SN_AUTHOR_CHARACTERS_CHARACTERS_H

#include "author/io/scene_file.h"

/* A chubby fellow on two legs with ears that flop; clips idle, walk, jump, shake. Everything lives in the arena. */
sn_result sn_mascot_build(sn_arena *arena, sn_scene_file *scene);
/* Eight arms below a big head; clips idle, swim, wave. */
sn_result sn_octopus_build(sn_arena *arena, sn_scene_file *scene);

#endif
