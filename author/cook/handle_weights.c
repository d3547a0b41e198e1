/* SPDX-License-Identifier: MIT */
/* Weights of handles: those of a file, or bounded biharmonic ones. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "author/cook/handles.h"
#include "author/io/npy.h"
#include "author/weights/rig_weights.h"

/* ---- given weights ---- */

static bool is_dmat(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".dmat") == 0;
}

static sn_result read_array(sn_cooking *k, const char *path, sn_npy *array)
{
    sn_source source;
    const sn_result result = sn_source_read(path, &k->arena, &source);
    if (result != SN_OK) {
        return result;
    }
    return is_dmat(path) ? sn_dmat_read(&source, &k->arena, array) : sn_npy_read(&source, &k->arena, array);
}

/* The desc's array; or the rig's, which lies beside it, unless its path is absolute. */
static sn_result read_weights(sn_cooking *k, sn_npy *array, const char **name)
{
    if (k->desc->weights_path) {
        *name = k->desc->weights_path;
        return read_array(k, *name, array);
    }
    const char *slash = strrchr(k->handles_name, '/');
    const bool is_absolute = k->rig.weights_path[0] == '/';
    const int folder = slash && !is_absolute ? (int)(slash - k->handles_name) + 1 : 0;
    const size_t size = (size_t)folder + strlen(k->rig.weights_path) + 1;
    char *path = SN_NEW(&k->arena, char, size);
    if (!path) {
        return SN_ERROR_MEMORY;
    }
    snprintf(path, size, "%.*s%s", folder, k->handles_name, k->rig.weights_path);
    *name = path;
    return read_array(k, path, array);
}

static sn_result load_weights(sn_cooking *k)
{
    sn_npy array;
    const char *name = NULL;
    const sn_result result = read_weights(k, &array, &name);
    if (result != SN_OK) {
        return result;
    }
    if (array.dimension_count != 2 || array.shape[1] != (size_t)k->bone_count || array.shape[0] > INT32_MAX) {
        return sn_fail(SN_ERROR_FORMAT,
                       "%s: the shape must be (vertices, %d): %s has %d handles, cages' vertices counted", name,
                       k->bone_count, k->handles_name, k->bone_count);
    }
    k->rig.vertex_count = (int)array.shape[0];
    k->rig.weights = array.values;
    return sn_rig_weights_check(name, k->rig.vertex_count, k->bone_count, array.values);
}

static sn_result take_weights(sn_cooking *k)
{
    const size_t b = (size_t)k->bone_count;
    const sn_result result = k->rig.weights && !k->desc->weights_path ? SN_OK : load_weights(k);
    if (result != SN_OK) {
        return result;
    }
    /* those who write .dmat count as the .obj does */
    const char *name = k->desc->weights_path ? k->desc->weights_path : k->rig.weights_path;
    const bool is_of_file = name && is_dmat(name) && k->file_vertices;
    if (is_of_file && k->rig.vertex_count != k->character.file_vertex_count) {
        return sn_fail(SN_ERROR_FORMAT, "%s: weights: %d rows for the %d vertices of %s", name, k->rig.vertex_count,
                       k->character.file_vertex_count, k->path);
    }
    if (!is_of_file && k->rig.vertex_count != k->file_vertex_count) {
        return sn_fail(SN_ERROR_FORMAT, "%s: weights: %d rows for the %d vertices of the %s", k->handles_name,
                       k->rig.vertex_count, k->file_vertex_count, k->mesh.is_flat ? "flat body" : "tet mesh");
    }
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
        const size_t from = is_of_file ? (size_t)k->file_vertices[v] : k->old_index ? (size_t)k->old_index[v] : v;
        memcpy(k->rig_weights + v * b, k->rig.weights + from * b, b * sizeof(double));
        sn_weights_normalise(k->rig_weights + v * b, k->bone_count);
    }
    return SN_OK;
}

/* ---- bounded biharmonic weights ---- */

static void to_model_units(const sn_cooking *k, const double *from, double *point)
{
    for (int d = 0; d < 3; ++d) {
        point[d] = (from[d] - k->origin[d]) * k->scale;
    }
}

