/* SPDX-License-Identifier: MIT */
/* Built-in drawings that are generated procedurally: pictures with transparency, and rigs for them. */
#ifndef SN_AUTHOR_CHARACTERS_DRAWINGS_H
#define SN_AUTHOR_CHARACTERS_DRAWINGS_H

#include "author/io/image/png.h"

typedef struct sn_builtin_drawing {
    const char *name;
    sn_image image;
    char *rig; /* rig JSON, in pixels, y down */
} sn_builtin_drawing;

#define SN_BUILTIN_DRAWING_COUNT 6 /* fish, octopus, worm, ghost, mushroom, starfish */

const char *sn_builtin_drawing_name(int index);
/* Everything is allocated in the arena. */
sn_result sn_builtin_drawing_build(int index, sn_arena *arena, sn_builtin_drawing *drawing);

#endif
