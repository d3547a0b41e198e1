/* SPDX-License-Identifier: MIT */
/* The last stage: builds a model from the cook's results and serializes it. */
#include <math.h>
#include <string.h>

#include "author/cook/anchored/anchored.h"
#include "author/cook/colliders/bone_colliders.h"
#include "author/cook/handles/handles.h"
#include "author/cook/materials/preset.h"
#include "author/cook/materials/strain.h"
#include "author/cook/parts/parts.h"
#include "author/cook/stages/stages.h"
#include "author/cook/stages/targets.h"
#include "author/import/names.h"
#include "host/reduced/view.h"

/* Largest acceptable edge stretch in a trial; more is visible. */
#define MAX_STRETCH 2.0
#define LIMITING_STRETCH 1.9 /* from here on, stretch may have determined the chosen stiffness */
#define MIN_GAIN 1.1         /* motion gain that justifies dropping a mode */
#define MAX_DROPPED 3
#define MIN_MODES 4

#define RIGID_EIGENVALUE 1e-6 /* for a diagonal of 1: below it, a mode has no restoring force */

static bool are_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

static sn_result add_bones(sn_cook_context *cook, sn_model *model)
{
    const char **names = SN_NEW(&cook->arena, const char *, cook->bone_count);
    int32_t *types = SN_NEW(&cook->arena, int32_t, cook->bone_count);
    char *bytes = NULL;
    if (!names || !types) {
        return SN_ERROR_MEMORY;
    }
    for (int b = 0; b < cook->bone_count; ++b) {
        names[b] = cook->bone_names ? cook->bone_names[b] : "";
        types[b] = cook->is_translated && cook->is_translated[b]     ? SN_BONE_TRANSLATION
                   : cook->is_stretchable && cook->is_stretchable[b] ? SN_BONE_STRETCHABLE
                                                                     : SN_BONE_AFFINE;
    }
    const sn_result result =
        sn_names_pack(names, cook->bone_count, "bone", &cook->arena, &bytes, &model->counts.bone_name_bytes);
    model->bone_parents = cook->bone_parents;
    model->bone_types = types;
    model->bone_names = bytes;
    model->bone_roles = cook->bone_roles;
    model->has_roles = cook->bone_roles ? 1 : 0;
    return result;
}

static sn_result add_bind(sn_cook_context *cook, sn_model *model)
{
    float *bind = SN_NEW(&cook->arena, float, 12 * (size_t)cook->bone_count);
    for (size_t i = 0; bind && i < 12 * (size_t)cook->bone_count; ++i) {
        const int column = (int)(i % 4), row = (int)(i / 4 % 3);
        const double value = cook->bone_bind[i];
        bind[i] = (float)(column == 3 ? (value - cook->origin[row]) * cook->scale : value * cook->scale);
    }
    model->bone_bind = bind;
    return bind ? SN_OK : SN_ERROR_MEMORY;
}

/* Pivots of handles, origins of joints, or the center of mass for a single default handle. */
static sn_result add_pivots(sn_cook_context *cook, sn_model *model)
{
    float *pivots = SN_NEW(&cook->arena, float, 3 * (size_t)cook->bone_count);
    double center[3] = {0}, mass = 0;
    for (int v = 0; v < cook->mesh.vertex_count; ++v) {
        mass += cook->mass[v];
        for (int d = 0; d < 3; ++d) {
            center[d] += cook->mass[v] * cook->mesh.positions[3 * v + d];
        }
    }
    for (int i = 0; pivots && i < 3 * cook->bone_count; ++i) {
        const double joint = cook->pivots ? cook->pivots[i] : cook->bone_bind[12 * (i / 3) + 4 * (i % 3) + 3];
        const bool has_joint = cook->pivots || cook->has_rig || cook->bone_count > 1;
        pivots[i] = (float)(has_joint ? (joint - cook->origin[i % 3]) * cook->scale : center[i % 3] / mass);
    }
    model->bone_pivots = pivots;
    if (!pivots) {
        return SN_ERROR_MEMORY;
    }
    return cook->stored ? sn_handles_store(cook->stored, cook->origin, cook->scale, &cook->arena, model)
                        : sn_bones_store(&cook->arena, model);
}

