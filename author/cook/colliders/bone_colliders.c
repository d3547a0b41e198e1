/* SPDX-License-Identifier: MIT */
/* Lists the colliders on bones, their placement, and the bones whose flesh collides with them. */
#include "author/cook/colliders/bone_colliders.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/cook/springs/soft_bones.h"
#include "host/math/vec3.h"

#define MAX_LENGTH 1e9F /* m; limit of the model format */

static int find_bone(const sn_cook_context *cook, const char *name)
{
    int bone = 0;
    while (bone < cook->bone_count && strcmp(cook->bone_names[bone], name) != 0) {
        ++bone;
    }
    return bone < cook->bone_count ? bone : -1;
}

/* Causes for skipping a collider. */
typedef enum cause {
    CAUSE_NO_BONE,
    CAUSE_INSIDE,
    CAUSE_FLAT,
    CAUSE_LARGE,
    CAUSE_NO_FLESH,
    CAUSE_LIMIT,
    CAUSE_COUNT
} cause;

/* Number of skipped colliders for each cause, and the file and bone of the first. */
typedef struct listing {
    sn_cook_context *cook;
    int counts[CAUSE_COUNT];
    const char *files[CAUSE_COUNT], *bones[CAUSE_COUNT];
} listing;

static void skip(listing *l, cause why, const char *file, const char *bone)
{
    if (l->counts[why]++ == 0) {
        l->files[why] = file;
        l->bones[why] = bone;
    }
}

static void warn_of_skipped(const listing *l)
{
    static const char *const causes[] = {
        [CAUSE_NO_BONE] = "no bone is called '%s'",
        [CAUSE_INSIDE] = "on bone '%s': inside colliders are not supported for flesh",
        [CAUSE_FLAT] = "on bone '%s': its bind transform is singular, or a plane's normal is 0",
        [CAUSE_LARGE] = "on bone '%s': larger or farther away than 1e9 m",
        [CAUSE_NO_FLESH] = "on bone '%s': none of its flesh belongs to a soft bone",
        [CAUSE_LIMIT] = "on bone '%s': a model has at most 128 colliders",
    };
    _Static_assert(SN_BONE_COLLIDER_LIMIT == 128, "the message says so");
    for (int i = 0; i < CAUSE_COUNT; ++i) {
        char text[256];
        if (l->counts[i] > 0) {
            snprintf(text, sizeof text, causes[i], l->bones[i]);
            sn_log(SN_LOG_WARNING, "%s: colliders: %s%s: %d skipped", l->files[i], text,
                   l->counts[i] > 1 ? ", and others" : "", l->counts[i]);
        }
    }
}

/* The range that the loader accepts. */
static bool is_valid(const sn_bone_collider *c)
{
    bool is_valid = c->radius < MAX_LENGTH && c->half_height < MAX_LENGTH;
    for (int i = 0; i < 12; ++i) {
        is_valid = is_valid && fabsf(c->transform[i]) < MAX_LENGTH;
    }
    return is_valid;
}

/* Appends a collider; its row of is_affected is filled already. */
static void add(listing *l, const char *file, int bone, const sn_cook_collider *c, const sn_bind_collider *at_bind)
{
    sn_cook_context *cook = l->cook;
    sn_bone_collider added = {.bone = bone,
                              .shape = (int32_t)c->shape,
                              .radius = (float)(at_bind->radius * cook->scale),
                              .half_height = (float)(at_bind->half_height * cook->scale),
                              .friction = (float)c->friction};
    for (int i = 0; i < 12; ++i) {
        const double value = at_bind->transform[i];
        added.transform[i] = (float)(i % 4 == 3 ? (value - cook->origin[i / 4]) * cook->scale : value);
    }
    if (!is_valid(&added)) {
        skip(l, CAUSE_LARGE, file, cook->bone_names[bone]);
    } else if (cook->bone_collider_count == SN_BONE_COLLIDER_LIMIT) {
        skip(l, CAUSE_LIMIT, file, cook->bone_names[bone]);
    } else {
        cook->bone_colliders[cook->bone_collider_count++] = added;
    }
}

static bool *next_row(sn_cook_context *cook)
{
    bool *row = cook->is_affected + (size_t)cook->bone_collider_count * (size_t)cook->bone_count;
    memset(row, 0, (size_t)cook->bone_count * sizeof *row);
    return row;
}

/* ---- of a VRM ---- */

/* Springs of soft bones that refer to collider i: springs[starts[i]] to springs[starts[i + 1] - 1]. */
typedef struct spring_references {
    int spring_count;
    bool *is_flagged; /* (spring_count) */
    int32_t *starts, *springs;
} spring_references;

