/* SPDX-License-Identifier: MIT */
/* Runs the cook's stages in order, with timing and cancellation: from a file to the model's bytes. */
#include "author/cook/cook.h"

#include <math.h>
#include <string.h>

#include "author/cook/colliders/bone_colliders.h"
#include "author/cook/materials/preset.h"
#include "author/cook/springs/chain_modes.h"
#include "author/cook/stages/stages.h"
#include "author/cook/stages/targets.h"
#include "author/io/drawing/drawing.h"
#include "host/base/clock.h"

#define DEFAULT_COUPLED_YOUNG 1e6
#define DEFAULT_LAYERED_YOUNG 5e4

sn_cook_desc sn_default_cook_desc(void)
{
    return (sn_cook_desc){.density = 1e3, .poisson = -1, .target_mode_count = -1, .target_shake = -1};
}

static sn_result check_desc(const char *path, const sn_cook_desc *desc)
{
    if (desc->mode_count < 0 || desc->mode_count > 1000 || desc->cluster_count < 0 || desc->cluster_count > 1000000) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: %d modes and %d clusters requested; the ranges are 0 to 1000 and 0 to 1000000", path,
                       desc->mode_count, desc->cluster_count);
    }
    for (int i = 0; i < SN_COARSE_LEVEL_LIMIT; ++i) {
        const int finer = i > 0 ? desc->coarse_cluster_counts[i - 1] : desc->cluster_count;
        const int count = desc->coarse_cluster_counts[i];
        if (count < 0 || (count > 0 && (finer > 0 || i > 0) && count >= finer)) {
            return sn_fail(SN_ERROR_ARGUMENT,
                           "%s: each level must have fewer clusters than the one before: %d, then %d", path, finer,
                           count);
        }
    }
    if (!(isfinite(desc->young) && desc->young >= 0 && isfinite(desc->density) && desc->density > 0)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: Young's modulus %g and density %g must be positive", path, desc->young,
                       desc->density);
    }
    if (desc->size != 0 && !(desc->size >= SN_LEAST_SIZE && desc->size <= SN_MOST_SIZE)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: size %g m is outside %g to %g (0: use the file's units)", path,
                       desc->size, SN_LEAST_SIZE, SN_MOST_SIZE);
    }
    if (!(desc->sparsity >= 0 && desc->sparsity <= SN_MOST_SPARSITY)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: sparsity %g is outside 0 to %g", path, desc->sparsity, SN_MOST_SPARSITY);
    }
    if (desc->target_mode_count > SN_TARGET_MODE_LIMIT || !(desc->target_shake <= SN_MOST_SHAKE)) {
        return sn_fail(
            SN_ERROR_ARGUMENT,
            "%s: %d morph target modes (0 to %d) and an inertia gain of %g (0 to %g) requested: out of range", path,
            desc->target_mode_count, SN_TARGET_MODE_LIMIT, desc->target_shake, SN_MOST_SHAKE);
    }
    if (!(desc->poisson <= SN_MOST_POISSON)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: Poisson's ratio %g is larger than %g", path, desc->poisson,
                       SN_MOST_POISSON);
    }
    return SN_OK;
}

static sn_result check_layered(const sn_cooking *k)
{
    if (k->desc->is_layered && (k->desc->is_coupled || k->is_flat)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %s", k->path,
                       k->is_flat ? "a flat body cannot be layered" : "a body is either coupled or layered, not both");
    }
    return SN_OK;
}

/* Stages that coupled and layered bodies skip. */
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
