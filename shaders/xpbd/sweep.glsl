/* SPDX-License-Identifier: MIT */
/* Solves the constraints of a run, which share no vertex, by their type: the implementation of host/xpbd/sweep.inc. */
#include "shaders/xpbd/constraint.glsl"
#include "shaders/xpbd/recipe_line.glsl"
#include "shaders/xpbd/recipe_tet.glsl"
#include "shaders/xpbd/recipe_strain.glsl"
#include "shaders/xpbd/recipe_triangle.glsl"

uint first_multiplier_word(sn_xpbd_run run)
{
    return first_pin_word(body.pin_count) + run.multiplier;
}

bool is_recipe(sn_xpbd_run run, uint recipe)
{
    const uint compiled_types = recipes & ~(1u << SN_XPBD_HAS_GRIDS);
    return (compiled_types & (1u << recipe)) != 0 && (compiled_types == 1u << recipe || run.recipe == recipe);
}

/* With or without axes. */
bool is_strain(sn_xpbd_run run)
{
    const uint compiled_types = recipes & ~(1u << SN_XPBD_HAS_GRIDS);
    return (compiled_types & SN_XPBD_STRAIN_RECIPES) != 0 &&
           (compiled_types == SN_XPBD_STRAIN_RECIPES || run.recipe >= SN_XPBD_RUN_STRAIN);
}

/* Multipliers are stored as those of other constraints, seven instead of two. */
void solve_strain_of(sn_xpbd_run run, uint value, uint word, bool is_first, inout vec4 v[4])
{
    float multipliers[STRAIN_COUNT] = {0, 0, 0, 0, 0, 0, 0};
    for (uint k = 0; k < STRAIN_COUNT && stores_multipliers && !is_first; ++k) {
        multipliers[k] = uintBitsToFloat(scratch[word + k * run.count]);
    }
    solve_strain(value, run.count, run.recipe == SN_XPBD_RUN_STRAIN_ALIGNED, v[0], v[1], v[2], v[3], multipliers);
    for (uint k = 0; k < STRAIN_COUNT && stores_multipliers; ++k) {
        scratch[word + k * run.count] = floatBitsToUint(multipliers[k]);
    }
}

vec4 scaled_displacement(sn_xpbd_run run, uint row)
{
    const vec4 u = displacement(row);
    return vec4(u.xyz, scaled_inverse_mass(run.group, row, u.w));
}

/* Retains the unscaled mass. */
void set_scaled_displacement(sn_xpbd_run run, uint row, vec4 value)
{
    set_displacement(row, vec4(value.xyz, has_scaled_masses ? displacement(row).w : value.w));
}

void solve(sn_xpbd_run run, uint i, bool is_first)
{
    const bool has_three = run.recipe != SN_XPBD_RUN_DISTANCE;
    const bool is_flat = run.recipe == SN_XPBD_RUN_TRIANGLE || run.recipe == SN_XPBD_RUN_TRIANGLE_LEGACY;
    const bool has_four = has_three && !is_flat;
    const bool is_pair = run.recipe >= SN_XPBD_RUN_TET && run.recipe < SN_XPBD_RUN_STRAIN;
    const uint at = run.corner + i, value = run.value + i, word = first_multiplier_word(run) + i;
    uint c[4];
    vec4 v[4];
    c[0] = corners[at];
    c[1] = corners[at + run.count];
    c[2] = has_three ? corners[at + 2 * run.count] : 0;
    c[3] = has_four ? corners[at + 3 * run.count] : 0;
    v[0] = scaled_displacement(run, c[0]);
    v[1] = scaled_displacement(run, c[1]);
    v[2] = scaled_displacement(run, c[2]);
    v[3] = scaled_displacement(run, c[3]);
    vec2 multipliers = vec2(0);
    const bool has_these = !is_strain(run) && stores_multipliers;
    if (has_these && !is_first) {
        multipliers.x = uintBitsToFloat(scratch[word]);
        multipliers.y = is_pair ? uintBitsToFloat(scratch[word + run.count]) : 0;
    }
    if (is_recipe(run, SN_XPBD_RUN_DISTANCE)) {
        solve_distance(value, run.count, v[0], v[1], multipliers.x);
    } else if (is_recipe(run, SN_XPBD_RUN_BENDING)) {
        solve_bending(value, run.count, v[0], v[1], v[2], v[3], multipliers.x);
    } else if (is_recipe(run, SN_XPBD_RUN_VOLUME)) {
        solve_volume(value, run.count, v[0], v[1], v[2], v[3], multipliers.x);
    } else if (is_recipe(run, SN_XPBD_RUN_TET)) {
        solve_tet(value, run.count, SN_XPBD_RUN_TET, v[0], v[1], v[2], v[3], multipliers);
    } else if (is_recipe(run, SN_XPBD_RUN_TET_LEGACY)) {
        solve_tet(value, run.count, SN_XPBD_RUN_TET_LEGACY, v[0], v[1], v[2], v[3], multipliers);
    } else if (is_recipe(run, SN_XPBD_RUN_TET_POLAR)) {
        solve_tet(value, run.count, SN_XPBD_RUN_TET_POLAR, v[0], v[1], v[2], v[3], multipliers);
    } else if (is_recipe(run, SN_XPBD_RUN_TRIANGLE)) {
        solve_triangle(value, run.count, false, v[0], v[1], v[2], multipliers);
    } else if (is_recipe(run, SN_XPBD_RUN_TRIANGLE_LEGACY)) {
        solve_triangle(value, run.count, true, v[0], v[1], v[2], multipliers);
    } else if (is_strain(run)) {
        solve_strain_of(run, value, word, is_first, v);
    }
    if (has_these) {
        scratch[word] = floatBitsToUint(multipliers.x);
        if (is_pair) {
            scratch[word + run.count] = floatBitsToUint(multipliers.y);
        }
    }
    set_scaled_displacement(run, c[0], v[0]);
    set_scaled_displacement(run, c[1], v[1]);
    if (has_three) {
        set_scaled_displacement(run, c[2], v[2]);
    }
    if (has_four) {
        set_scaled_displacement(run, c[3], v[3]);
    }
}

void solve_run(uint run_of_body, bool is_first)
{
    const sn_xpbd_run run = runs[body.run + run_of_body];
    stores_multipliers = body.sweep_count > 1;
    for (uint i = first_item; i < run.count; i += item_stride) {
        solve(run, i, is_first);
    }
}

/* Solves runs one after the other, in one workgroup. */
void solve_runs(uint first, uint last, bool is_first)
{
    for (uint run = first; run < last; ++run) {
        solve_run(run, is_first);
        synchronise();
    }
}
