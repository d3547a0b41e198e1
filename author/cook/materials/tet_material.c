/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/tet_material.h"

#include <math.h>
#include <string.h>

#include "author/weights/harmonic.h"

#define LAYERED_POISSON 0.4 /* default of layered bodies: nearly incompressible flesh */

const sn_named_tet_material *sn_tet_material_find(const sn_named_tet_material *list, int count, const char *name)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(list[i].name, name) == 0) {
            return &list[i];
        }
    }
    return NULL;
}

const sn_named_tet_material *sn_tet_material_of_triangle(const sn_cook_context *cook, int32_t triangle)
{
    const sn_character *c = &cook->character;
    const sn_named_tet_material *entry = NULL;
    for (int p = 0; cook->sidecar.material_count > 0 && p < c->part_count; ++p) {
        const sn_character_part *part = &c->parts[p];
        const int32_t at = triangle - part->first_triangle;
        if (at >= 0 && at < part->triangle_count && part->material >= 0) {
            entry = sn_tet_material_find(cook->sidecar.materials, cook->sidecar.material_count,
                                         c->materials[part->material].name);
        }
    }
    return entry;
}

const sn_named_tet_material *sn_tet_material_of_tet(const sn_cook_context *cook, int tet)
{
    const int32_t group = cook->groups.count > 0 ? cook->groups.of_tet[tet] : -1;
    return group >= 0
               ? sn_tet_material_find(cook->sidecar.materials, cook->sidecar.material_count, cook->groups.names[group])
               : NULL;
}

sn_result sn_tet_material_group_mean(sn_cook_context *cook, sn_tet_material_value *value, double *values)
{
    double *accumulators = SN_NEW(&cook->arena, double, 2 * (size_t)cook->mesh.vertex_count);
    for (int t = 0; t < cook->mesh.tet_count && accumulators; ++t) {
        const sn_named_tet_material *entry = sn_tet_material_of_tet(cook, t);
        for (int corner = 0; corner < 4; ++corner) {
            const size_t v = (size_t)cook->mesh.tets[4 * (size_t)t + (size_t)corner];
            accumulators[2 * v] += cook->volumes[t] * value(entry, values[v]);
            accumulators[2 * v + 1] += cook->volumes[t];
        }
    }
    for (size_t v = 0; v < (size_t)cook->mesh.vertex_count && accumulators; ++v) {
        values[v] = accumulators[2 * v] / accumulators[2 * v + 1];
    }
    return accumulators ? SN_OK : SN_ERROR_MEMORY;
}

double sn_tet_material_sample_painted(const sn_cook_context *cook, const sn_node_surface_points *surface_points,
                                      sn_painted_quantity paint, size_t v, double fallback)
{
    const double *values = cook->character.paint[paint];
    double sum = 0;
    for (size_t corner = 0; values && corner < 3; ++corner) {
        const int32_t from = cook->character.triangles[3 * (size_t)surface_points->triangles[v] + corner];
        sum += surface_points->barycentric[3 * v + corner] * values[from];
    }
    return values ? sum : fallback;
}

/* Painted factors on the surface, times those of its materials if by_material is set; extended inwards harmonically. */
static sn_result apply_surface(sn_cook_context *cook, const sn_node_surface_points *surface_points, bool by_material,
                               double *factors)
{
    for (size_t v = 0; v < (size_t)cook->mesh.vertex_count; ++v) {
        if (surface_points->is_known[v]) {
            const sn_named_tet_material *entry =
                by_material ? sn_tet_material_of_triangle(cook, surface_points->triangles[v]) : NULL;
            factors[2 * v] = sn_tet_material_sample_painted(cook, surface_points, SN_PAINTED_STIFFNESS, v, 1) *
                             (entry ? entry->stiffness : 1);
            factors[2 * v + 1] = sn_tet_material_sample_painted(cook, surface_points, SN_PAINTED_DENSITY, v, 1) *
                                 (entry ? entry->density : 1);
        }
    }
    const sn_result result =
        sn_harmonic_fill(&cook->mesh, cook->gradients, cook->volumes, surface_points->is_known, 2, factors);
    for (size_t i = 0; i < 2 * (size_t)cook->mesh.vertex_count; ++i) {
        factors[i] = factors[i] > 0 ? factors[i] : 1; /* in a component without a surface */
    }
    return result;
}

