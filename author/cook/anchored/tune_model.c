/* SPDX-License-Identifier: MIT */
/* Changes the parts of a cooked model. Modes, clusters and tets stay: a cook that is tuned computes the same from the
 * same modes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/cook/anchored/anchored.h"
#include "author/cook/cook.h"
#include "author/cook/parts/parts.h"
#include "author/cook/stages/stages.h"
#include "author/weights/morph_columns.h"

#define MAX_TRIALS 6
#define MATCHING_ROUNDS 8
#define MIN_AMPLITUDE 1e-4

/* What sn_cook_context_build_reduced and the trials read, from the model. */
static sn_result restore_mesh(sn_cook_context *cook)
{
    const sn_model *model = cook->cooked;
    const sn_model_counts *c = &model->counts;
    const size_t n = (size_t)c->vertex_count, t = (size_t)c->tet_count;
    cook->mesh = (sn_tet_mesh){.vertex_count = c->vertex_count,
                               .tet_count = c->tet_count,
                               .positions = sn_copy_to_double(&cook->arena, model->rest_positions, 3 * n),
                               .tets = SN_NEW(&cook->arena, int32_t, 4 * t),
                               .is_flat = sn_model_is_flat(model)};
    cook->gradients = SN_NEW(&cook->arena, double, 12 * t);
    cook->volumes = SN_NEW(&cook->arena, double, t);
    cook->mass = sn_copy_to_double(&cook->arena, model->vertex_mass, n);
    cook->leak = sn_copy_to_double(&cook->arena, model->leak, n);
    cook->rig_weights = sn_copy_to_double(&cook->arena, model->rig_weights, n * (size_t)c->bone_count);
    cook->clusters = SN_NEW(&cook->arena, int32_t, t);
    if (!cook->mesh.positions || !cook->mesh.tets || !cook->gradients || !cook->volumes || !cook->mass || !cook->leak ||
        !cook->rig_weights || !cook->clusters) {
        return SN_ERROR_MEMORY;
    }
    memcpy(cook->mesh.tets, model->tets, 4 * t * sizeof *cook->mesh.tets);
    memcpy(cook->clusters, model->tet_clusters, t * sizeof *cook->clusters);
    sn_tet_gradients(&cook->mesh, cook->gradients, cook->volumes);
    for (size_t v = 0; v < n; ++v) {
        cook->mass[v] /= model->density;
    }
    cook->model_mass = cook->mass;
    cook->diagonal = model->diagonal;
    cook->height = model->height;
    cook->bone_count = c->bone_count;
    cook->report.cluster_count = c->cluster_count;
    cook->morph_pair_count = c->morph_pair_count;
    return c->morph_pair_count > 0 ? sn_morph_columns_from_model(model, &cook->arena, &cook->morph_columns) : SN_OK;
}

/* Vertices that no mode moves are the core. */
static sn_result restore_modes(sn_cook_context *cook)
{
    const sn_model *model = cook->cooked;
    const size_t n = (size_t)model->counts.vertex_count, modes = (size_t)model->counts.mode_count;
    cook->modes = (sn_modes){.mode_count = model->counts.mode_count,
                             .weights = sn_copy_to_double(&cook->arena, model->mode_weights, n * modes),
                             .eigenvalues = SN_NEW(&cook->arena, double, modes)};
    cook->is_pinned = SN_NEW(&cook->arena, bool, n);
    if (!cook->modes.weights || !cook->modes.eigenvalues || !cook->is_pinned) {
        return SN_ERROR_MEMORY;
    }
    memcpy(cook->modes.eigenvalues, model->mode_eigenvalues, modes * sizeof *cook->modes.eigenvalues);
    for (size_t v = 0; v < n; ++v) {
        cook->is_pinned[v] = true;
        for (size_t j = 0; j < modes && cook->is_pinned[v]; ++j) {
            cook->is_pinned[v] = model->mode_weights[v * modes + j] == 0;
        }
    }
    return SN_OK;
}

static sn_result restore_stiffness(sn_cook_context *cook)
{
    const sn_model *model = cook->cooked;
    const size_t t = (size_t)model->counts.tet_count;
    cook->report.young = model->young;
    cook->tet_stiffness = sn_copy_to_double(&cook->arena, model->tet_stiffness, t);
    cook->tet_lame = sn_copy_to_double(&cook->arena, model->tet_lame, t);
    cook->input_stiffness = SN_NEW(&cook->arena, double, t);
    cook->input_lame = SN_NEW(&cook->arena, double, t);
    cook->part_factors = SN_NEW(&cook->arena, double, cook->parts->count);
    if (!cook->tet_stiffness || !cook->tet_lame || !cook->input_stiffness || !cook->input_lame || !cook->part_factors) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < t; ++i) {
        cook->input_stiffness[i] = cook->tet_stiffness[i] /= model->young;
        cook->input_lame[i] = cook->tet_lame[i] /= model->young;
    }
    for (int p = 0; p < cook->parts->count; ++p) {
        cook->part_factors[p] = 1;
    }
    return SN_OK;
}

/* Trials look for a walk among the clips by name. */
static sn_result restore_clips(sn_cook_context *cook)
{
    cook->clip_count = sn_model_clip_count(cook->cooked);
    cook->clips = SN_NEW(&cook->arena, sn_character_clip, cook->clip_count);
    for (int clip = 0; cook->clips && clip < cook->clip_count; ++clip) {
        cook->clips[clip].name = sn_model_clip_name(cook->cooked, clip);
    }
    return cook->clips ? SN_OK : SN_ERROR_MEMORY;
}

static bool is_in_range(double value, double min, double max)
{
    return value == 0 || (isfinite(value) && value >= min && value <= max);
}

