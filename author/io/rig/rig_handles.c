/* SPDX-License-Identifier: MIT */
/* Reads handles: points, bones and cages, without weights (schema in docs/reference/file-formats.md). Checks that
 * depend on the mesh are made elsewhere. */
#include "author/io/rig/rig_handles.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "author/io/text.h"

#define MAX_PATH_CHARS 96
#define MAX_NAME_BYTES 160
#define MAX_CORNERS 64 /* max. corners of a cage face */

/* The handle being read. */
typedef struct reader {
    const char *file;
    size_t index;
    sn_arena *arena;
    sn_rig_handle *handle;
} reader;

/* Logs "FILE: handles[3].MEMBER: cause"; member may be empty. */
__attribute__((format(printf, 3, 4))) static sn_result fail(const reader *r, const char *member, const char *format,
                                                            ...)
{
    char cause[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    return sn_fail(SN_ERROR_FORMAT, "%s: handles[%zu]%s%s: %s", r->file, r->index, *member ? "." : "", member, cause);
}

static char *copy_text(sn_arena *arena, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = SN_NEW(arena, char, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static sn_result read_name(const reader *r, const json_t *value)
{
    const char *name = json_string_value(value);
    if (!name || !*name || strlen(name) > MAX_NAME_BYTES) {
        return fail(r, "name", value ? "must be a string of 1 to %d bytes" : "is missing", MAX_NAME_BYTES);
    }
    r->handle->name = copy_text(r->arena, name);
    return r->handle->name ? SN_OK : SN_ERROR_MEMORY;
}

/* Three finite numbers, or two for a picture. */
static sn_result read_point(const reader *r, const char *member, const json_t *value, double *point)
{
    const size_t count = json_array_size(value);
    if (!json_is_array(value) || count < 2 || count > 3) {
        return fail(r, member, "must be three numbers");
    }
    point[2] = 0;
    for (size_t d = 0; d < count; ++d) {
        const json_t *number = json_array_get(value, d);
        point[d] = json_is_number(number) ? json_number_value(number) : NAN;
        if (!isfinite(point[d])) {
            return fail(r, member, "must be three finite numbers");
        }
    }
    return SN_OK;
}

static sn_result new_points(const reader *r, size_t count)
{
    r->handle->points = SN_NEW(r->arena, double, 3 * count);
    r->handle->point_count = (int)count;
    return r->handle->points ? SN_OK : SN_ERROR_MEMORY;
}

/* A list of `min_count` to `max_count` points. */
static sn_result read_points(const reader *r, const char *member, const json_t *value, size_t min_count,
                             size_t max_count)
{
    const size_t count = json_array_size(value);
    if (!json_is_array(value) || count < min_count || count > max_count) {
        return min_count == max_count ? fail(r, member, "must be %zu points", min_count)
                                      : fail(r, member, "must be a list of %zu to %zu points", min_count, max_count);
    }
    SN_TRY(new_points(r, count));
    for (size_t i = 0; i < count; ++i) {
        char path[MAX_PATH_CHARS];
        snprintf(path, sizeof path, "%s[%zu]", member, i);
        SN_TRY(read_point(r, path, json_array_get(value, i), r->handle->points + 3 * i));
    }
    return SN_OK;
}

/* A list of distinct vertices of the cage. */
static sn_result read_corners(const reader *r, const char *member, size_t index, const json_t *value, size_t min_count,
                              size_t max_count, int32_t *corners)
{
    char path[MAX_PATH_CHARS];
    snprintf(path, sizeof path, "%s[%zu]", member, index);
    const size_t count = json_array_size(value);
    if (!json_is_array(value) || count < min_count || count > max_count) {
        return min_count == max_count ? fail(r, path, "must be %zu vertices of the cage", min_count)
                                      : fail(r, path, "must be %zu to %zu vertices of the cage", min_count, max_count);
    }
    for (size_t i = 0; i < count; ++i) {
        const json_t *number = json_array_get(value, i);
        const json_int_t vertex = json_integer_value(number);
        if (!json_is_integer(number) || vertex < 0 || vertex >= r->handle->point_count) {
            return fail(r, path, "entry %zu is not the index of one of the cage's %d vertices", i,
                        r->handle->point_count);
        }
        for (size_t j = 0; j < i; ++j) {
            if (corners[j] == vertex) {
                return fail(r, path, "has vertex %d twice", (int)vertex);
            }
        }
        corners[i] = (int32_t)vertex;
    }
    return SN_OK;
}

static sn_result read_faces(const reader *r, const json_t *value)
{
    sn_rig_handle *h = r->handle;
    const size_t count = json_array_size(value);
    size_t corner_total = 0;
    if (!json_is_array(value) || count < 4) {
        return fail(r, "faces", "must be a list of at least 4 faces");
    }
    for (size_t i = 0; i < count; ++i) {
        corner_total += json_array_size(json_array_get(value, i));
    }
    if (count > INT_MAX / 4 || corner_total > INT_MAX / 4) {
        return fail(r, "faces", "is too long");
    }
    h->face_starts = SN_NEW(r->arena, int32_t, count + 1);
    h->face_corners = SN_NEW(r->arena, int32_t, corner_total);
    sn_result result = h->face_starts && h->face_corners ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        const json_t *face = json_array_get(value, i);
        result = read_corners(r, "faces", i, face, 3, MAX_CORNERS, h->face_corners + h->face_starts[i]);
        h->face_starts[i + 1] = h->face_starts[i] + (int32_t)json_array_size(face);
        ++h->face_count;
    }
    return result;
}

static sn_result read_edges(const reader *r, const json_t *value)
{
    sn_rig_handle *h = r->handle;
    const size_t count = json_array_size(value);
    if (!json_is_array(value) || count < 3 || count > INT_MAX / 2) {
        return fail(r, "edges", "must be a list of at least 3 edges");
    }
    h->edges = SN_NEW(r->arena, int32_t, 2 * count);
    sn_result result = h->edges ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < count && result == SN_OK; ++i) {
        result = read_corners(r, "edges", i, json_array_get(value, i), 2, 2, h->edges + 2 * i);
        h->edge_count += result == SN_OK;
    }
    return result;
}

/* ---- closed cages ---- */

typedef struct face_edge {
    int32_t low, high;
    bool is_rising; /* oriented from low to high in its face */
} face_edge;

static int compare_ends(const void *left, const void *right)
{
    const face_edge *a = left, *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    return (a->high > b->high) - (a->high < b->high);
}

static sn_result check_used(const reader *r, const int32_t *corners, int count, int min_count)
{
    sn_rig_handle *h = r->handle;
    sn_result result = SN_OK;
    int32_t *uses = sn_alloc((size_t)h->point_count, sizeof *uses);
    if (!uses) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        ++uses[corners[i]];
    }
    for (int v = 0; v < h->point_count && result == SN_OK; ++v) {
        if (uses[v] == 0) {
            result = fail(r, "cage", "vertex %d belongs to no %s", v, min_count ? "edge" : "face");
        } else if (min_count && uses[v] != min_count) {
            result = fail(r, "edges", "vertex %d has %d edges instead of 2; a cage must be a closed loop", v, uses[v]);
        }
    }
    sn_free(uses, (size_t)h->point_count, sizeof *uses);
    return result;
}

