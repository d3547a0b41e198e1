/* SPDX-License-Identifier: MIT */
/* Private to the DragonBones reader: bones with their transforms and inverse kinematics. Angles are in rad, y points
 * down. */
#ifndef SN_AUTHOR_IO_DRAWING_DRAGONBONES_H
#define SN_AUTHOR_IO_DRAWING_DRAGONBONES_H

#include <jansson.h>

#include "author/io/drawing/drawing.h"
#include "author/io/key_table.h"

#define SN_DRAGON_PI 3.14159265358979323846
#define SN_DRAGON_RADIANS (SN_DRAGON_PI / 180)
#define SN_DRAGON_IK_LIMIT 256

/* x' = m0 x + m2 y + m4, y' = m1 x + m3 y + m5 */
typedef struct sn_dragon_affine {
    double m[6];
} sn_dragon_affine;

/* A local transform of the file. */
typedef struct sn_dragon_local {
    double position[2], rotation[2], scale[2]; /* rotation of the y and x axis (skX, skY) */
} sn_dragon_local;

typedef struct sn_dragon_bone {
    const char *name;
    int32_t parent;
    double length, rotation[2] /* rotation of both axes in the world */;
    sn_dragon_local local;
    sn_dragon_affine world;
    bool inherits_rotation, inherits_scale; /* inherits rotation and scale */
    bool has_picture;
    bool is_moved; /* scratch: rotated by an ancestor */
} sn_dragon_bone;

/* An inverse kinematics constraint: the bone points at the target's origin; with has_parent, the end of the two-bone
 * chain moves there. */
typedef struct sn_dragon_ik {
    int32_t bone, target;
    bool has_parent, bends_positively;
    double weight; /* 0 .. 1 */
} sn_dragon_ik;

/* A number member of an object, or the default. */
double sn_dragon_number(const json_t *object, const char *member, double otherwise);
/* A string member of an object, or "". */
const char *sn_dragon_text(const json_t *object, const char *member);
/* A name for a message: printable and truncated; in the arena. */
const char *sn_dragon_printable(sn_arena *arena, const char *name);

/* Index of a list by its entries' member "name". */
typedef struct sn_dragon_names {
    const json_t *list;
    size_t count;
    sn_name_table table;
    size_t *first_entries; /* (count) list index of the first entry of each name */
} sn_dragon_names;

/* Call sn_dragon_names_finish also on failure. */
sn_result sn_dragon_names_build(const json_t *list, sn_dragon_names *names);
void sn_dragon_names_finish(sn_dragon_names *names);
/* The first entry with that name, or null. */
const json_t *sn_dragon_find(const sn_dragon_names *names, const char *name);
/* Counts the slots of an armature whose picture changes in animations. */
sn_result sn_dragon_count_animated_slots(const json_t *armature, int *count);

/* Converts a member "transform". */
sn_dragon_affine sn_dragon_transform(const json_t *transform);
sn_dragon_affine sn_dragon_compose(const sn_dragon_affine *a, const sn_dragon_affine *b);
bool sn_dragon_is_finite(const sn_dragon_affine *placement);
/* Computes a bone's world transform from its local transform and what it inherits. */
void sn_dragon_update_world(const sn_dragon_local *local, const sn_dragon_bone *parent, sn_dragon_bone *bone);
int sn_dragon_find_bone(const sn_dragon_bone *bones, int count, const char *name);

/* The skeleton of an armature. */
typedef struct sn_dragon_skeleton {
    sn_dragon_bone *bones; /* (bone_count), parents first */
    int bone_count;
    sn_dragon_ik *ik_list; /* (ik_count) */
    int ik_count;
} sn_dragon_skeleton;

/* In dragonbones_bones.c: reads the bones without inverse kinematics into the arena. Errors: SN_ERROR_FORMAT. */
sn_result sn_dragon_read_bones(const char *file, const json_t *armature, sn_arena *arena, sn_dragon_skeleton *skeleton);

/* In dragonbones_ik.c: reads the bones and the inverse kinematics constraints, in order of evaluation, and applies
 * them to the setup pose. Errors: SN_ERROR_FORMAT, also for unknown bones. */
sn_result sn_dragon_skeleton_read(const char *file, const json_t *armature, sn_arena *arena,
                                  sn_dragon_skeleton *skeleton);
/* Applies the constraints to bones whose world transforms are those of their local transforms. */
void sn_dragon_apply_ik(const sn_dragon_ik *ik_list, int ik_count, sn_dragon_bone *bones, int bone_count);

/* The skeleton that clips animate; handle h follows bone followed[h]. */
typedef struct sn_dragon_rig {
    const char *file;
    const sn_dragon_bone *bones; /* (bone_count), parents first, in the setup pose */
    int bone_count;
    const sn_dragon_ik *ik_list; /* (ik_count) */
    int ik_count;
    const int32_t *followed; /* (handle_count) */
    int handle_count;
    double origin[2]; /* origin of the drawing */
} sn_dragon_rig;

/* Reads the armature's bone animations into the arena. */
sn_result sn_dragon_clips_read(const sn_dragon_rig *rig, const json_t *armature, double frame_rate, sn_arena *arena,
                               sn_drawing *drawing);

#endif
