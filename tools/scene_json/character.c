/* SPDX-License-Identifier: MIT */
/* Characters of a scene file: a path, or a shape and its handles. */
#include <stdio.h>
#include <string.h>

#include "scenes/shapes/shape.h"
#include "tools/scene_json/number.h"

#define HANDLE_LIMIT 1024
#define CLIP_LIMIT 64
#define CAGE_FACE_LIMIT 4096

/* ---- shapes ---- */

static void read_color(const sn_json *object, const char *key, float color[3])
{
    double values[3] = {0};
    if (sn_json_numbers(object, key, 3, values)) {
        for (int d = 0; d < 3; ++d) {
            color[d] = (float)values[d];
        }
    }
}

static void read_paint(sn_scene_reader *reader, const sn_json *at, sn_scene_paint *paint)
{
    static const char *const members[] = {"from_x", "top", "bottom", "spots", NULL};
    static const char *const spot_members[] = {"center", "radius", "color", NULL};
    const sn_json list = sn_json_get(at, "spots");
    sn_json_check_keys(at, members);
    paint->is_from_x = sn_json_flag(at, "from_x", false);
    read_color(at, "top", paint->top);
    memcpy(paint->bottom, paint->top, sizeof paint->bottom);
    read_color(at, "bottom", paint->bottom);
    const int count = sn_scene_count(&list, SN_SHAPE_SPOT_LIMIT);
    sn_scene_spot *spots = SN_SCENE_NEW(reader, sn_scene_spot, count);
    for (int i = 0; spots && i < count; ++i) {
        const sn_json spot = sn_json_entry(&list, (size_t)i);
        sn_json_check_keys(&spot, spot_members);
        sn_json_numbers(&spot, "center", 2, spots[i].center);
        sn_json_numbers(&spot, "radius", 2, spots[i].radius);
        read_color(&spot, "color", spots[i].color);
        if (!(spots[i].radius[0] > 0 && spots[i].radius[1] > 0)) {
            sn_json_fail(&spot, SN_ERROR_FORMAT, "needs two radii above 0");
        }
    }
    paint->spots = spots;
    paint->spot_count = count;
}

/* One polygon [[x, y], ...], or a list of polygons. */
static void read_outline(sn_scene_reader *reader, const sn_json *at, sn_scene_shape *shape)
{
    const sn_json first = sn_json_entry(at, 0), first_point = sn_json_entry(&first, 0);
    const bool is_single = !json_is_array(first_point.value);
    const int loop_count = is_single ? 1 : sn_scene_count(at, SN_SHAPE_POINT_LIMIT);
    int *lengths = SN_SCENE_NEW(reader, int, loop_count);
    size_t total = json_array_size(at->value);
    int count = 0;
    for (int i = 0; i < loop_count && !is_single; ++i) {
        total += json_array_size(json_array_get(at->value, (size_t)i));
    }
    double(*points)[2] =
        sn_scene_new(reader, total < SN_SHAPE_POINT_LIMIT ? (int)total : SN_SHAPE_POINT_LIMIT, sizeof *points);
    for (int i = 0; i < loop_count && lengths && points && !sn_json_failed(at); ++i) {
        const sn_json entry = sn_json_entry(at, (size_t)i), *loop = is_single ? at : &entry;
        lengths[i] = sn_scene_count(loop, SN_SHAPE_POINT_LIMIT - count);
        for (int k = 0; k < lengths[i] && !sn_json_failed(at); ++k) {
            const sn_json point = sn_json_entry(loop, (size_t)k);
            if (sn_json_count(&point) != 2) {
                sn_json_fail(&point, SN_ERROR_FORMAT, "must have two numbers");
            }
            points[count][0] = sn_json_entry_number(&point, 0, 0);
            points[count++][1] = sn_json_entry_number(&point, 1, 0);
        }
    }
    shape->type = SN_SHAPE_OUTLINE;
    shape->points = (const double(*)[2])points;
    shape->point_count = count;
    shape->loop_lengths = lengths;
    shape->loop_count = loop_count;
}

