/* SPDX-License-Identifier: MIT */
#include "author/cook/springs/chain_modes.h"

#include "author/cook/materials/chain_factors.h"
#include "author/cook/springs/chains.h"
#include "author/cook/springs/loose.h"
#include "author/cook/stages/stages.h"
#include "author/cook/stages/targets.h"
#include "author/modes/reduced/loose_modes.h"

#define MODE_COUNT 8

bool sn_chains_are_found(const sn_cooking *k)
{
    const bool is_given = k->desc->young > 0 || (k->has_character && k->character.paint[SN_PAINT_STIFFNESS]);
    bool is_any_free = false;
    for (int bone = 0; k->loose && bone < k->bone_count; ++bone) {
        is_any_free = is_any_free || k->loose[bone] == SN_LOOSE_SPRING || (sn_is_loose(k->loose[bone]) && !is_given);
    }
    return is_any_free && k->has_character && k->leak_choice != SN_LEAK_ALL;
}

/* Modes and stiffness of the body with all bones fixed. */
static sn_result find_held(sn_cooking *k)
{
    sn_result result = sn_loose_hold(k, true);
    result = result == SN_OK ? sn_cooking_find_modes(k) : result;
    result = result == SN_OK ? sn_targets_add_modes(k) : result;
    if (result != SN_OK || k->desc->young > 0) {
        return result;
    }
    result = sn_cooking_cluster(k);
    result = result == SN_OK ? sn_cooking_reduce(k) : result;
    return result == SN_OK ? sn_cooking_choose(k) : result;
}

static sn_result add_modes(sn_cooking *k)
{
    sn_result result = sn_loose_hold(k, false);
    result = result == SN_OK ? sn_cooking_constrain(k) : result;
    const sn_loose_modes_input input = {.mesh = &k->mesh,
                                        .volumes = k->volumes,
                                        .mass = k->mass,
                                        .is_pinned = k->is_pinned,
                                        .shares = k->chains.shares,
                                        .chain_count = k->chains.count,
                                        .most = MODE_COUNT};
    return result == SN_OK ? sn_modes_add_loose(&input, &k->arena, &k->modes) : result;
}

/* Fixes the bones of unstable chains; returns whether there are any. */
static bool hold_wild(sn_cooking *k)
{
    bool is_any_wild = false;
    for (int bone = 0; bone < k->bone_count; ++bone) {
        const int32_t chain = k->chains.of_bone[bone];
        if (chain >= 0 && k->chains.list[chain].is_wild) {
            k->loose[bone] = SN_LOOSE_WILD;
            is_any_wild = true;
        }
    }
    for (int i = 0; i < k->chains.count; ++i) {
        if (k->chains.list[i].is_wild) {
            sn_log(SN_LOG_WARNING,
                   "%s: bone '%s' and its children are fixed: their flesh is unstable at every stiffness", k->path,
                   k->bone_names[k->chains.list[i].root]);
        }
    }
    return is_any_wild;
}

sn_result sn_chains_find_modes(sn_cooking *k)
{
    sn_result result = find_held(k);
    const sn_modes held = k->modes;
    for (bool is_done = false; !is_done && result == SN_OK;) {
        k->modes = held;
        result = sn_chains_find(k);
        if (result != SN_OK || k->chains.count == 0) { /* nothing to simulate separately */
            result = result == SN_OK ? sn_loose_hold(k, true) : result;
            return result == SN_OK ? sn_cooking_constrain(k) : result;
        }
        is_done = k->desc->young > 0;
        result = is_done ? SN_OK : sn_chains_see_held(k);
        result = result == SN_OK ? add_modes(k) : result;
        if (result == SN_OK && !is_done) {
            result = sn_cooking_cluster(k);
            result = result == SN_OK ? sn_chains_choose_factors(k) : result;
            is_done = !hold_wild(k);
        }
    }
    return result;
}
