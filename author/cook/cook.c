/* SPDX-License-Identifier: MIT */
/* File to model, as a list of timed stages. */
#include "author/cook/cook.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "author/cook/assemble.h"
#include "author/io/tet_file.h"
#include "author/weights/rig_weights.h"
#include "host/base/clock.h"

#define DEFAULT_MODE_COUNT 16

sn_cook_desc sn_default_cook_desc(void)
{
    return (sn_cook_desc){.cluster_count = 100, .young = 1e4, .density = 1e3};
}

static bool has_extension(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, extension) == 0;
}

sn_result sn_tet_file_read(const char *path, sn_arena *arena, sn_tet_mesh *mesh)
{
    const bool is_msh = has_extension(path, ".msh");
    if (!is_msh && !has_extension(path, ".mesh")) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: this file type is not in this version (tet meshes: .msh, .mesh)",
                       path);
    }
    sn_source source;
    const sn_result result = sn_source_read(path, arena, &source);
    if (result != SN_OK) {
        return result;
    }
    return is_msh ? sn_msh_read(&source, arena, mesh) : sn_medit_read(&source, arena, mesh);
}

static sn_result read_rig(sn_cooking *k)
{
    sn_source source;
    sn_result result = sn_source_read(k->desc->rig_path, &k->arena, &source);
    if (result == SN_OK) {
        result = sn_rig_read(&source, &k->arena, &k->rig);
    }
    k->has_rig = result == SN_OK;
    return result;
}

/* No skin in the file: one affine handle that moves everything. */
static sn_result make_handle(sn_cooking *k)
{
    k->rig =
        (sn_rig_file){.bone_count = 1, .parents = SN_NEW(&k->arena, int32_t, 1), .bind = SN_NEW(&k->arena, double, 12)};
    if (!k->rig.parents || !k->rig.bind) {
        return SN_ERROR_MEMORY;
    }
    k->rig.parents[0] = -1;
    for (int d = 0; d < 3; ++d) {
        k->rig.bind[5 * d] = 1;
    }
    return SN_OK;
}

static sn_result read_clips(sn_cooking *k)
{
    k->clips = SN_NEW(&k->arena, sn_clip_file, k->desc->clip_count);
    if (!k->clips) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < k->desc->clip_count; ++i) {
        sn_source source;
        sn_result result = sn_source_read(k->desc->clip_paths[i], &k->arena, &source);
        if (result == SN_OK) {
            result = sn_clip_read(&source, k->rig.bone_count, &k->arena, &k->clips[i]);
        }
        if (result != SN_OK) {
            return result;
        }
    }
    return SN_OK;
}

static sn_result stage_read(sn_cooking *k)
{
    /* a mesh or rig that the caller made stays */
    sn_result result = k->mesh.tet_count > 0 ? SN_OK : sn_tet_file_read(k->path, &k->arena, &k->mesh);
    if (result == SN_OK && !k->has_rig) {
        result = k->desc->rig_path ? read_rig(k) : make_handle(k);
    }
    if (result == SN_OK) {
        result = read_clips(k);
    }
    return result;
}

static void measure_box(sn_cooking *k)
{
    double low[3], high[3];
    k->diagonal = sn_tet_mesh_box(&k->mesh, low, high);
    k->height = high[1] - low[1];
    for (int d = 0; d < 3; ++d) {
        double sum = 0;
        for (int v = 0; v < k->mesh.vertex_count; ++v) {
            sum += k->mesh.positions[3 * v + d];
        }
        k->origin[d] = sum / k->mesh.vertex_count;
    }
}

/* Model units: x <- (x - origin) * scale. */
static void rescale(sn_cooking *k)
{
    measure_box(k);
    k->scale = 1 / k->diagonal;
    if (k->desc->units == SN_UNITS_KEEP) {
        memset(k->origin, 0, sizeof k->origin);
        k->scale = 1;
    }
    for (int i = 0; i < 3 * k->mesh.vertex_count; ++i) {
        k->mesh.positions[i] = (k->mesh.positions[i] - k->origin[i % 3]) * k->scale;
    }
    k->diagonal *= k->scale;
    k->height *= k->scale;
}

static double least_dihedral(const sn_cooking *k)
{
    double most_cosine = -1; /* of an angle between two faces: minus the cosine between their outward normals */
    for (size_t t = 0; t < (size_t)k->mesh.tet_count; ++t) {
        const double *g = k->gradients + 12 * t;
        for (int i = 0; i < 4; ++i) {
            for (int j = i + 1; j < 4; ++j) {
                const double *a = g + 3 * i, *b = g + 3 * j;
                const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
                const double norms =
                    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
                most_cosine = fmax(most_cosine, -dot / sqrt(norms));
            }
        }
    }
    return acos(fmin(most_cosine, 1)) * (180 / 3.14159265358979323846);
}

