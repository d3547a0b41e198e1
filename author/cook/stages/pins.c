/* SPDX-License-Identifier: MIT */
#include "author/cook/stages/pins.h"

#include "author/weights/harmonic.h"

#define MIN_PIN_WEIGHT 0.5 /* weight of a vertex from which bones or a part of the surface pin it */

/* ---- the desc's ---- */

static sn_result flag_mask(const sn_cook_context *cook, const char *name, bool *is_listed)
{
    const sn_cook_desc *desc = cook->desc;
    if (desc->pin_mask_count != (size_t)cook->file_vertex_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %zu entries for the %d vertices of %s", name, desc->pin_mask_count,
                       cook->file_vertex_count, cook->path);
    }
    for (size_t v = 0; v < desc->pin_mask_count; ++v) {
        if (desc->pin_mask[v] > 1) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: entry %zu is %d, neither 0 (free) nor 1 (pinned)", name, v,
                           desc->pin_mask[v]);
        }
        is_listed[v] |= desc->pin_mask[v] == 1;
    }
    return SN_OK;
}

static sn_result flag_list(const sn_cook_context *cook, const char *name, bool *is_listed)
{
    for (size_t i = 0; i < cook->desc->pin_count; ++i) {
        const int32_t v = cook->desc->pins[i];
        if (v < 0 || v >= cook->file_vertex_count) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: entry %zu is %d, outside 0 .. %d", name, i, v,
                           cook->file_vertex_count - 1);
        }
        if (is_listed[v]) { /* most likely a mask of integers */
            return sn_fail(SN_ERROR_ARGUMENT, "%s: entry %zu: vertex %d is listed twice", name, i, v);
        }
        is_listed[v] = true;
    }
    return SN_OK;
}

static sn_result apply_input(sn_cook_context *cook)
{
    const char *name = cook->desc->pin_name ? cook->desc->pin_name : "pins";
    bool *is_listed = SN_NEW(&cook->arena, bool, cook->file_vertex_count);
    if (!is_listed) {
        return SN_ERROR_MEMORY;
    }
    SN_TRY(flag_list(cook, name, is_listed));
    if (cook->desc->pin_mask) {
        SN_TRY(flag_mask(cook, name, is_listed));
    }
    for (int v = 0; v < cook->mesh.vertex_count; ++v) {
        cook->is_pinned[v] |= is_listed[cook->old_index ? cook->old_index[v] : v];
    }
    return SN_OK;
}

/* ---- the sidecar's ---- */

static sn_result pin_bones(sn_cook_context *cook)
{
    const size_t n = (size_t)cook->mesh.vertex_count, bones = (size_t)cook->bone_count;
    double *weights = SN_NEW(&cook->arena, double, n);
    if (!weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t b = 0; b < bones; ++b) {
        const bool is_named = sn_name_is_listed(&cook->sidecar.pin, cook->bone_names[b]);
        for (size_t v = 0; v < n && is_named; ++v) {
            weights[v] += cook->rig_weights[v * bones + b];
        }
    }
    for (size_t v = 0; v < n; ++v) {
        cook->is_pinned[v] |= weights[v] >= MIN_PIN_WEIGHT;
    }
    return SN_OK;
}

static bool is_named_part(const sn_cook_context *cook, const sn_character_part *part)
{
    const sn_character *c = &cook->character;
    return sn_name_is_listed(&cook->sidecar.pin, part->name) ||
           (part->material >= 0 && sn_name_is_listed(&cook->sidecar.pin, c->materials[part->material].name));
}

/* Pins the corners of the tets that the part's vertices lie in, so that the rendered part does not move at all. */
static void pin_vertices(const sn_cook_context *cook, const sn_character_part *part, bool *is_part_pinned)
{
    for (int v = part->first_vertex; v < part->first_vertex + part->vertex_count; ++v) {
        const int32_t tet = cook->embedding_tets[v];
        for (int corner = 0; corner < 4 && tet >= 0; ++corner) {
            if (cook->embedding_weights[4 * (size_t)v + (size_t)corner] != 0) {
                is_part_pinned[cook->mesh.tets[4 * (size_t)tet + (size_t)corner]] = true;
            }
        }
    }
}

/* The same for its triangles, which may be larger than tets. */
static void pin_triangles(const sn_cook_context *cook, const sn_character_part *part,
                          const sn_node_surface_points *surface_points, bool *is_part_pinned)
{
    for (int v = 0; v < cook->mesh.vertex_count; ++v) {
        const int32_t at = surface_points->is_known[v] ? surface_points->triangles[v] - part->first_triangle : -1;
        is_part_pinned[v] |= at >= 0 && at < part->triangle_count;
    }
}

/* Extends the pinned region behind the surface, to where its harmonic weight is at least 0.5. */
static sn_result pin_parts(sn_cook_context *cook, const sn_node_surface_points *surface_points)
{
    const size_t n = (size_t)cook->mesh.vertex_count;
    bool *is_known = SN_NEW(&cook->arena, bool, n), *is_part_pinned = SN_NEW(&cook->arena, bool, n);
    double *weights = SN_NEW(&cook->arena, double, n);
    if (!is_known || !is_part_pinned || !weights) {
        return SN_ERROR_MEMORY;
    }
    bool has_part = false;
    for (int p = 0; p < cook->character.part_count; ++p) {
        const sn_character_part *part = &cook->character.parts[p];
        if (is_named_part(cook, part)) {
            has_part = true;
            pin_vertices(cook, part, is_part_pinned);
            pin_triangles(cook, part, surface_points, is_part_pinned);
        }
    }
    if (!has_part) {
        return SN_OK;
    }
    for (size_t v = 0; v < n; ++v) {
        is_known[v] = is_part_pinned[v] || surface_points->is_known[v];
        weights[v] = is_part_pinned[v] ? 1 : 0;
    }
    const sn_result result = sn_harmonic_fill(&cook->mesh, cook->gradients, cook->volumes, is_known, 1, weights);
    for (size_t v = 0; v < n; ++v) {
        cook->is_pinned[v] |= weights[v] >= MIN_PIN_WEIGHT;
    }
    return result;
}

static sn_result apply_names(sn_cook_context *cook, const sn_node_surface_points *surface_points)
{
    SN_TRY(pin_bones(cook));
    return pin_parts(cook, surface_points);
}

/* ---- all ---- */

static sn_result count_pins(sn_cook_context *cook)
{
    for (int v = 0; v < cook->mesh.vertex_count; ++v) {
        cook->report.pin_count += cook->is_pinned[v];
        cook->leak[v] = cook->is_pinned[v] ? 0 : cook->leak[v]; /* pinned vertices carry none of the rig's momentum */
    }
    if (cook->report.pin_count == cook->mesh.vertex_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: all %d vertices are pinned: nothing is left to move", cook->path,
                       cook->mesh.vertex_count);
    }
    return SN_OK;
}

sn_result sn_pins_find(sn_cook_context *cook, const sn_node_surface_points *surface_points)
{
    const bool has_list = cook->desc->pin_count > 0 || cook->desc->pin_mask;
    if (!has_list && cook->sidecar.pin.count == 0) {
        return SN_OK;
    }
    cook->is_pinned = SN_NEW(&cook->arena, bool, cook->mesh.vertex_count);
    if (!cook->is_pinned) {
        return SN_ERROR_MEMORY;
    }
    if (has_list) {
        SN_TRY(apply_input(cook));
    }
    if (cook->sidecar.pin.count > 0) {
        SN_TRY(apply_names(cook, surface_points));
    }
    return count_pins(cook);
}