static void read_blob(const sn_json *at, sn_scene_blob *blob)
{
    static const char *const members[] = {"from", "to", "radius", NULL};
    const sn_json radius = sn_json_get(at, "radius"), from = sn_json_get(at, "from"), to = sn_json_get(at, "to");
    double radii[2] = {0};
    sn_json_check_keys(at, members);
    if (!sn_scene_read_point(&from, blob->from)) {
        sn_json_fail(&from, SN_ERROR_FORMAT, "is missing");
    }
    memcpy(blob->to, blob->from, sizeof blob->to);
    sn_scene_read_point(&to, blob->to);
    if (json_is_array(radius.value)) {
        sn_json_numbers(at, "radius", 2, radii);
    } else {
        radii[0] = radii[1] = sn_json_number(at, "radius", 0);
    }
    blob->from_radius = radii[0];
    blob->to_radius = radii[1];
}

static void read_blobs(sn_scene_reader *reader, const sn_json *at, sn_scene_shape *shape)
{
    const int count = sn_scene_count(at, SN_SHAPE_BLOB_LIMIT);
    sn_scene_blob *blobs = SN_SCENE_NEW(reader, sn_scene_blob, count);
    for (int i = 0; blobs && i < count && !sn_json_failed(at); ++i) {
        const sn_json blob = sn_json_entry(at, (size_t)i);
        read_blob(&blob, &blobs[i]);
    }
    shape->type = SN_SHAPE_BLOBS;
    shape->blobs = blobs;
    shape->blob_count = count;
}

static void read_shape(sn_scene_reader *reader, const sn_json *at, sn_scene_shape *shape)
{
    static const char *const members[] = {"outline", "blobs",  "box",   "flat",  "edge_length",
                                          "angular", "center", "blend", "paint", NULL};
    const sn_json outline = sn_json_get(at, "outline"), blobs = sn_json_get(at, "blobs"), box = sn_json_get(at, "box");
    const sn_json paint = sn_json_get(at, "paint"), center = sn_json_get(at, "center");
    sn_json_check_keys(at, members);
    if ((outline.value != NULL) + (blobs.value != NULL) + (box.value != NULL) != 1) {
        sn_json_fail(at, SN_ERROR_FORMAT, "must have one of outline, blobs, box");
    } else if (outline.value) {
        read_outline(reader, &outline, shape);
    } else if (blobs.value) {
        read_blobs(reader, &blobs, shape);
    } else {
        shape->type = SN_SHAPE_BOX;
        sn_scene_read_point(&box, shape->half_extents);
    }
    sn_scene_read_point(&center, shape->center);
    shape->is_flat = sn_json_flag(at, "flat", false);
    shape->is_angular = sn_json_flag(at, "angular", false);
    shape->edge_length = sn_json_number(at, "edge_length", 0);
    shape->blend = sn_json_number(at, "blend", 0);
    if (paint.value) {
        read_paint(reader, &paint, &shape->paint);
    }
}

/* ---- handles ---- */

typedef struct handle_lists {
    sn_cook_handle *handles;
    int32_t *edges, *triangles;
    int count, edge_count, triangle_count;
} handle_lists;

/* Lists of cage vertex indices, `width` per row. */
static void read_tuples(const sn_json *list, int width, int first, int vertex_count, int32_t *tuples, int *count)
{
    const int rows = sn_scene_count(list, CAGE_FACE_LIMIT - *count);
    for (int i = 0; i < rows && !sn_json_failed(list); ++i) {
        const sn_json row = sn_json_entry(list, (size_t)i);
        if (sn_json_count(&row) != width) {
            sn_json_fail(&row, SN_ERROR_FORMAT, "must have %d vertices", width);
            return;
        }
        for (int k = 0; k < width; ++k) {
            tuples[width * *count + k] = first + sn_json_entry_index(&row, (size_t)k, vertex_count);
        }
        ++*count;
    }
}

static void read_cage(sn_scene_reader *reader, const sn_json *at, const sn_json *cage, const char *name,
                      handle_lists *lists)
{
    const sn_json edges = sn_json_get(at, "edges"), triangles = sn_json_get(at, "triangles");
    const int first = lists->count, count = sn_scene_count(cage, HANDLE_LIMIT - first);
    for (int i = 0; i < count && !sn_json_failed(at); ++i) {
        const sn_json vertex = sn_json_entry(cage, (size_t)i);
        sn_cook_handle *handle = &lists->handles[lists->count++];
        *handle = (sn_cook_handle){.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1};
        char *own = sn_scene_new(reader, (int)strlen(name) + 16, 1);
        if (own) {
            snprintf(own, strlen(name) + 16, "%s.%d", name, i);
        }
        handle->name = own;
        sn_scene_read_point(&vertex, handle->start);
    }
    read_tuples(&edges, 2, first, count, lists->edges, &lists->edge_count);
    read_tuples(&triangles, 3, first, count, lists->triangles, &lists->triangle_count);
}