/* Lists the parts that can be changed, cut to `size` bytes. */
static void list_parts(const sn_flesh_parts *parts, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int p = 0; p < parts->count && used + 1 < size; ++p) {
        if (!parts->list[p].is_rigid) {
            const int written = snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", parts->list[p].name);
            used += written > 0 ? (size_t)written : 0;
        }
    }
}

static sn_result check_change(const sn_cook_context *cook, const sn_part_change *change, int *part)
{
    char names[512];
    list_parts(cook->parts, names, sizeof names);
    *part = change->name ? sn_flesh_parts_find_name(cook->parts, change->name) : -1;
    if (*part < 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: it has no part '%.80s'; its soft parts are %s", cook->path,
                       change->name ? change->name : "", names);
    }
    if (cook->parts->list[*part].is_rigid) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: the part '%s' is rigid; make it soft in the sidecar and cook again. Soft parts are %s",
                       cook->path, change->name, names);
    }
    if (!is_in_range(change->amplitude, MIN_AMPLITUDE, SN_MAX_PART_AMPLITUDE) ||
        !is_in_range(change->frequency, SN_MIN_PART_FREQUENCY, SN_MAX_PART_FREQUENCY) ||
        !is_in_range(change->settling_time, SN_MIN_SETTLING_TIME, SN_MAX_SETTLING_TIME)) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: part '%s': amplitude %g (%g to %g), frequency %g Hz (%g to %g) or settling time %g s (%g "
                       "to %g) is out of range",
                       cook->path, change->name, change->amplitude, MIN_AMPLITUDE, SN_MAX_PART_AMPLITUDE,
                       change->frequency, SN_MIN_PART_FREQUENCY, SN_MAX_PART_FREQUENCY, change->settling_time,
                       SN_MIN_SETTLING_TIME, SN_MAX_SETTLING_TIME);
    }
    if (change->amplitude > 0 && change->frequency > 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: part '%s': its frequency determines its amplitude; give only one",
                       cook->path, change->name);
    }
    return SN_OK;
}

/* The amplitude in a given motion is inversely proportional to the squared frequency. */
static double frequency_for(const sn_flesh_part *part, double amplitude)
{
    return part->amplitude > 0 ? part->frequency * sqrt(part->amplitude / amplitude) : part->frequency;
}

static sn_result apply_changes(sn_cook_context *cook, const sn_part_change *changes, int change_count, double *targets,
                               bool *is_corrected)
{
    for (int p = 0; p < cook->parts->count; ++p) {
        targets[p] = cook->parts->list[p].is_rigid ? 1 : cook->parts->list[p].frequency;
    }
    for (int i = 0; i < change_count; ++i) {
        int p = 0;
        SN_TRY(check_change(cook, &changes[i], &p));
        sn_flesh_part *part = &cook->parts->list[p];
        if (changes[i].settling_time > 0) {
            part->settling_time = changes[i].settling_time;
        }
        if (changes[i].frequency > 0) {
            targets[p] = part->min_frequency = part->max_frequency = changes[i].frequency;
        }
        if (changes[i].amplitude > 0) {
            sn_anchored_set_target_amplitude(part, changes[i].amplitude);
            targets[p] = frequency_for(part, changes[i].amplitude);
            is_corrected[p] = true;
        }
    }
    return SN_OK;
}

static sn_result tune(sn_cook_context *cook, const sn_part_change *changes, int change_count)
{
    const sn_model *model = cook->cooked;
    sn_flesh_parts parts;
    if (!(model->density > 0 && isfinite(model->density) && model->young > 0 && isfinite(model->young) &&
          model->height > 0 && model->counts.mode_count > 0) &&
        sn_model_flesh_part_count(model) > 0) {
        return sn_fail(SN_ERROR_NUMERIC, "%s: density, stiffness or height is not positive", cook->path);
    }
    if (sn_model_flesh_part_count(cook->cooked) == 0) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: it has no parts to tune: cook a character with a skeleton, without --young or --method "
                       "complementary",
                       cook->path);
    }
    SN_TRY(sn_flesh_parts_restore(cook->cooked, &cook->arena, &parts));
    cook->parts = &parts;
    double *targets = SN_NEW(&cook->arena, double, parts.count);
    bool *is_corrected = SN_NEW(&cook->arena, bool, parts.count);
    if (!targets || !is_corrected) {
        return SN_ERROR_MEMORY;
    }
    SN_TRY(apply_changes(cook, changes, change_count, targets, is_corrected));
    SN_TRY(restore_mesh(cook));
    SN_TRY(restore_modes(cook));
    SN_TRY(restore_stiffness(cook));
    SN_TRY(restore_clips(cook));
    SN_TRY(sn_anchored_match_frequencies(cook, targets, MATCHING_ROUNDS));
    SN_TRY(sn_anchored_set_response(cook));
    SN_TRY(sn_cook_context_build_reduced(cook));
    SN_TRY(sn_anchored_correct_parts(cook, is_corrected, MAX_TRIALS));
    return sn_cook_context_assemble_tuned(cook);
}

sn_result sn_tune(const sn_model *model, const char *name, const sn_part_change *changes, int change_count,
                  sn_blob *blob)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.density = model->density;
    sn_cook_context cook = {.path = name ? name : "model", .desc = &desc, .cooked = model, .is_anchored = true};
    *blob = (sn_blob){0};
    const char *before = sn_log_subject(cook.path);
    sn_result result = tune(&cook, changes, change_count);
    if (result == SN_OK) {
        result = sn_blob_copy(cook.bytes, cook.size, blob);
    }
    sn_log_subject(before);
    sn_cook_context_finish(&cook);
    return result;
}
