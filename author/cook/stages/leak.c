/* SPDX-License-Identifier: MIT */
#include "author/cook/stages/leak.h"

#include <math.h>
#include <string.h>

#include "author/weights/harmonic.h"
#include "host/math/vec3.h"

/* Smallest leak of meshes made by the mesher and of flat bodies. A sheet or a thin limb is all surface, so diffusion
 * gives 0 everywhere, and its flesh would be free to undo the rig. */
#define MIN_LEAK 0.1

/* D + (1 - D) p, with the painted values p extended inwards harmonically. */
static sn_result paint(sn_cook_context *cook, const sn_node_surface_points *surface_points)
{
    const size_t n = (size_t)cook->mesh.vertex_count;
    if (!cook->has_character || !cook->character.paint[SN_PAINTED_LEAK]) {
        return SN_OK;
    }
    double *painted = SN_NEW(&cook->arena, double, n);
    if (!painted) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        painted[v] = surface_points->is_known[v]
                         ? sn_tet_material_sample_painted(cook, surface_points, SN_PAINTED_LEAK, v, 0)
                         : 0;
    }
    const sn_result result =
        sn_harmonic_fill(&cook->mesh, cook->gradients, cook->volumes, surface_points->is_known, 1, painted);
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        cook->leak[v] += (1 - cook->leak[v]) * fmin(fmax(painted[v], 0), 1);
    }
    return result;
}

static bool is_leak_set(const sn_named_tet_material *list, int count)
{
    bool is_any_set = false;
    for (int i = 0; i < count; ++i) {
        is_any_set = is_any_set || list[i].leak >= 0;
    }
    return is_any_set;
}

/* Blends the materials' values by the fraction of a vertex that they cover, both extended inwards harmonically. */
static sn_result apply_materials(sn_cook_context *cook, const sn_node_surface_points *surface_points)
{
    const size_t n = (size_t)cook->mesh.vertex_count;
    double *named = SN_NEW(&cook->arena, double, 2 * n);
    if (!named) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        const sn_named_tet_material *entry =
            surface_points->is_known[v] ? sn_tet_material_of_triangle(cook, surface_points->triangles[v]) : NULL;
        if (entry && entry->leak >= 0) {
            named[2 * v] = 1;
            named[2 * v + 1] = entry->leak;
        }
    }
    const sn_result result =
        sn_harmonic_fill(&cook->mesh, cook->gradients, cook->volumes, surface_points->is_known, 2, named);
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        cook->leak[v] = fmin(fmax((1 - named[2 * v]) * cook->leak[v] + named[2 * v + 1], 0), 1);
    }
    return result;
}

static double leak_of(const sn_named_tet_material *entry, double fallback)
{
    return entry && entry->leak >= 0 ? entry->leak : fallback;
}

static sn_result apply_groups(sn_cook_context *cook)
{
    const sn_result result = sn_tet_material_group_mean(cook, leak_of, cook->leak);
    for (int v = 0; v < cook->mesh.vertex_count; ++v) {
        cook->leak[v] = fmin(fmax(cook->leak[v], 0), 1);
    }
    return result;
}

static void apply_bones(sn_cook_context *cook)
{
    const size_t b = (size_t)cook->bone_count;
    for (size_t v = 0; v < (size_t)cook->mesh.vertex_count; ++v) {
        double sum = 0;
        for (size_t j = 0; j < b; ++j) {
            const double weight = cook->rig_weights[v * b + j];
            const sn_named_tet_material *entry =
                weight > 0 ? sn_tet_material_find(cook->sidecar.bones, cook->sidecar.bone_count, cook->bone_names[j])
                           : NULL;
            sum += weight * leak_of(entry, cook->leak[v]);
        }
        cook->leak[v] = fmin(fmax(sum, 0), 1);
    }
}

