/* SPDX-License-Identifier: MIT */
#include "author/cook/anchored/anchored.h"

#include "author/cook/parts/parts.h"

/* ---- method ---- */

static sn_cook_method requested_method(const sn_cook_context *cook)
{
    return cook->desc->method == SN_COOK_METHOD_AUTO ? cook->sidecar.method : cook->desc->method;
}

static bool has_skeleton(const sn_cook_context *cook)
{
    return cook->has_character && !cook->has_rig && cook->handles.handles.count == 0 && cook->bone_count > 1 &&
           !cook->is_flat && !sn_cook_context_is_modeless(cook);
}

/* Options of the complementary method choose it. */
static bool has_complementary_option(const sn_cook_context *cook)
{
    const sn_cook_desc *desc = cook->desc;
    return desc->complementary != SN_COMPLEMENTARY_AUTO || cook->sidecar.complementary != SN_COMPLEMENTARY_AUTO ||
           desc->leak != SN_LEAK_AUTO || cook->sidecar.leak != SN_LEAK_AUTO || desc->row_count > 0 ||
           desc->sparsity > 0 || desc->labels;
}

bool sn_anchored_is_expected(const sn_cook_context *cook)
{
    const sn_cook_method method = requested_method(cook);
    return has_skeleton(cook) &&
           (method == SN_COOK_METHOD_ANCHORED || (method == SN_COOK_METHOD_AUTO && !has_complementary_option(cook)));
}

sn_result sn_anchored_choose_method(sn_cook_context *cook)
{
    const bool is_required = requested_method(cook) == SN_COOK_METHOD_ANCHORED;
    if (is_required && !has_skeleton(cook)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: anchored flesh needs a character with a skeleton", cook->path);
    }
    cook->is_anchored = sn_anchored_is_expected(cook) && (is_required || cook->report.soft_bone_count == 0);
    return SN_OK;
}

/* ---- anchors ---- */

sn_result sn_anchored_find_anchors(sn_cook_context *cook)
{
    const size_t n = (size_t)cook->mesh.vertex_count;
    sn_flesh_parts *parts = SN_NEW(&cook->arena, sn_flesh_parts, 1);
    bool *is_pinned = SN_NEW(&cook->arena, bool, n);
    sn_result result = parts && is_pinned ? sn_flesh_parts_find(cook, parts) : SN_ERROR_MEMORY;
    cook->parts = parts;
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        is_pinned[v] = sn_flesh_is_core(parts, (int)v) || (cook->is_pinned && cook->is_pinned[v]);
    }
    cook->report.pin_count = 0;
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        cook->leak[v] = 0;
        cook->report.pin_count += is_pinned[v];
    }
    cook->is_pinned = is_pinned;
    if (result == SN_OK && cook->report.pin_count == (int)n) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: all flesh is rigid or near a bone; nothing is left to move", cook->path);
    }
    return result;
}