const char *sn_handle_label(sn_arena *arena, int handle, const char *name)
{
    const size_t size = strlen(name) + sizeof "handles[2147483647] ''";
    char *text = SN_NEW(arena, char, size);
    if (text) {
        snprintf(text, size, "handles[%d] '%s'", handle, name);
    }
    return text;
}

static bool list_handle(sn_cooking *k, int index, sn_handle_lists *lists)
{
    static const sn_weight_handle_kind kinds[] = {[SN_RIG_POINT] = SN_WEIGHT_HANDLE_POINT,
                                                  [SN_RIG_BONE] = SN_WEIGHT_HANDLE_BONE,
                                                  [SN_RIG_CAGE] = SN_WEIGHT_HANDLE_CAGE};
    const sn_rig_handle *h = &k->handles->handles[index];
    const int count = h->kind == SN_RIG_CAGE ? h->point_count : 1;
    bool is_ok = true;
    for (int i = 0; i < count; ++i) {
        const int bone = h->first_bone + i;
        sn_weight_handle *to = &lists->handles[bone];
        to->kind = kinds[h->kind];
        to->radius = h->radius * k->scale;
        to_model_units(k, h->points + 3 * (size_t)i, to->start);
        if (h->kind == SN_RIG_BONE) {
            to_model_units(k, h->points + 3, to->end);
        }
        lists->labels[bone] = sn_handle_label(&k->arena, index, k->handles->bone_names[bone]);
        is_ok = is_ok && lists->labels[bone];
    }
    for (int i = 0; i < 2 * h->edge_count; ++i) {
        lists->edges[2 * lists->edge_count + i] = h->first_bone + h->edges[i];
    }
    lists->edge_count += h->edge_count;
    return is_ok;
}

