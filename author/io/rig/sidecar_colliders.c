/* SPDX-License-Identifier: MIT */
#include "author/io/rig/sidecar_colliders.h"

#include <math.h>
#include <string.h>

#define MAX_LENGTH 1e9 /* same limit as for a world's colliders */

typedef struct reader {
    const char *file;
    size_t index;
    sn_arena *arena;
} reader;

static sn_result fail(const reader *r, const char *member, const char *what)
{
    return sn_fail(SN_ERROR_FORMAT, "%s: colliders[%zu]%s%s: %s", r->file, r->index, *member ? "." : "", member, what);
}

static sn_result read_text(const reader *r, const char *member, const json_t *value, const char **text)
{
    const char *name = json_string_value(value);
    if (!name) {
        return fail(r, member, "must be a name");
    }
    char *copy = SN_NEW(r->arena, char, strlen(name) + 1);
    *text = copy ? strcpy(copy, name) : NULL;
    return copy ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result read_length(const reader *r, const char *member, const json_t *value, double *length)
{
    *length = json_is_number(value) ? json_number_value(value) : -1;
    return *length >= 0 && *length < MAX_LENGTH ? SN_OK : fail(r, member, "must be a number from 0 to 1e9");
}

static sn_result read_vector(const reader *r, const char *member, const json_t *value, double *vector)
{
    bool is_valid = json_is_array(value) && json_array_size(value) == 3;
    for (size_t d = 0; d < 3 && is_valid; ++d) {
        const json_t *entry = json_array_get(value, d);
        vector[d] = json_number_value(entry);
        is_valid = json_is_number(entry) && fabs(vector[d]) < MAX_LENGTH;
    }
    return is_valid ? SN_OK : fail(r, member, "must be three numbers below 1e9");
}

static sn_result read_shape(const reader *r, const json_t *value, sn_collider_shape *shape)
{
    static const char *const names[] = {
        [SN_COLLIDER_PLANE] = "plane", [SN_COLLIDER_SPHERE] = "sphere", [SN_COLLIDER_CAPSULE] = "capsule"};
    const char *text = json_string_value(value);
    for (size_t i = 0; text && i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *shape = (sn_collider_shape)i;
            return SN_OK;
        }
    }
    return fail(r, "shape", "must be \"plane\", \"sphere\" or \"capsule\"");
}

static sn_result read_flesh(const reader *r, const json_t *value, sn_cook_collider *c)
{
    const char **names = SN_NEW(r->arena, const char *, json_array_size(value));
    sn_result result = !json_is_array(value) || json_array_size(value) == 0
                           ? fail(r, "flesh", "must be a list of at least one name")
                       : names ? SN_OK
                               : SN_ERROR_MEMORY;
    for (size_t i = 0; i < json_array_size(value) && result == SN_OK; ++i) {
        result = read_text(r, "flesh", json_array_get(value, i), &names[i]);
    }
    c->flesh = names;
    c->flesh_count = (int)json_array_size(value);
    return result;
}

static sn_result read_member(const reader *r, const char *key, const json_t *value, sn_cook_collider *c)
{
    if (strcmp(key, "bone") == 0) {
        return read_text(r, key, value, &c->bone);
    }
    if (strcmp(key, "shape") == 0) {
        return read_shape(r, value, &c->shape);
    }
    if (strcmp(key, "flesh") == 0) {
        return read_flesh(r, value, c);
    }
    if (strcmp(key, "radius") == 0) {
        return read_length(r, key, value, &c->radius);
    }
    if (strcmp(key, "friction") == 0) {
        return read_length(r, key, value, &c->friction);
    }
    if (strcmp(key, "offset") == 0) {
        return read_vector(r, key, value, c->offset);
    }
    if (strcmp(key, "tail") == 0) {
        return read_vector(r, key, value, c->tail);
    }
    if (strcmp(key, "normal") == 0) {
        return read_vector(r, key, value, c->normal);
    }
    sn_log(SN_LOG_WARNING, "%s: colliders[%zu].%s: unknown key, ignored", r->file, r->index, key);
    return SN_OK;
}

static sn_result read_collider(const reader *r, const json_t *value, sn_cook_collider *c)
{
    const char *key = NULL;
    json_t *entry = NULL;
    sn_result result = json_is_object(value) ? SN_OK : fail(r, "", "must be an object");
    *c = (sn_cook_collider){.shape = SN_COLLIDER_SHAPE_COUNT};
    json_object_foreach((json_t *)(uintptr_t)value, key, entry)
    {
        result = result == SN_OK ? read_member(r, key, entry, c) : result;
    }
    if (result == SN_OK && (!c->bone || c->shape == SN_COLLIDER_SHAPE_COUNT)) {
        result = fail(r, c->bone ? "shape" : "bone", "is missing");
    }
    const double square = c->normal[0] * c->normal[0] + c->normal[1] * c->normal[1] + c->normal[2] * c->normal[2];
    if (result == SN_OK && c->shape == SN_COLLIDER_PLANE && !(square > 0)) {
        result = fail(r, "normal", "the normal of a plane must not be 0");
    }
    return result;
}

sn_result sn_sidecar_read_colliders(const char *file, const json_t *value, sn_arena *arena,
                                    const sn_cook_collider **colliders, int *count)
{
    if (!json_is_array(value)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: colliders: must be a list of objects", file);
    }
    sn_cook_collider *list = SN_NEW(arena, sn_cook_collider, json_array_size(value));
    sn_result result = list ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < json_array_size(value) && result == SN_OK; ++i) {
        const reader r = {file, i, arena};
        result = read_collider(&r, json_array_get(value, i), &list[i]);
    }
    *colliders = list;
    *count = result == SN_OK ? (int)json_array_size(value) : 0;
    return result;
}
