/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/stuff.h"

#include <math.h>
#include <string.h>

#include "author/weights/harmonic.h"

#define LAYERED_POISSON 0.4 /* default of layered bodies: nearly incompressible flesh */

const sn_named_stuff *sn_stuff_find(const sn_named_stuff *list, int count, const char *name)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(list[i].name, name) == 0) {
            return &list[i];
        }
    }
    return NULL;
}

const sn_named_stuff *sn_stuff_of_triangle(const sn_cooking *k, int32_t triangle)
{
    const sn_character *c = &k->character;
    const sn_named_stuff *stuff = NULL;
    for (int p = 0; k->sidecar.material_count > 0 && p < c->part_count; ++p) {
        const sn_character_part *part = &c->parts[p];
        const int32_t at = triangle - part->first_triangle;
        if (at >= 0 && at < part->triangle_count && part->material >= 0) {
            stuff = sn_stuff_find(k->sidecar.materials, k->sidecar.material_count, c->materials[part->material].name);
        }
    }
    return stuff;
}

const sn_named_stuff *sn_stuff_of_tet(const sn_cooking *k, int tet)
{
    const int32_t group = k->groups.count > 0 ? k->groups.of_tet[tet] : -1;
    return group >= 0 ? sn_stuff_find(k->sidecar.materials, k->sidecar.material_count, k->groups.names[group]) : NULL;
}

sn_result sn_stuff_mean_of_groups(sn_cooking *k, sn_stuff_value *value, double *values)
{
    double *sums = SN_NEW(&k->arena, double, 2 * (size_t)k->mesh.vertex_count);
    for (int t = 0; t < k->mesh.tet_count && sums; ++t) {
        const sn_named_stuff *stuff = sn_stuff_of_tet(k, t);
        for (int corner = 0; corner < 4; ++corner) {
            const size_t v = (size_t)k->mesh.tets[4 * (size_t)t + (size_t)corner];
            sums[2 * v] += k->volumes[t] * value(stuff, values[v]);
            sums[2 * v + 1] += k->volumes[t];
        }
    }
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count && sums; ++v) {
        values[v] = sums[2 * v] / sums[2 * v + 1];
    }
    return sums ? SN_OK : SN_ERROR_MEMORY;
}

double sn_stuff_sample_paint(const sn_cooking *k, const sn_node_places *places, sn_paint paint, size_t v,
                             double otherwise)
{
    const double *values = k->character.paint[paint];
    double sum = 0;
    for (size_t corner = 0; values && corner < 3; ++corner) {
        const int32_t from = k->character.triangles[3 * (size_t)places->triangles[v] + corner];
        sum += places->barycentric[3 * v + corner] * values[from];
    }
    return values ? sum : otherwise;
}

/* Painted factors on the surface, times those of its materials if by_material is set; extended inwards harmonically. */
static sn_result apply_surface(sn_cooking *k, const sn_node_places *places, bool by_material, double *factors)
{
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
        if (places->is_known[v]) {
            const sn_named_stuff *stuff = by_material ? sn_stuff_of_triangle(k, places->triangles[v]) : NULL;
            factors[2 * v] =
                sn_stuff_sample_paint(k, places, SN_PAINT_STIFFNESS, v, 1) * (stuff ? stuff->stiffness : 1);
            factors[2 * v + 1] =
                sn_stuff_sample_paint(k, places, SN_PAINT_DENSITY, v, 1) * (stuff ? stuff->density : 1);
        }
    }
    const sn_result result = sn_harmonic_fill(&k->mesh, k->gradients, k->volumes, places->is_known, 2, factors);
    for (size_t i = 0; i < 2 * (size_t)k->mesh.vertex_count; ++i) {
        factors[i] = factors[i] > 0 ? factors[i] : 1; /* in a component without a surface */
    }
    return result;
}