static int32_t spring_of(const sn_cook_context *cook, int bone)
{
    const sn_character_spring *s = &cook->character.springs[bone];
    return sn_soft_bone_is_soft(cook->soft_bones[bone]) && s->is_spring ? s->spring : -1;
}

/* Visits the colliders of flagged springs: counts them (is_counting), or lists their springs. */
static void walk_members(const sn_cook_context *cook, spring_references *n, bool is_counting)
{
    for (int32_t i = 0; i < n->spring_count; ++i) {
        const sn_spring_group *spring = &cook->character.spring_list[i];
        for (int m = 0; n->is_flagged[i] && m < spring->collider_count; ++m) {
            const int32_t collider = cook->character.spring_colliders[spring->first_collider + m];
            if (is_counting) {
                n->starts[collider + 2]++;
            } else {
                n->springs[n->starts[collider + 1]++] = i;
            }
        }
    }
}

static sn_result list_references(const sn_cook_context *cook, sn_arena *arena, spring_references *n)
{
    const size_t colliders = (size_t)cook->character.collider_count;
    *n = (spring_references){0};
    for (int b = 0; b < cook->bone_count; ++b) {
        n->spring_count = spring_of(cook, b) >= n->spring_count ? spring_of(cook, b) + 1 : n->spring_count;
    }
    n->is_flagged = SN_NEW(arena, bool, n->spring_count);
    n->starts = SN_NEW(arena, int32_t, colliders + 2);
    if (!n->is_flagged || !n->starts) {
        return SN_ERROR_MEMORY;
    }
    for (int b = 0; b < cook->bone_count; ++b) {
        if (spring_of(cook, b) >= 0) {
            n->is_flagged[spring_of(cook, b)] = true;
        }
    }
    walk_members(cook, n, true);
    for (size_t i = 2; i < colliders + 2; ++i) {
        n->starts[i] += n->starts[i - 1];
    }
    n->springs = SN_NEW(arena, int32_t, n->starts[colliders + 1]);
    if (!n->springs) {
        return SN_ERROR_MEMORY;
    }
    walk_members(cook, n, false);
    memset(n->is_flagged, 0, (size_t)n->spring_count * sizeof *n->is_flagged);
    return SN_OK;
}

static void flag_springs(const spring_references *n, int collider, bool is_flagged)
{
    for (int32_t i = n->starts[collider]; i < n->starts[collider + 1]; ++i) {
        n->is_flagged[n->springs[i]] = is_flagged;
    }
}

static void add_of_vrm(listing *l, const spring_references *n, int collider)
{
    sn_cook_context *cook = l->cook;
    const sn_character_collider *c = &cook->character.colliders[collider];
    const sn_cook_collider shape = {.shape = c->shape};
    if (c->bone < 0 || n->starts[collider] == n->starts[collider + 1]) {
        return;
    }
    if (c->is_flat || c->is_inside) {
        skip(l, c->is_flat ? CAUSE_FLAT : CAUSE_INSIDE, cook->path, cook->bone_names[c->bone]);
        return;
    }
    bool *row = next_row(cook);
    flag_springs(n, collider, true);
    for (int b = 0; b < cook->bone_count; ++b) {
        row[b] = spring_of(cook, b) >= 0 && n->is_flagged[spring_of(cook, b)];
    }
    flag_springs(n, collider, false);
    add(l, cook->path, c->bone, &shape, &c->at_bind);
}

