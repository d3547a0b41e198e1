/* SPDX-License-Identifier: MIT */
#include "author/cook/handles/handles.h"

#include <assert.h>
#include <string.h>

#include "author/import/character_bones.h"
#include "host/math/affine.h"

static_assert(SN_RIG_HANDLE_LIMIT <= SN_BONE_LIMIT, "what a rig file may have is cooked");

/* ---- bones ---- */

/* Handles have identity bind transforms. */
static sn_result take_bones(sn_cooking *k, int count, const sn_handle_bones *bones)
{
    double *bind = SN_NEW(&k->arena, double, 12 * (size_t)count);
    if (!bind) {
        return SN_ERROR_MEMORY;
    }
    for (int b = 0; b < count; ++b) {
        sn_affine_identity(bind + 12 * (size_t)b);
    }
    k->has_rig = true;
    k->bone_count = count;
    k->bone_parents = bones->parents;
    k->bone_bind = bind;
    k->bone_names = bones->names;
    k->is_translated = bones->is_translated;
    k->is_stretched = bones->is_stretched;
    k->pivots = bones->pivots;
    return SN_OK;
}

static sn_result make_bones(sn_cooking *k)
{
    sn_handle_bones bones;
    const sn_result result = sn_given_handles_bones(&k->handles.handles, &k->arena, &bones);
    k->kept = &k->handles.handles;
    return result ? result : take_bones(k, k->handles.handles.count, &bones);
}

static sn_result take_given(sn_cooking *k)
{
    const sn_result result = sn_given_handles_check(k->desc->handles);
    k->handles_name = k->desc->handles->name ? k->desc->handles->name : "handles";
    if (result == SN_OK && k->desc->rig_path) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: a rig file cannot be combined with handles", k->desc->rig_path);
    }
    k->handles.handles = *k->desc->handles;
    return result ? result : make_bones(k);
}

/* Handles have no bones for rigid parts to follow, so everything deforms as flesh. */
static void soften(sn_cooking *k)
{
    sn_character *c = &k->character;
    if (k->sidecar.rigid.count > 0) {
        sn_log(SN_LOG_WARNING, "%s: rigid: ignored, since handles have no bones for rigid parts to follow",
               k->sidecar.path);
    }
    memset(c->is_rigid, 0, (size_t)c->vertex_count * sizeof *c->is_rigid);
    for (int i = 0; i < c->part_count; ++i) {
        c->parts[i].rigid_pieces = 0;
    }
}

sn_result sn_handles_take(sn_cooking *k)
{
    const bool is_given = k->desc->handles && !k->has_rig;
    if (is_given) {
        const sn_result result = take_given(k);
        if (result == SN_OK && k->has_character) {
            soften(k);
        }
        return result;
    }
    const sn_rig_handles *read = NULL;
    if (k->has_rig && k->rig.handles.count > 0) {
        read = &k->rig.handles;
        k->handles_name = k->desc->rig_path ? k->desc->rig_path : k->path;
    } else if (!k->has_rig && k->sidecar.handles.count > 0) {
        if (k->character.bone_count > 1) {
            return sn_fail(SN_ERROR_ARGUMENT,
                           "%s: handles: %s has %d bones of its own; a rig file replaces them, a sidecar does not",
                           k->sidecar.path, k->path, k->character.bone_count);
        }
        read = &k->sidecar.handles;
        k->handles_name = k->sidecar.path;
    }
    if (read && k->has_character) {
        soften(k);
    }
    if (!read && k->desc->weights_path) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: weights need handles, and %s has none", k->desc->weights_path,
                       k->desc->rig_path ? k->desc->rig_path : k->path);
    }
    const sn_result result = read ? sn_given_handles_of(read, k->handles_name, &k->arena, &k->handles) : SN_OK;
    return read && result == SN_OK ? make_bones(k) : result;
}