static sn_result list_handles(sn_cooking *k, sn_handle_lists *lists)
{
    size_t edges = 0;
    for (int i = 0; i < k->handles->count; ++i) {
        edges += (size_t)k->handles->handles[i].edge_count;
    }
    *lists = (sn_handle_lists){.count = k->bone_count,
                               .handles = SN_NEW(&k->arena, sn_weight_handle, k->bone_count),
                               .labels = SN_NEW(&k->arena, const char *, k->bone_count),
                               .edges = SN_NEW(&k->arena, int32_t, 2 * edges)};
    bool is_ok = lists->handles && lists->labels && lists->edges;
    for (int i = 0; i < k->handles->count && is_ok; ++i) {
        is_ok = list_handle(k, i, lists);
    }
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

static bool is_cancelled(void *user)
{
    const sn_cook_desc *desc = user;
    return desc->progress && !desc->progress(SN_COOK_WEIGHTS, desc->progress_user);
}

/* The cages' vertices, then the middles of their faces of more than three corners: so no diagonal is above another. */
typedef struct cage_builder {
    double *positions;
    const char **labels;
    int32_t *starts, *handles, *triangles; /* as in sn_cages */
    int vertex_count, triangle_count;
    int32_t *vertex_of_bone; /* (bone_count) */
} cage_builder;

static sn_result start_cages(sn_cooking *k, cage_builder *b)
{
    size_t corners = 0, vertices = 0;
    for (int i = 0; i < k->handles->count; ++i) {
        const sn_rig_handle *h = &k->handles->handles[i];
        corners += h->face_count > 0 ? (size_t)h->face_starts[h->face_count] : 0;
        vertices += h->face_count > 0 ? (size_t)(h->point_count + h->face_count) : 0;
    }
    *b = (cage_builder){.positions = SN_NEW(&k->arena, double, 3 * vertices),
                        .labels = SN_NEW(&k->arena, const char *, vertices),
                        .starts = SN_NEW(&k->arena, int32_t, vertices + 1),
                        .handles = SN_NEW(&k->arena, int32_t, vertices + corners),
                        .triangles = SN_NEW(&k->arena, int32_t, 3 * corners),
                        .vertex_of_bone = SN_NEW(&k->arena, int32_t, k->bone_count)};
    return b->positions && b->labels && b->starts && b->handles && b->triangles && b->vertex_of_bone ? SN_OK
                                                                                                     : SN_ERROR_MEMORY;
}

/* At the mean of these bones' places; returns its number. */
static int32_t add_cage_vertex(cage_builder *b, const sn_handle_lists *lists, int first_bone, const int32_t *bones,
                               int count)
{
    const int vertex = b->vertex_count++;
    b->labels[vertex] = lists->labels[first_bone + bones[0]];
    b->starts[vertex + 1] = b->starts[vertex] + count;
    for (int i = 0; i < count; ++i) {
        const int bone = first_bone + bones[i];
        b->handles[b->starts[vertex] + i] = bone;
        for (int d = 0; d < 3; ++d) {
            b->positions[3 * vertex + d] += lists->handles[bone].start[d] / count;
        }
    }
    return vertex;
}

static void add_triangle(cage_builder *b, int32_t u, int32_t v, int32_t w)
{
    memcpy(b->triangles + 3 * (size_t)b->triangle_count++, (int32_t[]){u, v, w}, 3 * sizeof(int32_t));
}

static void add_face(cage_builder *b, const sn_handle_lists *lists, const sn_rig_handle *h, int face)
{
    const int32_t *corners = h->face_corners + h->face_starts[face];
    const int count = h->face_starts[face + 1] - h->face_starts[face];
    const int32_t *vertices = b->vertex_of_bone + h->first_bone;
    if (count == 3) {
        add_triangle(b, vertices[corners[0]], vertices[corners[1]], vertices[corners[2]]);
        return;
    }
    const int32_t middle = add_cage_vertex(b, lists, h->first_bone, corners, count);
    for (int i = 0; i < count; ++i) {
        add_triangle(b, vertices[corners[i]], vertices[corners[(i + 1) % count]], middle);
    }
}

static sn_result make_cages(sn_cooking *k, const sn_handle_lists *lists, sn_cages *cages)
{
    cage_builder b;
    if (start_cages(k, &b) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < k->handles->count; ++i) {
        const sn_rig_handle *h = &k->handles->handles[i];
        for (int32_t v = 0; v < h->point_count && h->face_count > 0; ++v) {
            b.vertex_of_bone[h->first_bone + v] = add_cage_vertex(&b, lists, h->first_bone, &v, 1);
        }
    }
    for (int i = 0; i < k->handles->count; ++i) {
        const sn_rig_handle *h = &k->handles->handles[i];
        for (int face = 0; face < h->face_count; ++face) {
            add_face(&b, lists, h, face);
        }
    }
    *cages = (sn_cages){.name = k->handles_name,
                        .surface = {b.vertex_count, b.triangle_count, b.positions, b.triangles},
                        .handle_starts = b.starts,
                        .handles = b.handles,
                        .labels = b.labels};
    return SN_OK;
}

static bool has_faces(const sn_rig_handles *handles)
{
    bool is_found = false;
    for (int i = 0; i < handles->count; ++i) {
        is_found = is_found || handles->handles[i].face_count > 0;
    }
    return is_found;
}

/* Of a rig file or a sidecar. */
static sn_result weigh_read(sn_cooking *k, const sn_handle_body *body)
{
    sn_handle_lists lists;
    sn_cages cages;
    const bool is_caged = has_faces(k->handles);
    sn_result result = list_handles(k, &lists);
    if (result == SN_OK && is_caged) {
        result = make_cages(k, &lists, &cages);
    }
    return result == SN_OK ? sn_handles_solve(body, &lists, is_caged ? &cages : NULL, &k->arena, k->rig_weights)
                           : result;
}

sn_result sn_handles_weigh(sn_cooking *k)
{
    if (k->rig.weights || k->rig.weights_path || k->desc->weights_path) {
        return take_weights(k);
    }
    sn_cook_desc desc = *k->desc;
    const sn_handle_body body = {.name = k->handles_name,
                                 .body_name = k->path,
                                 .mesh = &k->mesh,
                                 .boundary = k->boundary,
                                 .boundary_count = k->boundary_count,
                                 .is_cancelled = is_cancelled,
                                 .cancel_user = &desc};
    if (k->handles) {
        return weigh_read(k, &body);
    }
    sn_handle_lists lists;
    sn_cages cages;
    const double *origin = k->origin;
    const sn_result result = sn_given_handles_list(k->desc->handles, origin, k->scale, &k->arena, &lists, &cages);
    return result == SN_OK ? sn_handles_solve(&body, &lists, cages.surface.triangle_count > 0 ? &cages : NULL,
                                              &k->arena, k->rig_weights)
                           : result;
}
