/* SPDX-License-Identifier: MIT */
#include "author/cook/stages/pins.h"

#include "author/weights/harmonic.h"

#define LEAST_SHARE 0.5 /* weight of a vertex from which bones or a part of the surface pin it */

/* ---- the desc's ---- */

static sn_result mark_mask(const sn_cooking *k, const char *name, bool *is_listed)
{
    const sn_cook_desc *desc = k->desc;
    if (desc->pin_mask_count != (size_t)k->file_vertex_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %zu entries for the %d vertices of %s", name, desc->pin_mask_count,
                       k->file_vertex_count, k->path);
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

static sn_result mark_list(const sn_cooking *k, const char *name, bool *is_listed)
{
    for (size_t i = 0; i < k->desc->pin_count; ++i) {
        const int32_t v = k->desc->pins[i];
        if (v < 0 || v >= k->file_vertex_count) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: entry %zu is %d, outside 0 .. %d", name, i, v,
                           k->file_vertex_count - 1);
        }
        if (is_listed[v]) { /* most likely a mask of integers */
            return sn_fail(SN_ERROR_ARGUMENT, "%s: entry %zu: vertex %d is listed twice", name, i, v);
        }
        is_listed[v] = true;
    }
    return SN_OK;
}

static sn_result take_pins(sn_cooking *k)
{
    const char *name = k->desc->pin_name ? k->desc->pin_name : "pins";
    bool *is_listed = SN_NEW(&k->arena, bool, k->file_vertex_count);
    if (!is_listed) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = mark_list(k, name, is_listed);
    if (result == SN_OK && k->desc->pin_mask) {
        result = mark_mask(k, name, is_listed);
    }
    for (int v = 0; v < k->mesh.vertex_count && result == SN_OK; ++v) {
        k->is_pinned[v] |= is_listed[k->old_index ? k->old_index[v] : v];
    }
    return result;
}

/* ---- the sidecar's ---- */

static sn_result pin_bones(sn_cooking *k)
{
    const size_t n = (size_t)k->mesh.vertex_count, bones = (size_t)k->bone_count;
    double *shares = SN_NEW(&k->arena, double, n);
    if (!shares) {
        return SN_ERROR_MEMORY;
    }
    for (size_t b = 0; b < bones; ++b) {
        const bool is_named = sn_name_is_listed(&k->sidecar.pin, k->bone_names[b]);
        for (size_t v = 0; v < n && is_named; ++v) {
            shares[v] += k->rig_weights[v * bones + b];
        }
    }
    for (size_t v = 0; v < n; ++v) {
        k->is_pinned[v] |= shares[v] >= LEAST_SHARE;
    }
    return SN_OK;
}

static bool is_named_part(const sn_cooking *k, const sn_character_part *part)
{
    const sn_character *c = &k->character;
    return sn_name_is_listed(&k->sidecar.pin, part->name) ||
           (part->material >= 0 && sn_name_is_listed(&k->sidecar.pin, c->materials[part->material].name));
}

/* Pins the corners of the tets that the part's vertices lie in, so that the rendered part does not move at all. */
static void hold_vertices(const sn_cooking *k, const sn_character_part *part, bool *is_held)
{
    for (int v = part->first_vertex; v < part->first_vertex + part->vertex_count; ++v) {
        const int32_t tet = k->embedding_tets[v];
        for (int corner = 0; corner < 4 && tet >= 0; ++corner) {
            if (k->embedding_weights[4 * (size_t)v + (size_t)corner] != 0) {
                is_held[k->mesh.tets[4 * (size_t)tet + (size_t)corner]] = true;
            }
        }
    }
}

/* The same for its triangles, which may be larger than tets. */
static void hold_triangles(const sn_cooking *k, const sn_character_part *part, const sn_node_places *places,
                           bool *is_held)
{
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        const int32_t at = places->is_known[v] ? places->triangles[v] - part->first_triangle : -1;
        is_held[v] |= at >= 0 && at < part->triangle_count;
    }
}

/* Extends the pinned region behind the surface, to where its harmonic weight is at least 0.5. */
static sn_result pin_parts(sn_cooking *k, const sn_node_places *places)
{
    const size_t n = (size_t)k->mesh.vertex_count;
    bool *is_known = SN_NEW(&k->arena, bool, n), *is_held = SN_NEW(&k->arena, bool, n);
    double *shares = SN_NEW(&k->arena, double, n);
    if (!is_known || !is_held || !shares) {
        return SN_ERROR_MEMORY;
    }
    bool has_part = false;
    for (int p = 0; p < k->character.part_count; ++p) {
        const sn_character_part *part = &k->character.parts[p];
        if (is_named_part(k, part)) {
            has_part = true;
            hold_vertices(k, part, is_held);
            hold_triangles(k, part, places, is_held);
        }
    }
    if (!has_part) {
        return SN_OK;
    }
    for (size_t v = 0; v < n; ++v) {
        is_known[v] = is_held[v] || places->is_known[v];
        shares[v] = is_held[v] ? 1 : 0;
    }
    const sn_result result = sn_harmonic_fill(&k->mesh, k->gradients, k->volumes, is_known, 1, shares);
    for (size_t v = 0; v < n; ++v) {
        k->is_pinned[v] |= shares[v] >= LEAST_SHARE;
    }
    return result;
}

static sn_result take_names(sn_cooking *k, const sn_node_places *places)
{
    const sn_result result = pin_bones(k);
    return result == SN_OK ? pin_parts(k, places) : result;
}

/* ---- all ---- */

static sn_result count_pins(sn_cooking *k)
{
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        k->report.pin_count += k->is_pinned[v];
        k->leak[v] = k->is_pinned[v] ? 0 : k->leak[v]; /* pinned vertices carry none of the rig's momentum */
    }
    if (k->report.pin_count == k->mesh.vertex_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: all %d vertices are pinned: nothing is left to move", k->path,
                       k->mesh.vertex_count);
    }
    return SN_OK;
}

sn_result sn_pins_find(sn_cooking *k, const sn_node_places *places)
{
    const bool has_list = k->desc->pin_count > 0 || k->desc->pin_mask;
    if (!has_list && k->sidecar.pin.count == 0) {
        return SN_OK;
    }
    k->is_pinned = SN_NEW(&k->arena, bool, k->mesh.vertex_count);
    sn_result result = k->is_pinned ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK && has_list) {
        result = take_pins(k);
    }
    if (result == SN_OK && k->sidecar.pin.count > 0) {
        result = take_names(k, places);
    }
    return result == SN_OK ? count_pins(k) : result;
}