static sn_result apply_bones(sn_cook_context *cook, double *factors)
{
    const size_t b = (size_t)cook->bone_count;
    const sn_named_tet_material **entry = SN_NEW(&cook->arena, const sn_named_tet_material *, b);
    for (size_t j = 0; entry && j < b; ++j) {
        entry[j] = sn_tet_material_find(cook->sidecar.bones, cook->sidecar.bone_count, cook->bone_names[j]);
    }
    for (size_t v = 0; entry && v < (size_t)cook->mesh.vertex_count; ++v) {
        double stiffness = 0, density = 0;
        for (size_t j = 0; j < b; ++j) {
            stiffness += cook->rig_weights[v * b + j] * (entry[j] ? entry[j]->stiffness : 1);
            density += cook->rig_weights[v * b + j] * (entry[j] ? entry[j]->density : 1);
        }
        factors[2 * v] *= stiffness;
        factors[2 * v + 1] *= density;
    }
    return entry ? SN_OK : SN_ERROR_MEMORY;
}

static bool is_poisson_set(const sn_named_tet_material *list, int count)
{
    bool is_any_set = false;
    for (int i = 0; i < count; ++i) {
        is_any_set = is_any_set || list[i].poisson >= 0;
    }
    return is_any_set;
}

static double poisson_of(const sn_named_tet_material *entry, double fallback)
{
    return entry && entry->poisson >= 0 ? entry->poisson : fallback;
}

static sn_result apply_surface_poisson(sn_cook_context *cook, const sn_node_surface_points *surface_points,
                                       double *poisson)
{
    for (size_t v = 0; v < (size_t)cook->mesh.vertex_count; ++v) {
        poisson[v] = surface_points->is_known[v]
                         ? poisson_of(sn_tet_material_of_triangle(cook, surface_points->triangles[v]), poisson[v])
                         : 0;
    }
    return sn_harmonic_fill(&cook->mesh, cook->gradients, cook->volumes, surface_points->is_known, 1, poisson);
}

static void apply_bone_poisson(const sn_cook_context *cook, double *poisson)
{
    const size_t b = (size_t)cook->bone_count;
    for (size_t v = 0; v < (size_t)cook->mesh.vertex_count; ++v) {
        double sum = 0;
        for (size_t j = 0; j < b; ++j) {
            const double weight = cook->rig_weights[v * b + j];
            if (weight > 0) {
                sum += weight * poisson_of(sn_tet_material_find(cook->sidecar.bones, cook->sidecar.bone_count,
                                                                cook->bone_names[j]),
                                           poisson[v]);
            }
        }
        poisson[v] = sum;
    }
}

/* Poisson's ratio at the vertices. Bones override materials, which override the body's own. */
static sn_result compute_poisson(sn_cook_context *cook, const sn_node_surface_points *surface_points, double *poisson)
{
    const sn_sidecar *s = &cook->sidecar;
    const double fallback = cook->desc->is_layered ? LAYERED_POISSON : 0;
    const double body_poisson = cook->desc->poisson >= 0 ? cook->desc->poisson : s->poisson > 0 ? s->poisson : fallback;
    for (int v = 0; v < cook->mesh.vertex_count; ++v) {
        poisson[v] = body_poisson;
    }
    if (cook->has_character && is_poisson_set(s->materials, s->material_count)) {
        SN_TRY(apply_surface_poisson(cook, surface_points, poisson));
    }
    if (cook->groups.count > 0 && is_poisson_set(s->materials, s->material_count)) {
        SN_TRY(sn_tet_material_group_mean(cook, poisson_of, poisson));
    }
    if (is_poisson_set(s->bones, s->bone_count)) {
        apply_bone_poisson(cook, poisson);
    }
    return SN_OK;
}

static sn_result check_values(const sn_cook_context *cook, const sn_cook_values *input, const char *what,
                              double min_value, double max_value)
{
    const char *name = input->name ? input->name : what;
    if (input->count > 0 && input->count != (size_t)cook->mesh.tet_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %zu entries for the %d %s of %s", name, input->count,
                       cook->mesh.tet_count, cook->mesh.is_flat ? "triangles" : "tets", cook->path);
    }
    for (size_t t = 0; t < input->count; ++t) {
        if (!(input->values[t] >= min_value && input->values[t] <= max_value)) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: entry %zu is %g, outside %g to %g", name, t, input->values[t],
                           min_value, max_value);
        }
    }
    return SN_OK;
}

static void multiply(const sn_cook_values *input, double *factors)
{
    for (size_t t = 0; t < input->count; ++t) {
        factors[t] *= input->values[t];
    }
}

static sn_result apply_input(sn_cook_context *cook)
{
    const sn_cook_desc *d = cook->desc;
    SN_TRY(check_values(cook, &d->tet_stiffness, "tet_stiffness", SN_MIN_FACTOR, SN_MAX_FACTOR));
    SN_TRY(check_values(cook, &d->tet_density, "tet_density", SN_MIN_FACTOR, SN_MAX_FACTOR));
    SN_TRY(check_values(cook, &d->tet_poisson, "tet_poisson", 0, SN_MAX_POISSON));
    multiply(&d->tet_stiffness, cook->tet_stiffness);
    multiply(&d->tet_density, cook->tet_density);
    return SN_OK;
}

