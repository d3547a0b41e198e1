/* SPDX-License-Identifier: MIT */
/* File to model, as a list of timed stages. */
#include "author/cook/cook.h"

#include <math.h>
#include <string.h>

#include "author/cook/bone_colliders.h"
#include "author/cook/chain_modes.h"
#include "author/cook/preset.h"
#include "author/cook/stages.h"
#include "author/cook/targets.h"
#include "author/io/drawing.h"
#include "author/modes/rig_rows.h"
#include "host/base/clock.h"

#define DEFAULT_MODE_COUNT 16
#define DEFAULT_CLUSTER_COUNT 100
#define LEAST_COARSE_COUNT 4 /* of what no one has asked for */
#define DEFAULT_COUPLED_YOUNG 1e6
#define DEFAULT_LAYERED_YOUNG 5e4
#define MOST_FREE_BONES 4 /* of a character whose constraint is on coordinates unless someone says otherwise */
#define LEAST_FREE 2      /* times the coordinates that it takes: what given modes must have */

sn_cook_desc sn_default_cook_desc(void)
{
    return (sn_cook_desc){.density = 1e3, .poisson = -1, .target_mode_count = -1, .target_shake = -1};
}

/* The rig's constraint on weights. */
static sn_result constrain_weights(sn_cooking *k)
{
    const sn_constraint_rig rig = {k->bone_count, k->held_weights, k->is_translated};
    const sn_result result = sn_constraint_build(&k->mesh, k->mass, k->leak, &rig, &k->arena, &k->constraint);
    k->constraint.is_pinned = k->is_pinned;
    return result;
}

/* The same on coordinates: modes are as if there were no rig. */
static sn_result constrain_coordinates(sn_cooking *k)
{
    const sn_rig_rows_input rig = {.mesh = &k->mesh,
                                   .mass = k->mass,
                                   .leak = k->leak,
                                   .rig_weights = k->held_weights,
                                   .bone_count = k->bone_count,
                                   .is_translated = k->is_translated};
    k->constraint = (sn_constraint){.rows = SN_NEW(&k->arena, double, 0), .is_pinned = k->is_pinned};
    return k->constraint.rows ? sn_rig_rows_build(&rig, &k->arena, &k->held) : SN_ERROR_MEMORY;
}

/* Of a mode, on each axis; in the plane none goes with z. */
static int coordinates_of_mode(const sn_cooking *k)
{
    return k->mesh.is_flat ? 3 : 4;
}

/* What is about weights, and what coordinates would not do for as many bones. */
static bool is_about_weights(const sn_cooking *k)
{
    return !k->has_character || k->mesh.is_flat || k->bone_count > MOST_FREE_BONES || k->leak_choice == SN_LEAK_ALL ||
           k->desc->row_count > 0 || k->report.pin_count > 0 || k->desc->sparsity > 0;
}

/* Few bones leave flesh freer where their constraint is on coordinates, with no more modes; but it takes some, of which
 * these may not have enough. */
static sn_result constrain_freely(sn_cooking *k)
{
    const int said = k->desc->mode_count ? k->desc->mode_count : k->sidecar.mode_count;
    const int count = said ? said : DEFAULT_MODE_COUNT;
    const sn_result result = constrain_coordinates(k);
    if (result != SN_OK || coordinates_of_mode(k) * count >= LEAST_FREE * k->held.row_count) {
        k->is_freed = true;
        return result;
    }
    k->held = (sn_constraint){0};
    return constrain_weights(k);
}

sn_result sn_cooking_constrain(sn_cooking *k)
{
    k->held = (sn_constraint){0};
    k->is_freed = false;
    const sn_cook_complementary said =
        k->desc->complementary == SN_COMPLEMENTARY_AUTO ? k->sidecar.complementary : k->desc->complementary;
    const bool is_free = said == SN_COMPLEMENTARY_AUTO && !is_about_weights(k);
    sn_result result = is_free                                ? constrain_freely(k)
                       : said == SN_COMPLEMENTARY_COORDINATES ? constrain_coordinates(k)
                                                              : constrain_weights(k);
    result = result == SN_OK && k->desc->row_count > 0 ? sn_cooking_add_rows(k) : result;
    k->constraint.name = k->path;
    return result;
}

/* Where someone asked for it, as many coordinates are free as where weights are constrained. */
static int automatic_mode_count(const sn_cooking *k, int most)
{
    const int each = coordinates_of_mode(k), taken = k->is_freed ? 0 : k->held.row_count;
    const int wanted = DEFAULT_MODE_COUNT + (taken + each - 1) / each;
    return most < wanted ? most : wanted;
}