static sn_result add_of_character(listing *l)
{
    sn_arena scratch = {0};
    spring_references n;
    const sn_result result = list_references(l->cook, &scratch, &n);
    for (int i = 0; i < l->cook->character.collider_count && result == SN_OK; ++i) {
        add_of_vrm(l, &n, i);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* ---- by bone name ---- */

static bool is_listed(const sn_cook_collider *c, const char *name)
{
    bool is_listed = false;
    for (int i = 0; i < c->flesh_count && !is_listed; ++i) {
        is_listed = strcmp(c->flesh[i], name) == 0;
    }
    return is_listed;
}

/* Whether the bone or an ancestor is listed. */
static bool is_flesh_of(const sn_cook_context *cook, const sn_cook_collider *c, int32_t bone)
{
    bool is_named = c->flesh_count == 0;
    for (; bone >= 0 && !is_named; bone = cook->bone_parents[bone]) {
        is_named = is_listed(c, cook->bone_names[bone]);
    }
    return is_named;
}

/* Whether the bone or a descendant is soft. */
static bool has_soft(const sn_cook_context *cook, int32_t bone)
{
    bool is_found = false;
    for (int b = 0; b < cook->bone_count && !is_found; ++b) {
        int32_t at = sn_soft_bone_is_soft(cook->soft_bones[b]) ? b : -1;
        while (at >= 0 && at != bone) {
            at = cook->bone_parents[at];
        }
        is_found = at >= 0;
    }
    return is_found;
}

static void warn_of_names(const sn_cook_context *cook, const char *file, const sn_cook_collider *c)
{
    for (int i = 0; i < c->flesh_count; ++i) {
        const int bone = find_bone(cook, c->flesh[i]);
        if (bone < 0 || !has_soft(cook, bone)) {
            sn_log(SN_LOG_WARNING, "%s: colliders: flesh: %s '%s'", file,
                   bone < 0 ? "no bone is called" : "no soft bone is on", c->flesh[i]);
        }
    }
}

static void add_named(listing *l, const char *file, const sn_cook_collider *c)
{
    sn_cook_context *cook = l->cook;
    const int bone = find_bone(cook, c->bone);
    sn_bind_collider at_bind;
    bool is_affected = false, *row = next_row(cook);
    warn_of_names(cook, file, c);
    for (int b = 0; b < cook->bone_count; ++b) {
        row[b] = sn_soft_bone_is_soft(cook->soft_bones[b]) && is_flesh_of(cook, c, b);
        is_affected = is_affected || row[b];
    }
    if (bone < 0) {
        skip(l, CAUSE_NO_BONE, file, c->bone);
    } else if (!sn_bone_frame_bind_collider(cook->bone_bind + 12 * (size_t)bone, c, &at_bind)) {
        skip(l, CAUSE_FLAT, file, c->bone);
    } else if (!is_affected) {
        skip(l, CAUSE_NO_FLESH, file, c->bone);
    } else {
        add(l, file, bone, c, &at_bind);
    }
}

static bool is_length(double value)
{
    return value >= 0 && value < (double)MAX_LENGTH;
}

sn_result sn_bone_colliders_check(const char *path, const sn_cook_desc *desc)
{
    for (int i = 0; i < desc->collider_count; ++i) {
        const sn_cook_collider *c = &desc->colliders[i];
        bool is_valid = c->bone && (unsigned)c->shape <= SN_COLLIDER_CAPSULE && is_length(c->radius) &&
                        is_length(c->friction) && c->flesh_count >= 0;
        for (int d = 0; d < 3; ++d) {
            is_valid = is_valid && is_length(fabs(c->offset[d])) && is_length(fabs(c->tail[d])) &&
                       is_length(fabs(c->normal[d]));
        }
        if (!is_valid || (c->shape == SN_COLLIDER_PLANE && !(sn_dot3(c->normal, c->normal) > 0))) {
            return sn_fail(SN_ERROR_ARGUMENT,
                           "%s: collider %d of the desc: the bone is missing, or a number is out of range", path, i);
        }
    }
    return SN_OK;
}

static bool is_any_soft(const sn_cook_context *cook)
{
    bool is_any = false;
    for (int b = 0; b < cook->bone_count && !is_any; ++b) {
        is_any = sn_soft_bone_is_soft(cook->soft_bones[b]);
    }
    return is_any;
}

sn_result sn_bone_colliders_find(sn_cook_context *cook)
{
    const int input_count = cook->desc->collider_count + cook->sidecar.collider_count;
    const bool is_avatar = cook->has_character && !cook->has_rig && cook->character.collider_count > 0;
    listing l = {.cook = cook};
    cook->bone_collider_count = 0;
    if (!cook->soft_bones || sn_cook_context_is_modeless(cook) || (input_count == 0 && !is_avatar)) {
        return SN_OK;
    }
    if (input_count > 0 && !is_any_soft(cook)) {
        sn_log(SN_LOG_WARNING, "%s: no bone is soft: %d colliders on bones are skipped", cook->path, input_count);
        return SN_OK;
    }
    cook->bone_colliders = SN_NEW(&cook->arena, sn_bone_collider, SN_BONE_COLLIDER_LIMIT);
    cook->is_affected = SN_NEW(&cook->arena, bool, (SN_BONE_COLLIDER_LIMIT + 1) * (size_t)cook->bone_count);
    if (!cook->bone_colliders || !cook->is_affected) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = is_avatar ? add_of_character(&l) : SN_OK;
    cook->vrm_collider_count = cook->bone_collider_count;
    for (int i = 0; i < cook->sidecar.collider_count; ++i) {
        add_named(&l, cook->sidecar.path, &cook->sidecar.colliders[i]);
    }
    for (int i = 0; i < cook->desc->collider_count; ++i) {
        add_named(&l, cook->path, &cook->desc->colliders[i]);
    }
    warn_of_skipped(&l);
    return result;
}