static sn_result apply_bones(sn_cooking *k, double *factors)
{
    const size_t b = (size_t)k->bone_count;
    const sn_named_stuff **stuff = SN_NEW(&k->arena, const sn_named_stuff *, b);
    for (size_t j = 0; stuff && j < b; ++j) {
        stuff[j] = sn_stuff_find(k->sidecar.bones, k->sidecar.bone_count, k->bone_names[j]);
    }
    for (size_t v = 0; stuff && v < (size_t)k->mesh.vertex_count; ++v) {
        double stiffness = 0, density = 0;
        for (size_t j = 0; j < b; ++j) {
            stiffness += k->rig_weights[v * b + j] * (stuff[j] ? stuff[j]->stiffness : 1);
            density += k->rig_weights[v * b + j] * (stuff[j] ? stuff[j]->density : 1);
        }
        factors[2 * v] *= stiffness;
        factors[2 * v + 1] *= density;
    }
    return stuff ? SN_OK : SN_ERROR_MEMORY;
}

static bool is_poisson_named(const sn_named_stuff *list, int count)
{
    bool is_named = false;
    for (int i = 0; i < count; ++i) {
        is_named = is_named || list[i].poisson >= 0;
    }
    return is_named;
}

static double poisson_of(const sn_named_stuff *stuff, double otherwise)
{
    return stuff && stuff->poisson >= 0 ? stuff->poisson : otherwise;
}

static sn_result apply_surface_poisson(sn_cooking *k, const sn_node_places *places, double *poisson)
{
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
        poisson[v] = places->is_known[v] ? poisson_of(sn_stuff_of_triangle(k, places->triangles[v]), poisson[v]) : 0;
    }
    return sn_harmonic_fill(&k->mesh, k->gradients, k->volumes, places->is_known, 1, poisson);
}

static void apply_bone_poisson(const sn_cooking *k, double *poisson)
{
    const size_t b = (size_t)k->bone_count;
    for (size_t v = 0; v < (size_t)k->mesh.vertex_count; ++v) {
        double sum = 0;
        for (size_t j = 0; j < b; ++j) {
            const double weight = k->rig_weights[v * b + j];
            if (weight > 0) {
                sum += weight *
                       poisson_of(sn_stuff_find(k->sidecar.bones, k->sidecar.bone_count, k->bone_names[j]), poisson[v]);
            }
        }
        poisson[v] = sum;
    }
}

/* Poisson's ratio at the vertices. Bones override materials, which override the body's own. */
static sn_result weigh_poisson(sn_cooking *k, const sn_node_places *places, double *poisson)
{
    const sn_sidecar *s = &k->sidecar;
    const double otherwise = k->desc->is_layered ? LAYERED_POISSON : 0;
    const double own = k->desc->poisson >= 0 ? k->desc->poisson : s->poisson > 0 ? s->poisson : otherwise;
    sn_result result = SN_OK;
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        poisson[v] = own;
    }
    if (k->has_character && is_poisson_named(s->materials, s->material_count)) {
        result = apply_surface_poisson(k, places, poisson);
    }
    if (result == SN_OK && k->groups.count > 0 && is_poisson_named(s->materials, s->material_count)) {
        result = sn_stuff_mean_of_groups(k, poisson_of, poisson);
    }
    if (result == SN_OK && is_poisson_named(s->bones, s->bone_count)) {
        apply_bone_poisson(k, poisson);
    }
    return result;
}

static sn_result check_given(const sn_cooking *k, const sn_cook_values *given, const char *what, double least,
                             double most)
{
    const char *name = given->name ? given->name : what;
    if (given->count > 0 && given->count != (size_t)k->mesh.tet_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %zu entries for the %d %s of %s", name, given->count, k->mesh.tet_count,
                       k->mesh.is_flat ? "triangles" : "tets", k->path);
    }
    for (size_t t = 0; t < given->count; ++t) {
        if (!(given->values[t] >= least && given->values[t] <= most)) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: entry %zu is %g, outside %g to %g", name, t, given->values[t], least,
                           most);
        }
    }
    return SN_OK;
}

static void multiply(const sn_cook_values *given, double *factors)
{
    for (size_t t = 0; t < given->count; ++t) {
        factors[t] *= given->values[t];
    }
}

static sn_result take_given(sn_cooking *k)
{
    const sn_cook_desc *d = k->desc;
    sn_result result = check_given(k, &d->tet_stiffness, "tet_stiffness", SN_LEAST_FACTOR, SN_MOST_FACTOR);
    result = result ? result : check_given(k, &d->tet_density, "tet_density", SN_LEAST_FACTOR, SN_MOST_FACTOR);
    result = result ? result : check_given(k, &d->tet_poisson, "tet_poisson", 0, SN_MOST_POISSON);
    if (result == SN_OK) {
        multiply(&d->tet_stiffness, k->tet_stiffness);
        multiply(&d->tet_density, k->tet_density);
    }
    return result;
}

