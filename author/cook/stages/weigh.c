/* SPDX-License-Identifier: MIT */
/* The third stage: rig weights, morph targets, momentum leak and pins on the tets. */
#include <math.h>
#include <string.h>

#include "author/cook/handles/handles.h"
#include "author/cook/materials/fibre_factors.h"
#include "author/cook/materials/strained.h"
#include "author/cook/springs/loose.h"
#include "author/cook/stages/leak.h"
#include "author/cook/stages/morph_fields.h"
#include "author/cook/stages/pins.h"
#include "author/cook/stages/stages.h"
#include "author/mesher/smooth.h"
#include "author/weights/harmonic.h"
#include "author/weights/rig_weights.h"
#include "host/mesh/embedding.h"

/* Converts the rig file's vertices to model units, since they are matched by position. */
static sn_result weigh_by_rig_file(sn_cooking *k)
{
    for (int i = 0; i < 3 * k->rig.vertex_count; ++i) {
        k->rig.positions[i] = (k->rig.positions[i] - k->origin[i % 3]) * k->scale;
    }
    const sn_rig_weights_input input = {.mesh = &k->mesh,
                                        .gradients = k->gradients,
                                        .volumes = k->volumes,
                                        .boundary = k->boundary,
                                        .boundary_count = k->boundary_count,
                                        .rig = &k->rig,
                                        .old_index = k->old_index,
                                        .name = k->desc->rig_path};
    return sn_rig_weights_build(&input, k->rig_weights);
}

/* For a given tet mesh: the closest surface points of its boundary vertices. */
static sn_result locate_boundary(sn_cooking *k, const int32_t *soft, int soft_count, sn_node_places *places)
{
    const sn_character *c = &k->character;
    const size_t n = (size_t)k->mesh.vertex_count;
    double *points = SN_NEW(&k->arena, double, 3 * n),
           *surface = SN_NEW(&k->arena, double, 3 * (size_t)c->vertex_count);
    int32_t *corners = SN_NEW(&k->arena, int32_t, 3 * (size_t)soft_count), *located = SN_NEW(&k->arena, int32_t, n);
    if (!points || !surface || !corners || !located) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * (size_t)c->vertex_count; ++i) {
        surface[i] = (c->positions[i] - k->origin[i % 3]) * k->scale;
    }
    for (size_t i = 0; i < 3 * (size_t)soft_count; ++i) {
        corners[i] = c->triangles[3 * (size_t)soft[i / 3] + i % 3];
    }
    for (int i = 0; i < 3 * k->boundary_count; ++i) {
        places->is_known[k->boundary[i]] = true;
    }
    const sn_tri_mesh mesh = {c->vertex_count, soft_count, surface, corners};
    int boundary_count = 0;
    for (size_t v = 0; v < n; ++v) {
        if (places->is_known[v]) {
            memcpy(points + 3 * (size_t)boundary_count++, k->mesh.positions + 3 * v, 3 * sizeof(double));
        }
    }
    double *nearest = SN_NEW(&k->arena, double, 3 * (size_t)boundary_count);
    const sn_result result = nearest ? sn_tri_locate(&mesh, points, boundary_count, located, nearest) : SN_ERROR_MEMORY;
    for (size_t v = 0, next = 0; v < n && result == SN_OK; ++v) {
        places->triangles[v] = -1;
        if (places->is_known[v]) {
            places->triangles[v] = soft[located[next]];
            memcpy(places->barycentric + 3 * v, nearest + 3 * next++, 3 * sizeof(double));
        }
    }
    return result;
}

/* For a flat body, whose vertices are vertices of the surface. */
static void place_flat(sn_cooking *k, const int32_t *soft, int soft_count, sn_node_places *places)
{
    const sn_character *c = &k->character;
    for (int i = 0; i < 3 * soft_count; ++i) {
        const int32_t vertex = c->triangles[3 * (size_t)soft[i / 3] + (size_t)(i % 3)];
        const double *w = k->embedding_weights + 4 * (size_t)vertex;
        const size_t corner = w[0] > 0 ? 0 : w[1] > 0 ? 1 : 2;
        const size_t v = (size_t)k->mesh.tets[4 * (size_t)k->embedding_tets[vertex] + corner];
        if (!places->is_known[v]) {
            places->is_known[v] = true;
            places->triangles[v] = soft[i / 3];
            places->barycentric[3 * v + (size_t)(i % 3)] = 1;
        }
    }
}

