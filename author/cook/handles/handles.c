/* SPDX-License-Identifier: MIT */
#include "author/cook/handles/handles.h"

#include <assert.h>
#include <string.h>

#include "author/import/character_bones.h"
#include "host/math/affine.h"

static_assert(SN_RIG_HANDLE_LIMIT <= SN_BONE_LIMIT, "what a rig file may have is cooked");

/* ---- bones ---- */

/* Handles have identity bind transforms. */
static sn_result set_bones(sn_cook_context *cook, int count, const sn_handle_bones *bones)
{
    double *bind = SN_NEW(&cook->arena, double, 12 * (size_t)count);
    if (!bind) {
        return SN_ERROR_MEMORY;
    }
    for (int b = 0; b < count; ++b) {
        sn_affine_identity(bind + 12 * (size_t)b);
    }
    cook->has_rig = true;
    cook->bone_count = count;
    cook->bone_parents = bones->parents;
    cook->bone_bind = bind;
    cook->bone_names = bones->names;
    cook->is_translated = bones->is_translated;
    cook->is_stretchable = bones->is_stretchable;
    cook->pivots = bones->pivots;
    return SN_OK;
}

static sn_result build_bones(sn_cook_context *cook)
{
    sn_handle_bones bones;
    const sn_result result = sn_input_handles_bones(&cook->handles.handles, &cook->arena, &bones);
    cook->stored = &cook->handles.handles;
    return result ? result : set_bones(cook, cook->handles.handles.count, &bones);
}

static sn_result load_input(sn_cook_context *cook)
{
    const sn_result result = sn_input_handles_check(cook->desc->handles);
    cook->handles_name = cook->desc->handles->name ? cook->desc->handles->name : "handles";
    if (result == SN_OK && cook->desc->rig_path) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: a rig file cannot be combined with handles", cook->desc->rig_path);
    }
    cook->handles.handles = *cook->desc->handles;
    return result ? result : build_bones(cook);
}

/* Handles have no bones for rigid parts to follow, so everything deforms as flesh. */
static void clear_rigid(sn_cook_context *cook)
{
    sn_character *c = &cook->character;
    if (cook->sidecar.rigid.count > 0) {
        sn_log(SN_LOG_WARNING, "%s: rigid: ignored, since handles have no bones for rigid parts to follow",
               cook->sidecar.path);
    }
    memset(c->is_rigid, 0, (size_t)c->vertex_count * sizeof *c->is_rigid);
    for (int i = 0; i < c->part_count; ++i) {
        c->parts[i].rigid_piece_count = 0;
    }
}

sn_result sn_handles_load(sn_cook_context *cook)
{
    const bool is_input = cook->desc->handles && !cook->has_rig;
    if (is_input) {
        const sn_result result = load_input(cook);
        if (result == SN_OK && cook->has_character) {
            clear_rigid(cook);
        }
        return result;
    }
    const sn_rig_handles *file_handles = NULL;
    if (cook->has_rig && cook->rig.handles.count > 0) {
        file_handles = &cook->rig.handles;
        cook->handles_name = cook->desc->rig_path ? cook->desc->rig_path : cook->path;
    } else if (!cook->has_rig && cook->sidecar.handles.count > 0) {
        if (cook->character.bone_count > 1) {
            return sn_fail(SN_ERROR_ARGUMENT,
                           "%s: handles: %s has %d bones of its own; a rig file replaces them, a sidecar does not",
                           cook->sidecar.path, cook->path, cook->character.bone_count);
        }
        file_handles = &cook->sidecar.handles;
        cook->handles_name = cook->sidecar.path;
    }
    if (file_handles && cook->has_character) {
        clear_rigid(cook);
    }
    if (!file_handles && cook->desc->weights_path) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: weights need handles, and %s has none", cook->desc->weights_path,
                       cook->desc->rig_path ? cook->desc->rig_path : cook->path);
    }
    const sn_result result =
        file_handles ? sn_input_handles_from_file(file_handles, cook->handles_name, &cook->arena, &cook->handles)
                     : SN_OK;
    return file_handles && result == SN_OK ? build_bones(cook) : result;
}
