/* SPDX-License-Identifier: MIT */
#include "author/cook/handles.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "author/cook/character_bones.h"
#include "author/io/npy.h"
#include "author/weights/bounded_biharmonic.h"
#include "author/weights/cage.h"
#include "author/weights/rig_weights.h"
#include "host/math/affine.h"

static_assert(SN_RIG_HANDLE_LIMIT <= SN_BONE_LIMIT, "what a rig file may have is cooked");

/* ---- bones ---- */

/* All bones are roots; their bind transforms are the identity: a motion says where the rest goes. */
static sn_result make_bones(sn_cooking *k)
{
    const sn_rig_handles *h = k->handles;
    int32_t *parents = SN_NEW(&k->arena, int32_t, h->bone_count);
    double *bind = SN_NEW(&k->arena, double, 12 * (size_t)h->bone_count);
    bool *is_translated = SN_NEW(&k->arena, bool, h->bone_count);
    if (!parents || !bind || !is_translated) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < h->count; ++i) {
        const sn_rig_handle *handle = &h->handles[i];
        for (int v = 0; v < handle->point_count && handle->kind == SN_RIG_CAGE; ++v) {
            is_translated[handle->first_bone + v] = true;
        }
    }
    for (int b = 0; b < h->bone_count; ++b) {
        parents[b] = -1;
        sn_affine_identity(bind + 12 * (size_t)b);
    }
    k->has_rig = true;
    k->bone_count = h->bone_count;
    k->bone_parents = parents;
    k->bone_bind = bind;
    k->bone_names = h->bone_names;
    k->is_translated = is_translated;
    return SN_OK;
}

/* What is rigid hangs on a bone, of which handles have none: it bends with the flesh around it. */
static void soften(sn_cooking *k)
{
    sn_character *c = &k->character;
    if (k->sidecar.rigid.count > 0) {
        sn_log(SN_LOG_WARNING, "%s: rigid: handles have no bone that rigid parts hang on; all is flesh",
               k->sidecar.path);
    }
    memset(c->is_rigid, 0, (size_t)c->vertex_count * sizeof *c->is_rigid);
    for (int i = 0; i < c->part_count; ++i) {
        c->parts[i].rigid_pieces = 0;
    }
}

sn_result sn_handles_take(sn_cooking *k)
{
    if (k->has_rig && k->rig.handles.count > 0) {
        k->handles = &k->rig.handles;
        k->handles_name = k->desc->rig_path;
    } else if (!k->has_rig && k->has_character && k->sidecar.handles.count > 0) {
        if (k->character.bone_count > 1) {
            return sn_fail(SN_ERROR_ARGUMENT,
                           "%s: handles: %s has %d bones of its own; a rig file replaces them, a sidecar does not",
                           k->sidecar.path, k->path, k->character.bone_count);
        }
        k->handles = &k->sidecar.handles;
        k->handles_name = k->sidecar.path;
    }
    if (k->handles && k->has_character) {
        soften(k);
    }
    return k->handles ? make_bones(k) : SN_OK;
}

/* ---- given weights ---- */

/* The array lies beside the rig, unless its path is absolute. */
static sn_result read_weights(sn_cooking *k, sn_npy *array, const char **name)
{
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
    sn_source source;
    const sn_result result = sn_source_read(path, &k->arena, &source);
    return result == SN_OK ? sn_npy_read(&source, &k->arena, array) : result;
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
    const sn_result result = k->rig.weights ? SN_OK : load_weights(k);
    if (result != SN_OK) {
        return result;
    }
    if (k->rig.vertex_count != k->file_vertex_count) {
        return sn_fail(SN_ERROR_FORMAT, "%s: weights: %d rows for the %d vertices of the tet mesh", k->handles_name,
                       k->rig.vertex_count, k->file_vertex_count);
    }
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
        const size_t from = k->old_index ? (size_t)k->old_index[v] : v;
        memcpy(k->rig_weights + v * b, k->rig.weights + from * b, b * sizeof(double));
        sn_weights_normalise(k->rig_weights + v * b, k->bone_count);
    }
    return SN_OK;
}

/* ---- bounded biharmonic weights ---- */

/* The handles as the solver takes them, in model units. */
typedef struct handle_lists {
    sn_weight_handle *handles; /* (bone_count) */
    const char **labels;       /* (bone_count) */
    int32_t *triangles, *edges;
    int triangle_count, edge_count;
} handle_lists;

static void to_model_units(const sn_cooking *k, const double *from, double *point)
{
    for (int d = 0; d < 3; ++d) {
        point[d] = (from[d] - k->origin[d]) * k->scale;
    }
}

static const char *make_label(sn_arena *arena, int handle, const char *name)
{
    const size_t size = strlen(name) + sizeof "handles[2147483647] ''";
    char *text = SN_NEW(arena, char, size);
    if (text) {
        snprintf(text, size, "handles[%d] '%s'", handle, name);
    }
    return text;
}

