/* SPDX-License-Identifier: MIT */
#include "author/cook/springs/soft_bones.h"

bool sn_soft_bone_is_soft(sn_soft_bone_state soft_bones)
{
    return soft_bones == SN_SOFT_BONE_NAMED || soft_bones == SN_SOFT_BONE_FLAGGED || soft_bones == SN_SOFT_BONE_SPRING;
}

sn_soft_bone_state sn_soft_bone_classify(const sn_character *c, const sn_sidecar *sidecar, sn_cook_soft_bones which,
                                         int bone)
{
    if (sn_name_is_listed(&sidecar->soft_bones, c->bone_names[bone])) {
        return SN_SOFT_BONE_NAMED;
    }
    if (sn_name_is_listed(&sidecar->held, c->bone_names[bone])) {
        return SN_SOFT_BONE_EXCLUDED;
    }
    if (c->is_soft_bone && c->is_soft_bone[bone]) {
        return SN_SOFT_BONE_FLAGGED;
    }
    const sn_character_spring *spring = c->springs ? &c->springs[bone] : NULL;
    return !spring || !spring->is_spring    ? SN_SOFT_BONE_FIXED
           : spring->clip                   ? SN_SOFT_BONE_ANIMATED
           : which == SN_SOFT_BONES_SPRINGS ? SN_SOFT_BONE_SPRING
                                            : SN_SOFT_BONE_NOT_REQUESTED;
}

const char *sn_soft_bone_state_text(sn_soft_bone_state soft_bones)
{
    static const char *const reasons[] = {[SN_SOFT_BONE_NAMED] = "soft: named in the sidecar",
                                          [SN_SOFT_BONE_FLAGGED] = "soft: flagged in the file (sinew_loose)",
                                          [SN_SOFT_BONE_SPRING] = "soft: spring bone",
                                          [SN_SOFT_BONE_ANIMATED] = "fixed: spring bone animated by a clip",
                                          [SN_SOFT_BONE_NOT_REQUESTED] = "fixed: spring bone without --loose springs",
                                          [SN_SOFT_BONE_EXCLUDED] = "fixed: named in the sidecar",
                                          [SN_SOFT_BONE_UNSTABLE] = "fixed: its flesh is unstable at every stiffness"};
    return reasons[soft_bones];
}

static sn_soft_bone_state classify_bone(const sn_cook_context *cook, int bone)
{
    if (cook->desc->soft_bones == SN_SOFT_BONES_NONE) {
        return SN_SOFT_BONE_FIXED;
    }
    if (cook->has_character && !cook->has_rig) {
        return sn_soft_bone_classify(&cook->character, &cook->sidecar, cook->desc->soft_bones, bone);
    }
    return sn_name_is_listed(&cook->sidecar.soft_bones, cook->bone_names[bone]) ? SN_SOFT_BONE_NAMED
                                                                                : SN_SOFT_BONE_FIXED;
}

static int count_soft(const sn_cook_context *cook, sn_soft_bone_state which)
{
    int count = 0;
    for (int bone = 0; bone < cook->bone_count; ++bone) {
        count += cook->soft_bones[bone] == which;
    }
    return count;
}

/* Copies the weights without those of soft bones. */
static sn_result copy_fixed_weights(sn_cook_context *cook, bool *is_any_fixed)
{
    const size_t count = (size_t)cook->mesh.vertex_count * (size_t)cook->bone_count;
    double *held = SN_NEW(&cook->arena, double, count);
    *is_any_fixed = false;
    for (size_t i = 0; i < count && held; ++i) {
        held[i] = sn_soft_bone_is_soft(cook->soft_bones[i % (size_t)cook->bone_count]) ? 0 : cook->rig_weights[i];
        *is_any_fixed = *is_any_fixed || held[i] > 0;
    }
    cook->fixed_weights = held;
    return held ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_soft_bones_compute_weights(sn_cook_context *cook, bool is_all_fixed)
{
    bool is_any_fixed = true;
    const int spring_count = count_soft(cook, SN_SOFT_BONE_SPRING);
    const int soft_bone_count =
        spring_count + count_soft(cook, SN_SOFT_BONE_NAMED) + count_soft(cook, SN_SOFT_BONE_FLAGGED);
    cook->report.soft_bone_count = is_all_fixed ? 0 : soft_bone_count;
    cook->fixed_weights = cook->rig_weights;
    const sn_result result = cook->report.soft_bone_count > 0 ? copy_fixed_weights(cook, &is_any_fixed) : SN_OK;
    if (result != SN_OK || is_any_fixed || cook->leak_choice == SN_LEAK_ALL) {
        return result;
    }
    if (spring_count == 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: every bone that moves flesh is soft; at least one must be fixed",
                       cook->path);
    }
    sn_log(SN_LOG_WARNING, "%s: spring bones are fixed, since no other bone moves flesh", cook->path);
    for (int bone = 0; bone < cook->bone_count; ++bone) {
        cook->soft_bones[bone] =
            cook->soft_bones[bone] == SN_SOFT_BONE_SPRING ? SN_SOFT_BONE_FIXED : cook->soft_bones[bone];
    }
    return sn_soft_bones_compute_weights(cook, false);
}

sn_result sn_soft_bones_find(sn_cook_context *cook)
{
    cook->soft_bones = SN_NEW(&cook->arena, sn_soft_bone_state, cook->bone_count);
    for (int bone = 0; cook->soft_bones && bone < cook->bone_count; ++bone) {
        cook->soft_bones[bone] = classify_bone(cook, bone);
    }
    return cook->soft_bones ? sn_soft_bones_compute_weights(cook, false) : SN_ERROR_MEMORY;
}