/* mu = E / (1 + nu), lambda = E nu / ((1 + nu) (1 - 2 nu)), from E in tet_stiffness. */
static sn_result split_stiffness(sn_cooking *k, const sn_node_places *places)
{
    double *poisson = SN_NEW(&k->arena, double, k->mesh.vertex_count);
    k->tet_lame = SN_NEW(&k->arena, double, k->mesh.tet_count);
    if (!poisson || !k->tet_lame) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = weigh_poisson(k, places, poisson);
    for (size_t i = 0; i < (size_t)k->mesh.tet_count && result == SN_OK; ++i) {
        const int32_t *tet = k->mesh.tets + 4 * i;
        const double last = k->mesh.is_flat ? 0 : poisson[tet[3]];
        const double mean = sn_tet_share(&k->mesh, 0) * (poisson[tet[0]] + poisson[tet[1]] + poisson[tet[2]] + last);
        const double said = k->desc->tet_poisson.count > 0 ? k->desc->tet_poisson.values[i] : mean;
        const double nu = fmin(fmax(said, 0), SN_MOST_POISSON);
        k->tet_stiffness[i] /= 1 + nu;
        k->tet_lame[i] = k->tet_stiffness[i] * nu / (1 - 2 * nu);
    }
    return result;
}

/* Factors of stiffness and density (vertex_count x 2), from the surface, with or without its materials, and from bones.
 */
static sn_result weigh_vertices(sn_cooking *k, const sn_node_places *places, bool by_material, double *factors)
{
    for (size_t i = 0; i < 2 * (size_t)k->mesh.vertex_count; ++i) {
        factors[i] = 1;
    }
    const bool is_varied =
        k->has_character && ((by_material && k->sidecar.material_count > 0) || k->character.paint[SN_PAINT_STIFFNESS] ||
                             k->character.paint[SN_PAINT_DENSITY]);
    const sn_result result = is_varied ? apply_surface(k, places, by_material, factors) : SN_OK;
    return result == SN_OK && k->sidecar.bone_count > 0 ? apply_bones(k, factors) : result;
}

sn_result sn_stuff_weigh_tets(sn_cooking *k, const sn_node_places *places)
{
    const size_t n = (size_t)k->mesh.vertex_count, t = (size_t)k->mesh.tet_count;
    double *factors = SN_NEW(&k->arena, double, 2 * n);
    double *grouped = k->groups.count > 0 ? SN_NEW(&k->arena, double, 2 * n) : factors; /* for tets of named groups */
    k->tet_stiffness = SN_NEW(&k->arena, double, t);
    k->tet_density = SN_NEW(&k->arena, double, t);
    if (!factors || !grouped || !k->tet_stiffness || !k->tet_density) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = weigh_vertices(k, places, true, factors);
    if (result == SN_OK && grouped != factors) {
        result = weigh_vertices(k, places, false, grouped);
    }
    for (size_t i = 0; i < t; ++i) {
        const sn_named_stuff *stuff = sn_stuff_of_tet(k, (int)i);
        const double *of_vertices = stuff ? grouped : factors;
        const double fill = k->tet_fill ? k->tet_fill[i] : 1;
        for (size_t corner = 0; corner < 4; ++corner) {
            const size_t v = (size_t)k->mesh.tets[4 * i + corner];
            const double share = sn_tet_share(&k->mesh, (int)corner);
            k->tet_stiffness[i] += share * fill * of_vertices[2 * v];
            k->tet_density[i] += share * fill * of_vertices[2 * v + 1];
        }
        k->tet_stiffness[i] *= stuff ? stuff->stiffness : 1;
        k->tet_density[i] *= stuff ? stuff->density : 1;
    }
    if (result == SN_OK) {
        result = take_given(k);
    }
    sn_tet_lumped_mass(&k->mesh, k->volumes, k->tet_density, k->mass);
    return result == SN_OK ? split_stiffness(k, places) : result;
}
