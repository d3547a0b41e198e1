/* SPDX-License-Identifier: MIT */
/* The third stage: rig weights, morph targets, momentum leak and pins on the tets. */
#include <math.h>
#include <string.h>

#include "author/cook/anchored/anchored.h"
#include "author/cook/handles/handles.h"
#include "author/cook/materials/fibre_factors.h"
#include "author/cook/materials/rig_stretch.h"
#include "author/cook/springs/soft_bones.h"
#include "author/cook/stages/leak.h"
#include "author/cook/stages/morph_fields.h"
#include "author/cook/stages/pins.h"
#include "author/cook/stages/stages.h"
#include "author/mesher/smooth.h"
#include "author/weights/harmonic.h"
#include "author/weights/rig_weights.h"
#include "host/mesh/embedding.h"

/* Converts the rig file's vertices to model units, since they are matched by position. */
static sn_result compute_from_rig_file(sn_cook_context *cook)
{
    for (int i = 0; i < 3 * cook->rig.vertex_count; ++i) {
        cook->rig.positions[i] = (cook->rig.positions[i] - cook->origin[i % 3]) * cook->scale;
    }
    const sn_rig_weights_input input = {.mesh = &cook->mesh,
                                        .gradients = cook->gradients,
                                        .volumes = cook->volumes,
                                        .boundary = cook->boundary,
                                        .boundary_count = cook->boundary_count,
                                        .rig = &cook->rig,
                                        .old_index = cook->old_index,
                                        .name = cook->desc->rig_path};
    return sn_rig_weights_build(&input, cook->rig_weights);
}

/* For a given tet mesh: the closest surface points of its boundary vertices. */
static sn_result locate_boundary(sn_cook_context *cook, const int32_t *soft, int soft_count,
                                 sn_node_surface_points *surface_points)
{
    const sn_character *c = &cook->character;
    const size_t n = (size_t)cook->mesh.vertex_count;
    double *points = SN_NEW(&cook->arena, double, 3 * n),
           *surface = SN_NEW(&cook->arena, double, 3 * (size_t)c->vertex_count);
    int32_t *corners = SN_NEW(&cook->arena, int32_t, 3 * (size_t)soft_count),
            *located = SN_NEW(&cook->arena, int32_t, n);
    if (!points || !surface || !corners || !located) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * (size_t)c->vertex_count; ++i) {
        surface[i] = (c->positions[i] - cook->origin[i % 3]) * cook->scale;
    }
    for (size_t i = 0; i < 3 * (size_t)soft_count; ++i) {
        corners[i] = c->triangles[3 * (size_t)soft[i / 3] + i % 3];
    }
    for (int i = 0; i < 3 * cook->boundary_count; ++i) {
        surface_points->is_known[cook->boundary[i]] = true;
    }
    const sn_tri_mesh mesh = {c->vertex_count, soft_count, surface, corners};
    int boundary_count = 0;
    for (size_t v = 0; v < n; ++v) {
        if (surface_points->is_known[v]) {
            memcpy(points + 3 * (size_t)boundary_count++, cook->mesh.positions + 3 * v, 3 * sizeof(double));
        }
    }
    double *nearest = SN_NEW(&cook->arena, double, 3 * (size_t)boundary_count);
    SN_TRY(nearest ? sn_tri_locate(&mesh, points, boundary_count, located, nearest) : SN_ERROR_MEMORY);
    for (size_t v = 0, next = 0; v < n; ++v) {
        surface_points->triangles[v] = -1;
        if (surface_points->is_known[v]) {
            surface_points->triangles[v] = soft[located[next]];
            memcpy(surface_points->barycentric + 3 * v, nearest + 3 * next++, 3 * sizeof(double));
        }
    }
    return SN_OK;
}

/* For a flat body, whose vertices are vertices of the surface. */
static void locate_flat_nodes(sn_cook_context *cook, const int32_t *soft, int soft_count,
                              sn_node_surface_points *surface_points)
{
    const sn_character *c = &cook->character;
    for (int i = 0; i < 3 * soft_count; ++i) {
        const int32_t vertex = c->triangles[3 * (size_t)soft[i / 3] + (size_t)(i % 3)];
        const double *w = cook->embedding_weights + 4 * (size_t)vertex;
        const size_t corner = w[0] > 0 ? 0 : w[1] > 0 ? 1 : 2;
        const size_t v = (size_t)cook->mesh.tets[4 * (size_t)cook->embedding_tets[vertex] + corner];
        if (!surface_points->is_known[v]) {
            surface_points->is_known[v] = true;
            surface_points->triangles[v] = soft[i / 3];
            surface_points->barycentric[3 * v + (size_t)(i % 3)] = 1;
        }
    }
}

