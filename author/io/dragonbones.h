/* SPDX-License-Identifier: MIT */
/* Private to the reader of DragonBones: its bones, and where they stand. Degrees become radians, y goes down. */
#ifndef SN_AUTHOR_IO_DRAGONBONES_H
#define SN_AUTHOR_IO_DRAGONBONES_H

#include <jansson.h>

#include "author/io/drawing.h"

#define SN_DRAGON_RADIANS (3.14159265358979323846 / 180)

/* x' = m0 x + m2 y + m4, y' = m1 x + m3 y + m5 */
typedef struct sn_dragon_placement {
    double m[6];
} sn_dragon_placement;

/* A transform as the file has it. */
typedef struct sn_dragon_local {
    double place[2], turn[2], scale[2]; /* turn: of both axes, skX and skY */
} sn_dragon_local;

typedef struct sn_dragon_bone {
    const char *name;
    int32_t parent;
    double length, turn[2] /* in the world */;
    sn_dragon_local local; /* at the setup pose */
    sn_dragon_placement world;
    bool is_turned, is_scaled; /* by its parent */
    bool has_picture;
} sn_dragon_bone;

/* A finite number of a member, or what it is where it is missing. */
double sn_dragon_number(const json_t *object, const char *member, double otherwise);
/* A text, or "". */
const char *sn_dragon_text(const json_t *object, const char *member);
/* A name for a message: printable, and not long; in the arena. */
const char *sn_dragon_show(sn_arena *arena, const char *name);

sn_dragon_placement sn_dragon_compose(const sn_dragon_placement *a, const sn_dragon_placement *b);
bool sn_dragon_is_finite(const sn_dragon_placement *placement);
/* Where a bone's local transform puts it: with what it inherits. */
void sn_dragon_place(const sn_dragon_local *local, const sn_dragon_bone *parent, sn_dragon_bone *bone);
int sn_dragon_find_bone(const sn_dragon_bone *bones, int count, const char *name);

/* The skeleton that clips move: handle h follows bone followed[h]. */
typedef struct sn_dragon_rig {
    const char *file;
    const sn_dragon_bone *bones; /* (bone_count) parents first */
    int bone_count;
    const int32_t *followed; /* (handle_count) */
    int handle_count;
    double origin[2]; /* of the picture */
} sn_dragon_rig;

/* The armature's animations, of bones alone, into the arena. */
sn_result sn_dragon_clips_read(const sn_dragon_rig *rig, const json_t *armature, double frame_rate, sn_arena *arena,
                               sn_drawing *drawing);

#endif
