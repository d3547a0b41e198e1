/* SPDX-License-Identifier: MIT */
#include "author/cook/handles.h"

#include <assert.h>
#include <string.h>

#include "author/cook/character_bones.h"
#include "host/math/affine.h"

static_assert(SN_RIG_HANDLE_LIMIT <= SN_BONE_LIMIT, "what a rig file may have is cooked");

/* ---- bones ---- */

/* Bind transforms are the identity: a motion says where the rest goes, whatever the parents are. */
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
    memset(parents, -1, (size_t)h->bone_count * sizeof *parents);
    for (int i = 0; i < h->count; ++i) {
        if (h->handles[i].parent >= 0) {
            parents[h->handles[i].first_bone] = h->handles[h->handles[i].parent].first_bone;
        }
    }
    for (int b = 0; b < h->bone_count; ++b) {
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
    return k->handles ? make_bones(k) : SN_OK;
}
