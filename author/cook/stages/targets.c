/* SPDX-License-Identifier: MIT */
#include "author/cook/stages/targets.h"

#include <math.h>

#include "author/modes/reduced/target_modes.h"

/* More modes give a face's flesh no more motion. */
#define DEFAULT_MODES 8

/* of a target that neither an expression nor a clip moves, such as one that hides a hat */
#define LEAST_IMPORTANCE 0.1

static void raise_importance(const sn_cooking *k, int target, double weight, double *importance)
{
    for (int f = 0; f < k->morph_field_count; ++f) {
        const double share = k->morph_shares[(size_t)f * (size_t)k->character.morph_count + (size_t)target];
        importance[f] = fmax(importance[f], fmin(fabs(weight * share), 1));
    }
}

static bool do_clips_move_any(const sn_cooking *k)
{
    bool is_any_moved = false;
    for (int i = 0; i < k->clip_count; ++i) {
        is_any_moved |= k->clips[i].track_count > 0;
    }
    return is_any_moved;
}

/* Importance of fields, by the targets that are moved; equal if none is. */
static void weigh_fields(const sn_cooking *k, double *importance)
{
    const sn_character *c = &k->character;
    const bool is_any_moved = c->expression_count > 0 || c->track_count > 0 || do_clips_move_any(k);
    for (int f = 0; f < k->morph_field_count; ++f) {
        importance[f] = is_any_moved ? LEAST_IMPORTANCE : 1;
    }
    for (int e = 0; e < c->expression_count; ++e) {
        const sn_character_expression *expression = &c->expressions[e];
        for (int i = expression->first_bind; i < expression->first_bind + expression->bind_count; ++i) {
            raise_importance(k, c->expression_binds[i].morph, (double)c->expression_binds[i].weight, importance);
        }
    }
    for (int i = 0; i < c->track_count; ++i) {
        raise_importance(k, c->tracks[i], 1, importance);
    }
    for (int i = 0; i < k->clip_count; ++i) { /* includes clips of other files */
        for (int t = 0; t < k->clips[i].track_count; ++t) {
            raise_importance(k, k->clips[i].tracks[t], 1, importance);
        }
    }
}

/* Sparse modes get none by default. */
static int most_modes(const sn_cooking *k)
{
    const int given = k->desc->sparsity > 0 ? 0 : DEFAULT_MODES;
    const int beside = k->sidecar.has_target_modes ? k->sidecar.target_mode_count : given;
    return k->desc->target_mode_count < 0 ? beside : k->desc->target_mode_count;
}

/* The modes' constraint. If that is on coordinates, the one on weights is built for these modes: unconstrained, they
 * would mostly move the flesh as a whole, which the coordinates may not. */
static sn_result find_constraint(sn_cooking *k, sn_constraint *constraint)
{
    const sn_constraint_rig rig = {k->bone_count, k->held_weights, k->is_translated};
    *constraint = k->constraint;
    if (k->held.row_count == 0) {
        return SN_OK;
    }
    const sn_result result = sn_constraint_build(&k->mesh, k->mass, k->leak, &rig, &k->arena, constraint);
    constraint->is_pinned = k->is_pinned;
    constraint->name = k->constraint.name;
    return result;
}

sn_result sn_targets_add_modes(sn_cooking *k)
{
    const int most = most_modes(k);
    sn_constraint constraint;
    if (k->morph_field_count == 0 || most == 0) {
        return SN_OK;
    }
    double *importance = SN_NEW(&k->arena, double, k->morph_field_count);
    if (!importance) {
        return SN_ERROR_MEMORY;
    }
    weigh_fields(k, importance);
    const sn_result result = find_constraint(k, &constraint);
    if (result != SN_OK) {
        return result;
    }
    const sn_target_modes_input input = {.mesh = &k->mesh,
                                         .volumes = k->volumes,
                                         .mass = k->mass,
                                         .fields = k->morph_fields,
                                         .importance = importance,
                                         .field_count = k->morph_field_count,
                                         .most = most};
    return sn_modes_add_targets(&input, &constraint, &k->arena, &k->modes);
}