static sn_result count_components(sn_cooking *k)
{
    int32_t *labels = SN_NEW(&k->arena, int32_t, k->mesh.tet_count);
    return labels ? sn_clusters_split(k->mesh.tet_count, k->neighbours, labels, &k->report.component_count)
                  : SN_ERROR_MEMORY;
}

static sn_result stage_mesh(sn_cooking *k)
{
    k->file_vertex_count = k->mesh.vertex_count;
    sn_result result = sn_tet_mesh_validate(&k->mesh, k->path, &k->arena, &k->old_index);
    if (result != SN_OK) {
        return result;
    }
    const size_t n = (size_t)k->mesh.vertex_count, t = (size_t)k->mesh.tet_count;
    k->gradients = SN_NEW(&k->arena, double, 12 * t);
    k->volumes = SN_NEW(&k->arena, double, t);
    k->mass = SN_NEW(&k->arena, double, n);
    k->neighbours = SN_NEW(&k->arena, int32_t, 4 * t);
    if (!k->gradients || !k->volumes || !k->mass || !k->neighbours) {
        return SN_ERROR_MEMORY;
    }
    rescale(k);
    sn_tet_gradients(&k->mesh, k->gradients, k->volumes);
    sn_tet_lumped_mass(&k->mesh, k->volumes, NULL, k->mass);
    sn_arena scratch = {0};
    result = sn_tet_neighbours(&k->mesh, &scratch, k->neighbours);
    sn_arena_finish(&scratch);
    if (result == SN_OK) {
        result = sn_tet_boundary(&k->mesh, k->neighbours, &k->arena, &k->boundary, &k->boundary_count);
    }
    k->report.min_dihedral = least_dihedral(k);
    return result == SN_OK ? count_components(k) : result;
}

/* The rig's vertices into model units too: they are matched by position. */
static sn_result build_rig_weights(sn_cooking *k)
{
    for (int i = 0; i < 3 * k->rig.vertex_count; ++i) {
        k->rig.positions[i] = (k->rig.positions[i] - k->origin[i % 3]) * k->scale;
    }
    const sn_rig_weights_input input = {.mesh = &k->mesh,
                                        .gradients = k->gradients,
                                        .volumes = k->volumes,
                                        .boundary = k->boundary,
                                        .boundary_count = k->boundary_count,
                                        .rig = &k->rig,
                                        .old_index = k->old_index,
                                        .name = k->desc->rig_path};
    return sn_rig_weights_build(&input, k->rig_weights);
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

static sn_result stage_weights(sn_cooking *k)
{
    const size_t n = (size_t)k->mesh.vertex_count;
    k->rig_weights = SN_NEW(&k->arena, double, n *(size_t)k->rig.bone_count);
    k->leak = SN_NEW(&k->arena, double, n);
    if (!k->rig_weights || !k->leak) {
        return SN_ERROR_MEMORY;
    }
    if (k->has_rig) {
        const sn_result result = build_rig_weights(k);
        if (result != SN_OK) {
            return result;
        }
    }
    for (size_t v = 0; v < n; ++v) {
        k->rig_weights[v] = k->has_rig ? k->rig_weights[v] : 1;
        k->leak[v] = 1;
    }
    if (k->desc->leak == SN_LEAK_AUTO) {
        return sn_momentum_leak(&k->mesh, k->gradients, k->volumes, k->mass, &k->arena, k->leak);
    }
    return k->desc->leak == SN_LEAK_VALUES ? take_leak(k) : SN_OK;
}

static sn_result stage_modes(sn_cooking *k)
{
    const sn_result result =
        sn_constraint_build(&k->mesh, k->mass, k->leak, k->rig_weights, k->rig.bone_count, &k->arena, &k->constraint);
    if (result != SN_OK) {
        return result;
    }
    const int most = k->mesh.vertex_count - k->constraint.row_count;
    if (k->desc->mode_count > most || most < 1) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %d modes asked for; %d vertices less %d constraint rows leave %d",
                       k->path, k->desc->mode_count, k->mesh.vertex_count, k->constraint.row_count, most);
    }
    const int automatic = most < DEFAULT_MODE_COUNT ? most : DEFAULT_MODE_COUNT;
    return sn_modes_build(&k->mesh, k->gradients, k->volumes, k->mass, NULL, &k->constraint,
                          k->desc->mode_count ? k->desc->mode_count : automatic, &k->arena, &k->modes);
}

static sn_result take_labels(sn_cooking *k)
{
    const char *name = k->desc->labels_name ? k->desc->labels_name : "labels";
    if (k->desc->label_count != (size_t)k->mesh.tet_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %zu entries for the %d tets of %s", name, k->desc->label_count,
                       k->mesh.tet_count, k->path);
    }
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        const int32_t label = k->desc->labels[t];
        if (label < 0 || label >= k->mesh.tet_count) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: entry %d is %d, outside 0 .. %d", name, t, label,
                           k->mesh.tet_count - 1);
        }
        k->clusters[t] = label;
        k->report.cluster_count = label >= k->report.cluster_count ? label + 1 : k->report.cluster_count;
    }
    return SN_OK;
}

