/* SPDX-License-Identifier: MIT */
/* Lists the colliders on bones, their placement, and the bones whose flesh collides with them. */
#include "author/cook/colliders/bone_colliders.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/cook/springs/loose.h"
#include "host/math/vec3.h"

#define MOST_LENGTH 1e9F /* m; limit of the model format */

static int find_bone(const sn_cooking *k, const char *name)
{
    int bone = 0;
    while (bone < k->bone_count && strcmp(k->bone_names[bone], name) != 0) {
        ++bone;
    }
    return bone < k->bone_count ? bone : -1;
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
    sn_cooking *k;
    int counts[CAUSE_COUNT];
    const char *files[CAUSE_COUNT], *bones[CAUSE_COUNT];
} listing;

static void leave_out(listing *l, cause why, const char *file, const char *bone)
{
    if (l->counts[why]++ == 0) {
        l->files[why] = file;
        l->bones[why] = bone;
    }
}

static void warn_of_absent(const listing *l)
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
static bool is_sound(const sn_bone_collider *c)
{
    bool is_sound = c->radius < MOST_LENGTH && c->half_height < MOST_LENGTH;
    for (int i = 0; i < 12; ++i) {
        is_sound = is_sound && fabsf(c->transform[i]) < MOST_LENGTH;
    }
    return is_sound;
}

/* Appends a collider; its row of is_felt is filled already. */
static void add(listing *l, const char *file, int bone, const sn_cook_collider *c, const sn_placed_collider *placed)
{
    sn_cooking *k = l->k;
    sn_bone_collider added = {.bone = bone,
                              .shape = (int32_t)c->shape,
                              .radius = (float)(placed->radius * k->scale),
                              .half_height = (float)(placed->half_height * k->scale),
                              .friction = (float)c->friction};
    for (int i = 0; i < 12; ++i) {
        const double value = placed->transform[i];
        added.transform[i] = (float)(i % 4 == 3 ? (value - k->origin[i / 4]) * k->scale : value);
    }
    if (!is_sound(&added)) {
        leave_out(l, CAUSE_LARGE, file, k->bone_names[bone]);
    } else if (k->bone_collider_count == SN_BONE_COLLIDER_LIMIT) {
        leave_out(l, CAUSE_LIMIT, file, k->bone_names[bone]);
    } else {
        k->bone_colliders[k->bone_collider_count++] = added;
    }
}

static bool *next_row(sn_cooking *k)
{
    bool *row = k->is_felt + (size_t)k->bone_collider_count * (size_t)k->bone_count;
    memset(row, 0, (size_t)k->bone_count * sizeof *row);
    return row;
}

/* ---- of a VRM ---- */

/* Springs of soft bones that refer to collider i: springs[starts[i]] to springs[starts[i + 1] - 1]. */
typedef struct naming {
    int spring_count;
    bool *is_marked; /* (spring_count) */
    int32_t *starts, *springs;
} naming;

static int32_t spring_of(const sn_cooking *k, int bone)
{
    const sn_character_spring *s = &k->character.springs[bone];
    return sn_is_loose(k->loose[bone]) && s->is_spring ? s->spring : -1;
}

/* Visits the colliders of flagged springs: counts them (is_count), or lists their springs. */
static void walk_members(const sn_cooking *k, naming *n, bool is_count)
{
    for (int32_t i = 0; i < n->spring_count; ++i) {
        const sn_spring_group *spring = &k->character.spring_list[i];
        for (int m = 0; n->is_marked[i] && m < spring->collider_count; ++m) {
            const int32_t collider = k->character.spring_colliders[spring->first_collider + m];
            if (is_count) {
                n->starts[collider + 2]++;
            } else {
                n->springs[n->starts[collider + 1]++] = i;
            }
        }
    }
}

static sn_result find_naming(const sn_cooking *k, sn_arena *arena, naming *n)
{
    const size_t colliders = (size_t)k->character.collider_count;
    *n = (naming){0};
    for (int b = 0; b < k->bone_count; ++b) {
        n->spring_count = spring_of(k, b) >= n->spring_count ? spring_of(k, b) + 1 : n->spring_count;
    }
    n->is_marked = SN_NEW(arena, bool, n->spring_count);
    n->starts = SN_NEW(arena, int32_t, colliders + 2);
    if (!n->is_marked || !n->starts) {
        return SN_ERROR_MEMORY;
    }
    for (int b = 0; b < k->bone_count; ++b) {
        if (spring_of(k, b) >= 0) {
            n->is_marked[spring_of(k, b)] = true;
        }
    }
    walk_members(k, n, true);
    for (size_t i = 2; i < colliders + 2; ++i) {
        n->starts[i] += n->starts[i - 1];
    }
    n->springs = SN_NEW(arena, int32_t, n->starts[colliders + 1]);
    if (!n->springs) {
        return SN_ERROR_MEMORY;
    }
    walk_members(k, n, false);
    memset(n->is_marked, 0, (size_t)n->spring_count * sizeof *n->is_marked);
    return SN_OK;
}

static void mark_springs(const naming *n, int collider, bool is_marked)
{
    for (int32_t i = n->starts[collider]; i < n->starts[collider + 1]; ++i) {
        n->is_marked[n->springs[i]] = is_marked;
    }
}