/* Bones override materials, which override the computed leak. */
static sn_result apply_named(sn_cook_context *cook, const sn_node_surface_points *surface_points)
{
    const sn_sidecar *s = &cook->sidecar;
    const bool is_any_set = is_leak_set(s->materials, s->material_count);
    sn_result result = is_any_set && cook->has_character ? apply_materials(cook, surface_points) : SN_OK;
    result = result == SN_OK && is_any_set && cook->groups.count > 0 ? apply_groups(cook) : result;
    if (result == SN_OK && is_leak_set(s->bones, s->bone_count)) {
        apply_bones(cook);
    }
    return result;
}

static sn_result copy_leak(sn_cook_context *cook)
{
    const char *apply_named = cook->desc->leak_name ? cook->desc->leak_name : "leak_values";
    if (cook->desc->leak_count != (size_t)cook->file_vertex_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %zu entries for the %d vertices of %s", apply_named,
                       cook->desc->leak_count, cook->file_vertex_count, cook->path);
    }
    for (int v = 0; v < cook->mesh.vertex_count; ++v) {
        const int from = cook->old_index ? cook->old_index[v] : v;
        cook->leak[v] = cook->desc->leak_values[from];
        if (!(cook->leak[v] >= 0 && cook->leak[v] <= 1)) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: entry %d is %g, outside [0, 1]", apply_named, from, cook->leak[v]);
        }
    }
    return SN_OK;
}

/* For a body that is all surface: a constant leak favors no mode, so use 1 at the center, falling to 0 with the squared
 * distance from it. */
static void leak_from_ends(sn_cook_context *cook)
{
    const size_t n = (size_t)cook->mesh.vertex_count;
    double center[3] = {0}, mass = 0, max_distance = 0;
    for (size_t v = 0; v < n; ++v) {
        mass += cook->mass[v];
        for (size_t d = 0; d < 3; ++d) {
            center[d] += cook->mass[v] * cook->mesh.positions[3 * v + d];
        }
    }
    for (size_t d = 0; d < 3; ++d) {
        center[d] /= mass;
    }
    for (size_t v = 0; v < n; ++v) {
        max_distance = fmax(max_distance, sn_distance3(cook->mesh.positions + 3 * v, center));
    }
    for (size_t v = 0; v < n; ++v) {
        const double fraction = sn_distance3(cook->mesh.positions + 3 * v, center) / max_distance;
        cook->leak[v] = 1 - fraction * fraction;
    }
}

static bool is_all_surface(const sn_cook_context *cook)
{
    bool has_inside = false;
    for (int v = 0; v < cook->mesh.vertex_count && !has_inside; ++v) {
        has_inside = cook->leak[v] > 0;
    }
    return !has_inside;
}

static sn_result diffuse(sn_cook_context *cook)
{
    const sn_result result =
        sn_momentum_leak(&cook->mesh, cook->gradients, cook->volumes, cook->mass, &cook->arena, cook->leak);
    if (result == SN_OK && (cook->is_meshed || cook->mesh.is_flat) && is_all_surface(cook)) {
        leak_from_ends(cook);
    }
    for (int v = 0; v < cook->mesh.vertex_count && (cook->is_meshed || cook->mesh.is_flat); ++v) {
        cook->leak[v] = MIN_LEAK + (1 - MIN_LEAK) * cook->leak[v];
    }
    return result;
}

sn_result sn_leak_find(sn_cook_context *cook, const sn_node_surface_points *surface_points)
{
    if (cook->leak_choice == SN_LEAK_VALUES) {
        return copy_leak(cook);
    }
    if (cook->leak_choice == SN_LEAK_ALL) {
        memset(cook->leak, 0, (size_t)cook->mesh.vertex_count * sizeof *cook->leak);
        return SN_OK;
    }
    SN_TRY(cook->leak_choice == SN_LEAK_AUTO ? diffuse(cook) : SN_OK);
    SN_TRY(apply_named(cook, surface_points));
    return paint(cook, surface_points);
}
