/* SPDX-License-Identifier: MIT */
#include "author/cook/springs/loose.h"

bool sn_is_loose(sn_loose loose)
{
    return loose == SN_LOOSE_NAMED || loose == SN_LOOSE_MARKED || loose == SN_LOOSE_SPRING;
}

sn_loose sn_loose_of_bone(const sn_character *c, const sn_sidecar *sidecar, sn_cook_loose which, int bone)
{
    if (sn_name_is_listed(&sidecar->loose, c->bone_names[bone])) {
        return SN_LOOSE_NAMED;
    }
    if (sn_name_is_listed(&sidecar->held, c->bone_names[bone])) {
        return SN_LOOSE_DENIED;
    }
    if (c->is_loose && c->is_loose[bone]) {
        return SN_LOOSE_MARKED;
    }
    const sn_character_spring *spring = c->springs ? &c->springs[bone] : NULL;
    return !spring || !spring->is_spring   ? SN_LOOSE_HELD
           : spring->clip                  ? SN_LOOSE_MOVED
           : which == SN_LOOSENESS_SPRINGS ? SN_LOOSE_SPRING
                                           : SN_LOOSE_UNASKED;
}

const char *sn_loose_reason(sn_loose loose)
{
    static const char *const reasons[] = {[SN_LOOSE_NAMED] = "soft: named in the sidecar",
                                          [SN_LOOSE_MARKED] = "soft: flagged in the file (sinew_loose)",
                                          [SN_LOOSE_SPRING] = "soft: spring bone",
                                          [SN_LOOSE_MOVED] = "fixed: spring bone animated by a clip",
                                          [SN_LOOSE_UNASKED] = "fixed: spring bone without --loose springs",
                                          [SN_LOOSE_DENIED] = "fixed: named in the sidecar",
                                          [SN_LOOSE_WILD] = "fixed: its flesh is unstable at every stiffness"};
    return reasons[loose];
}

static sn_loose loose_of(const sn_cooking *k, int bone)
{
    if (k->desc->loose == SN_LOOSENESS_NONE) {
        return SN_LOOSE_HELD;
    }
    if (k->has_character && !k->has_rig) {
        return sn_loose_of_bone(&k->character, &k->sidecar, k->desc->loose, bone);
    }
    return sn_name_is_listed(&k->sidecar.loose, k->bone_names[bone]) ? SN_LOOSE_NAMED : SN_LOOSE_HELD;
}

static int count_loose(const sn_cooking *k, sn_loose which)
{
    int count = 0;
    for (int bone = 0; bone < k->bone_count; ++bone) {
        count += k->loose[bone] == which;
    }
    return count;
}

/* Copies the weights without those of soft bones. */
static sn_result hold_by_rest(sn_cooking *k, bool *is_any_held)
{
    const size_t count = (size_t)k->mesh.vertex_count * (size_t)k->bone_count;
    double *held = SN_NEW(&k->arena, double, count);
    *is_any_held = false;
    for (size_t i = 0; i < count && held; ++i) {
        held[i] = sn_is_loose(k->loose[i % (size_t)k->bone_count]) ? 0 : k->rig_weights[i];
        *is_any_held = *is_any_held || held[i] > 0;
    }
    k->held_weights = held;
    return held ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_loose_hold(sn_cooking *k, bool is_all_held)
{
    bool is_any_held = true;
    const int spring_count = count_loose(k, SN_LOOSE_SPRING);
    const int loose_count = spring_count + count_loose(k, SN_LOOSE_NAMED) + count_loose(k, SN_LOOSE_MARKED);
    k->report.loose_count = is_all_held ? 0 : loose_count;
    k->held_weights = k->rig_weights;
    const sn_result result = k->report.loose_count > 0 ? hold_by_rest(k, &is_any_held) : SN_OK;
    if (result != SN_OK || is_any_held || k->leak_choice == SN_LEAK_ALL) {
        return result;
    }
    if (spring_count == 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: every bone that moves flesh is soft; at least one must be fixed",
                       k->path);
    }
    sn_log(SN_LOG_WARNING, "%s: spring bones are fixed, since no other bone moves flesh", k->path);
    for (int bone = 0; bone < k->bone_count; ++bone) {
        k->loose[bone] = k->loose[bone] == SN_LOOSE_SPRING ? SN_LOOSE_HELD : k->loose[bone];
    }
    return sn_loose_hold(k, false);
}

sn_result sn_loose_find(sn_cooking *k)
{
    k->loose = SN_NEW(&k->arena, sn_loose, k->bone_count);
    for (int bone = 0; k->loose && bone < k->bone_count; ++bone) {
        k->loose[bone] = loose_of(k, bone);
    }
    return k->loose ? sn_loose_hold(k, false) : SN_ERROR_MEMORY;
}
