/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/fibre_factors.h"

#include <math.h>

#include "author/cook/materials/input_fibres.h"
#include "author/weights/harmonic.h"

#define FACTOR_COUNT 6 /* 3 for stretch, then 3 for shear */
#define MIN_CHANGE 1e-6

static double factor_of(const sn_named_tet_material *entry, size_t i)
{
    return !entry ? 1 : i < 3 ? entry->stretch[i] : entry->shear[i - 3];
}

static double fibre_factor(const sn_cook_fibres *fibres, size_t i)
{
    const double user_factor = !fibres ? 0 : i < 3 ? fibres->stretch[i] : fibres->shear[i - 3];
    return user_factor > 0 ? user_factor : 1;
}

static bool any_is_set(const sn_named_tet_material *list, int count)
{
    bool is_any = false;
    for (size_t i = 0; i < FACTOR_COUNT * (size_t)count; ++i) {
        is_any = is_any || factor_of(&list[i / FACTOR_COUNT], i % FACTOR_COUNT) != 1;
    }
    return is_any;
}

bool sn_fibre_factors_are_set(const sn_cook_context *cook)
{
    bool is_any = any_is_set(cook->sidecar.materials, cook->sidecar.material_count) ||
                  any_is_set(cook->sidecar.bones, cook->sidecar.bone_count);
    for (size_t i = 0; i < FACTOR_COUNT; ++i) {
        is_any = is_any || fibre_factor(sn_input_fibres(cook), i) != 1;
    }
    return is_any;
}

/* Factors of the surface's materials, extended inwards harmonically. */
static sn_result apply_surface(sn_cook_context *cook, const sn_node_surface_points *surface_points, double *factors)
{
    for (size_t v = 0; v < (size_t)cook->mesh.vertex_count; ++v) {
        const sn_named_tet_material *entry =
            surface_points->is_known[v] ? sn_tet_material_of_triangle(cook, surface_points->triangles[v]) : NULL;
        for (size_t i = 0; i < FACTOR_COUNT; ++i) {
            factors[FACTOR_COUNT * v + i] = surface_points->is_known[v] ? factor_of(entry, i) : 0;
        }
    }
    const sn_result result =
        sn_harmonic_fill(&cook->mesh, cook->gradients, cook->volumes, surface_points->is_known, FACTOR_COUNT, factors);
    for (size_t i = 0; i < FACTOR_COUNT * (size_t)cook->mesh.vertex_count; ++i) {
        factors[i] = factors[i] > 0 ? factors[i] : 1; /* in a component without a surface */
    }
    return result;
}

static void apply_bones(const sn_cook_context *cook, double *factors)
{
    const size_t b = (size_t)cook->bone_count;
    for (size_t v = 0; v < (size_t)cook->mesh.vertex_count; ++v) {
        double sums[FACTOR_COUNT] = {0};
        for (size_t j = 0; j < b; ++j) {
            const double weight = cook->rig_weights[v * b + j];
            const sn_named_tet_material *entry =
                weight > 0 ? sn_tet_material_find(cook->sidecar.bones, cook->sidecar.bone_count, cook->bone_names[j])
                           : NULL;
            for (size_t i = 0; i < FACTOR_COUNT; ++i) {
                sums[i] += weight * factor_of(entry, i);
            }
        }
        for (size_t i = 0; i < FACTOR_COUNT; ++i) {
            factors[FACTOR_COUNT * v + i] *= sums[i];
        }
    }
}

sn_result sn_fibre_factors_build(sn_cook_context *cook, const sn_node_surface_points *surface_points)
{
    const sn_cook_fibres *fibres = sn_input_fibres(cook);
    sn_result result = fibres ? sn_input_fibres_check(fibres) : SN_OK;
    if (result != SN_OK || !sn_fibre_factors_are_set(cook)) {
        return result;
    }
    double *at_vertices = SN_NEW(&cook->arena, double, FACTOR_COUNT *(size_t)cook->mesh.vertex_count);
    cook->fibre_factors = SN_NEW(&cook->arena, double, FACTOR_COUNT *(size_t)cook->mesh.tet_count);
    if (!at_vertices || !cook->fibre_factors) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < FACTOR_COUNT * (size_t)cook->mesh.vertex_count; ++i) {
        at_vertices[i] = 1;
    }
    if (cook->has_character && cook->groups.count == 0 &&
        any_is_set(cook->sidecar.materials, cook->sidecar.material_count)) {
        result = apply_surface(cook, surface_points, at_vertices);
    }
    if (any_is_set(cook->sidecar.bones, cook->sidecar.bone_count)) {
        apply_bones(cook, at_vertices);
    }
    bool is_any = false;
    for (size_t i = 0; i < FACTOR_COUNT * (size_t)cook->mesh.tet_count; ++i) {
        const size_t t = i / FACTOR_COUNT, factor = i % FACTOR_COUNT;
        double mean = 0;
        for (size_t corner = 0; corner < 4; ++corner) {
            mean += at_vertices[FACTOR_COUNT * (size_t)cook->mesh.tets[4 * t + corner] + factor] / 4;
        }
        cook->fibre_factors[i] =
            mean * factor_of(sn_tet_material_of_tet(cook, (int)t), factor) * fibre_factor(fibres, factor);
        is_any = is_any || fabs(cook->fibre_factors[i] - 1) > MIN_CHANGE;
    }
    cook->fibre_factors = is_any ? cook->fibre_factors : NULL;
    return result;
}