static void add_of_vrm(listing *l, const naming *n, int collider)
{
    sn_cooking *k = l->k;
    const sn_character_collider *c = &k->character.colliders[collider];
    const sn_cook_collider shape = {.shape = c->shape};
    if (c->bone < 0 || n->starts[collider] == n->starts[collider + 1]) {
        return;
    }
    if (c->is_flat || c->is_inside) {
        leave_out(l, c->is_flat ? CAUSE_FLAT : CAUSE_INSIDE, k->path, k->bone_names[c->bone]);
        return;
    }
    bool *row = next_row(k);
    mark_springs(n, collider, true);
    for (int b = 0; b < k->bone_count; ++b) {
        row[b] = spring_of(k, b) >= 0 && n->is_marked[spring_of(k, b)];
    }
    mark_springs(n, collider, false);
    add(l, k->path, c->bone, &shape, &c->placed);
}

static sn_result add_of_character(listing *l)
{
    sn_arena scratch = {0};
    naming n;
    const sn_result result = find_naming(l->k, &scratch, &n);
    for (int i = 0; i < l->k->character.collider_count && result == SN_OK; ++i) {
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
static bool is_flesh_of(const sn_cooking *k, const sn_cook_collider *c, int32_t bone)
{
    bool is_named = c->flesh_count == 0;
    for (; bone >= 0 && !is_named; bone = k->bone_parents[bone]) {
        is_named = is_listed(c, k->bone_names[bone]);
    }
    return is_named;
}

/* Whether the bone or a descendant is soft. */
static bool has_loose(const sn_cooking *k, int32_t bone)
{
    bool is_found = false;
    for (int b = 0; b < k->bone_count && !is_found; ++b) {
        int32_t at = sn_is_loose(k->loose[b]) ? b : -1;
        while (at >= 0 && at != bone) {
            at = k->bone_parents[at];
        }
        is_found = at >= 0;
    }
    return is_found;
}

static void warn_of_names(const sn_cooking *k, const char *file, const sn_cook_collider *c)
{
    for (int i = 0; i < c->flesh_count; ++i) {
        const int bone = find_bone(k, c->flesh[i]);
        if (bone < 0 || !has_loose(k, bone)) {
            sn_log(SN_LOG_WARNING, "%s: colliders: flesh: %s '%s'", file,
                   bone < 0 ? "no bone is called" : "no soft bone is on", c->flesh[i]);
        }
    }
}

static void add_named(listing *l, const char *file, const sn_cook_collider *c)
{
    sn_cooking *k = l->k;
    const int bone = find_bone(k, c->bone);
    sn_placed_collider placed;
    bool is_felt = false, *row = next_row(k);
    warn_of_names(k, file, c);
    for (int b = 0; b < k->bone_count; ++b) {
        row[b] = sn_is_loose(k->loose[b]) && is_flesh_of(k, c, b);
        is_felt = is_felt || row[b];
    }
    if (bone < 0) {
        leave_out(l, CAUSE_NO_BONE, file, c->bone);
    } else if (!sn_bone_frame_place(k->bone_bind + 12 * (size_t)bone, c, &placed)) {
        leave_out(l, CAUSE_FLAT, file, c->bone);
    } else if (!is_felt) {
        leave_out(l, CAUSE_NO_FLESH, file, c->bone);
    } else {
        add(l, file, bone, c, &placed);
    }
}

static bool is_length(double value)
{
    return value >= 0 && value < (double)MOST_LENGTH;
}

sn_result sn_bone_colliders_check(const char *path, const sn_cook_desc *desc)
{
    for (int i = 0; i < desc->collider_count; ++i) {
        const sn_cook_collider *c = &desc->colliders[i];
        bool is_sound = c->bone && (unsigned)c->shape <= SN_COLLIDER_CAPSULE && is_length(c->radius) &&
                        is_length(c->friction) && c->flesh_count >= 0;
        for (int d = 0; d < 3; ++d) {
            is_sound = is_sound && is_length(fabs(c->offset[d])) && is_length(fabs(c->tail[d])) &&
                       is_length(fabs(c->normal[d]));
        }
        if (!is_sound || (c->shape == SN_COLLIDER_PLANE && !(sn_dot3(c->normal, c->normal) > 0))) {
            return sn_fail(SN_ERROR_ARGUMENT,
                           "%s: collider %d of the desc: the bone is missing, or a number is out of range", path, i);
        }
    }
    return SN_OK;
}

static bool is_any_loose(const sn_cooking *k)
{
    bool is_any = false;
    for (int b = 0; b < k->bone_count && !is_any; ++b) {
        is_any = sn_is_loose(k->loose[b]);
    }
    return is_any;
}

sn_result sn_bone_colliders_find(sn_cooking *k)
{
    const int given = k->desc->collider_count + k->sidecar.collider_count;
    const bool is_avatar = k->has_character && !k->has_rig && k->character.collider_count > 0;
    listing l = {.k = k};
    k->bone_collider_count = 0;
    if (!k->loose || sn_cooking_is_modeless(k) || (given == 0 && !is_avatar)) {
        return SN_OK;
    }
    if (given > 0 && !is_any_loose(k)) {
        sn_log(SN_LOG_WARNING, "%s: no bone is soft: %d colliders on bones are skipped", k->path, given);
        return SN_OK;
    }
    k->bone_colliders = SN_NEW(&k->arena, sn_bone_collider, SN_BONE_COLLIDER_LIMIT);
    k->is_felt = SN_NEW(&k->arena, bool, (SN_BONE_COLLIDER_LIMIT + 1) * (size_t)k->bone_count);
    if (!k->bone_colliders || !k->is_felt) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = is_avatar ? add_of_character(&l) : SN_OK;
    k->vrm_collider_count = k->bone_collider_count;
    for (int i = 0; i < k->sidecar.collider_count; ++i) {
        add_named(&l, k->sidecar.path, &k->sidecar.colliders[i]);
    }
    for (int i = 0; i < k->desc->collider_count; ++i) {
        add_named(&l, k->path, &k->desc->colliders[i]);
    }
    warn_of_absent(&l);
    return result;
}