/* Checks that every edge has two faces with opposite orientation along it. */
static sn_result check_closed(const reader *r)
{
    const sn_rig_handle *h = r->handle;
    const size_t count = (size_t)h->face_starts[h->face_count];
    sn_result result = SN_OK;
    face_edge *edges = sn_alloc(count, sizeof *edges);
    if (!edges) {
        return SN_ERROR_MEMORY;
    }
    for (int f = 0; f < h->face_count; ++f) {
        for (int32_t i = h->face_starts[f]; i < h->face_starts[f + 1]; ++i) {
            const int32_t next = i + 1 < h->face_starts[f + 1] ? i + 1 : h->face_starts[f];
            const int32_t a = h->face_corners[i], b = h->face_corners[next];
            edges[i] = (face_edge){a < b ? a : b, a < b ? b : a, a < b};
        }
    }
    qsort(edges, count, sizeof *edges, compare_ends);
    for (size_t i = 0, next = 0; i < count && result == SN_OK; i = next) {
        for (next = i; next < count && compare_ends(&edges[next], &edges[i]) == 0;) {
            ++next;
        }
        if (next - i != 2) {
            result =
                fail(r, "faces", "the edge from vertex %d to %d has %zu face%s instead of 2; a cage must be closed",
                     edges[i].low, edges[i].high, next - i, next - i == 1 ? "" : "s");
        } else if (edges[i].is_rising == edges[i + 1].is_rising) {
            result = fail(r, "faces", "the two faces at the edge from vertex %d to %d have opposite orientations",
                          edges[i].low, edges[i].high);
        }
    }
    sn_free(edges, count, sizeof *edges);
    return result == SN_OK ? check_used(r, h->face_corners, (int)count, 0) : result;
}