static sn_result locate_nodes(sn_cook_context *cook, sn_node_surface_points *surface_points)
{
    const size_t n = (size_t)cook->mesh.vertex_count;
    int32_t *soft = NULL;
    int soft_count = 0;
    surface_points->triangles = SN_NEW(&cook->arena, int32_t, n);
    surface_points->barycentric = SN_NEW(&cook->arena, double, 3 * n);
    surface_points->is_known = SN_NEW(&cook->arena, bool, n);
    if (!surface_points->triangles || !surface_points->barycentric || !surface_points->is_known) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = sn_cook_context_list_soft_triangles(cook, &soft, &soft_count);
    if (result == SN_OK && cook->mesh.is_flat) {
        locate_flat_nodes(cook, soft, soft_count, surface_points);
        return SN_OK;
    }
    if (result != SN_OK || !cook->is_meshed) {
        return result == SN_OK ? locate_boundary(cook, soft, soft_count, surface_points) : result;
    }
    memcpy(surface_points->barycentric, cook->mesher_output.node_barycentric, 3 * n * sizeof(double));
    for (size_t v = 0; v < n; ++v) {
        surface_points->is_known[v] = cook->mesher_output.node_triangles[v] >= 0;
        surface_points->triangles[v] = surface_points->is_known[v] ? soft[cook->mesher_output.node_triangles[v]] : -1;
    }
    return SN_OK;
}

static sn_result smooth(sn_cook_context *cook)
{
    const size_t b = (size_t)cook->bone_count;
    sn_arena scratch = {0};
    sn_node_graph graph;
    double *origins = SN_NEW(&scratch, double, 3 * b);
    sn_result result = origins ? sn_node_graph_build(&cook->mesh, &scratch, &graph) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        for (size_t i = 0; i < 3 * b; ++i) {
            origins[i] = (cook->bone_bind[12 * (i / 3) + 4 * (i % 3) + 3] - cook->origin[i % 3]) * cook->scale;
        }
        const sn_smoothing smoothing = {&cook->mesh,
                                        &graph,
                                        {cook->bone_count, cook->bone_parents, origins},
                                        cook->rig_weights,
                                        cook->desc->worker_count};
        result = sn_weights_smooth(&smoothing);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* The character's weights at its surface, extended inwards harmonically and smoothed. */
static sn_result compute_from_character(sn_cook_context *cook, const sn_node_surface_points *surface_points)
{
    const sn_character *c = &cook->character;
    const size_t n = (size_t)cook->mesh.vertex_count, b = (size_t)cook->bone_count;
    for (size_t v = 0; v < n; ++v) {
        for (size_t corner = 0; surface_points->is_known[v] && corner < 3; ++corner) {
            const int32_t from = c->triangles[3 * (size_t)surface_points->triangles[v] + corner];
            for (int32_t i = c->influence_starts[from]; i < c->influence_starts[from + 1]; ++i) {
                cook->rig_weights[v * b + (size_t)c->influence_bones[i]] +=
                    surface_points->barycentric[3 * v + corner] * c->influence_weights[i];
            }
        }
    }
    sn_result result = sn_harmonic_fill(&cook->mesh, cook->gradients, cook->volumes, surface_points->is_known, (int)b,
                                        cook->rig_weights);
    if (result == SN_OK && !cook->mesh.is_flat) { /* a flat body keeps the weights of the rendered surface */
        result = smooth(cook);
    }
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        if (!sn_weights_normalise(cook->rig_weights + v * b, (int)b)) {
            cook->rig_weights[v * b] = 1;
        }
    }
    return result;
}

sn_result sn_cook_context_compute_weights(sn_cook_context *cook)
{
    const size_t n = (size_t)cook->mesh.vertex_count;
    sn_node_surface_points surface_points = {.triangles = NULL};
    cook->rig_weights = SN_NEW(&cook->arena, double, n *(size_t)cook->bone_count);
    cook->leak = SN_NEW(&cook->arena, double, n);
    sn_result result = cook->rig_weights && cook->leak ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK && cook->has_character) {
        result = locate_nodes(cook, &surface_points);
    }
    if (result == SN_OK && cook->handles.handles.count > 0) {
        result = sn_handles_compute_weights(cook);
    } else if (result == SN_OK && cook->has_rig) {
        result = compute_from_rig_file(cook);
    } else if (result == SN_OK && cook->bone_count > 1) {
        result = compute_from_character(cook, &surface_points);
    }
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        cook->rig_weights[v] = cook->has_rig || cook->bone_count > 1 ? cook->rig_weights[v] : 1;
        cook->leak[v] = 1;
    }
    cook->leak_choice = cook->desc->leak == SN_LEAK_AUTO ? cook->sidecar.leak : cook->desc->leak;
    if (result == SN_OK && !sn_cook_context_is_modeless(cook)) {
        result = sn_soft_bones_find(cook);
        cook->is_rig_stretched = sn_rig_stretch_detect(cook);
        result = result == SN_OK ? sn_anchored_choose_method(cook) : result;
    }
    if (result == SN_OK) {
        result = sn_tet_material_compute(cook, &surface_points);
    }
    if (result == SN_OK && cook->desc->is_layered) {
        result = sn_fibre_factors_build(cook, &surface_points);
    }
    if (result != SN_OK || sn_cook_context_is_modeless(cook)) { /* the rest is for modes */
        return result;
    }
    result = sn_leak_find(cook, &surface_points);
    if (result == SN_OK) {
        result = sn_cook_context_build_morph_fields(cook, &surface_points);
    }
    if (result == SN_OK) {
        result = sn_pins_find(cook, &surface_points);
    }
    if (result == SN_OK && cook->is_anchored) {
        result = sn_anchored_find_anchors(cook);
        result = result == SN_OK ? sn_anchored_set_stiffness(cook) : result;
    }
    return result;
}
