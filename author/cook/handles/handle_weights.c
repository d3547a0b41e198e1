/* SPDX-License-Identifier: MIT */
/* Weights of handles: from a file, or bounded biharmonic. */
#include <stdio.h>
#include <string.h>

#include "author/cook/handles/handles.h"
#include "author/io/npy.h"
#include "author/weights/rig_weights.h"

/* ---- weights of a file ---- */

static bool is_dmat(const char *path)
{
    return sn_has_extension(path, ".dmat");
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

/* Reads the desc's array, or else the rig's, whose path is relative to the rig file unless it is absolute. */
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
                       "%s: the shape must be (vertices, %d): %s has %d handles, including the vertices of cages", name,
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
    /* rows of .dmat files are in the .obj file's vertex order */
    const char *name = k->desc->weights_path ? k->desc->weights_path : k->rig.weights_path;
    const bool is_of_file = name && is_dmat(name) && k->file_vertices;
    if (is_of_file && k->rig.vertex_count != k->character.file_vertex_count) {
        return sn_fail(SN_ERROR_FORMAT, "%s: weights: %d rows for the %d vertices of %s", name, k->rig.vertex_count,
                       k->character.file_vertex_count, k->path);
    }
    if (!is_of_file && k->rig.vertex_count != k->file_vertex_count) {
        return sn_fail(SN_ERROR_FORMAT, "%s: weights: %d rows for the %d vertices of the %s",
                       name ? name : k->handles_name, k->rig.vertex_count, k->file_vertex_count,
                       k->mesh.is_flat ? "flat body" : "tet mesh");
    }
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
        const size_t from = is_of_file ? (size_t)k->file_vertices[v] : k->old_index ? (size_t)k->old_index[v] : v;
        memcpy(k->rig_weights + v * b, k->rig.weights + from * b, b * sizeof(double));
        sn_weights_normalise(k->rig_weights + v * b, k->bone_count);
    }
    return SN_OK;
}

/* ---- bounded biharmonic weights ---- */

static bool is_cancelled(void *user)
{
    const sn_cook_desc *desc = user;
    return desc->progress && !desc->progress(SN_COOK_WEIGHTS, desc->progress_user);
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
    sn_handle_lists lists;
    sn_cages cages;
    const sn_result result = sn_given_handles_list(&k->handles, k->origin, k->scale, &k->arena, &lists, &cages);
    return result == SN_OK ? sn_handles_solve(&body, &lists, cages.surface.triangle_count > 0 ? &cages : NULL,
                                              &k->arena, k->rig_weights)
                           : result;
}
