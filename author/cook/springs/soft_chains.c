/* SPDX-License-Identifier: MIT */
#include "author/cook/springs/soft_chains.h"

#include <math.h>
#include <string.h>

#include "author/cook/materials/tet_material.h"
#include "author/cook/springs/soft_bones.h"

#define FULL_WEIGHT 0.25 /* weight of all chains from which a vertex gets their full factor */

static int32_t root_of(const sn_cook_context *cook, int32_t bone)
{
    while (cook->bone_parents[bone] >= 0 && sn_soft_bone_is_soft(cook->soft_bones[cook->bone_parents[bone]])) {
        bone = cook->bone_parents[bone];
    }
    return bone;
}

/* Numbers the chains and fills of_bone. */
static void number_chains(sn_cook_context *cook)
{
    sn_soft_chains *c = &cook->chains;
    for (int32_t b = 0; b < cook->bone_count; ++b) {
        c->of_bone[b] = -1;
        if (sn_soft_bone_is_soft(cook->soft_bones[b]) && root_of(cook, b) == b) {
            c->of_bone[b] = c->count;
            c->list[c->count++] = (sn_soft_chain){.root = b, .parent_bone = cook->bone_parents[b], .factor = 1};
        }
    }
    for (int32_t b = 0; b < cook->bone_count; ++b) {
        c->of_bone[b] = sn_soft_bone_is_soft(cook->soft_bones[b]) ? c->of_bone[root_of(cook, b)] : -1;
    }
}

/* Removes the chains that move no flesh. */
static void remove_empty(sn_cook_context *cook)
{
    sn_soft_chains *c = &cook->chains;
    const size_t b = (size_t)cook->bone_count;
    int kept_count = 0;
    for (size_t i = 0; i < (size_t)cook->mesh.vertex_count * b; ++i) {
        if (c->of_bone[i % b] >= 0) {
            c->list[c->of_bone[i % b]].has_flesh |= cook->rig_weights[i] > 0;
        }
    }
    for (int i = 0; i < c->count; ++i) {
        for (size_t bone = 0; bone < b; ++bone) {
            if (c->of_bone[bone] == i) {
                c->of_bone[bone] = c->list[i].has_flesh ? kept_count : -1;
            }
        }
        if (c->list[i].has_flesh) {
            c->list[kept_count++] = c->list[i];
        }
    }
    c->count = kept_count;
}

/* Flags the chains whose stiffness the user has set. */
static void flag_user_stiffness(sn_cook_context *cook)
{
    for (int b = 0; b < cook->bone_count; ++b) {
        const sn_named_tet_material *entry =
            sn_tet_material_find(cook->sidecar.bones, cook->sidecar.bone_count, cook->bone_names[b]);
        const bool is_painted =
            cook->character.paint[SN_PAINTED_STIFFNESS] && cook->soft_bones[b] != SN_SOFT_BONE_SPRING;
        if (cook->chains.of_bone[b] >= 0 && (is_painted || (entry && entry->stiffness != 1))) {
            cook->chains.list[cook->chains.of_bone[b]].has_user_stiffness = true;
        }
    }
}

static sn_result compute_chain_weights(sn_cook_context *cook)
{
    sn_soft_chains *c = &cook->chains;
    const size_t b = (size_t)cook->bone_count, count = (size_t)c->count;
    c->chain_weights = SN_NEW(&cook->arena, double, (size_t)cook->mesh.vertex_count *count);
    for (size_t i = 0; c->chain_weights && i < (size_t)cook->mesh.vertex_count * b; ++i) {
        if (c->of_bone[i % b] >= 0) {
            c->chain_weights[i / b * count + (size_t)c->of_bone[i % b]] += cook->rig_weights[i];
        }
    }
    c->log2_factors = SN_NEW(&cook->arena, double, cook->mesh.vertex_count);
    cook->model_mass = SN_NEW(&cook->arena, double, cook->mesh.vertex_count);
    for (int v = 0; v < cook->mesh.vertex_count && cook->model_mass; ++v) {
        cook->model_mass[v] = cook->mass[v];
    }
    return c->chain_weights && c->log2_factors && cook->model_mass ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_soft_chains_find(sn_cook_context *cook)
{
    cook->chains = (sn_soft_chains){.list = SN_NEW(&cook->arena, sn_soft_chain, cook->bone_count),
                                    .of_bone = SN_NEW(&cook->arena, int32_t, cook->bone_count)};
    if (!cook->chains.list || !cook->chains.of_bone) {
        return SN_ERROR_MEMORY;
    }
    number_chains(cook);
    remove_empty(cook);
    flag_user_stiffness(cook);
    return compute_chain_weights(cook);
}

/* log2 of the factors by which a vertex gets stiffer and lighter. */
static void evaluate_vertex(const sn_soft_chains *c, size_t v, double *stiffer, double *lighter)
{
    double weight_sum = 0;
    *stiffer = *lighter = 0;
    for (size_t i = 0; i < (size_t)c->count; ++i) {
        const double chain_weight = c->chain_weights[v * (size_t)c->count + i], log2_factors = log2(c->list[i].factor);
        *stiffer += chain_weight * fmin(log2_factors, log2_factors / 2);
        *lighter += chain_weight * fmax(log2_factors / 2, 0);
        weight_sum += chain_weight;
    }
    *stiffer *= weight_sum > FULL_WEIGHT ? 1 / weight_sum : 1 / FULL_WEIGHT;
    *lighter *= weight_sum > FULL_WEIGHT ? 1 / weight_sum : 1 / FULL_WEIGHT;
}

void sn_soft_chains_apply_factors(sn_cook_context *cook, const double *stiffness, const double *lame)
{
    sn_soft_chains *c = &cook->chains;
    for (size_t v = 0; v < (size_t)cook->mesh.vertex_count; ++v) {
        double lighter;
        evaluate_vertex(c, v, &c->log2_factors[v], &lighter);
        cook->model_mass[v] = cook->mass[v] * exp2(-lighter);
    }
    for (size_t t = 0; t < (size_t)cook->mesh.tet_count; ++t) {
        double log2_factors = 0;
        for (int corner = 0; corner < 4; ++corner) {
            log2_factors +=
                sn_tet_corner_fraction(&cook->mesh, corner) * c->log2_factors[cook->mesh.tets[4 * t + (size_t)corner]];
        }
        cook->tet_stiffness[t] = stiffness[t] * exp2(log2_factors);
        cook->tet_lame[t] = lame[t] * exp2(log2_factors);
    }
    cook->mean_stiffness = 0;
}