static sn_result stage_clusters(sn_cooking *k)
{
    k->clusters = SN_NEW(&k->arena, int32_t, k->mesh.tet_count);
    if (!k->clusters) {
        return SN_ERROR_MEMORY;
    }
    if (k->desc->labels) {
        return take_labels(k);
    }
    return sn_clusters_build(&k->mesh, k->volumes, k->neighbours, &k->modes, k->desc->cluster_count, k->clusters,
                             &k->report.cluster_count);
}

static sn_result stage_precompute(sn_cooking *k)
{
    double *mu = SN_NEW(&k->arena, double, k->mesh.tet_count);
    double *weighted_mass = SN_NEW(&k->arena, double, k->mesh.vertex_count);
    if (!mu || !weighted_mass) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        mu[t] = k->desc->young; /* E / (1 + nu), nu = 0 */
    }
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        weighted_mass[v] = k->desc->density * k->mass[v];
    }
    const sn_reduced_input input = {.mesh = &k->mesh,
                                    .gradients = k->gradients,
                                    .volumes = k->volumes,
                                    .tet_mu = mu,
                                    .mass = weighted_mass,
                                    .modes = &k->modes,
                                    .rig_weights = k->rig_weights,
                                    .bone_count = k->rig.bone_count,
                                    .clusters = k->clusters,
                                    .cluster_count = k->report.cluster_count};
    return sn_reduced_matrices_build(&input, &k->arena, &k->reduced);
}

static sn_result check_desc(const char *path, const sn_cook_desc *desc)
{
    if (desc->mode_count < 0 || desc->mode_count > 1000 || desc->cluster_count < 1 || desc->cluster_count > 1000000) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %d modes (0 to 1000) and %d clusters (1 to 1000000) asked for", path,
                       desc->mode_count, desc->cluster_count);
    }
    if (!(isfinite(desc->young) && desc->young > 0 && isfinite(desc->density) && desc->density > 0)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: Young's modulus %g and density %g must be positive", path, desc->young,
                       desc->density);
    }
    return SN_OK;
}

const char *sn_cook_stage_name(sn_cook_stage stage)
{
    static const char *const names[SN_COOK_STAGE_COUNT] = {"read",     "mesh",       "weights", "modes",
                                                           "clusters", "precompute", "write"};
    return (unsigned)stage < SN_COOK_STAGE_COUNT ? names[stage] : "unknown";
}

sn_result sn_cooking_run(sn_cooking *cooking, const char *path, const sn_cook_desc *desc)
{
    static sn_result (*const stages[SN_COOK_STAGE_COUNT])(sn_cooking *) = {
        stage_read, stage_mesh, stage_weights, stage_modes, stage_clusters, stage_precompute, sn_cooking_assemble};
    cooking->path = path;
    cooking->desc = desc;
    sn_result result = check_desc(path, desc);
    for (int stage = 0; stage < SN_COOK_STAGE_COUNT && result == SN_OK; ++stage) {
        if (desc->progress && !desc->progress((sn_cook_stage)stage, desc->progress_user)) {
            return sn_fail(SN_ERROR_CANCELLED, "%s: cancelled before the stage '%s'", path,
                           sn_cook_stage_name((sn_cook_stage)stage));
        }
        const double start = sn_now();
        result = stages[stage](cooking);
        cooking->report.seconds[stage] = sn_now() - start;
    }
    cooking->report.vertex_count = cooking->mesh.vertex_count;
    cooking->report.tet_count = cooking->mesh.tet_count;
    cooking->report.bone_count = cooking->rig.bone_count;
    cooking->report.mode_count = cooking->modes.mode_count;
    cooking->report.clip_count = desc->clip_count;
    return result;
}

void sn_cooking_finish(sn_cooking *cooking)
{
    sn_arena_finish(&cooking->arena);
}

sn_result sn_cook(const char *path, const sn_cook_desc *desc, sn_blob *blob, sn_cook_report *report)
{
    *blob = (sn_blob){0};
    sn_cooking cooking = {0};
    sn_result result = sn_cooking_run(&cooking, path, desc);
    if (report) {
        *report = cooking.report;
    }
    if (result == SN_OK && !(blob->bytes = sn_alloc(cooking.size, 1))) {
        result = SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        memcpy(blob->bytes, cooking.bytes, cooking.size);
        blob->size = cooking.size;
    }
    sn_cooking_finish(&cooking);
    return result;
}

void sn_blob_release(sn_blob *blob)
{
    sn_free(blob->bytes, blob->size, 1);
    *blob = (sn_blob){0};
}
