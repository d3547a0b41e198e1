/* SPDX-License-Identifier: MIT */
/* The last stage: what was cooked becomes a model and its bytes. */
#include <math.h>

#include "author/cook/preset.h"
#include "author/cook/stages.h"

static bool are_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

static sn_result add_bind(sn_cooking *k, sn_model *model)
{
    float *bind = SN_NEW(&k->arena, float, 12 * (size_t)k->bone_count);
    for (size_t i = 0; bind && i < 12 * (size_t)k->bone_count; ++i) {
        const int column = (int)(i % 4), row = (int)(i / 4 % 3);
        const double value = k->bone_bind[i];
        bind[i] = (float)(column == 3 ? (value - k->origin[row]) * k->scale : value * k->scale);
    }
    model->bone_bind = bind;
    return bind ? SN_OK : SN_ERROR_MEMORY;
}

static void add_reduced(const sn_reduced_matrices *reduced, sn_model *model)
{
    model->counts.coordinate_count = reduced->coordinate_count;
    model->coordinate_stiffness = reduced->coordinate_stiffness;
    model->coordinate_reach = reduced->coordinate_reach;
    model->coordinate_mass = reduced->coordinate_mass;
    model->cluster_coordinate = reduced->cluster_coordinate;
    model->cluster_bone = reduced->cluster_bone;
    model->mass_cross = reduced->mass_cross;
    model->stiffness_cross = reduced->stiffness_cross;
    model->mass_bone = reduced->mass_bone;
    model->stiffness_bone = reduced->stiffness_bone;
    model->total_stiffness = reduced->total_stiffness;
}

/* Mode weights with a largest value of 1 (their derivatives are stored as halves), and the map to their transforms. */
static sn_result add_modes(sn_cooking *k, double **weights, sn_model *model)
{
    const size_t n = (size_t)k->mesh.vertex_count, modes = (size_t)k->modes.mode_count;
    const size_t coordinates = (size_t)k->reduced.coordinate_count;
    double *map = SN_NEW(&k->arena, double, 4 * modes * coordinates);
    *weights = SN_NEW(&k->arena, double, n *modes);
    if (!map || !*weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t j = 0; j < modes; ++j) {
        double largest = 0;
        for (size_t v = 0; v < n; ++v) {
            largest = fmax(largest, fabs(k->modes.weights[v * modes + j]));
        }
        for (size_t v = 0; v < n; ++v) {
            (*weights)[v * modes + j] = k->modes.weights[v * modes + j] / largest;
        }
        for (size_t i = 4 * j * coordinates; i < 4 * (j + 1) * coordinates; ++i) {
            map[i] = k->reduced.mode_from_coordinate[i] * largest;
        }
    }
    model->mode_from_coordinate = map;
    model->mode_weights = sn_narrow(&k->arena, *weights, n * modes);
    return model->mode_weights ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result add_mesh(sn_cooking *k, sn_model *model)
{
    const size_t n = (size_t)k->mesh.vertex_count;
    model->rest_positions = sn_narrow(&k->arena, k->mesh.positions, 3 * n);
    model->rig_weights = sn_narrow(&k->arena, k->rig_weights, n * (size_t)k->bone_count);
    model->tets = k->mesh.tets;
    model->tet_clusters = k->clusters;
    model->triangles = k->boundary;
    model->bone_parents = k->bone_parents;
    model->mode_eigenvalues = k->modes.eigenvalues;
    if (!model->rest_positions || !model->rig_weights) {
        return SN_ERROR_MEMORY;
    }
    if (!are_finite(model->rest_positions, 3 * n) ||
        !are_finite(model->mode_weights, n * (size_t)k->modes.mode_count)) {
        return sn_fail(SN_ERROR_NUMERIC, "%s: positions or modes are beyond the range of float: cook with --units unit",
                       k->path);
    }
    return SN_OK;
}

/* All that holds a stiffness is linear in it; the basis does not depend on it. */
static void scale_stiffness(sn_cooking *k, double factor, sn_model *model)
{
    sn_reduced_matrices *r = &k->reduced;
    const size_t q = (size_t)r->coordinate_count, p = 4 * (size_t)k->bone_count;
    const size_t clusters = 3 * (size_t)k->report.cluster_count;
    const struct {
        double *values;
        size_t count;
    } arrays[] = {{r->coordinate_stiffness, q},
                  {r->cluster_coordinate, clusters * q},
                  {r->cluster_bone, clusters * p},
                  {r->stiffness_cross, q * p},
                  {r->stiffness_bone, p * p}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        for (size_t j = 0; j < arrays[i].count; ++j) {
            arrays[i].values[j] *= factor;
        }
    }
    model->young *= factor;
    model->total_stiffness *= factor;
}

static sn_result choose_stiffness(sn_cooking *k, sn_model *model)
{
    double factor = 1;
    const sn_result result = sn_preset_stiffness(model, &factor);
    if (result == SN_OK) {
        scale_stiffness(k, factor, model);
        k->report.young = model->young;
    }
    return result;
}

sn_result sn_cooking_assemble(sn_cooking *k)
{
    sn_model model = {.counts = {.vertex_count = k->mesh.vertex_count,
                                 .tet_count = k->mesh.tet_count,
                                 .triangle_count = k->boundary_count,
                                 .bone_count = k->bone_count,
                                 .mode_count = k->modes.mode_count,
                                 .cluster_count = k->report.cluster_count},
                      .scale = k->scale,
                      .origin_x = k->origin[0],
                      .origin_y = k->origin[1],
                      .origin_z = k->origin[2],
                      .diagonal = k->diagonal,
                      .height = k->height,
                      .facing = k->has_character ? k->character.facing : 1,
                      .has_floor = k->has_character && !k->sidecar.is_floating ? 1 : 0,
                      .young = k->report.young,
                      .density = k->desc->density};
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        model.total_mass += k->desc->density * k->mass[v];
    }
    add_reduced(&k->reduced, &model);
    double *mode_weights = NULL;
    sn_result result = add_modes(k, &mode_weights, &model);
    if (result == SN_OK) {
        result = add_mesh(k, &model);
    }
    if (result == SN_OK) {
        result = sn_cooking_add_surface(k, mode_weights, &model);
    }
    if (result == SN_OK) {
        result = sn_cooking_add_samples(k, &model);
    }
    if (result == SN_OK) {
        result = add_bind(k, &model);
    }
    if (result == SN_OK) {
        result = sn_cooking_add_clips(k, &model);
    }
    if (result == SN_OK && k->has_character && k->desc->young == 0) {
        result = choose_stiffness(k, &model);
    }
    return result == SN_OK ? sn_model_write(&model, &k->arena, &k->bytes, &k->size) : result;
}
