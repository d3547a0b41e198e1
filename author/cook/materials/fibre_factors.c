/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/fibre_factors.h"

#include <math.h>

#include "author/cook/materials/given_fibres.h"
#include "author/weights/harmonic.h"

#define FACTORS 6 /* 3 for stretch, then 3 for shear */
#define LEAST_CHANGE 1e-6

static double factor_of(const sn_named_stuff *stuff, size_t i)
{
    return !stuff ? 1 : i < 3 ? stuff->stretch[i] : stuff->shear[i - 3];
}

static double own_factor(const sn_cook_fibres *fibres, size_t i)
{
    const double said = !fibres ? 0 : i < 3 ? fibres->stretch[i] : fibres->shear[i - 3];
    return said > 0 ? said : 1;
}

static bool are_named(const sn_named_stuff *list, int count)
{
    bool is_any = false;
    for (size_t i = 0; i < FACTORS * (size_t)count; ++i) {
        is_any = is_any || factor_of(&list[i / FACTORS], i % FACTORS) != 1;
    }
    return is_any;
}

bool sn_fibre_factors_are_said(const sn_cooking *k)
{
    bool is_any = are_named(k->sidecar.materials, k->sidecar.material_count) ||
                  are_named(k->sidecar.bones, k->sidecar.bone_count);
    for (size_t i = 0; i < FACTORS; ++i) {
        is_any = is_any || own_factor(sn_given_fibres(k), i) != 1;
    }
    return is_any;
}

/* Factors of the surface's materials, extended inwards harmonically. */
static sn_result apply_surface(sn_cooking *k, const sn_node_places *places, double *factors)
{
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
        const sn_named_stuff *stuff = places->is_known[v] ? sn_stuff_of_triangle(k, places->triangles[v]) : NULL;
        for (size_t i = 0; i < FACTORS; ++i) {
            factors[FACTORS * v + i] = places->is_known[v] ? factor_of(stuff, i) : 0;
        }
    }
    const sn_result result = sn_harmonic_fill(&k->mesh, k->gradients, k->volumes, places->is_known, FACTORS, factors);
    for (size_t i = 0; i < FACTORS * (size_t)k->mesh.vertex_count; ++i) {
        factors[i] = factors[i] > 0 ? factors[i] : 1; /* in a component without a surface */
    }
    return result;
}

static void apply_bones(const sn_cooking *k, double *factors)
{
    const size_t b = (size_t)k->bone_count;
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
        double sums[FACTORS] = {0};
        for (size_t j = 0; j < b; ++j) {
            const double weight = k->rig_weights[v * b + j];
            const sn_named_stuff *stuff =
                weight > 0 ? sn_stuff_find(k->sidecar.bones, k->sidecar.bone_count, k->bone_names[j]) : NULL;
            for (size_t i = 0; i < FACTORS; ++i) {
                sums[i] += weight * factor_of(stuff, i);
            }
        }
        for (size_t i = 0; i < FACTORS; ++i) {
            factors[FACTORS * v + i] *= sums[i];
        }
    }
}

sn_result sn_fibre_factors_weigh(sn_cooking *k, const sn_node_places *places)
{
    const sn_cook_fibres *fibres = sn_given_fibres(k);
    sn_result result = fibres ? sn_given_fibres_check(fibres) : SN_OK;
    if (result != SN_OK || !sn_fibre_factors_are_said(k)) {
        return result;
    }
    double *at_vertices = SN_NEW(&k->arena, double, FACTORS *(size_t)k->mesh.vertex_count);
    k->fibre_factors = SN_NEW(&k->arena, double, FACTORS *(size_t)k->mesh.tet_count);
    if (!at_vertices || !k->fibre_factors) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < FACTORS * (size_t)k->mesh.vertex_count; ++i) {
        at_vertices[i] = 1;
    }
    if (k->has_character && k->groups.count == 0 && are_named(k->sidecar.materials, k->sidecar.material_count)) {
        result = apply_surface(k, places, at_vertices);
    }
    if (are_named(k->sidecar.bones, k->sidecar.bone_count)) {
        apply_bones(k, at_vertices);
    }
    bool is_any = false;
    for (size_t i = 0; i < FACTORS * (size_t)k->mesh.tet_count; ++i) {
        const size_t t = i / FACTORS, factor = i % FACTORS;
        double mean = 0;
        for (size_t corner = 0; corner < 4; ++corner) {
            mean += at_vertices[FACTORS * (size_t)k->mesh.tets[4 * t + corner] + factor] / 4;
        }
        k->fibre_factors[i] = mean * factor_of(sn_stuff_of_tet(k, (int)t), factor) * own_factor(fibres, factor);
        is_any = is_any || fabs(k->fibre_factors[i] - 1) > LEAST_CHANGE;
    }
    k->fibre_factors = is_any ? k->fibre_factors : NULL;
    return result;
}