/* What was said, or as many as suit; a line where that cannot be. */
static sn_result choose_mode_count(const sn_cooking *k, int *count)
{
    const int most = k->mesh.vertex_count - k->report.pin_count - k->constraint.row_count;
    const int said = k->desc->mode_count ? k->desc->mode_count : k->sidecar.mode_count;
    const int wanted = said ? said : automatic_mode_count(k, most);
    if (most < 1) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %d vertices less %d pinned and %d constraint rows leave no mode",
                       k->desc->row_count > 0 && k->desc->rows_name ? k->desc->rows_name : k->path,
                       k->mesh.vertex_count, k->report.pin_count, k->constraint.row_count);
    }
    if (wanted > most) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: %d modes asked for; %d vertices less %d pinned and %d constraint rows leave %d", k->path,
                       wanted, k->mesh.vertex_count, k->report.pin_count, k->constraint.row_count, most);
    }
    const int coordinates = coordinates_of_mode(k) * wanted;
    if (k->held.row_count >= coordinates) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: %d modes have %d coordinates, and the rig's constraint takes %d: more modes, or the "
                       "constraint on weights",
                       k->path, wanted, coordinates, k->held.row_count);
    }
    if (wanted > SN_SIDECAR_MODE_LIMIT) {
        sn_log(SN_LOG_WARNING, "%s: %d modes: more than %d may take many minutes", k->path, wanted,
               SN_SIDECAR_MODE_LIMIT);
    }
    *count = wanted;
    return SN_OK;
}

sn_result sn_cooking_find_modes(sn_cooking *k)
{
    int wanted = 0;
    sn_result result = sn_cooking_constrain(k);
    result = result == SN_OK ? choose_mode_count(k, &wanted) : result;
    if (result != SN_OK) {
        return result;
    }
    /* relative to the mean over the volume: eigenvalues are a shape's */
    double *stiffness = SN_NEW(&k->arena, double, k->mesh.tet_count), sum = 0, volume = 0;
    if (!stiffness) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        stiffness[t] = k->tet_stiffness[t];
        sum += k->volumes[t] * stiffness[t];
        volume += k->volumes[t];
    }
    k->mean_stiffness = sum / volume;
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        stiffness[t] *= volume / sum;
    }
    result = sn_modes_build(&k->mesh, k->gradients, k->volumes, k->mass, stiffness, &k->constraint, wanted, &k->arena,
                            &k->modes);
    if (result == SN_OK && k->desc->sparsity > 0) {
        result = sn_modes_localise(&k->mesh, k->gradients, k->volumes, k->mass, stiffness, &k->constraint,
                                   k->desc->sparsity, &k->modes);
    }
    return result;
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

/* Fine clusters first, then unions of them. finest: as many clusters as were asked for. */
static sn_result coarsen(sn_cooking *k, int finest)
{
    int counts[SN_COARSE_LEVEL_LIMIT] = {3 * finest / 10, finest / 10}, count = 0;
    for (int i = 0; i < SN_COARSE_LEVEL_LIMIT; ++i) {
        counts[i] = counts[i] > LEAST_COARSE_COUNT ? counts[i] : LEAST_COARSE_COUNT;
    }
    if (k->desc->coarse_cluster_counts[0] > 0) {
        memcpy(counts, k->desc->coarse_cluster_counts, sizeof counts);
    }
    while (count < SN_COARSE_LEVEL_LIMIT && counts[count] > 0) {
        ++count;
    }
    const sn_cluster_levels_input input = {.mesh = &k->mesh,
                                           .volumes = k->volumes,
                                           .neighbours = k->neighbours,
                                           .modes = &k->modes,
                                           .rig_weights = k->rig_weights,
                                           .bone_count = k->bone_count,
                                           .labels = k->clusters,
                                           .cluster_count = k->report.cluster_count,
                                           .wanted = counts,
                                           .wanted_count = count};
    const sn_result result = sn_cluster_levels_build(&input, &k->arena, &k->levels);
    for (int i = 0; i < k->levels.level_count && result == SN_OK; ++i) {
        k->report.coarse_cluster_counts[i] = k->levels.counts[i];
    }
    return result;
}

sn_result sn_cooking_cluster(sn_cooking *k)
{
    const int said = k->desc->cluster_count ? k->desc->cluster_count : k->sidecar.cluster_count;
    const int wanted = said ? said : DEFAULT_CLUSTER_COUNT;
    k->clusters = SN_NEW(&k->arena, int32_t, k->mesh.tet_count);
    if (!k->clusters) {
        return SN_ERROR_MEMORY;
    }
    const sn_result result = k->desc->labels ? take_labels(k)
                                             : sn_clusters_build(&k->mesh, k->volumes, k->neighbours, &k->modes, wanted,
                                                                 k->clusters, &k->report.cluster_count);
    return result == SN_OK ? coarsen(k, k->desc->labels ? k->report.cluster_count : wanted) : result;
}