static sn_result read_cage(const reader *r, const json_t *value)
{
    sn_rig_handle *h = r->handle;
    const json_t *faces = json_object_get(value, "faces"), *edges = json_object_get(value, "edges");
    h->type = SN_RIG_CAGE;
    if (!faces == !edges) {
        return fail(r, "cage", "must have either faces or edges");
    }
    sn_result result = read_points(r, "cage", json_object_get(value, "cage"), 3, INT_MAX / 16);
    if (result == SN_OK && faces) {
        result = read_faces(r, faces);
        return result == SN_OK ? check_closed(r) : result;
    }
    if (result == SN_OK) {
        result = read_edges(r, edges);
    }
    return result == SN_OK ? check_used(r, h->edges, 2 * h->edge_count, 2) : result;
}

/* ---- handles ---- */

static sn_result read_bone(const reader *r, const json_t *value)
{
    sn_rig_handle *h = r->handle;
    const json_t *radius = json_object_get(value, "radius");
    h->type = SN_RIG_BONE;
    SN_TRY(read_points(r, "bone", json_object_get(value, "bone"), 2, 2));
    if (radius) {
        h->radius = json_is_number(radius) ? json_number_value(radius) : -1;
        if (!(h->radius > 0 && isfinite(h->radius))) {
            return fail(r, "radius", "must be a number above 0");
        }
    }
    return SN_OK;
}

static sn_result read_stretch(const reader *r, const json_t *value)
{
    r->handle->is_stretchable = json_is_true(value);
    return !value || json_is_boolean(value) ? SN_OK : fail(r, "stretch", "must be true or false");
}

static sn_result check_members(const reader *r, json_t *value)
{
    static const struct {
        const char *name;
        sn_rig_handle_type type;
    } members[] = {{"point", SN_RIG_POINT}, {"bone", SN_RIG_BONE},  {"radius", SN_RIG_BONE},
                   {"cage", SN_RIG_CAGE},   {"faces", SN_RIG_CAGE}, {"edges", SN_RIG_CAGE}};
    static const char *const shared[] = {"name", "parent", "stretch"};
    const size_t member_count = sizeof members / sizeof members[0];
    const char *key = NULL;
    json_t *entry = NULL;
    json_object_foreach(value, key, entry)
    {
        size_t i = 0;
        while (i < member_count && strcmp(members[i].name, key) != 0) {
            ++i;
        }
        const bool is_shared =
            strcmp(key, shared[0]) == 0 || strcmp(key, shared[1]) == 0 || strcmp(key, shared[2]) == 0;
        if (is_shared && strcmp(key, "name") != 0 && r->handle->type == SN_RIG_CAGE) {
            return fail(r, key, "is not allowed for a cage");
        }
        if (i == member_count && !is_shared) {
            char printable[48];
            sn_text_printable(key, strlen(key), printable, sizeof printable);
            return fail(r, printable, "is an unknown key");
        }
        if (i < member_count && members[i].type != r->handle->type) {
            return fail(r, key, "is not allowed for a %s",
                        r->handle->type == SN_RIG_POINT  ? "point"
                        : r->handle->type == SN_RIG_BONE ? "bone"
                                                         : "cage");
        }
    }
    return SN_OK;
}

static sn_result read_handle(const reader *r, json_t *value)
{
    if (!json_is_object(value)) {
        return fail(r, "", "must be an object");
    }
    const json_t *point = json_object_get(value, "point");
    sn_result result = read_name(r, json_object_get(value, "name"));
    if (result != SN_OK) {
        return result;
    }
    if (point) {
        r->handle->type = SN_RIG_POINT;
        result = new_points(r, 1);
        result = result == SN_OK ? read_point(r, "point", point, r->handle->points) : result;
    } else if (json_object_get(value, "bone")) {
        result = read_bone(r, value);
    } else if (json_object_get(value, "cage")) {
        result = read_cage(r, value);
    } else {
        return fail(r, "", "must have a point, a bone or a cage");
    }
    if (result == SN_OK) {
        result = check_members(r, value);
    }
    return result == SN_OK ? read_stretch(r, json_object_get(value, "stretch")) : result;
}

/* ---- bone names ---- */

static sn_result name_bones(sn_arena *arena, sn_rig_handles *handles)
{
    handles->bone_names = SN_NEW(arena, const char *, handles->bone_count);
    if (!handles->bone_names) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < handles->count; ++i) {
        const sn_rig_handle *h = &handles->handles[i];
        for (int v = 0; v < h->point_count && h->type == SN_RIG_CAGE; ++v) {
            const size_t size = strlen(h->name) + sizeof ".2147483647";
            char *name = SN_NEW(arena, char, size);
            if (!name) {
                return SN_ERROR_MEMORY;
            }
            snprintf(name, size, "%s.%d", h->name, v);
            handles->bone_names[h->first_bone + v] = name;
        }
        if (h->type != SN_RIG_CAGE) {
            handles->bone_names[h->first_bone] = h->name;
        }
    }
    return SN_OK;
}