/* mu = E / (1 + nu), lambda = E nu / ((1 + nu) (1 - 2 nu)), from E in tet_stiffness. */
static sn_result split_stiffness(sn_cook_context *cook, const sn_node_surface_points *surface_points)
{
    double *poisson = SN_NEW(&cook->arena, double, cook->mesh.vertex_count);
    cook->tet_lame = SN_NEW(&cook->arena, double, cook->mesh.tet_count);
    if (!poisson || !cook->tet_lame) {
        return SN_ERROR_MEMORY;
    }
    SN_TRY(compute_poisson(cook, surface_points, poisson));
    for (size_t i = 0; i < (size_t)cook->mesh.tet_count; ++i) {
        const int32_t *tet = cook->mesh.tets + 4 * i;
        const double last = cook->mesh.is_flat ? 0 : poisson[tet[3]];
        const double mean =
            sn_tet_corner_fraction(&cook->mesh, 0) * (poisson[tet[0]] + poisson[tet[1]] + poisson[tet[2]] + last);
        const double input_poisson = cook->desc->tet_poisson.count > 0 ? cook->desc->tet_poisson.values[i] : mean;
        const double nu = fmin(fmax(input_poisson, 0), SN_MAX_POISSON);
        cook->tet_stiffness[i] /= 1 + nu;
        cook->tet_lame[i] = cook->tet_stiffness[i] * nu / (1 - 2 * nu);
    }
    return SN_OK;
}

/* Factors of stiffness and density (vertex_count x 2), from the surface, with or without its materials, and from bones.
 */
static sn_result compute_vertex_factors(sn_cook_context *cook, const sn_node_surface_points *surface_points,
                                        bool by_material, double *factors)
{
    for (size_t i = 0; i < 2 * (size_t)cook->mesh.vertex_count; ++i) {
        factors[i] = 1;
    }
    const bool is_varied = cook->has_character &&
                           ((by_material && cook->sidecar.material_count > 0) ||
                            cook->character.paint[SN_PAINTED_STIFFNESS] || cook->character.paint[SN_PAINTED_DENSITY]);
    const sn_result result = is_varied ? apply_surface(cook, surface_points, by_material, factors) : SN_OK;
    return result == SN_OK && cook->sidecar.bone_count > 0 ? apply_bones(cook, factors) : result;
}

sn_result sn_tet_material_compute(sn_cook_context *cook, const sn_node_surface_points *surface_points)
{
    const size_t n = (size_t)cook->mesh.vertex_count, t = (size_t)cook->mesh.tet_count;
    double *factors = SN_NEW(&cook->arena, double, 2 * n);
    double *group_factors =
        cook->groups.count > 0 ? SN_NEW(&cook->arena, double, 2 * n) : factors; /* for tets of named groups */
    cook->tet_stiffness = SN_NEW(&cook->arena, double, t);
    cook->tet_density = SN_NEW(&cook->arena, double, t);
    if (!factors || !group_factors || !cook->tet_stiffness || !cook->tet_density) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = compute_vertex_factors(cook, surface_points, true, factors);
    if (result == SN_OK && group_factors != factors) {
        result = compute_vertex_factors(cook, surface_points, false, group_factors);
    }
    for (size_t i = 0; i < t; ++i) {
        const sn_named_tet_material *entry = sn_tet_material_of_tet(cook, (int)i);
        const double *vertex_factors = entry ? group_factors : factors;
        const double fill = cook->tet_fill ? cook->tet_fill[i] : 1;
        for (size_t corner = 0; corner < 4; ++corner) {
            const size_t v = (size_t)cook->mesh.tets[4 * i + corner];
            const double corner_weight = sn_tet_corner_fraction(&cook->mesh, (int)corner);
            cook->tet_stiffness[i] += corner_weight * fill * vertex_factors[2 * v];
            cook->tet_density[i] += corner_weight * fill * vertex_factors[2 * v + 1];
        }
        cook->tet_stiffness[i] *= entry ? entry->stiffness : 1;
        cook->tet_density[i] *= entry ? entry->density : 1;
    }
    if (result == SN_OK) {
        result = apply_input(cook);
    }
    sn_tet_lumped_mass(&cook->mesh, cook->volumes, cook->tet_density, cook->mass);
    return result == SN_OK ? split_stiffness(cook, surface_points) : result;
}