sn_result sn_cooking_reduce(sn_cooking *k)
{
    double *mu = SN_NEW(&k->arena, double, k->mesh.tet_count), *lame = SN_NEW(&k->arena, double, k->mesh.tet_count);
    double *weighted_mass = SN_NEW(&k->arena, double, k->mesh.vertex_count);
    if (!mu || !lame || !weighted_mass) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        mu[t] = k->report.young * k->tet_stiffness[t];
        lame[t] = k->report.young * k->tet_lame[t];
    }
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        weighted_mass[v] = k->desc->density * k->model_mass[v];
    }
    const sn_reduced_input input = {.name = k->path,
                                    .mesh = &k->mesh,
                                    .gradients = k->gradients,
                                    .volumes = k->volumes,
                                    .tet_mu = mu,
                                    .laplacian = k->mean_stiffness > 0 ? &k->modes.hessian : NULL,
                                    .laplacian_scale = k->report.young * k->mean_stiffness,
                                    .tet_lame = lame,
                                    .mass = weighted_mass,
                                    .modes = &k->modes,
                                    .held = &k->held,
                                    .rig_weights = k->rig_weights,
                                    .bone_count = k->bone_count,
                                    .morph_columns = k->morph_columns,
                                    .pair_count = k->morph_pair_count,
                                    .clusters = k->clusters,
                                    .cluster_count = k->report.cluster_count};
    return sn_reduced_matrices_build(&input, &k->arena, &k->reduced);
}

static sn_result check_desc(const char *path, const sn_cook_desc *desc)
{
    if (desc->mode_count < 0 || desc->mode_count > 1000 || desc->cluster_count < 0 || desc->cluster_count > 1000000) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %d modes (0 to 1000) and %d clusters (0 to 1000000) asked for", path,
                       desc->mode_count, desc->cluster_count);
    }
    for (int i = 0; i < SN_COARSE_LEVEL_LIMIT; ++i) {
        const int finer = i > 0 ? desc->coarse_cluster_counts[i - 1] : desc->cluster_count;
        const int count = desc->coarse_cluster_counts[i];
        if (count < 0 || (count > 0 && (finer > 0 || i > 0) && count >= finer)) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: levels of clusters must become fewer: %d, then %d", path, finer,
                           count);
        }
    }
    if (!(isfinite(desc->young) && desc->young >= 0 && isfinite(desc->density) && desc->density > 0)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: Young's modulus %g and density %g must be positive", path, desc->young,
                       desc->density);
    }
    if (desc->size != 0 && !(desc->size >= SN_LEAST_SIZE && desc->size <= SN_MOST_SIZE)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: a size of %g metres is outside %g to %g (0: by the units)", path,
                       desc->size, SN_LEAST_SIZE, SN_MOST_SIZE);
    }
    if (!(desc->sparsity >= 0 && desc->sparsity <= SN_MOST_SPARSITY)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: sparsity %g is outside 0 to %g", path, desc->sparsity, SN_MOST_SPARSITY);
    }
    if (desc->target_mode_count > SN_TARGET_MODE_LIMIT || !(desc->target_shake <= SN_MOST_SHAKE)) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: %d modes of morph targets (0 to %d) and a shake of %g (0 to %g) asked for", path,
                       desc->target_mode_count, SN_TARGET_MODE_LIMIT, desc->target_shake, SN_MOST_SHAKE);
    }
    if (!(desc->poisson <= SN_MOST_POISSON)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: Poisson's ratio %g is beyond %g", path, desc->poisson, SN_MOST_POISSON);
    }
    return SN_OK;
}

static sn_result check_layered(const sn_cooking *k)
{
    if (k->desc->is_layered && (k->desc->is_coupled || k->is_flat)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %s", k->path,
                       k->is_flat ? "a flat body cannot be a layered one"
                                  : "for coupled or for layered bodies, not both");
    }
    return SN_OK;
}

/* What coupled and layered bodies have no use for. */
static bool is_stage_of_modes(int stage)
{
    return stage == SN_COOK_MODES || stage == SN_COOK_CLUSTERS || stage == SN_COOK_PRECOMPUTE;
}

