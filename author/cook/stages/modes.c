/* SPDX-License-Identifier: MIT */
/* The fourth stage: the rig's constraint and the lowest eigenmodes that satisfy it. */
#include "author/cook/stages/stages.h"
#include "author/modes/constraint/rig_rows.h"

#define DEFAULT_MODE_COUNT 16
#define MAX_COORDINATE_BONES 4   /* of a character whose constraint is on coordinates by default */
#define MAX_COORDINATE_HANDLES 1 /* of another body; with more, weights are as often better */
#define MIN_COORDINATE_RATIO                                                                                           \
    2 /* required coordinates of a requested number of modes, over those that the constraint removes */

/* Constrains the mode weights to be complementary to the rig. */
static sn_result constrain_weights(sn_cook_context *cook)
{
    const sn_constraint_rig rig = {cook->bone_count, cook->fixed_weights, cook->is_translated};
    const sn_result result =
        sn_constraint_build(&cook->mesh, cook->mass, cook->leak, &rig, &cook->arena, &cook->constraint);
    cook->constraint.is_pinned = cook->is_pinned;
    return result;
}

/* Constrains the coordinates instead; the modes are those without a rig. */
static sn_result constrain_coordinates(sn_cook_context *cook)
{
    const sn_rig_rows_input rig = {.mesh = &cook->mesh,
                                   .mass = cook->mass,
                                   .leak = cook->leak,
                                   .rig_weights = cook->fixed_weights,
                                   .bone_count = cook->bone_count,
                                   .is_translated = cook->is_translated};
    cook->constraint = (sn_constraint){.rows = SN_NEW(&cook->arena, double, 0), .is_pinned = cook->is_pinned};
    return cook->constraint.rows ? sn_rig_rows_build(&rig, &cook->arena, &cook->coordinate_constraint)
                                 : SN_ERROR_MEMORY;
}

/* Coordinates of one mode per axis; a flat body has none for z. */
static int coordinates_of_mode(const sn_cook_context *cook)
{
    return cook->mesh.is_flat ? 3 : 4;
}

/* Whether the options require a constraint on weights, or the rig has too many bones for one on coordinates. */
static bool needs_weight_constraint(const sn_cook_context *cook)
{
    const int max_count = cook->has_character ? MAX_COORDINATE_BONES : MAX_COORDINATE_HANDLES;
    return cook->mesh.is_flat || cook->bone_count > max_count || cook->leak_choice == SN_LEAK_ALL ||
           cook->desc->row_count > 0 || cook->report.pin_count > 0 || cook->desc->sparsity > 0;
}

/* With few bones, a constraint on coordinates leaves the flesh more freedom at the same number of modes. But it removes
 * coordinates, and a requested number of modes may not have enough. */
static sn_result constrain_automatically(sn_cook_context *cook)
{
    const int requested = cook->desc->mode_count ? cook->desc->mode_count : cook->sidecar.mode_count;
    const int count = requested ? requested : DEFAULT_MODE_COUNT;
    const sn_result result = constrain_coordinates(cook);
    if (result != SN_OK ||
        coordinates_of_mode(cook) * count >= MIN_COORDINATE_RATIO * cook->coordinate_constraint.row_count) {
        cook->is_constraint_automatic = true;
        return result;
    }
    cook->coordinate_constraint = (sn_constraint){0};
    return constrain_weights(cook);
}

sn_result sn_cook_context_build_constraint(sn_cook_context *cook)
{
    cook->coordinate_constraint = (sn_constraint){0};
    cook->is_constraint_automatic = false;
    const sn_cook_complementary requested =
        cook->desc->complementary == SN_COMPLEMENTARY_AUTO ? cook->sidecar.complementary : cook->desc->complementary;
    const bool is_automatic = requested == SN_COMPLEMENTARY_AUTO && !needs_weight_constraint(cook);
    sn_result result = is_automatic                                ? constrain_automatically(cook)
                       : requested == SN_COMPLEMENTARY_COORDINATES ? constrain_coordinates(cook)
                                                                   : constrain_weights(cook);
    result = result == SN_OK && cook->desc->row_count > 0 ? sn_cook_context_add_rows(cook) : result;
    cook->constraint.name = cook->path;
    return result;
}

