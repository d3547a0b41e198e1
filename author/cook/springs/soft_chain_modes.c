/* SPDX-License-Identifier: MIT */
#include "author/cook/springs/soft_chain_modes.h"

#include "author/cook/materials/soft_chain_factors.h"
#include "author/cook/springs/soft_bones.h"
#include "author/cook/springs/soft_chains.h"
#include "author/cook/stages/stages.h"
#include "author/cook/stages/targets.h"
#include "author/modes/reduced/soft_bone_modes.h"

#define MAX_CHAIN_MODES 8

bool sn_soft_chains_are_separate(const sn_cook_context *cook)
{
    const bool has_user_stiffness =
        cook->desc->young > 0 || (cook->has_character && cook->character.paint[SN_PAINTED_STIFFNESS]);
    bool is_any_separate = false;
    for (int bone = 0; cook->soft_bones && bone < cook->bone_count; ++bone) {
        is_any_separate = is_any_separate || cook->soft_bones[bone] == SN_SOFT_BONE_SPRING ||
                          (sn_soft_bone_is_soft(cook->soft_bones[bone]) && !has_user_stiffness);
    }
    return is_any_separate && cook->has_character && cook->leak_choice != SN_LEAK_ALL;
}

/* Modes and stiffness of the body with all bones fixed. */
static sn_result compute_fixed_modes(sn_cook_context *cook)
{
    sn_result result = sn_soft_bones_compute_weights(cook, true);
    result = result == SN_OK ? sn_cook_context_compute_modes(cook) : result;
    result = result == SN_OK ? sn_targets_add_modes(cook) : result;
    if (result != SN_OK || cook->desc->young > 0) {
        return result;
    }
    result = sn_cook_context_build_clusters(cook);
    result = result == SN_OK ? sn_cook_context_build_reduced(cook) : result;
    return result == SN_OK ? sn_cook_context_tune(cook) : result;
}

static sn_result add_modes(sn_cook_context *cook)
{
    SN_TRY(sn_soft_bones_compute_weights(cook, false));
    SN_TRY(sn_cook_context_build_constraint(cook));
    const sn_soft_bone_modes_input input = {.mesh = &cook->mesh,
                                            .volumes = cook->volumes,
                                            .mass = cook->mass,
                                            .is_pinned = cook->is_pinned,
                                            .chain_weights = cook->chains.chain_weights,
                                            .chain_count = cook->chains.count,
                                            .max_count = MAX_CHAIN_MODES};
    return sn_modes_add_soft_bones(&input, &cook->arena, &cook->modes);
}

/* Fixes the bones of unstable chains; returns whether there are any. */
static bool fix_unstable(sn_cook_context *cook)
{
    bool is_any_unstable = false;
    for (int bone = 0; bone < cook->bone_count; ++bone) {
        const int32_t chain = cook->chains.of_bone[bone];
        if (chain >= 0 && cook->chains.list[chain].is_unstable) {
            cook->soft_bones[bone] = SN_SOFT_BONE_UNSTABLE;
            is_any_unstable = true;
        }
    }
    for (int i = 0; i < cook->chains.count; ++i) {
        if (cook->chains.list[i].is_unstable) {
            sn_log(SN_LOG_WARNING,
                   "%s: bone '%s' and its children are fixed: their flesh is unstable at every stiffness", cook->path,
                   cook->bone_names[cook->chains.list[i].root]);
        }
    }
    return is_any_unstable;
}

sn_result sn_soft_chains_compute_modes(sn_cook_context *cook)
{
    sn_result result = compute_fixed_modes(cook);
    const sn_modes fixed_modes = cook->modes;
    for (bool is_done = false; !is_done && result == SN_OK;) {
        cook->modes = fixed_modes;
        result = sn_soft_chains_find(cook);
        if (result != SN_OK || cook->chains.count == 0) { /* nothing to simulate separately */
            result = result == SN_OK ? sn_soft_bones_compute_weights(cook, true) : result;
            return result == SN_OK ? sn_cook_context_build_constraint(cook) : result;
        }
        is_done = cook->desc->young > 0;
        result = is_done ? SN_OK : sn_soft_chains_measure_fixed(cook);
        result = result == SN_OK ? add_modes(cook) : result;
        if (result == SN_OK && !is_done) {
            result = sn_cook_context_build_clusters(cook);
            result = result == SN_OK ? sn_soft_chains_choose_factors(cook) : result;
            is_done = !fix_unstable(cook);
        }
    }
    return result;
}
