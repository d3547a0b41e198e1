/* SPDX-License-Identifier: MIT */
#include "author/cook/springs/chains.h"

#include <math.h>
#include <string.h>

#include "author/cook/materials/stuff.h"
#include "author/cook/springs/loose.h"

#define FULL_SHARE 0.25 /* weight of all chains from which a vertex gets their full factor */

static int32_t root_of(const sn_cooking *k, int32_t bone)
{
    while (k->bone_parents[bone] >= 0 && sn_is_loose(k->loose[k->bone_parents[bone]])) {
        bone = k->bone_parents[bone];
    }
    return bone;
}

/* Numbers the chains and fills of_bone. */
static void number_chains(sn_cooking *k)
{
    sn_chains *c = &k->chains;
    for (int32_t b = 0; b < k->bone_count; ++b) {
        c->of_bone[b] = -1;
        if (sn_is_loose(k->loose[b]) && root_of(k, b) == b) {
            c->of_bone[b] = c->count;
            c->list[c->count++] = (sn_chain){.root = b, .holder = k->bone_parents[b], .factor = 1};
        }
    }
    for (int32_t b = 0; b < k->bone_count; ++b) {
        c->of_bone[b] = sn_is_loose(k->loose[b]) ? c->of_bone[root_of(k, b)] : -1;
    }
}

/* Removes the chains that move no flesh. */
static void drop_empty(sn_cooking *k)
{
    sn_chains *c = &k->chains;
    const size_t b = (size_t)k->bone_count;
    int kept = 0;
    for (size_t i = 0; i < (size_t)k->mesh.vertex_count * b; ++i) {
        if (c->of_bone[i % b] >= 0) {
            c->list[c->of_bone[i % b]].has_flesh |= k->rig_weights[i] > 0;
        }
    }
    for (int i = 0; i < c->count; ++i) {
        for (size_t bone = 0; bone < b; ++bone) {
            if (c->of_bone[bone] == i) {
                c->of_bone[bone] = c->list[i].has_flesh ? kept : -1;
            }
        }
        if (c->list[i].has_flesh) {
            c->list[kept++] = c->list[i];
        }
    }
    c->count = kept;
}

/* Flags the chains whose stiffness the user has set. */
static void find_given(sn_cooking *k)
{
    for (int b = 0; b < k->bone_count; ++b) {
        const sn_named_stuff *stuff = sn_stuff_find(k->sidecar.bones, k->sidecar.bone_count, k->bone_names[b]);
        const bool is_painted = k->character.paint[SN_PAINT_STIFFNESS] && k->loose[b] != SN_LOOSE_SPRING;
        if (k->chains.of_bone[b] >= 0 && (is_painted || (stuff && stuff->stiffness != 1))) {
            k->chains.list[k->chains.of_bone[b]].is_given = true;
        }
    }
}

static sn_result find_shares(sn_cooking *k)
{
    sn_chains *c = &k->chains;
    const size_t b = (size_t)k->bone_count, count = (size_t)c->count;
    c->shares = SN_NEW(&k->arena, double, (size_t)k->mesh.vertex_count *count);
    for (size_t i = 0; c->shares && i < (size_t)k->mesh.vertex_count * b; ++i) {
        if (c->of_bone[i % b] >= 0) {
            c->shares[i / b * count + (size_t)c->of_bone[i % b]] += k->rig_weights[i];
        }
    }
    c->octaves = SN_NEW(&k->arena, double, k->mesh.vertex_count);
    k->model_mass = SN_NEW(&k->arena, double, k->mesh.vertex_count);
    for (int v = 0; v < k->mesh.vertex_count && k->model_mass; ++v) {
        k->model_mass[v] = k->mass[v];
    }
    return c->shares && c->octaves && k->model_mass ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_chains_find(sn_cooking *k)
{
    k->chains = (sn_chains){.list = SN_NEW(&k->arena, sn_chain, k->bone_count),
                            .of_bone = SN_NEW(&k->arena, int32_t, k->bone_count)};
    if (!k->chains.list || !k->chains.of_bone) {
        return SN_ERROR_MEMORY;
    }
    number_chains(k);
    drop_empty(k);
    find_given(k);
    return find_shares(k);
}

/* log2 of the factors by which a vertex gets stiffer and lighter. */
static void weigh_vertex(const sn_chains *c, size_t v, double *stiffer, double *lighter)
{
    double share = 0;
    *stiffer = *lighter = 0;
    for (size_t i = 0; i < (size_t)c->count; ++i) {
        const double of_chain = c->shares[v * (size_t)c->count + i], octaves = log2(c->list[i].factor);
        *stiffer += of_chain * fmin(octaves, octaves / 2);
        *lighter += of_chain * fmax(octaves / 2, 0);
        share += of_chain;
    }
    *stiffer *= share > FULL_SHARE ? 1 / share : 1 / FULL_SHARE;
    *lighter *= share > FULL_SHARE ? 1 / share : 1 / FULL_SHARE;
}

void sn_chains_stiffen(sn_cooking *k, const double *stiffness, const double *lame)
{
    sn_chains *c = &k->chains;
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
        double lighter;
        weigh_vertex(c, v, &c->octaves[v], &lighter);
        k->model_mass[v] = k->mass[v] * exp2(-lighter);
    }
    for (size_t t = 0; t < (size_t)k->mesh.tet_count; ++t) {
        double octaves = 0;
        for (int corner = 0; corner < 4; ++corner) {
            octaves += sn_tet_share(&k->mesh, corner) * c->octaves[k->mesh.tets[4 * t + (size_t)corner]];
        }
        k->tet_stiffness[t] = stiffness[t] * exp2(octaves);
        k->tet_lame[t] = lame[t] * exp2(octaves);
    }
    k->mean_stiffness = 0;
}
