/* SPDX-License-Identifier: MIT */
#include "author/cook/handles.h"

#include <assert.h>
#include <string.h>

#include "author/cook/character_bones.h"
#include "host/math/affine.h"

static_assert(SN_RIG_HANDLE_LIMIT <= SN_BONE_LIMIT, "what a rig file may have is cooked");

/* ---- bones ---- */

/* Their bind transforms are the identity: a motion says where the rest goes. */
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

/* Of a rig file or a sidecar. */
static sn_result make_bones(sn_cooking *k)
{
    const sn_rig_handles *h = k->handles;
    const size_t count = (size_t)h->bone_count;
    const sn_handle_bones bones = {.names = h->bone_names,
                                   .parents = SN_NEW(&k->arena, int32_t, count),
                                   .pivots = SN_NEW(&k->arena, double, 3 * count),
                                   .is_translated = SN_NEW(&k->arena, bool, count),
                                   .is_stretched = SN_NEW(&k->arena, bool, count)};
    if (!bones.parents || !bones.pivots || !bones.is_translated || !bones.is_stretched) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < h->count; ++i) {
        const sn_rig_handle *handle = &h->handles[i];
        for (int v = 0; v < (handle->kind == SN_RIG_CAGE ? handle->point_count : 1); ++v) {
            const int bone = handle->first_bone + v;
            bones.parents[bone] = handle->parent;
            bones.is_translated[bone] = handle->kind == SN_RIG_CAGE;
            bones.is_stretched[bone] = handle->is_stretched;
            memcpy(bones.pivots + 3 * (size_t)bone, handle->points + 3 * (size_t)v, 3 * sizeof(double));
        }
    }
    return take_bones(k, h->bone_count, &bones);
}

static sn_result take_given(sn_cooking *k)
{
    sn_handle_bones bones;
    sn_result result = sn_given_handles_check(k->desc->handles);
    if (result == SN_OK && k->desc->rig_path) {
        result = sn_fail(SN_ERROR_ARGUMENT, "%s: a rig file beside handles that are given", k->desc->rig_path);
    }
    k->handles_name = k->desc->handles->name ? k->desc->handles->name : "handles";
    result = result ? result : sn_given_handles_bones(k->desc->handles, &k->arena, &bones);
    return result ? result : take_bones(k, k->desc->handles->count, &bones);
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
    const bool is_given = k->desc->handles && !k->has_rig;
    if (is_given) {
        const sn_result result = take_given(k);
        if (result == SN_OK && k->has_character) {
            soften(k);
        }
        return result;
    }
    if (k->has_rig && k->rig.handles.count > 0) {
        k->handles = &k->rig.handles;
        k->handles_name = k->desc->rig_path ? k->desc->rig_path : k->path;
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
    if (!k->handles && k->desc->weights_path) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: weights are for handles, and %s has none", k->desc->weights_path,
                       k->desc->rig_path ? k->desc->rig_path : k->path);
    }
    return k->handles ? make_bones(k) : SN_OK;
}
