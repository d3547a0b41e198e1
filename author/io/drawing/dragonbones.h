/* SPDX-License-Identifier: MIT */
/* Private to the reader of DragonBones: its bones, where they stand and what they reach for. Degrees become radians, y
 * goes down. */
#ifndef SN_AUTHOR_IO_DRAWING_DRAGONBONES_H
#define SN_AUTHOR_IO_DRAWING_DRAGONBONES_H

#include <jansson.h>

#include "author/io/drawing/drawing.h"
#include "author/io/key_table.h"

#define SN_DRAGON_HALF_TURN 3.14159265358979323846
#define SN_DRAGON_RADIANS (SN_DRAGON_HALF_TURN / 180)
#define SN_DRAGON_REACH_LIMIT 256

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
    sn_dragon_local local;
    sn_dragon_placement world;
    bool is_turned, is_scaled; /* by its parent */
    bool has_picture;
    bool is_moved; /* by the last turn of one above it */
} sn_dragon_bone;

/* Inverse kinematics: the bone points at where the target begins; with its parent its end goes there. */
typedef struct sn_dragon_reach {
    int32_t bone, target;
    bool has_parent, bends_positively;
    double weight; /* 0 to 1 */
} sn_dragon_reach;

/* A finite number of a member, or what it is where it is missing. */
double sn_dragon_number(const json_t *object, const char *member, double otherwise);
/* A text, or "". */
const char *sn_dragon_text(const json_t *object, const char *member);
/* A name for a message: printable, and not long; in the arena. */
const char *sn_dragon_show(sn_arena *arena, const char *name);

/* The entries of a list by their member "name". */
typedef struct sn_dragon_names {
    const json_t *list;
    size_t count;
    sn_name_table table;
    size_t *places; /* (count) in the list, of the first entry of each name */
} sn_dragon_names;

/* To be finished on every way out. */
sn_result sn_dragon_names_build(const json_t *list, sn_dragon_names *names);
void sn_dragon_names_finish(sn_dragon_names *names);
/* The first entry of that name, or null. */
const json_t *sn_dragon_find(const sn_dragon_names *names, const char *name);
/* Slots of an armature that some animation gives another picture. */
sn_result sn_dragon_count_exchanged(const json_t *armature, int *count);

/* A member "transform". */
sn_dragon_placement sn_dragon_transform(const json_t *transform);
sn_dragon_placement sn_dragon_compose(const sn_dragon_placement *a, const sn_dragon_placement *b);
bool sn_dragon_is_finite(const sn_dragon_placement *placement);
/* Where a bone's local transform puts it: with what it inherits. */
void sn_dragon_place(const sn_dragon_local *local, const sn_dragon_bone *parent, sn_dragon_bone *bone);
int sn_dragon_find_bone(const sn_dragon_bone *bones, int count, const char *name);

/* Of an armature. */
typedef struct sn_dragon_skeleton {
    sn_dragon_bone *bones; /* (bone_count) parents first */
    int bone_count;
    sn_dragon_reach *reaches; /* (reach_count) */
    int reach_count;
} sn_dragon_skeleton;

/* dragonbones_bones.c: bones where their local transforms put them, into the arena. SN_ERROR_FORMAT with a line that
 * names what is wrong. */
sn_result sn_dragon_bones_place(const char *file, const json_t *armature, sn_arena *arena,
                                sn_dragon_skeleton *skeleton);

/* dragonbones_reach.c: the same with what they reach for, in the order in which that turns them, at the setup pose.
 * SN_ERROR_FORMAT, too, where a bone or a target is none. */
sn_result sn_dragon_skeleton_read(const char *file, const json_t *armature, sn_arena *arena,
                                  sn_dragon_skeleton *skeleton);
/* Turns bones that stand where their local transforms put them. */
void sn_dragon_reach_all(const sn_dragon_reach *reaches, int reach_count, sn_dragon_bone *bones, int bone_count);

/* The skeleton that clips move: handle h follows bone followed[h]. */
typedef struct sn_dragon_rig {
    const char *file;
    const sn_dragon_bone *bones; /* (bone_count) parents first, at the setup pose */
    int bone_count;
    const sn_dragon_reach *reaches; /* (reach_count) */
    int reach_count;
    const int32_t *followed; /* (handle_count) */
    int handle_count;
    double origin[2]; /* of the picture */
} sn_dragon_rig;

/* The armature's animations, of bones alone, into the arena. */
sn_result sn_dragon_clips_read(const sn_dragon_rig *rig, const json_t *armature, double frame_rate, sn_arena *arena,
                               sn_drawing *drawing);

#endif
