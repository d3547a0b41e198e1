/* SPDX-License-Identifier: MIT */
/* Reads the bones of a DragonBones armature: local transforms in degrees, y down, with inheritance flags; parents
 * precede their children. */
#include <math.h>
#include <string.h>

#include "author/io/drawing/dragonbones.h"
#include "author/io/rig/rig_handles.h"
#include "author/io/text.h"

#define BONE_LIMIT SN_RIG_HANDLE_LIMIT
#define MAX_PRINTABLE 48

typedef sn_dragon_affine placement;
typedef sn_dragon_bone bone;

const char *sn_dragon_printable(sn_arena *arena, const char *name)
{
    char *printable = SN_NEW(arena, char, MAX_PRINTABLE);
    return printable ? sn_text_printable(name, strlen(name), printable, MAX_PRINTABLE) : "";
}

double sn_dragon_number(const json_t *object, const char *member, double otherwise)
{
    const json_t *value = json_object_get(object, member);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

const char *sn_dragon_text(const json_t *object, const char *member)
{
    const char *value = json_string_value(json_object_get(object, member));
    return value ? value : "";
}

placement sn_dragon_compose(const placement *a, const placement *b)
{
    const double *l = a->m, *r = b->m;
    return (placement){{l[0] * r[0] + l[2] * r[1], l[1] * r[0] + l[3] * r[1], l[0] * r[2] + l[2] * r[3],
                        l[1] * r[2] + l[3] * r[3], l[0] * r[4] + l[2] * r[5] + l[4], l[1] * r[4] + l[3] * r[5] + l[5]}};
}

static placement make_affine(double x, double y, const double *rotation, const double *scale)
{
    return (placement){{scale[0] * cos(rotation[1]), scale[0] * sin(rotation[1]), -scale[1] * sin(rotation[0]),
                        scale[1] * cos(rotation[0]), x, y}};
}

static sn_dragon_local read_local(const json_t *t)
{
    return (sn_dragon_local){
        {sn_dragon_number(t, "x", 0), sn_dragon_number(t, "y", 0)},
        {sn_dragon_number(t, "skX", 0) * SN_DRAGON_RADIANS, sn_dragon_number(t, "skY", 0) * SN_DRAGON_RADIANS},
        {sn_dragon_number(t, "scX", 1), sn_dragon_number(t, "scY", 1)}};
}

placement sn_dragon_transform(const json_t *transform)
{
    const sn_dragon_local l = read_local(transform);
    return make_affine(l.position[0], l.position[1], l.rotation, l.scale);
}

bool sn_dragon_is_finite(const placement *p)
{
    double sum = 0;
    for (int i = 0; i < 6; ++i) {
        sum += fabs(p->m[i]);
    }
    return sum < 1e6;
}

static bool does_inherit(const json_t *b, const char *what)
{
    return !json_is_false(json_object_get(b, what));
}

void sn_dragon_update_world(const sn_dragon_local *local, const bone *parent, bone *b)
{
    const double x = local->position[0], y = local->position[1];
    double rotation[2] = {local->rotation[0], local->rotation[1]};
    if (parent && b->inherits_rotation && b->inherits_scale) {
        const placement here = make_affine(x, y, rotation, local->scale);
        b->world = sn_dragon_compose(&parent->world, &here);
    } else {
        const placement here = {{1, 0, 0, 1, x, y}};
        const placement at = parent ? sn_dragon_compose(&parent->world, &here) : here;
        for (int k = 0; k < 2; ++k) {
            rotation[k] += parent && b->inherits_rotation ? parent->rotation[k] : 0;
        }
        b->world = make_affine(at.m[4], at.m[5], rotation, local->scale);
    }
    b->rotation[0] = atan2(-b->world.m[2], b->world.m[3]);
    b->rotation[1] = atan2(b->world.m[1], b->world.m[0]);
}

int sn_dragon_find_bone(const bone *bones, int count, const char *name)
{
    int i = 0;
    while (i < count && strcmp(bones[i].name, name) != 0) {
        ++i;
    }
    return i < count ? i : -1;
}

sn_result sn_dragon_read_bones(const char *file, const json_t *armature, sn_arena *arena, sn_dragon_skeleton *s)
{
    const json_t *list = json_object_get(armature, "bone");
    const size_t size = json_array_size(list);
    const char *name = sn_dragon_printable(arena, sn_dragon_text(armature, "name"));
    int *count = &s->bone_count;
    if (size == 0 || size > BONE_LIMIT) {
        return sn_fail(SN_ERROR_FORMAT, "%s: armature '%s': bone: must be a list of 1 to %d bones", file, name,
                       BONE_LIMIT);
    }
    bone *bones = s->bones = SN_NEW(arena, bone, size);
    if (!bones) {
        return SN_ERROR_MEMORY;
    }
    for (*count = 0; *count < (int)size; ++*count) {
        const json_t *json = json_array_get(list, (size_t)*count);
        const char *parent = json_string_value(json_object_get(json, "parent"));
        bone *b = &bones[*count];
        *b = (bone){.name = sn_dragon_text(json, "name"),
                    .parent = -1,
                    .length = sn_dragon_number(json, "length", 0),
                    .local = read_local(json_object_get(json, "transform")),
                    .inherits_rotation = does_inherit(json, "inheritRotation"),
                    .inherits_scale = does_inherit(json, "inheritScale")};
        if (!*b->name || strlen(b->name) > 160) {
            return sn_fail(SN_ERROR_FORMAT, "%s: armature '%s': bone[%d].name: must have 1 to 160 bytes", file, name,
                           *count);
        }
        if (parent && *parent && (b->parent = sn_dragon_find_bone(bones, *count, parent)) < 0) {
            return sn_fail(SN_ERROR_FORMAT,
                           "%s: armature '%s': bone[%d].parent: the bone '%s' does not exist or does not precede it",
                           file, name, *count, sn_dragon_printable(arena, parent));
        }
        sn_dragon_update_world(&b->local, b->parent >= 0 ? &bones[b->parent] : NULL, b);
        if (!sn_dragon_is_finite(&b->world) || !(fabs(b->length) < 1e6)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: armature '%s': bone[%d].transform: out of range", file, name, *count);
        }
    }
    return SN_OK;
}
