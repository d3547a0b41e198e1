/* SPDX-License-Identifier: MIT */
#include "author/cook/stages/targets.h"

#include <math.h>

#include "author/modes/reduced/target_modes.h"

/* More modes give a face's flesh no more motion. */
#define DEFAULT_MODES 8

/* of a target that neither an expression nor a clip moves, such as one that hides a hat */
#define MIN_IMPORTANCE 0.1

static void update_importance(const sn_cook_context *cook, int target, double weight, double *importance)
{
    for (int f = 0; f < cook->morph_field_count; ++f) {
        const double field_weight =
            cook->morph_field_weights[(size_t)f * (size_t)cook->character.morph_count + (size_t)target];
        importance[f] = fmax(importance[f], fmin(fabs(weight * field_weight), 1));
    }
}

static bool is_any_clip_animated(const sn_cook_context *cook)
{
    bool is_any_animated = false;
    for (int i = 0; i < cook->clip_count; ++i) {
        is_any_animated |= cook->clips[i].track_count > 0;
    }
    return is_any_animated;
}

/* Importance of fields, by the targets that are moved; equal if none is. */
static void compute_importance(const sn_cook_context *cook, double *importance)
{
    const sn_character *c = &cook->character;
    const bool is_any_animated = c->expression_count > 0 || c->track_count > 0 || is_any_clip_animated(cook);
    for (int f = 0; f < cook->morph_field_count; ++f) {
        importance[f] = is_any_animated ? MIN_IMPORTANCE : 1;
    }
    for (int e = 0; e < c->expression_count; ++e) {
        const sn_expression *expression = &c->expressions[e].definition;
        for (int i = expression->first_bind; i < expression->first_bind + expression->bind_count; ++i) {
            update_importance(cook, c->expression_binds[i].morph, (double)c->expression_binds[i].weight, importance);
        }
    }
    for (int i = 0; i < c->track_count; ++i) {
        update_importance(cook, c->tracks[i], 1, importance);
    }
    for (int i = 0; i < cook->clip_count; ++i) { /* includes clips of other files */
        for (int t = 0; t < cook->clips[i].track_count; ++t) {
            update_importance(cook, cook->clips[i].tracks[t], 1, importance);
        }
    }
}

/* Sparse modes get none by default. */
static int max_mode_count(const sn_cook_context *cook)
{
    const int default_count = cook->desc->sparsity > 0 ? 0 : DEFAULT_MODES;
    const int sidecar_count = cook->sidecar.has_target_modes ? cook->sidecar.target_mode_count : default_count;
    return cook->desc->target_mode_count < 0 ? sidecar_count : cook->desc->target_mode_count;
}

/* The modes' constraint. If that is on coordinates, the one on weights is built for these modes: unconstrained, they
 * would mostly move the flesh as a whole, which the coordinates may not. */
static sn_result find_constraint(sn_cook_context *cook, sn_constraint *constraint)
{
    const sn_constraint_rig rig = {cook->bone_count, cook->fixed_weights, cook->is_translated};
    *constraint = cook->constraint;
    if (cook->coordinate_constraint.row_count == 0) {
        return SN_OK;
    }
    const sn_result result = sn_constraint_build(&cook->mesh, cook->mass, cook->leak, &rig, &cook->arena, constraint);
    constraint->is_pinned = cook->is_pinned;
    constraint->name = cook->constraint.name;
    return result;
}

sn_result sn_targets_add_modes(sn_cook_context *cook)
{
    const int max_count = max_mode_count(cook);
    sn_constraint constraint;
    if (cook->morph_field_count == 0 || max_count == 0) {
        return SN_OK;
    }
    double *importance = SN_NEW(&cook->arena, double, cook->morph_field_count);
    if (!importance) {
        return SN_ERROR_MEMORY;
    }
    compute_importance(cook, importance);
    const sn_result result = find_constraint(cook, &constraint);
    if (result != SN_OK) {
        return result;
    }
    const sn_target_modes_input input = {.mesh = &cook->mesh,
                                         .volumes = cook->volumes,
                                         .mass = cook->mass,
                                         .fields = cook->morph_fields,
                                         .importance = importance,
                                         .field_count = cook->morph_field_count,
                                         .max_count = max_count};
    return sn_modes_add_targets(&input, &constraint, &cook->arena, &cook->modes);
}
