/* SPDX-License-Identifier: MIT */
#include "author/cook/stages/leak.h"

#include <math.h>
#include <string.h>

#include "author/weights/harmonic.h"
#include "host/math/vec3.h"

/* Smallest leak of meshes made by the mesher and of flat bodies. A sheet or a thin limb is all surface, so diffusion
 * gives 0 everywhere, and its flesh would be free to undo the rig. */
#define LEAST_LEAK 0.1

/* D + (1 - D) p, with the painted values p extended inwards harmonically. */
static sn_result paint(sn_cooking *k, const sn_node_places *places)
{
    const size_t n = (size_t)k->mesh.vertex_count;
    if (!k->has_character || !k->character.paint[SN_PAINT_LEAK]) {
        return SN_OK;
    }
    double *painted = SN_NEW(&k->arena, double, n);
    if (!painted) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        painted[v] = places->is_known[v] ? sn_stuff_sample_paint(k, places, SN_PAINT_LEAK, v, 0) : 0;
    }
    const sn_result result = sn_harmonic_fill(&k->mesh, k->gradients, k->volumes, places->is_known, 1, painted);
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        k->leak[v] += (1 - k->leak[v]) * fmin(fmax(painted[v], 0), 1);
    }
    return result;
}

static bool is_leak_named(const sn_named_stuff *list, int count)
{
    bool is_named = false;
    for (int i = 0; i < count; ++i) {
        is_named = is_named || list[i].leak >= 0;
    }
    return is_named;
}

/* Blends the materials' values by the fraction of a vertex that they cover, both extended inwards harmonically. */
static sn_result name_by_materials(sn_cooking *k, const sn_node_places *places)
{
    const size_t n = (size_t)k->mesh.vertex_count;
    double *named = SN_NEW(&k->arena, double, 2 * n);
    if (!named) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        const sn_named_stuff *stuff = places->is_known[v] ? sn_stuff_of_triangle(k, places->triangles[v]) : NULL;
        if (stuff && stuff->leak >= 0) {
            named[2 * v] = 1;
            named[2 * v + 1] = stuff->leak;
        }
    }
    const sn_result result = sn_harmonic_fill(&k->mesh, k->gradients, k->volumes, places->is_known, 2, named);
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        k->leak[v] = fmin(fmax((1 - named[2 * v]) * k->leak[v] + named[2 * v + 1], 0), 1);
    }
    return result;
}

static double leak_of(const sn_named_stuff *stuff, double otherwise)
{
    return stuff && stuff->leak >= 0 ? stuff->leak : otherwise;
}

static sn_result name_by_groups(sn_cooking *k)
{
    const sn_result result = sn_stuff_mean_of_groups(k, leak_of, k->leak);
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        k->leak[v] = fmin(fmax(k->leak[v], 0), 1);
    }
    return result;
}

static void name_by_bones(sn_cooking *k)
{
    const size_t b = (size_t)k->bone_count;
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
        double sum = 0;
        for (size_t j = 0; j < b; ++j) {
            const double weight = k->rig_weights[v * b + j];
            const sn_named_stuff *stuff =
                weight > 0 ? sn_stuff_find(k->sidecar.bones, k->sidecar.bone_count, k->bone_names[j]) : NULL;
            sum += weight * leak_of(stuff, k->leak[v]);
        }
        k->leak[v] = fmin(fmax(sum, 0), 1);
    }
}

/* Bones override materials, which override the computed leak. */
static sn_result name(sn_cooking *k, const sn_node_places *places)
{
    const sn_sidecar *s = &k->sidecar;
    const bool is_named = is_leak_named(s->materials, s->material_count);
    sn_result result = is_named && k->has_character ? name_by_materials(k, places) : SN_OK;
    result = result == SN_OK && is_named && k->groups.count > 0 ? name_by_groups(k) : result;
    if (result == SN_OK && is_leak_named(s->bones, s->bone_count)) {
        name_by_bones(k);
    }
    return result;
}

static sn_result take_leak(sn_cooking *k)
{
    const char *name = k->desc->leak_name ? k->desc->leak_name : "leak_values";
    if (k->desc->leak_count != (size_t)k->file_vertex_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %zu entries for the %d vertices of %s", name, k->desc->leak_count,
                       k->file_vertex_count, k->path);
    }
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        const int from = k->old_index ? k->old_index[v] : v;
        k->leak[v] = k->desc->leak_values[from];
        if (!(k->leak[v] >= 0 && k->leak[v] <= 1)) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: entry %d is %g, outside [0, 1]", name, from, k->leak[v]);
        }
    }
    return SN_OK;
}

/* For a body that is all surface: a constant leak favors no mode, so use 1 at the center, falling to 0 with the squared
 * distance from it. */
static void leak_from_ends(sn_cooking *k)
{
    const size_t n = (size_t)k->mesh.vertex_count;
    double middle[3] = {0}, mass = 0, farthest = 0;
    for (size_t v = 0; v < n; ++v) {
        mass += k->mass[v];
        for (size_t d = 0; d < 3; ++d) {
            middle[d] += k->mass[v] * k->mesh.positions[3 * v + d];
        }
    }
    for (size_t d = 0; d < 3; ++d) {
        middle[d] /= mass;
    }
    for (size_t v = 0; v < n; ++v) {
        farthest = fmax(farthest, sn_distance3(k->mesh.positions + 3 * v, middle));
    }
    for (size_t v = 0; v < n; ++v) {
        const double share = sn_distance3(k->mesh.positions + 3 * v, middle) / farthest;
        k->leak[v] = 1 - share * share;
    }
}

static bool is_all_surface(const sn_cooking *k)
{
    bool has_inside = false;
    for (int v = 0; v < k->mesh.vertex_count && !has_inside; ++v) {
        has_inside = k->leak[v] > 0;
    }
    return !has_inside;
}

static sn_result diffuse(sn_cooking *k)
{
    const sn_result result = sn_momentum_leak(&k->mesh, k->gradients, k->volumes, k->mass, &k->arena, k->leak);
    if (result == SN_OK && (k->is_meshed || k->mesh.is_flat) && is_all_surface(k)) {
        leak_from_ends(k);
    }
    for (int v = 0; v < k->mesh.vertex_count && (k->is_meshed || k->mesh.is_flat); ++v) {
        k->leak[v] = LEAST_LEAK + (1 - LEAST_LEAK) * k->leak[v];
    }
    return result;
}

sn_result sn_leak_find(sn_cooking *k, const sn_node_places *places)
{
    if (k->leak_choice == SN_LEAK_VALUES) {
        return take_leak(k);
    }
    if (k->leak_choice == SN_LEAK_ALL) {
        memset(k->leak, 0, (size_t)k->mesh.vertex_count * sizeof *k->leak);
        return SN_OK;
    }
    sn_result result = k->leak_choice == SN_LEAK_AUTO ? diffuse(k) : SN_OK;
    if (result == SN_OK) {
        result = name(k, places);
    }
    return result == SN_OK ? paint(k, places) : result;
}
