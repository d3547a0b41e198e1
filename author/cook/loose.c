/* SPDX-License-Identifier: MIT */
#include "author/cook/loose.h"

static bool is_loose(const sn_cooking *k, int bone)
{
    const bool is_by_file = k->has_character && !k->has_rig && k->character.is_loose[bone];
    return is_by_file || sn_name_is_listed(&k->sidecar.loose, k->bone_names[bone]);
}

/* A copy of the weights without those of the loose. */
static sn_result hold_by_rest(sn_cooking *k, const bool *loose)
{
    const size_t count = (size_t)k->mesh.vertex_count * (size_t)k->bone_count;
    double *held = SN_NEW(&k->arena, double, count);
    bool is_any_held = false;
    for (size_t i = 0; i < count && held; ++i) {
        held[i] = loose[i % (size_t)k->bone_count] ? 0 : k->rig_weights[i];
        is_any_held = is_any_held || held[i] > 0;
    }
    k->held_weights = held;
    if (held && !is_any_held && k->leak_choice != SN_LEAK_ALL) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: every bone that moves flesh is loose: nothing holds it", k->path);
    }
    return held ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_loose_find(sn_cooking *k)
{
    bool *loose = SN_NEW(&k->arena, bool, k->bone_count);
    if (!loose) {
        return SN_ERROR_MEMORY;
    }
    k->held_weights = k->rig_weights;
    for (int bone = 0; bone < k->bone_count; ++bone) {
        loose[bone] = is_loose(k, bone);
        k->report.loose_count += loose[bone];
    }
    return k->report.loose_count > 0 ? hold_by_rest(k, loose) : SN_OK;
}