static void find_parent(const sn_json *at, handle_lists *lists, int index)
{
    const sn_json parent = sn_json_get(at, "parent");
    const char *name = sn_json_text(at, "parent", NULL);
    for (int i = 0; name && i < index; ++i) {
        if (lists->handles[i].name && strcmp(lists->handles[i].name, name) == 0) {
            lists->handles[index].parent = i;
            return;
        }
    }
    if (name) {
        sn_json_fail(&parent, SN_ERROR_FORMAT, "'%.80s': no handle before this one has that name", name);
    }
}

static void read_handle(sn_scene_reader *reader, const sn_json *at, handle_lists *lists)
{
    static const char *const members[] = {"name",  "point",     "bone",   "cage",    "radius",
                                          "edges", "triangles", "parent", "stretch", NULL};
    const sn_json point = sn_json_get(at, "point"), bone = sn_json_get(at, "bone"), cage = sn_json_get(at, "cage");
    const char *name = sn_scene_read_text(reader, at, "name");
    sn_json_check_keys(at, members);
    if (!name || !*name || (point.value != NULL) + (bone.value != NULL) + (cage.value != NULL) != 1) {
        sn_json_fail(at, SN_ERROR_FORMAT, "must have a name, and one of point, bone, cage");
        return;
    }
    if (cage.value) {
        read_cage(reader, at, &cage, name, lists);
        return;
    }
    if (lists->count == HANDLE_LIMIT) {
        sn_json_fail(at, SN_ERROR_FORMAT, "more than %d handles", HANDLE_LIMIT);
        return;
    }
    const sn_json head = sn_json_entry(&bone, 0), tail = sn_json_entry(&bone, 1);
    const int index = lists->count++;
    sn_cook_handle *handle = &lists->handles[index];
    *handle = (sn_cook_handle){.name = name, .parent = -1};
    handle->shape = point.value ? SN_HANDLE_SHAPE_POINT : SN_HANDLE_SHAPE_BONE;
    handle->radius = sn_json_number(at, "radius", 0);
    handle->is_stretchable = sn_json_flag(at, "stretch", false);
    if (point.value) {
        sn_scene_read_point(&point, handle->start);
    } else if (!sn_scene_read_point(&head, handle->start) || !sn_scene_read_point(&tail, handle->end)) {
        sn_json_fail(&bone, SN_ERROR_FORMAT, "must be [head, tail]");
    }
    find_parent(at, lists, index);
}

/* Counts the entries of the member over all handles of the list: an upper bound of the space needed. */
static int count_in(const sn_json *at, const char *key, int most)
{
    size_t total = 0;
    for (size_t i = 0; i < json_array_size(at->value); ++i) {
        total += json_array_size(json_object_get(json_array_get(at->value, i), key));
    }
    return total < (size_t)most ? (int)total : most;
}

/* The source for messages: the file, and for an event its path. */
static const char *name_of(sn_scene_reader *reader, const sn_json *at)
{
    const sn_json *event = at->parent && at->parent->parent && !at->parent->key ? at->parent : NULL;
    const char *list = event ? event->parent->key : NULL;
    const size_t size = strlen(reader->path) + 32;
    char *name = list && strcmp(list, "events") == 0 ? SN_SCENE_NEW(reader, char, (int)size) : NULL;
    if (!name) {
        return reader->path;
    }
    snprintf(name, size, "%s: events[%zu]", reader->path, event->index);
    return name;
}