static int by_text(const void *left, const void *right)
{
    const char *const *a = left, *const *b = right;
    return strcmp(*a, *b);
}

static sn_result check_names(const char *file, const sn_rig_handles *handles)
{
    const size_t count = (size_t)handles->bone_count;
    const char **sorted = sn_alloc(count, sizeof *sorted);
    sn_result result = sorted ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; sorted && i < count; ++i) {
        sorted[i] = handles->bone_names[i];
    }
    if (sorted) {
        qsort(sorted, count, sizeof *sorted, by_text);
    }
    for (size_t i = 1; i < count && result == SN_OK; ++i) {
        if (strcmp(sorted[i - 1], sorted[i]) == 0) {
            char printable[MAX_NAME_BYTES + 1];
            sn_text_printable(sorted[i], strlen(sorted[i]), printable, sizeof printable);
            result = sn_fail(SN_ERROR_FORMAT, "%s: handles: the name '%s' is used twice", file, printable);
        }
    }
    sn_free(sorted, count, sizeof *sorted);
    return result;
}

/* ---- parents ---- */

/* The bone of the point or bone handle with this name, or -1. */
static int find_joint(const sn_rig_handles *handles, const char *name)
{
    for (int i = 0; i < handles->count; ++i) {
        if (handles->handles[i].type != SN_RIG_CAGE && strcmp(handles->handles[i].name, name) == 0) {
            return handles->handles[i].first_bone;
        }
    }
    return -1;
}

static sn_result read_parent(const reader *r, const sn_rig_handles *handles, const json_t *value)
{
    r->handle->parent = -1;
    if (!value) {
        return SN_OK;
    }
    const char *name = json_string_value(value);
    r->handle->parent = name ? find_joint(handles, name) : -1;
    return r->handle->parent >= 0 && r->handle->parent != r->handle->first_bone
               ? SN_OK
               : fail(r, "parent", "must be the name of another point or bone");
}

static const sn_rig_handle *handle_of_bone(const sn_rig_handles *handles, int bone)
{
    int i = 0;
    while (handles->handles[i].first_bone != bone) {
        ++i;
    }
    return &handles->handles[i];
}

/* Checks that no handle is its own ancestor. Each step searches for a handle, so the cost grows with the depth. */
static sn_result check_tree(const char *file, const sn_rig_handles *handles)
{
    for (int i = 0; i < handles->count; ++i) {
        int above = handles->handles[i].parent, depth = 0;
        while (above >= 0 && depth <= handles->count) {
            above = handle_of_bone(handles, above)->parent;
            ++depth;
        }
        if (depth > handles->count) {
            return sn_fail(SN_ERROR_FORMAT, "%s: handles[%d].parent: the handle is its own ancestor", file, i);
        }
    }
    return SN_OK;
}

sn_result sn_rig_handles_finish(const char *file, sn_arena *arena, sn_rig_handles *handles)
{
    size_t bones = 0;
    for (int i = 0; i < handles->count; ++i) {
        sn_rig_handle *h = &handles->handles[i];
        h->first_bone = (int)bones;
        bones += h->type == SN_RIG_CAGE ? (size_t)h->point_count : 1;
        if (bones > SN_RIG_HANDLE_LIMIT) {
            return sn_fail(SN_ERROR_UNSUPPORTED,
                           "%s: handles[%d]: the handles up to this one have more than %d bones, which is the limit "
                           "(each vertex of a cage is a bone)",
                           file, i, SN_RIG_HANDLE_LIMIT);
        }
    }
    handles->bone_count = (int)bones;
    SN_TRY(name_bones(arena, handles));
    return check_names(file, handles);
}

sn_result sn_rig_handles_read(const char *file, const json_t *list, sn_arena *arena, sn_rig_handles *handles)
{
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count == 0 || count > INT_MAX) {
        return sn_fail(SN_ERROR_FORMAT, "%s: handles: must be a list of at least one handle", file);
    }
    sn_rig_handles read = {.handles = SN_NEW(arena, sn_rig_handle, count), .count = (int)count};
    if (!read.handles) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const reader r = {file, i, arena, &read.handles[i]};
        SN_TRY(read_handle(&r, json_array_get(list, i)));
    }
    SN_TRY(sn_rig_handles_finish(file, arena, &read));
    for (size_t i = 0; i < count; ++i) {
        const reader r = {file, i, arena, &read.handles[i]};
        SN_TRY(read_parent(&r, &read, json_object_get(json_array_get(list, i), "parent")));
    }
    SN_TRY(check_tree(file, &read));
    *handles = read;
    return SN_OK;
}