static void add_reduced(const sn_reduced_matrices *reduced, sn_model *model)
{
    model->counts.coordinate_count = reduced->coordinate_count;
    model->counts.constrained_coordinate_count = reduced->constrained_coordinate_count;
    model->coordinate_stiffness = reduced->coordinate_stiffness;
    model->coordinate_bounds = reduced->coordinate_bounds;
    model->coordinate_mass = reduced->coordinate_mass;
    model->cluster_coordinate = reduced->cluster_coordinate;
    model->cluster_bone = reduced->cluster_bone;
    model->cluster_lame = reduced->cluster_lame;
    model->cluster_strain_limits = reduced->cluster_strain_limits;
    model->coordinate_tangent_stiffness = reduced->coordinate_tangent_stiffness;
    model->coordinate_decay = reduced->coordinate_decay;
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
static sn_result add_modes(sn_cook_context *cook, double **weights, sn_model *model)
{
    const size_t n = (size_t)cook->mesh.vertex_count, modes = (size_t)cook->modes.mode_count;
    const size_t coordinates = (size_t)cook->reduced.coordinate_count,
                 barred = (size_t)cook->reduced.constrained_coordinate_count;
    double *map = SN_NEW(&cook->arena, double, 4 * modes * coordinates);
    double *inverse = SN_NEW(&cook->arena, double, 4 * modes * coordinates);
    double *barred_inverse = SN_NEW(&cook->arena, double, 4 * modes * barred);
    *weights = SN_NEW(&cook->arena, double, n *modes);
    if (!map || !inverse || !barred_inverse || !*weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t j = 0; j < modes; ++j) {
        double max_weight = 0;
        for (size_t v = 0; v < n; ++v) {
            max_weight = fmax(max_weight, fabs(cook->modes.weights[v * modes + j]));
        }
        for (size_t v = 0; v < n; ++v) {
            (*weights)[v * modes + j] = cook->modes.weights[v * modes + j] / max_weight;
        }
        for (size_t i = 4 * j * coordinates; i < 4 * (j + 1) * coordinates; ++i) {
            map[i] = cook->reduced.mode_from_coordinate[i] * max_weight;
        }
        for (size_t i = 0; i < 4 * coordinates; ++i) {
            const size_t index = i / 4 * 4 * modes + 4 * j + i % 4;
            inverse[index] = cook->reduced.coordinate_from_mode[index] / max_weight;
        }
        for (size_t i = 0; i < 4 * barred; ++i) {
            const size_t index = i / 4 * 4 * modes + 4 * j + i % 4;
            barred_inverse[index] = cook->reduced.constrained_from_mode[index] / max_weight;
        }
    }
    model->mode_from_coordinate = map;
    model->coordinate_from_mode = inverse;
    model->constrained_from_mode = barred_inverse;
    model->mode_weights = sn_to_float(&cook->arena, *weights, n * modes);
    return model->mode_weights ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result add_mesh(sn_cook_context *cook, sn_model *model)
{
    const size_t n = (size_t)cook->mesh.vertex_count;
    model->rest_positions = sn_to_float(&cook->arena, cook->mesh.positions, 3 * n);
    model->rig_weights = sn_to_float(&cook->arena, cook->rig_weights, n * (size_t)cook->bone_count);
    model->tets = cook->mesh.tets;
    model->tet_clusters = cook->clusters;
    model->triangles = cook->boundary;
    if (!model->rest_positions || !model->rig_weights) {
        return SN_ERROR_MEMORY;
    }
    if (!are_finite(model->rest_positions, 3 * n) ||
        !are_finite(model->mode_weights, n * (size_t)cook->modes.mode_count)) {
        return sn_fail(SN_ERROR_NUMERIC, "%s: positions or modes are beyond the range of float: cook with --units unit",
                       cook->path);
    }
    return SN_OK;
}

/* All matrices that contain the stiffness are linear in it; the basis does not depend on it. */
static void scale_stiffness(sn_cook_context *cook, double factor, sn_model *model)
{
    sn_reduced_matrices *r = &cook->reduced;
    const size_t q = (size_t)r->coordinate_count, p = 4 * (size_t)cook->bone_count;
    const size_t clusters = (size_t)cook->report.cluster_count;
    const struct {
        double *values;
        size_t count;
    } arrays[] = {{r->coordinate_stiffness, q},        {r->cluster_coordinate, 3 * clusters * q},
                  {r->cluster_bone, 3 * clusters * p}, {r->cluster_lame, clusters},
                  {r->stiffness_cross, q * p},         {r->stiffness_bone, p * p},
                  {r->coordinate_tangent_stiffness, q}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        for (size_t j = 0; j < arrays[i].count; ++j) {
            arrays[i].values[j] *= factor;
        }
    }
    model->young *= factor;
    model->total_stiffness *= factor;
}

static sn_result choose_stiffness(sn_cook_context *cook, sn_trial *trial, sn_model *model, sn_trial_report *report)
{
    double factor = 1;
    SN_TRY(sn_preset_stiffness(model, trial, MAX_STRETCH, &factor, report));
    scale_stiffness(cook, factor, model);
    cook->report.young = model->young;
    return SN_OK;
}

/* Fills the modes and the reduced matrices; nothing for coupled and layered bodies. */
static sn_result add_subspace(sn_cook_context *cook, double **mode_weights, sn_model *model)
{
    if (sn_cook_context_is_modeless(cook)) {
        *mode_weights = SN_NEW(&cook->arena, double, 0);
        return *mode_weights ? SN_OK : SN_ERROR_MEMORY;
    }
    model->counts.mode_count = cook->modes.mode_count;
    model->mode_eigenvalues = cook->modes.eigenvalues;
    add_reduced(&cook->reduced, model);
    model->strain_limit_stiffness = cook->strain_limit_stiffness;
    return add_modes(cook, mode_weights, model);
}

/* Finds by bisection the smallest number of leading modes that leave a free coordinate, which is monotonic in the
 * number. The first guesses are where the modes just outnumber the constraints. */
static sn_result find_min_modes(sn_model *model)
{
    const int guess = model->counts.constrained_coordinate_count / (sn_model_is_flat(model) ? 3 : 4) + 1;
    int low = 0,
        high = model->counts.constrained_coordinate_count > 0 ? model->counts.mode_count : model->counts.mode_count > 0;
    sn_result result = SN_OK;
    for (int attempt = 0; high - low > 1 && result == SN_OK; ++attempt) {
        const bool is_guessed = attempt < 2 && guess - attempt > low && guess - attempt < high;
        const int center = is_guessed ? guess - attempt : low + (high - low) / 2;
        int count = 0;
        result = sn_reduced_count_coordinates(model, center, &count);
        low = count > 0 ? low : center;
        high = count > 0 ? center : high;
    }
    model->counts.min_mode_count = high;
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

/* Runs a trial: chooses the stiffness first if is_stiffness_free. */
static sn_result run_trial(sn_cook_context *cook, bool is_stiffness_free, const sn_trial_parts *parts, sn_model *model,
                           sn_trial_report *report)
{
    sn_arena scratch = {0};
    sn_trial *trial = NULL;
    sn_result result = sn_trial_create(model, cook->desc->worker_count, &scratch, &trial);
    result = result == SN_OK && parts ? sn_trial_set_parts(trial, parts, &scratch) : result;
    if (result == SN_OK) {
        result = is_stiffness_free ? choose_stiffness(cook, trial, model, report) : sn_trial_run(trial, 1, report);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* The best modes so far. */
typedef struct stored_modes {
    sn_modes modes;
    double young, moved;
} stored_modes;

static sn_result store_modes(sn_cook_context *cook, const sn_trial_report *report, stored_modes *stored)
{
    const size_t modes = (size_t)cook->modes.mode_count, weights = (size_t)cook->mesh.vertex_count * modes;
    *stored = (stored_modes){cook->modes, cook->report.young, report->moved};
    stored->modes.weights = SN_NEW(&cook->arena, double, weights);
    stored->modes.eigenvalues = SN_NEW(&cook->arena, double, modes);
    stored->modes.is_target = cook->modes.is_target ? SN_NEW(&cook->arena, bool, modes) : NULL;
    if (!stored->modes.weights || !stored->modes.eigenvalues || (cook->modes.is_target && !stored->modes.is_target)) {
        return SN_ERROR_MEMORY;
    }
    if (stored->modes.is_target) {
        memcpy(stored->modes.is_target, cook->modes.is_target, modes * sizeof *stored->modes.is_target);
    }
    memcpy(stored->modes.weights, cook->modes.weights, weights * sizeof *stored->modes.weights);
    memcpy(stored->modes.eigenvalues, cook->modes.eigenvalues, modes * sizeof *stored->modes.eigenvalues);
    return SN_OK;
}

static sn_result reduce_again(sn_cook_context *cook, double **mode_weights, sn_model *model)
{
    const sn_result result = sn_cook_context_build_reduced(cook);
    model->young = cook->report.young;
    return result == SN_OK ? add_subspace(cook, mode_weights, model) : result;
}

/* A mode that mainly moves a thin tip can stretch it to a thread, since the tip has little mass; only a high stiffness
 * of the whole body would prevent that. Removes such modes one at a time while that lets the rest move more. */
static sn_result drop_modes(sn_cook_context *cook, bool is_stiffness_free, sn_trial_report *report,
                            double **mode_weights, sn_model *model)
{
    const double max_stretch = is_stiffness_free ? LIMITING_STRETCH : MAX_STRETCH;
    stored_modes stored;
    if (!(report->stretch > max_stretch)) {
        return SN_OK;
    }
    sn_result result = store_modes(cook, report, &stored);
    for (int dropped = 0; dropped < MAX_DROPPED && result == SN_OK && report->stretch > max_stretch; ++dropped) {
        if (cook->modes.mode_count <= MIN_MODES ||
            (cook->coordinate_constraint.row_count > 0 && cook->reduced.coordinate_count <= 4 * MIN_MODES)) {
            break;
        }
        drop_mode(&cook->modes, cook->mesh.vertex_count, report->worst_mode);
        result = reduce_again(cook, mode_weights, model);
        result = result == SN_OK ? run_trial(cook, is_stiffness_free, NULL, model, report) : result;
        if (is_stiffness_free && report->moved < MIN_GAIN * stored.moved) {
            break;
        }
        result = result == SN_OK ? store_modes(cook, report, &stored) : result;
    }
    if (result == SN_OK && cook->modes.mode_count < stored.modes.mode_count) {
        cook->modes = stored.modes;
        cook->report.young = stored.young;
        result = reduce_again(cook, mode_weights, model);
    }
    return result;
}

/* Runs a trial to choose the stiffness and to remove bad modes, where these are not set by the user. */
static sn_result tune(sn_cook_context *cook, double **mode_weights, sn_model *model, sn_trial_report *report)
{
    const bool has_rigid_motion = cook->leak_choice == SN_LEAK_ALL && !sn_cook_context_is_modeless(cook) &&
                                  cook->modes.eigenvalues[0] * cook->diagonal * cook->diagonal < RIGID_EIGENVALUE;
    const bool are_modes_fixed = cook->desc->mode_count > 0 || cook->sidecar.mode_count > 0 || cook->desc->labels ||
                                 (!cook->has_character && cook->clip_count == 0);
    const bool is_stiffness_free = cook->has_character && cook->desc->young == 0;
    /* bodies with free rigid motion do not follow the rig */
    if (cook->is_tuned || cook->is_anchored || has_rigid_motion || sn_cook_context_is_modeless(cook) ||
        (are_modes_fixed && !is_stiffness_free)) {
        return SN_OK;
    }
    const sn_result result = run_trial(cook, is_stiffness_free, NULL, model, report);
    return result == SN_OK && !are_modes_fixed ? drop_modes(cook, is_stiffness_free, report, mode_weights, model)
                                               : result;
}

/* The material that the reduced matrices were built from, for reference solvers and solvers on the tets. */
static sn_result add_materials(sn_cook_context *cook, sn_model *model)
{
    const size_t n = (size_t)cook->mesh.vertex_count, t = (size_t)cook->mesh.tet_count;
    float *stiffness = SN_NEW(&cook->arena, float, t), *lame = SN_NEW(&cook->arena, float, t);
    float *mass = SN_NEW(&cook->arena, float, n);
    model->leak = sn_to_float(&cook->arena, cook->leak, n);
    model->tet_stiffness = stiffness;
    model->tet_lame = lame;
    model->vertex_mass = mass;
    if (!model->leak || !stiffness || !lame || !mass) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < t; ++i) {
        stiffness[i] = (float)(model->young * cook->tet_stiffness[i]);
        lame[i] = (float)(model->young * cook->tet_lame[i]);
    }
    for (size_t v = 0; v < n; ++v) {
        mass[v] = (float)(model->density * cook->model_mass[v]);
    }
    return SN_OK;
}

/* Fills everything that a trial needs. */
static sn_result init_model(sn_cook_context *cook, double **mode_weights, sn_model *model)
{
    if (cook->cooked) {
        *model = *cook->cooked;
        model->young = cook->report.young;
        return add_subspace(cook, mode_weights, model);
    }
    *model =
        (sn_model){.counts = {.vertex_count = cook->mesh.vertex_count,
                              .tet_count = cook->mesh.tet_count,
                              .triangle_count = cook->boundary_count,
                              .bone_count = cook->bone_count,
                              .cluster_count = cook->report.cluster_count,
                              .coarse_level_count = cook->levels.level_count},
                   .coarse_cluster_counts = cook->levels.counts,
                   .coarse_clusters = cook->levels.clusters,
                   .scale = cook->scale,
                   .origin_x = cook->origin[0],
                   .origin_y = cook->origin[1],
                   .origin_z = cook->origin[2],
                   .diagonal = cook->diagonal,
                   .height = cook->height,
                   .facing = cook->has_character ? cook->character.facing : 1,
                   .is_flat = cook->mesh.is_flat ? 1 : 0,
                   .is_posed = cook->is_anchored || cook->report.soft_bone_count > 0 || cook->is_rig_stretched ? 1 : 0,
                   .has_floor = cook->has_character && !cook->sidecar.is_floating ? 1 : 0,
                   .young = cook->report.young,
                   .density = cook->desc->density};
    for (int v = 0; v < cook->mesh.vertex_count; ++v) {
        model->total_mass += cook->desc->density * cook->model_mass[v];
    }
    SN_TRY(add_subspace(cook, mode_weights, model));
    SN_TRY(add_mesh(cook, model));
    SN_TRY(add_bones(cook, model));
    SN_TRY(add_bind(cook, model));
    SN_TRY(add_pivots(cook, model));
    SN_TRY(sn_cook_context_add_clips(cook, model));
    return sn_cook_context_add_morphs(cook, model);
}

sn_result sn_cook_context_tune(sn_cook_context *cook)
{
    double *mode_weights = NULL;
    sn_model model;
    sn_trial_report report;
    sn_result result = init_model(cook, &mode_weights, &model);
    result = result == SN_OK ? tune(cook, &mode_weights, &model, &report) : result;
    cook->is_tuned = true;
    return result;
}

sn_result sn_cook_context_run_trial(sn_cook_context *cook, const sn_trial_parts *parts, sn_trial_report *report)
{
    double *mode_weights = NULL;
    sn_model model;
    SN_TRY(init_model(cook, &mode_weights, &model));
    return run_trial(cook, false, parts, &model, report);
}

sn_result sn_cook_context_assemble(sn_cook_context *cook)
{
    double *mode_weights = NULL;
    sn_model model;
    sn_trial_report report;
    SN_TRY(cook->is_anchored ? sn_anchored_tune(cook) : SN_OK);
    SN_TRY(init_model(cook, &mode_weights, &model));
    SN_TRY(tune(cook, &mode_weights, &model, &report));
    SN_TRY(sn_targets_limit_inertia(cook, &model));
    SN_TRY(find_min_modes(&model));
    SN_TRY(add_materials(cook, &model));
    if (cook->desc->is_layered) {
        SN_TRY(sn_strain_add(cook, &model));
    }
    SN_TRY(sn_cook_context_add_surface(cook, mode_weights, &model));
    SN_TRY(sn_bone_colliders_find(cook));
    SN_TRY(sn_cook_context_add_samples(cook, &model));
    SN_TRY(sn_bone_colliders_add(cook, &model));
    SN_TRY(sn_cook_context_add_springs(cook, &model));
    if (cook->is_anchored && cook->desc->young == 0 && !sn_cook_context_is_modeless(cook)) {
        SN_TRY(sn_flesh_parts_store(cook->parts, &cook->arena, &model));
    }
    return sn_model_write(&model, &cook->arena, &cook->bytes, &cook->size);
}

/* The norm of a column of morph_cross. */
static double column_norm(const double *matrix, int rows, int columns, int column)
{
    double square = 0;
    for (int i = 0; i < rows; ++i) {
        const double value = matrix[(size_t)i * (size_t)columns + (size_t)column];
        square += value * value;
    }
    return sqrt(square);
}

/* Scales the columns of morph_cross to the norms that they had, since the cook limits the inertia of morph targets. Old
 * and new coordinates are orthonormal bases of one space, so the norms do not depend on the basis. */
static void restore_morph_inertia(const sn_cook_context *cook)
{
    const sn_model_counts *c = &cook->cooked->counts;
    const int columns = 3 * c->morph_pair_count, rows = cook->reduced.coordinate_count;
    for (int j = 0; j < columns; ++j) {
        const double before = column_norm(cook->cooked->morph_cross, c->coordinate_count, columns, j);
        const double now = column_norm(cook->reduced.morph_cross, rows, columns, j);
        for (int i = 0; i < rows && now > 0; ++i) {
            cook->reduced.morph_cross[(size_t)i * (size_t)columns + (size_t)j] *= before / now;
        }
    }
}

sn_result sn_cook_context_assemble_tuned(sn_cook_context *cook)
{
    double *mode_weights = NULL;
    sn_model model;
    restore_morph_inertia(cook);
    SN_TRY(init_model(cook, &mode_weights, &model));
    SN_TRY(find_min_modes(&model));
    SN_TRY(add_materials(cook, &model));
    SN_TRY(sn_cook_context_add_sample_rows(cook, &model));
    SN_TRY(sn_flesh_parts_store(cook->parts, &cook->arena, &model));
    return sn_model_write(&model, &cook->arena, &cook->bytes, &cook->size);
}