/* With a requested constraint on coordinates, adds modes for the coordinates that it removes. */
static int automatic_mode_count(const sn_cook_context *cook, int max_count)
{
    const int coordinates_per_mode = coordinates_of_mode(cook),
              removed_count = cook->is_constraint_automatic ? 0 : cook->coordinate_constraint.row_count;
    const int target_count = DEFAULT_MODE_COUNT + (removed_count + coordinates_per_mode - 1) / coordinates_per_mode;
    return max_count < target_count ? max_count : target_count;
}

/* The requested number of modes, or the default; an error if it is not possible. */
static sn_result choose_mode_count(const sn_cook_context *cook, int *count)
{
    const int max_count = cook->mesh.vertex_count - cook->report.pin_count - cook->constraint.row_count;
    const int requested = cook->desc->mode_count ? cook->desc->mode_count : cook->sidecar.mode_count;
    const int target_count = requested ? requested : automatic_mode_count(cook, max_count);
    if (max_count < 1) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %d vertices minus %d pinned and %d constraint rows leave no modes",
                       cook->desc->row_count > 0 && cook->desc->rows_name ? cook->desc->rows_name : cook->path,
                       cook->mesh.vertex_count, cook->report.pin_count, cook->constraint.row_count);
    }
    if (target_count > max_count) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: %d modes requested, but %d vertices minus %d pinned and %d constraint rows leave %d",
                       cook->path, target_count, cook->mesh.vertex_count, cook->report.pin_count,
                       cook->constraint.row_count, max_count);
    }
    const int coordinates = coordinates_of_mode(cook) * target_count;
    if (cook->coordinate_constraint.row_count >= coordinates) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: %d modes have %d coordinates, and the rig's constraint takes %d; use more modes, or the "
                       "constraint on weights",
                       cook->path, target_count, coordinates, cook->coordinate_constraint.row_count);
    }
    if (target_count > SN_SIDECAR_MODE_LIMIT) {
        sn_log(SN_LOG_WARNING, "%s: %d modes: more than %d may take many minutes", cook->path, target_count,
               SN_SIDECAR_MODE_LIMIT);
    }
    *count = target_count;
    return SN_OK;
}

sn_result sn_cook_context_compute_modes(sn_cook_context *cook)
{
    int target_count = 0;
    sn_result result = sn_cook_context_build_constraint(cook);
    result = result == SN_OK ? choose_mode_count(cook, &target_count) : result;
    if (result != SN_OK) {
        return result;
    }
    /* relative to the volume average, so that eigenvalues depend on the shape only */
    double *stiffness = SN_NEW(&cook->arena, double, cook->mesh.tet_count), sum = 0, volume = 0;
    if (!stiffness) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < cook->mesh.tet_count; ++t) {
        stiffness[t] = cook->tet_stiffness[t];
        sum += cook->volumes[t] * stiffness[t];
        volume += cook->volumes[t];
    }
    cook->mean_stiffness = sum / volume;
    for (int t = 0; t < cook->mesh.tet_count; ++t) {
        stiffness[t] *= volume / sum;
    }
    result = sn_modes_build(&cook->mesh, cook->gradients, cook->volumes, cook->mass, stiffness, &cook->constraint,
                            target_count, &cook->arena, &cook->modes);
    if (result == SN_OK && cook->desc->sparsity > 0) {
        result = sn_modes_localise(&cook->mesh, cook->gradients, cook->volumes, cook->mass, stiffness,
                                   &cook->constraint, cook->desc->sparsity, &cook->modes);
    }
    return result;
}
