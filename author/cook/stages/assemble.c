/* SPDX-License-Identifier: MIT */
/* The last stage: builds a model from the cook's results and serializes it. */
#include <math.h>
#include <string.h>

#include "author/cook/colliders/bone_colliders.h"
#include "author/cook/handles/handles.h"
#include "author/cook/materials/preset.h"
#include "author/cook/materials/strain.h"
#include "author/cook/stages/stages.h"
#include "author/cook/stages/targets.h"
#include "author/import/names.h"
#include "host/reduced/truncate.h"

/* Largest acceptable edge stretch in a trial; more is visible. */
#define MOST_STRETCH 2.0
#define HELD_STRETCH 1.9 /* from here on, stretch may have determined the chosen stiffness */
#define WORTH_A_MODE 1.1 /* motion gain that justifies dropping a mode */
#define MOST_DROPPED 3
#define LEAST_MODES 4

#define NO_EIGENVALUE 1e-6 /* for a diagonal of 1: below it, a mode has no restoring force */

static bool are_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

static sn_result add_bones(sn_cooking *k, sn_model *model)
{
    const char **names = SN_NEW(&k->arena, const char *, k->bone_count);
    int32_t *kinds = SN_NEW(&k->arena, int32_t, k->bone_count);
    char *bytes = NULL;
    if (!names || !kinds) {
        return SN_ERROR_MEMORY;
    }
    for (int b = 0; b < k->bone_count; ++b) {
        names[b] = k->bone_names ? k->bone_names[b] : "";
        kinds[b] = k->is_translated && k->is_translated[b] ? SN_BONE_TRANSLATION
                   : k->is_stretched && k->is_stretched[b] ? SN_BONE_STRETCHED
                                                           : SN_BONE_AFFINE;
    }
    const sn_result result =
        sn_names_pack(names, k->bone_count, "bone", &k->arena, &bytes, &model->counts.bone_name_bytes);
    model->bone_parents = k->bone_parents;
    model->bone_kinds = kinds;
    model->bone_names = bytes;
    model->bone_roles = k->bone_roles;
    model->has_roles = k->bone_roles ? 1 : 0;
    return result;
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

/* Pivots of handles, origins of joints, or the center of mass for a single default handle. */
static sn_result add_pivots(sn_cooking *k, sn_model *model)
{
    float *pivots = SN_NEW(&k->arena, float, 3 * (size_t)k->bone_count);
    double middle[3] = {0}, mass = 0;
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        mass += k->mass[v];
        for (int d = 0; d < 3; ++d) {
            middle[d] += k->mass[v] * k->mesh.positions[3 * v + d];
        }
    }
    for (int i = 0; pivots && i < 3 * k->bone_count; ++i) {
        const double joint = k->pivots ? k->pivots[i] : k->bone_bind[12 * (i / 3) + 4 * (i % 3) + 3];
        const bool has_joint = k->pivots || k->has_rig || k->bone_count > 1;
        pivots[i] = (float)(has_joint ? (joint - k->origin[i % 3]) * k->scale : middle[i % 3] / mass);
    }
    model->bone_pivots = pivots;
    if (!pivots) {
        return SN_ERROR_MEMORY;
    }
    return k->kept ? sn_handles_keep(k->kept, k->origin, k->scale, &k->arena, model) : sn_bones_keep(&k->arena, model);
}

static void add_reduced(const sn_reduced_matrices *reduced, sn_model *model)
{
    model->counts.coordinate_count = reduced->coordinate_count;
    model->counts.barred_count = reduced->barred_count;
    model->coordinate_stiffness = reduced->coordinate_stiffness;
    model->coordinate_reach = reduced->coordinate_reach;
    model->coordinate_mass = reduced->coordinate_mass;
    model->cluster_coordinate = reduced->cluster_coordinate;
    model->cluster_bone = reduced->cluster_bone;
    model->cluster_lame = reduced->cluster_lame;
    model->mass_cross = reduced->mass_cross;
    model->stiffness_cross = reduced->stiffness_cross;
    model->mass_bone = reduced->mass_bone;
    model->morph_cross = reduced->morph_cross;
    model->morph_mass = reduced->morph_mass;
    model->stiffness_bone = reduced->stiffness_bone;
    model->total_stiffness = reduced->total_stiffness;
    model->volume_bound = reduced->volume_bound;
}

/* Scales mode weights to a largest value of 1, since their derivatives are stored as halves, and scales the maps
 * accordingly. */
