/* SPDX-License-Identifier: MIT */
/* Runs the cook's stages in order, with timing and cancellation: from a file to the model's bytes. */
#include "author/cook/cook.h"

#include <math.h>
#include <string.h>

#include "author/cook/anchored/anchored.h"
#include "author/cook/colliders/bone_colliders.h"
#include "author/cook/materials/preset.h"
#include "author/cook/springs/soft_chain_modes.h"
#include "author/cook/stages/stages.h"
#include "author/cook/stages/targets.h"
#include "author/io/drawing/drawing.h"
#include "host/platform/platform.h"

#define DEFAULT_COUPLED_YOUNG 1e6
#define DEFAULT_LAYERED_YOUNG 5e4

sn_cook_desc sn_default_cook_desc(void)
{
    return (sn_cook_desc){
        .has_generated_clips = true, .density = 1e3, .poisson = -1, .target_mode_count = -1, .target_inertia_gain = -1};
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
    if (desc->size != 0 && !(desc->size >= SN_COOK_MIN_SIZE && desc->size <= SN_COOK_MAX_SIZE)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: size %g m is outside %g to %g (0: use the file's units)", path,
                       desc->size, SN_COOK_MIN_SIZE, SN_COOK_MAX_SIZE);
    }
    if (!(desc->sparsity >= 0 && desc->sparsity <= SN_MAX_SPARSITY)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: sparsity %g is outside 0 to %g", path, desc->sparsity, SN_MAX_SPARSITY);
    }
    if (desc->target_mode_count > SN_TARGET_MODE_LIMIT || !(desc->target_inertia_gain <= SN_MAX_INERTIA_GAIN)) {
        return sn_fail(
            SN_ERROR_ARGUMENT,
            "%s: %d morph target modes (0 to %d) and an inertia gain of %g (0 to %g) requested: out of range", path,
            desc->target_mode_count, SN_TARGET_MODE_LIMIT, desc->target_inertia_gain, SN_MAX_INERTIA_GAIN);
    }
    if (desc->worker_count < 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %d threads requested; 0 is one per processor", path, desc->worker_count);
    }
    if (!(desc->poisson <= SN_MAX_POISSON)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: Poisson's ratio %g is larger than %g", path, desc->poisson,
                       SN_MAX_POISSON);
    }
    return SN_OK;
}

static sn_result check_layered(const sn_cook_context *cook)
{
    if (cook->desc->is_layered && (cook->desc->is_coupled || cook->is_flat)) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %s", cook->path,
                       cook->is_flat ? "a flat body cannot be layered"
                                     : "a body is either coupled or layered, not both");
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

static sn_result stage_modes(sn_cook_context *cook)
{
    if (!cook->is_anchored && sn_soft_chains_are_separate(cook)) {
        return sn_soft_chains_compute_modes(cook);
    }
    SN_TRY(cook->is_anchored ? sn_anchored_compute_modes(cook) : sn_cook_context_compute_modes(cook));
    return sn_targets_add_modes(cook);
}

static sn_result run_stages(sn_cook_context *context)
{
    static sn_result (*const stages[SN_COOK_STAGE_COUNT])(sn_cook_context *) = {
        sn_cook_context_read,           sn_cook_context_build_mesh,    sn_cook_context_compute_weights, stage_modes,
        sn_cook_context_build_clusters, sn_cook_context_build_reduced, sn_cook_context_assemble};
    const sn_cook_desc *desc = context->desc;
    sn_result result = SN_OK;
    for (int stage = 0; stage < SN_COOK_STAGE_COUNT && result == SN_OK; ++stage) {
        if (stage == SN_COOK_PRECOMPUTE) {
            sn_cook_context_rescale(context);
            if (context->is_anchored && desc->young == 0) {
                context->report.young *= context->diagonal * context->diagonal; /* the same frequencies at any size */
            }
        }
        if (sn_cook_context_is_modeless(context) && is_stage_of_modes(stage)) {
            continue;
        }
        if (desc->progress && !desc->progress((sn_cook_stage)stage, desc->progress_user)) {
            return sn_fail(SN_ERROR_CANCELLED, "%s: cancelled before the stage '%s'", context->path,
                           sn_cook_stage_name((sn_cook_stage)stage));
        }
        const double start = sn_now();
        result = stages[stage](context);
        context->report.seconds[stage] = sn_now() - start;
    }
    return result;
}

sn_result sn_cook_context_run(sn_cook_context *context, const char *path, const sn_cook_desc *desc)
{
    const char *before = sn_log_subject(path);
    context->path = path;
    context->desc = desc;
    context->is_flat = desc->is_flat || (!context->has_character && sn_is_drawing_file(path));
    context->report.young = desc->young > 0    ? desc->young
                            : desc->is_coupled ? DEFAULT_COUPLED_YOUNG
                            : desc->is_layered ? DEFAULT_LAYERED_YOUNG
                                               : SN_PRESET_YOUNG;
    sn_result result = check_desc(path, desc);
    result = result ? result : check_layered(context);
    result = result ? result : sn_bone_colliders_check(path, desc);
    result = result ? result : sn_dense_reserve_memory();
    result = result ? result : run_stages(context);
    sn_log_subject(before);
    context->report.vertex_count = context->mesh.vertex_count;
    context->report.tet_count = context->mesh.tet_count;
    context->report.bone_count = context->bone_count;
    context->report.mode_count = context->modes.mode_count;
    for (int i = 0; i < context->modes.mode_count && context->modes.is_target; ++i) {
        context->report.target_mode_count += context->modes.is_target[i];
    }
    context->report.coordinate_count = context->reduced.coordinate_count;
    context->report.constrained_coordinate_count = context->reduced.constrained_coordinate_count;
    context->report.clip_count = context->clip_count;
    context->report.morph_field_count = context->morph_field_count;
    context->report.morph_pair_count = context->morph_pair_count;
    return result;
}

void sn_cook_context_finish(sn_cook_context *context)
{
    sn_arena_finish(&context->arena);
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
    sn_cook_context context = {0};
    sn_result result = sn_cook_context_run(&context, path, desc);
    if (report) {
        *report = context.report;
    }
    if (result == SN_OK) {
        result = sn_blob_copy(context.bytes, context.size, blob);
    }
    sn_cook_context_finish(&context);
    return result;
}

void sn_blob_release(sn_blob *blob)
{
    sn_free(blob->bytes, blob->size, 1);
    *blob = (sn_blob){0};
}