const sn_cook_handles *sn_scene_read_handles(sn_scene_reader *reader, const sn_json *at)
{
    const int count = sn_scene_count(at, HANDLE_LIMIT), cage_count = count_in(at, "cage", HANDLE_LIMIT);
    handle_lists lists = {.handles = SN_SCENE_NEW(reader, sn_cook_handle, count + cage_count),
                          .edges = SN_SCENE_NEW(reader, int32_t, 2 * count_in(at, "edges", CAGE_FACE_LIMIT)),
                          .triangles = SN_SCENE_NEW(reader, int32_t, 3 * count_in(at, "triangles", CAGE_FACE_LIMIT))};
    sn_cook_handles *handles = SN_SCENE_NEW(reader, sn_cook_handles, 1);
    for (int i = 0; i < count && !sn_json_failed(at); ++i) {
        const sn_json handle = sn_json_entry(at, (size_t)i);
        read_handle(reader, &handle, &lists);
    }
    if (handles && !sn_json_failed(at)) {
        *handles = (sn_cook_handles){.name = name_of(reader, at),
                                     .count = lists.count,
                                     .handles = lists.handles,
                                     .edge_count = lists.edge_count,
                                     .edges = lists.edges,
                                     .triangle_count = lists.triangle_count,
                                     .triangles = lists.triangles};
    }
    return handles && lists.count > 0 && !sn_json_failed(at) ? handles : NULL;
}

/* ---- cooking ---- */

static void read_clips(sn_scene_reader *reader, const sn_json *at, sn_cook_desc *cook)
{
    const sn_json list = sn_json_get(at, "clips");
    const int count = sn_scene_count(&list, CLIP_LIMIT);
    const char **paths = SN_SCENE_NEW(reader, const char *, count);
    for (int i = 0; paths && i < count && !sn_json_failed(at); ++i) {
        const sn_json entry = sn_json_entry(&list, (size_t)i);
        paths[i] = sn_scene_path_of(reader, &entry);
    }
    cook->clip_paths = paths;
    cook->clip_count = count;
}

void sn_scene_read_character(sn_scene_reader *reader, const sn_json *at, sn_scene_character *character)
{
    static const char *const members[] = {"name",     "path",  "shape",    "handles", "rig",           "tets",
                                          "clips",    "units", "young",    "poisson", "density",       "modes",
                                          "clusters", "leak",  "vertices", "flat",    "complementary", NULL};
    static const char *const units[] = {"unit", "keep", NULL};
    static const char *const leaks[] = {"auto", "none", "all", NULL};
    static const char *const complements[] = {"auto", "weights", "coordinates", NULL};
    const sn_json shape = sn_json_get(at, "shape"), handles = sn_json_get(at, "handles");
    sn_cook_desc *cook = &character->cook;
    int unit = SN_UNITS_KEEP, leak = SN_LEAK_AUTO, complementary = SN_COMPLEMENTARY_AUTO;
    *character = sn_default_scene_character();
    sn_json_check_keys(at, members);
    character->name = sn_scene_read_text(reader, at, "name");
    character->path = sn_scene_read_path(reader, at, "path");
    if ((character->path != NULL) == (shape.value != NULL)) {
        sn_json_fail(at, SN_ERROR_FORMAT, "must have either a path or a shape");
    }
    if (shape.value) {
        read_shape(reader, &shape, &character->shape);
    }
    if (handles.value) {
        character->cook.handles = sn_scene_read_handles(reader, &handles);
    }
    cook->rig_path = sn_scene_read_path(reader, at, "rig");
    cook->tets_path = sn_scene_read_path(reader, at, "tets");
    read_clips(reader, at, cook);
    sn_scene_read_choice(at, "units", units, &unit);
    sn_scene_read_choice(at, "leak", leaks, &leak);
    sn_scene_read_choice(at, "complementary", complements, &complementary);
    cook->units = (sn_cook_units)unit;
    cook->leak = (sn_cook_leak)leak;
    cook->complementary = (sn_cook_complementary)complementary;
    cook->young = sn_json_number(at, "young", cook->young);
    cook->poisson = sn_json_number(at, "poisson", cook->poisson);
    if (sn_json_has(at, "poisson") && cook->poisson < 0) {
        sn_json_fail(at, SN_ERROR_FORMAT, "Poisson's ratio %g is below 0", cook->poisson);
    }
    cook->density = sn_json_number(at, "density", cook->density);
    cook->mode_count = (int)sn_json_integer(at, "modes", cook->mode_count, 1, 1000);
    cook->cluster_count = (int)sn_json_integer(at, "clusters", cook->cluster_count, 1, 1000000);
    cook->tet_vertex_count = (int)sn_json_integer(at, "vertices", 0, 4, 1000000);
    cook->is_flat = sn_json_flag(at, "flat", false);
}