static sn_result add_modes(sn_cooking *k, double **weights, sn_model *model)
{
    const size_t n = (size_t)k->mesh.vertex_count, modes = (size_t)k->modes.mode_count;
    const size_t coordinates = (size_t)k->reduced.coordinate_count, barred = (size_t)k->reduced.barred_count;
    double *map = SN_NEW(&k->arena, double, 4 * modes * coordinates);
    double *inverse = SN_NEW(&k->arena, double, 4 * modes * coordinates);
    double *barred_inverse = SN_NEW(&k->arena, double, 4 * modes * barred);
    *weights = SN_NEW(&k->arena, double, n *modes);
    if (!map || !inverse || !barred_inverse || !*weights) {
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
        for (size_t i = 0; i < 4 * coordinates; ++i) {
            const size_t at = i / 4 * 4 * modes + 4 * j + i % 4;
            inverse[at] = k->reduced.coordinate_from_mode[at] / largest;
        }
        for (size_t i = 0; i < 4 * barred; ++i) {
            const size_t at = i / 4 * 4 * modes + 4 * j + i % 4;
            barred_inverse[at] = k->reduced.barred_from_mode[at] / largest;
        }
    }
    model->mode_from_coordinate = map;
    model->coordinate_from_mode = inverse;
    model->barred_from_mode = barred_inverse;
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

/* All matrices that contain the stiffness are linear in it; the basis does not depend on it. */
static void scale_stiffness(sn_cooking *k, double factor, sn_model *model)
{
    sn_reduced_matrices *r = &k->reduced;
    const size_t q = (size_t)r->coordinate_count, p = 4 * (size_t)k->bone_count;
    const size_t clusters = (size_t)k->report.cluster_count;
    const struct {
        double *values;
        size_t count;
    } arrays[] = {{r->coordinate_stiffness, q},        {r->cluster_coordinate, 3 * clusters * q},
                  {r->cluster_bone, 3 * clusters * p}, {r->cluster_lame, clusters},
                  {r->stiffness_cross, q * p},         {r->stiffness_bone, p * p}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        for (size_t j = 0; j < arrays[i].count; ++j) {
            arrays[i].values[j] *= factor;
        }
    }
    model->young *= factor;
    model->total_stiffness *= factor;
}

static sn_result choose_stiffness(sn_cooking *k, sn_trial *trial, sn_model *model, sn_trial_report *report)
{
    double factor = 1;
    const sn_result result = sn_preset_stiffness(model, trial, MOST_STRETCH, &factor, report);
    if (result == SN_OK) {
        scale_stiffness(k, factor, model);
        k->report.young = model->young;
    }
    return result;
}

/* Fills the modes and the reduced matrices; nothing for coupled and layered bodies. */
static sn_result add_subspace(sn_cooking *k, double **mode_weights, sn_model *model)
{
    if (sn_cooking_is_modeless(k)) {
        *mode_weights = SN_NEW(&k->arena, double, 0);
        return *mode_weights ? SN_OK : SN_ERROR_MEMORY;
    }
    model->counts.mode_count = k->modes.mode_count;
    model->mode_eigenvalues = k->modes.eigenvalues;
    add_reduced(&k->reduced, model);
    return add_modes(k, mode_weights, model);
}

/* Finds by bisection the smallest number of leading modes that leave a free coordinate, which is monotonic in the
 * number. The first guesses are where the modes just outnumber the constraints. */
static sn_result find_least_modes(sn_model *model)
{
    const int guess = model->counts.barred_count / (sn_model_is_flat(model) ? 3 : 4) + 1;
    int low = 0, high = model->counts.barred_count > 0 ? model->counts.mode_count : model->counts.mode_count > 0;
    sn_result result = SN_OK;
    for (int look = 0; high - low > 1 && result == SN_OK; ++look) {
        const bool is_guessed = look < 2 && guess - look > low && guess - look < high;
        const int middle = is_guessed ? guess - look : low + (high - low) / 2;
        int count = 0;
        result = sn_reduced_count_coordinates(model, middle, &count);
        low = count > 0 ? low : middle;
        high = count > 0 ? middle : high;
    }
    model->counts.least_mode_count = high;
    return result;
}

static void drop_mode(sn_modes *modes, int vertex_count, int dropped)
{
    const int before = modes->mode_count--;
    size_t to = 0;
    for (int j = dropped; j < modes->mode_count; ++j) {
        modes->eigenvalues[j] = modes->eigenvalues[j + 1];
        if (modes->is_target) {
            modes->is_target[j] = modes->is_target[j + 1];
        }
    }
    for (size_t i = 0; i < (size_t)vertex_count * (size_t)before; ++i) {
        if ((int)(i % (size_t)before) != dropped) {
            modes->weights[to++] = modes->weights[i];
        }
    }
}

/* Runs a trial: chooses the stiffness first if is_stiffness_due. */
static sn_result try_out(sn_cooking *k, bool is_stiffness_due, const sn_trial_parts *parts, sn_model *model,
                         sn_trial_report *report)
{
    sn_arena scratch = {0};
    sn_trial *trial = NULL;
    sn_result result = sn_trial_create(model, &scratch, &trial);
    result = result == SN_OK && parts ? sn_trial_watch(trial, parts, &scratch) : result;
    if (result == SN_OK) {
        result = is_stiffness_due ? choose_stiffness(k, trial, model, report) : sn_trial_run(trial, 1, report);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* The best modes so far. */
typedef struct kept_modes {
    sn_modes modes;
    double young, moved;
} kept_modes;

static sn_result keep_modes(sn_cooking *k, const sn_trial_report *report, kept_modes *kept)
{
    const size_t modes = (size_t)k->modes.mode_count, weights = (size_t)k->mesh.vertex_count * modes;
    *kept = (kept_modes){k->modes, k->report.young, report->moved};
    kept->modes.weights = SN_NEW(&k->arena, double, weights);
    kept->modes.eigenvalues = SN_NEW(&k->arena, double, modes);
    kept->modes.is_target = k->modes.is_target ? SN_NEW(&k->arena, bool, modes) : NULL;
    if (!kept->modes.weights || !kept->modes.eigenvalues || (k->modes.is_target && !kept->modes.is_target)) {
        return SN_ERROR_MEMORY;
    }
    if (kept->modes.is_target) {
        memcpy(kept->modes.is_target, k->modes.is_target, modes * sizeof *kept->modes.is_target);
    }
    memcpy(kept->modes.weights, k->modes.weights, weights * sizeof *kept->modes.weights);
    memcpy(kept->modes.eigenvalues, k->modes.eigenvalues, modes * sizeof *kept->modes.eigenvalues);
    return SN_OK;
}

static sn_result reduce_again(sn_cooking *k, double **mode_weights, sn_model *model)
{
    const sn_result result = sn_cooking_reduce(k);
    model->young = k->report.young;
    return result == SN_OK ? add_subspace(k, mode_weights, model) : result;
}

/* A mode that mainly moves a thin tip can stretch it to a thread, since the tip has little mass; only a high stiffness
 * of the whole body would prevent that. Removes such modes one at a time while that lets the rest move more. */
static sn_result drop_modes(sn_cooking *k, bool is_stiffness_due, sn_trial_report *report, double **mode_weights,
                            sn_model *model)
{
    const double torn = is_stiffness_due ? HELD_STRETCH : MOST_STRETCH;
    kept_modes kept;
    if (!(report->stretch > torn)) {
        return SN_OK;
    }
    sn_result result = keep_modes(k, report, &kept);
    for (int dropped = 0; dropped < MOST_DROPPED && result == SN_OK && report->stretch > torn; ++dropped) {
        if (k->modes.mode_count <= LEAST_MODES ||
            (k->held.row_count > 0 && k->reduced.coordinate_count <= 4 * LEAST_MODES)) {
            break;
        }
        drop_mode(&k->modes, k->mesh.vertex_count, report->worst_mode);
        result = reduce_again(k, mode_weights, model);
        result = result == SN_OK ? try_out(k, is_stiffness_due, NULL, model, report) : result;
        if (is_stiffness_due && report->moved < WORTH_A_MODE * kept.moved) {
            break;
        }
        result = result == SN_OK ? keep_modes(k, report, &kept) : result;
    }
    if (result == SN_OK && k->modes.mode_count < kept.modes.mode_count) {
        k->modes = kept.modes;
        k->report.young = kept.young;
        result = reduce_again(k, mode_weights, model);
    }
    return result;
}

/* Runs a trial to choose the stiffness and to remove bad modes, where these are not set by the user. */
static sn_result judge(sn_cooking *k, double **mode_weights, sn_model *model, sn_trial_report *report)
{
    const bool is_adrift = k->leak_choice == SN_LEAK_ALL && !sn_cooking_is_modeless(k) &&
                           k->modes.eigenvalues[0] * k->diagonal * k->diagonal < NO_EIGENVALUE;
    const bool is_fixed = k->desc->mode_count > 0 || k->sidecar.mode_count > 0 || k->desc->labels ||
                          (!k->has_character && k->clip_count == 0);
    const bool is_stiffness_due = k->has_character && k->desc->young == 0;
    /* bodies with free rigid motion do not follow the rig */
    if (k->is_chosen || is_adrift || sn_cooking_is_modeless(k) || (is_fixed && !is_stiffness_due)) {
        return SN_OK;
    }
    const sn_result result = try_out(k, is_stiffness_due, NULL, model, report);
    return result == SN_OK && !is_fixed ? drop_modes(k, is_stiffness_due, report, mode_weights, model) : result;
}

/* The material that the reduced matrices were built from, for reference solvers and solvers on the tets. */
static sn_result add_stuff(sn_cooking *k, sn_model *model)
{
    const size_t n = (size_t)k->mesh.vertex_count, t = (size_t)k->mesh.tet_count;
    float *stiffness = SN_NEW(&k->arena, float, t), *lame = SN_NEW(&k->arena, float, t);
    float *mass = SN_NEW(&k->arena, float, n);
    model->leak = sn_narrow(&k->arena, k->leak, n);
    model->tet_stiffness = stiffness;
    model->tet_lame = lame;
    model->vertex_mass = mass;
    if (!model->leak || !stiffness || !lame || !mass) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < t; ++i) {
        stiffness[i] = (float)(model->young * k->tet_stiffness[i]);
        lame[i] = (float)(model->young * k->tet_lame[i]);
    }
    for (size_t v = 0; v < n; ++v) {
        mass[v] = (float)(model->density * k->model_mass[v]);
    }
    return SN_OK;
}

/* Fills everything that a trial needs. */
static sn_result begin(sn_cooking *k, double **mode_weights, sn_model *model)
{
    *model = (sn_model){.counts = {.vertex_count = k->mesh.vertex_count,
                                   .tet_count = k->mesh.tet_count,
                                   .triangle_count = k->boundary_count,
                                   .bone_count = k->bone_count,
                                   .cluster_count = k->report.cluster_count,
                                   .coarse_level_count = k->levels.level_count},
                        .coarse_cluster_counts = k->levels.counts,
                        .coarse_clusters = k->levels.clusters,
                        .scale = k->scale,
                        .origin_x = k->origin[0],
                        .origin_y = k->origin[1],
                        .origin_z = k->origin[2],
                        .diagonal = k->diagonal,
                        .height = k->height,
                        .facing = k->has_character ? k->character.facing : 1,
                        .is_flat = k->mesh.is_flat ? 1 : 0,
                        .is_posed = k->report.loose_count > 0 || k->is_strained ? 1 : 0,
                        .has_floor = k->has_character && !k->sidecar.is_floating ? 1 : 0,
                        .young = k->report.young,
                        .density = k->desc->density};
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        model->total_mass += k->desc->density * k->model_mass[v];
    }
    sn_result result = add_subspace(k, mode_weights, model);
    if (result == SN_OK) {
        result = add_mesh(k, model);
    }
    if (result == SN_OK) {
        result = add_bones(k, model);
    }
    if (result == SN_OK) {
        result = add_bind(k, model);
    }
    if (result == SN_OK) {
        result = add_pivots(k, model);
    }
    if (result == SN_OK) {
        result = sn_cooking_add_clips(k, model);
    }
    if (result == SN_OK) {
        result = sn_cooking_add_morphs(k, model);
    }
    return result;
}

sn_result sn_cooking_choose(sn_cooking *k)
{
    double *mode_weights = NULL;
    sn_model model;
    sn_trial_report report;
    sn_result result = begin(k, &mode_weights, &model);
    result = result == SN_OK ? judge(k, &mode_weights, &model, &report) : result;
    k->is_chosen = true;
    return result;
}

sn_result sn_cooking_try(sn_cooking *k, const sn_trial_parts *parts, sn_trial_report *report)
{
    double *mode_weights = NULL;
    sn_model model;
    const sn_result result = begin(k, &mode_weights, &model);
    return result == SN_OK ? try_out(k, false, parts, &model, report) : result;
}

sn_result sn_cooking_assemble(sn_cooking *k)
{
    double *mode_weights = NULL;
    sn_model model;
    sn_trial_report report;
    sn_result result = begin(k, &mode_weights, &model);
    if (result == SN_OK) {
        result = judge(k, &mode_weights, &model, &report);
    }
    if (result == SN_OK) {
        result = sn_targets_limit_shake(k, &model);
    }
    if (result == SN_OK) {
        result = find_least_modes(&model);
    }
    if (result == SN_OK) {
        result = add_stuff(k, &model);
    }
    if (result == SN_OK && k->desc->is_layered) {
        result = sn_strain_add(k, &model);
    }
    if (result == SN_OK) {
        result = sn_cooking_add_surface(k, mode_weights, &model);
    }
    if (result == SN_OK) {
        result = sn_bone_colliders_find(k);
    }
    if (result == SN_OK) {
        result = sn_cooking_add_samples(k, &model);
    }
    if (result == SN_OK) {
        result = sn_bone_colliders_add(k, &model);
    }
    if (result == SN_OK) {
        result = sn_cooking_add_springs(k, &model);
    }
    return result == SN_OK ? sn_model_write(&model, &k->arena, &k->bytes, &k->size) : result;
}