static sn_result place_nodes(sn_cooking *k, sn_node_places *places)
{
    const size_t n = (size_t)k->mesh.vertex_count;
    int32_t *soft = NULL;
    int soft_count = 0;
    places->triangles = SN_NEW(&k->arena, int32_t, n);
    places->barycentric = SN_NEW(&k->arena, double, 3 * n);
    places->is_known = SN_NEW(&k->arena, bool, n);
    if (!places->triangles || !places->barycentric || !places->is_known) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = sn_cooking_soft_triangles(k, &soft, &soft_count);
    if (result == SN_OK && k->mesh.is_flat) {
        place_flat(k, soft, soft_count, places);
        return SN_OK;
    }
    if (result != SN_OK || !k->is_meshed) {
        return result == SN_OK ? locate_boundary(k, soft, soft_count, places) : result;
    }
    memcpy(places->barycentric, k->meshed.node_barycentric, 3 * n * sizeof(double));
    for (size_t v = 0; v < n; ++v) {
        places->is_known[v] = k->meshed.node_triangles[v] >= 0;
        places->triangles[v] = places->is_known[v] ? soft[k->meshed.node_triangles[v]] : -1;
    }
    return SN_OK;
}

static sn_result smooth(sn_cooking *k)
{
    const size_t b = (size_t)k->bone_count;
    sn_arena scratch = {0};
    sn_node_graph graph;
    double *origins = SN_NEW(&scratch, double, 3 * b);
    sn_result result = origins ? sn_node_graph_build(&k->mesh, &scratch, &graph) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        for (size_t i = 0; i < 3 * b; ++i) {
            origins[i] = (k->bone_bind[12 * (i / 3) + 4 * (i % 3) + 3] - k->origin[i % 3]) * k->scale;
        }
        const sn_smoothing smoothing = {&k->mesh, &graph, {k->bone_count, k->bone_parents, origins}, k->rig_weights};
        result = sn_weights_smooth(&smoothing);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* The character's weights at its surface, extended inwards harmonically and smoothed. */
static sn_result weigh_by_character(sn_cooking *k, const sn_node_places *places)
{
    const sn_character *c = &k->character;
    const size_t n = (size_t)k->mesh.vertex_count, b = (size_t)k->bone_count;
    for (size_t v = 0; v < n; ++v) {
        for (size_t corner = 0; places->is_known[v] && corner < 3; ++corner) {
            const int32_t from = c->triangles[3 * (size_t)places->triangles[v] + corner];
            for (int32_t i = c->influence_starts[from]; i < c->influence_starts[from + 1]; ++i) {
                k->rig_weights[v * b + (size_t)c->influence_bones[i]] +=
                    places->barycentric[3 * v + corner] * c->influence_weights[i];
            }
        }
    }
    sn_result result = sn_harmonic_fill(&k->mesh, k->gradients, k->volumes, places->is_known, (int)b, k->rig_weights);
    if (result == SN_OK && !k->mesh.is_flat) { /* a flat body keeps the weights of the rendered surface */
        result = smooth(k);
    }
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        if (!sn_weights_normalise(k->rig_weights + v * b, (int)b)) {
            k->rig_weights[v * b] = 1;
        }
    }
    return result;
}

sn_result sn_cooking_weigh(sn_cooking *k)
{
    const size_t n = (size_t)k->mesh.vertex_count;
    sn_node_places places = {.triangles = NULL};
    k->rig_weights = SN_NEW(&k->arena, double, n *(size_t)k->bone_count);
    k->leak = SN_NEW(&k->arena, double, n);
    sn_result result = k->rig_weights && k->leak ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK && k->has_character) {
        result = place_nodes(k, &places);
    }
    if (result == SN_OK && k->handles.handles.count > 0) {
        result = sn_handles_weigh(k);
    } else if (result == SN_OK && k->has_rig) {
        result = weigh_by_rig_file(k);
    } else if (result == SN_OK && k->bone_count > 1) {
        result = weigh_by_character(k, &places);
    }
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        k->rig_weights[v] = k->has_rig || k->bone_count > 1 ? k->rig_weights[v] : 1;
        k->leak[v] = 1;
    }
    k->leak_choice = k->desc->leak == SN_LEAK_AUTO ? k->sidecar.leak : k->desc->leak;
    if (result == SN_OK && !sn_cooking_is_modeless(k)) {
        result = sn_loose_find(k);
        k->is_strained = sn_rig_is_strained(k);
    }
    if (result == SN_OK) {
        result = sn_stuff_weigh_tets(k, &places);
    }
    if (result == SN_OK && k->desc->is_layered) {
        result = sn_fibre_factors_weigh(k, &places);
    }
    if (result != SN_OK || sn_cooking_is_modeless(k)) { /* the rest is for modes */
        return result;
    }
    result = sn_leak_find(k, &places);
    if (result == SN_OK) {
        result = sn_cooking_feel_morphs(k, &places);
    }
    return result == SN_OK ? sn_pins_find(k, &places) : result;
}