static bool list_handle(sn_cooking *k, int index, handle_lists *lists)
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
        lists->labels[bone] = make_label(&k->arena, index, k->handles->bone_names[bone]);
        is_ok = is_ok && lists->labels[bone];
    }
    for (int i = 0; i < 3 * h->triangle_count; ++i) {
        lists->triangles[3 * lists->triangle_count + i] = h->first_bone + h->triangles[i];
    }
    for (int i = 0; i < 2 * h->edge_count; ++i) {
        lists->edges[2 * lists->edge_count + i] = h->first_bone + h->edges[i];
    }
    lists->triangle_count += h->triangle_count;
    lists->edge_count += h->edge_count;
    return is_ok;
}

static sn_result list_handles(sn_cooking *k, handle_lists *lists)
{
    size_t triangles = 0, edges = 0;
    for (int i = 0; i < k->handles->count; ++i) {
        triangles += (size_t)k->handles->handles[i].triangle_count;
        edges += (size_t)k->handles->handles[i].edge_count;
    }
    *lists = (handle_lists){.handles = SN_NEW(&k->arena, sn_weight_handle, k->bone_count),
                            .labels = SN_NEW(&k->arena, const char *, k->bone_count),
                            .triangles = SN_NEW(&k->arena, int32_t, 3 * triangles),
                            .edges = SN_NEW(&k->arena, int32_t, 2 * edges)};
    bool is_ok = lists->handles && lists->labels && lists->triangles && lists->edges;
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

/* Of the body, or of what is inside of its cages. */
static sn_result solve(sn_cooking *k, const handle_lists *lists, const sn_tet_mesh *tets, const sn_cage_inside *inside,
                       double *weights)
{
    sn_cook_desc desc = *k->desc;
    sn_bounded_biharmonic_report report;
    const sn_bounded_biharmonic_input input = {.name = k->handles_name,
                                               .tets = tets,
                                               .handles = {.count = k->bone_count,
                                                           .handles = lists->handles,
                                                           .cage_edge_count = lists->edge_count,
                                                           .cage_edges = lists->edges,
                                                           .cage_triangle_count = lists->triangle_count,
                                                           .cage_triangles = lists->triangles,
                                                           .vertex_faces = inside ? inside->vertex_faces : NULL,
                                                           .vertex_shares = inside ? inside->vertex_shares : NULL,
                                                           .labels = lists->labels},
                                               .is_cancelled = is_cancelled,
                                               .cancel_user = &desc};
    const sn_result result = sn_bounded_biharmonic(&input, weights, &report);
    if (result == SN_OK && report.component_count > 0) {
        sn_log(SN_LOG_WARNING, "%s: handles: %d piece%s of %s without any: each follows the handle that is nearest",
               k->handles_name, report.component_count, report.component_count == 1 ? " is" : "s are", k->path);
    }
    return result;
}

/* The cages' own vertices alone: the mesher takes the box of all that it is given. */
static sn_result make_cages(sn_cooking *k, const handle_lists *lists, sn_cages *cages)
{
    double *positions = SN_NEW(&k->arena, double, 3 * (size_t)k->bone_count);
    const char **labels = SN_NEW(&k->arena, const char *, k->bone_count);
    int32_t *triangles = SN_NEW(&k->arena, int32_t, 3 * (size_t)lists->triangle_count);
    int32_t *index = SN_NEW(&k->arena, int32_t, k->bone_count);
    if (!positions || !labels || !triangles || !index) {
        return SN_ERROR_MEMORY;
    }
    int count = 0;
    for (int i = 0; i < k->handles->count; ++i) {
        const sn_rig_handle *h = &k->handles->handles[i];
        for (int v = 0; v < h->point_count && h->triangle_count > 0; ++v) {
            const int bone = h->first_bone + v;
            memcpy(positions + 3 * (size_t)count, lists->handles[bone].start, 3 * sizeof *positions);
            labels[count] = lists->labels[bone];
            index[bone] = count++;
        }
    }
    for (int i = 0; i < 3 * lists->triangle_count; ++i) {
        triangles[i] = index[lists->triangles[i]];
    }
    *cages = (sn_cages){k->handles_name, {count, lists->triangle_count, positions, triangles}, labels};
    return SN_OK;
}

static sn_result solve_in_cages(sn_cooking *k, const handle_lists *lists)
{
    sn_cook_desc desc = *k->desc;
    sn_cages cages;
    sn_cage_inside inside;
    sn_result result = make_cages(k, lists, &cages);
    if (result == SN_OK) {
        result = sn_cage_inside_build(&cages, &k->mesh, is_cancelled, &desc, &k->arena, &inside);
    }
    if (result != SN_OK) {
        return result;
    }
    double *weights = SN_NEW(&k->arena, double, (size_t)inside.tets.vertex_count *(size_t)k->bone_count);
    result = weights ? solve(k, lists, &inside.tets, &inside, weights) : SN_ERROR_MEMORY;
    return result == SN_OK ? sn_cage_carry(&inside, &k->mesh, weights, k->bone_count, k->rig_weights) : result;
}

sn_result sn_handles_weigh(sn_cooking *k)
{
    handle_lists lists;
    if (k->rig.weights || k->rig.weights_path) {
        return take_weights(k);
    }
    const sn_result result = list_handles(k, &lists);
    if (result != SN_OK) {
        return result;
    }
    return lists.triangle_count > 0 ? solve_in_cages(k, &lists) : solve(k, &lists, &k->mesh, NULL, k->rig_weights);
}
