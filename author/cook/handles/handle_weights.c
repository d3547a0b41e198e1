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

static sn_result read_array(sn_cook_context *cook, const char *path, sn_npy *array)
{
    sn_source source;
    const sn_result result = sn_source_read(path, &cook->arena, &source);
    if (result != SN_OK) {
        return result;
    }
    return is_dmat(path) ? sn_dmat_read(&source, &cook->arena, array) : sn_npy_read(&source, &cook->arena, array);
}

/* Reads the desc's array, or else the rig's, whose path is relative to the rig file unless it is absolute. */
static sn_result read_weights(sn_cook_context *cook, sn_npy *array, const char **name)
{
    if (cook->desc->weights_path) {
        *name = cook->desc->weights_path;
        return read_array(cook, *name, array);
    }
    const char *slash = strrchr(cook->handles_name, '/');
    const bool is_absolute = cook->rig.weights_path[0] == '/';
    const int folder = slash && !is_absolute ? (int)(slash - cook->handles_name) + 1 : 0;
    const size_t size = (size_t)folder + strlen(cook->rig.weights_path) + 1;
    char *path = SN_NEW(&cook->arena, char, size);
    if (!path) {
        return SN_ERROR_MEMORY;
    }
    snprintf(path, size, "%.*s%s", folder, cook->handles_name, cook->rig.weights_path);
    *name = path;
    return read_array(cook, path, array);
}

static sn_result load_weights(sn_cook_context *cook)
{
    sn_npy array;
    const char *name = NULL;
    const sn_result result = read_weights(cook, &array, &name);
    if (result != SN_OK) {
        return result;
    }
    if (array.dimension_count != 2 || array.shape[1] != (size_t)cook->bone_count || array.shape[0] > INT32_MAX) {
        return sn_fail(SN_ERROR_FORMAT,
                       "%s: the shape must be (vertices, %d): %s has %d handles, including the vertices of cages", name,
                       cook->bone_count, cook->handles_name, cook->bone_count);
    }
    cook->rig.vertex_count = (int)array.shape[0];
    cook->rig.weights = array.values;
    return sn_rig_weights_check(name, cook->rig.vertex_count, cook->bone_count, array.values);
}

static sn_result copy_weights(sn_cook_context *cook)
{
    const size_t b = (size_t)cook->bone_count;
    const sn_result result = cook->rig.weights && !cook->desc->weights_path ? SN_OK : load_weights(cook);
    if (result != SN_OK) {
        return result;
    }
    /* rows of .dmat files are in the .obj file's vertex order */
    const char *name = cook->desc->weights_path ? cook->desc->weights_path : cook->rig.weights_path;
    const bool is_file_order = name && is_dmat(name) && cook->file_vertices;
    if (is_file_order && cook->rig.vertex_count != cook->character.file_vertex_count) {
        return sn_fail(SN_ERROR_FORMAT, "%s: weights: %d rows for the %d vertices of %s", name, cook->rig.vertex_count,
                       cook->character.file_vertex_count, cook->path);
    }
    if (!is_file_order && cook->rig.vertex_count != cook->file_vertex_count) {
        return sn_fail(SN_ERROR_FORMAT, "%s: weights: %d rows for the %d vertices of the %s",
                       name ? name : cook->handles_name, cook->rig.vertex_count, cook->file_vertex_count,
                       cook->mesh.is_flat ? "flat body" : "tet mesh");
    }
    for (size_t v = 0; v < (size_t)cook->mesh.vertex_count; ++v) {
        const size_t from = is_file_order     ? (size_t)cook->file_vertices[v]
                            : cook->old_index ? (size_t)cook->old_index[v]
                                              : v;
        memcpy(cook->rig_weights + v * b, cook->rig.weights + from * b, b * sizeof(double));
        sn_weights_normalise(cook->rig_weights + v * b, cook->bone_count);
    }
    return SN_OK;
}

/* ---- bounded biharmonic weights ---- */

static bool is_cancelled(void *user)
{
    const sn_cook_desc *desc = user;
    return desc->progress && !desc->progress(SN_COOK_WEIGHTS, desc->progress_user);
}

sn_result sn_handles_compute_weights(sn_cook_context *cook)
{
    if (cook->rig.weights || cook->rig.weights_path || cook->desc->weights_path) {
        return copy_weights(cook);
    }
    sn_cook_desc desc = *cook->desc;
    const sn_handle_body body = {.name = cook->handles_name,
                                 .body_name = cook->path,
                                 .mesh = &cook->mesh,
                                 .boundary = cook->boundary,
                                 .boundary_count = cook->boundary_count,
                                 .is_cancelled = is_cancelled,
                                 .cancel_user = &desc};
    sn_handle_lists lists;
    sn_cages cages;
    const sn_result result =
        sn_input_handles_list(&cook->handles, cook->origin, cook->scale, &cook->arena, &lists, &cages);
    return result == SN_OK ? sn_handles_solve(&body, &lists, cages.surface.triangle_count > 0 ? &cages : NULL,
                                              &cook->arena, cook->rig_weights)
                           : result;
}
