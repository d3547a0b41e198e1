/* SPDX-License-Identifier: MIT */
/* The fourth stage: the rig's constraint and the lowest eigenmodes that satisfy it. */
#include "author/cook/stages/stages.h"
#include "author/modes/constraint/rig_rows.h"

#define DEFAULT_MODE_COUNT 16
#define MOST_FREE_BONES 4 /* of a character whose constraint is on coordinates by default */
#define LEAST_FREE 2 /* required coordinates of a requested number of modes, over those that the constraint removes */

/* Constrains the mode weights to be complementary to the rig. */
static sn_result constrain_weights(sn_cooking *k)
{
    const sn_constraint_rig rig = {k->bone_count, k->held_weights, k->is_translated};
    const sn_result result = sn_constraint_build(&k->mesh, k->mass, k->leak, &rig, &k->arena, &k->constraint);
    k->constraint.is_pinned = k->is_pinned;
    return result;
}

/* Constrains the coordinates instead; the modes are those without a rig. */
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

/* Coordinates of one mode per axis; a flat body has none for z. */
static int coordinates_of_mode(const sn_cooking *k)
{
    return k->mesh.is_flat ? 3 : 4;
}

/* Whether the options require a constraint on weights, or the rig has too many bones for one on coordinates. */
static bool is_about_weights(const sn_cooking *k)
{
    return !k->has_character || k->mesh.is_flat || k->bone_count > MOST_FREE_BONES || k->leak_choice == SN_LEAK_ALL ||
           k->desc->row_count > 0 || k->report.pin_count > 0 || k->desc->sparsity > 0;
}

/* With few bones, a constraint on coordinates leaves the flesh more freedom at the same number of modes. But it removes
 * coordinates, and a requested number of modes may not have enough. */
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

/* With a requested constraint on coordinates, adds modes for the coordinates that it removes. */
static int automatic_mode_count(const sn_cooking *k, int most)
{
    const int each = coordinates_of_mode(k), taken = k->is_freed ? 0 : k->held.row_count;
    const int wanted = DEFAULT_MODE_COUNT + (taken + each - 1) / each;
    return most < wanted ? most : wanted;
}

/* The requested number of modes, or the default; an error if it is not possible. */
static sn_result choose_mode_count(const sn_cooking *k, int *count)
{
    const int most = k->mesh.vertex_count - k->report.pin_count - k->constraint.row_count;
    const int said = k->desc->mode_count ? k->desc->mode_count : k->sidecar.mode_count;
    const int wanted = said ? said : automatic_mode_count(k, most);
    if (most < 1) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: %d vertices minus %d pinned and %d constraint rows leave no modes",
                       k->desc->row_count > 0 && k->desc->rows_name ? k->desc->rows_name : k->path,
                       k->mesh.vertex_count, k->report.pin_count, k->constraint.row_count);
    }
    if (wanted > most) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: %d modes requested, but %d vertices minus %d pinned and %d constraint rows leave %d",
                       k->path, wanted, k->mesh.vertex_count, k->report.pin_count, k->constraint.row_count, most);
    }
    const int coordinates = coordinates_of_mode(k) * wanted;
    if (k->held.row_count >= coordinates) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: %d modes have %d coordinates, and the rig's constraint takes %d; use more modes, or the "
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
    /* relative to the volume average, so that eigenvalues depend on the shape only */
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