const char *sn_cook_stage_name(sn_cook_stage stage)
{
    static const char *const names[SN_COOK_STAGE_COUNT] = {"read",     "mesh",       "weights", "modes",
                                                           "clusters", "precompute", "write"};
    return (unsigned)stage < SN_COOK_STAGE_COUNT ? names[stage] : "unknown";
}

static sn_result stage_modes(sn_cooking *k)
{
    if (sn_chains_are_found(k)) {
        return sn_chains_find_modes(k);
    }
    const sn_result result = sn_cooking_find_modes(k);
    return result == SN_OK ? sn_targets_add_modes(k) : result;
}

static sn_result run_stages(sn_cooking *cooking)
{
    static sn_result (*const stages[SN_COOK_STAGE_COUNT])(sn_cooking *) = {
        sn_cooking_read,    sn_cooking_mesh,   sn_cooking_weigh,   stage_modes,
        sn_cooking_cluster, sn_cooking_reduce, sn_cooking_assemble};
    const sn_cook_desc *desc = cooking->desc;
    sn_result result = SN_OK;
    for (int stage = 0; stage < SN_COOK_STAGE_COUNT && result == SN_OK; ++stage) {
        if (stage == SN_COOK_PRECOMPUTE) {
            sn_cooking_enlarge(cooking);
        }
        if (sn_cooking_is_modeless(cooking) && is_stage_of_modes(stage)) {
            continue;
        }
        if (desc->progress && !desc->progress((sn_cook_stage)stage, desc->progress_user)) {
            return sn_fail(SN_ERROR_CANCELLED, "%s: cancelled before the stage '%s'", cooking->path,
                           sn_cook_stage_name((sn_cook_stage)stage));
        }
        const double start = sn_now();
        result = stages[stage](cooking);
        cooking->report.seconds[stage] = sn_now() - start;
    }
    return result;
}

sn_result sn_cooking_run(sn_cooking *cooking, const char *path, const sn_cook_desc *desc)
{
    const char *before = sn_log_subject(path);
    cooking->path = path;
    cooking->desc = desc;
    cooking->is_flat = desc->is_flat || (!cooking->has_character && sn_is_drawing_file(path));
    cooking->report.young = desc->young > 0    ? desc->young
                            : desc->is_coupled ? DEFAULT_COUPLED_YOUNG
                            : desc->is_layered ? DEFAULT_LAYERED_YOUNG
                                               : SN_STUFF_YOUNG;
    sn_result result = check_desc(path, desc);
    result = result ? result : check_layered(cooking);
    result = result ? result : sn_bone_colliders_check(path, desc);
    result = result ? result : sn_dense_make_room();
    result = result ? result : run_stages(cooking);
    sn_log_subject(before);
    cooking->report.vertex_count = cooking->mesh.vertex_count;
    cooking->report.tet_count = cooking->mesh.tet_count;
    cooking->report.bone_count = cooking->bone_count;
    cooking->report.mode_count = cooking->modes.mode_count;
    for (int i = 0; i < cooking->modes.mode_count && cooking->modes.is_target; ++i) {
        cooking->report.target_mode_count += cooking->modes.is_target[i];
    }
    cooking->report.coordinate_count = cooking->reduced.coordinate_count;
    cooking->report.barred_count = cooking->reduced.barred_count;
    cooking->report.clip_count = cooking->clip_count;
    cooking->report.morph_field_count = cooking->morph_field_count;
    cooking->report.morph_pair_count = cooking->morph_pair_count;
    return result;
}

void sn_cooking_finish(sn_cooking *cooking)
{
    sn_arena_finish(&cooking->arena);
}

sn_result sn_blob_copy(const uint8_t *bytes, size_t size, sn_blob *blob)
{
    *blob = (sn_blob){.bytes = sn_alloc(size, 1), .size = size};
    if (!blob->bytes) {
        *blob = (sn_blob){0};
        return SN_ERROR_MEMORY;
    }
    memcpy(blob->bytes, bytes, size);
    return SN_OK;
}

sn_result sn_cook(const char *path, const sn_cook_desc *desc, sn_blob *blob, sn_cook_report *report)
{
    *blob = (sn_blob){0};
    sn_cooking cooking = {0};
    sn_result result = sn_cooking_run(&cooking, path, desc);
    if (report) {
        *report = cooking.report;
    }
    if (result == SN_OK) {
        result = sn_blob_copy(cooking.bytes, cooking.size, blob);
    }
    sn_cooking_finish(&cooking);
    return result;
}

void sn_blob_release(sn_blob *blob)
{
    sn_free(blob->bytes, blob->size, 1);
    *blob = (sn_blob){0};
}
