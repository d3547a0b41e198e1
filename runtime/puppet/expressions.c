/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/expressions.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "author/io/scene_file.h"

static int32_t find_expression(const sn_face *face, const char *name)
{
    for (int32_t e = 0; e < face->expression_count; ++e) {
        const char *own = face->expression_names[e];
        if (strcasecmp(own, name) == 0 || sn_vrm_expressions_match(own, name)) {
            return e;
        }
    }
    return -1;
}

static int32_t find_morph(const sn_face *face, const char *name)
{
    for (int32_t m = 0; m < face->morph_count; ++m) {
        if (strcasecmp(face->morph_names[m], name) == 0) {
            return m;
        }
    }
    return -1;
}

sn_result sn_expressions_init(const sn_model *model, sn_arena *arena, sn_expressions *x)
{
    static const char *const lid_expressions[3] = {"blink", "blinkLeft", "blinkRight"};
    *x = (sn_expressions){0};
    const sn_result result = sn_face_of_model(model, arena, &x->face);
    for (int i = 0; i < SN_ARKIT_COUNT && result == SN_OK; ++i) {
        const char *name = sn_arkit_name(i);
        x->has_arkit = x->has_arkit || find_morph(&x->face, name) >= 0 || find_expression(&x->face, name) >= 0;
    }
    x->presences = SN_NEW(arena, double, x->face.expression_count);
    for (int i = 0; i < 3; ++i) {
        x->lid_expressions[i] = find_expression(&x->face, lid_expressions[i]);
    }
    return result ? result : x->presences ? SN_OK : SN_ERROR_MEMORY;
}

static bool is_sent(const sn_expressions *x, int32_t expression)
{
    for (int i = 0; i < x->lookup_count; ++i) {
        if (x->expressions[i] == expression) {
            return true;
        }
    }
    return false;
}

/* True for "blink", which closes both lids, if the face has an expression for each lid. */
static bool is_redundant_blink(const sn_expressions *x, const char *preset)
{
    return strcmp(preset, "blink") == 0 && find_expression(&x->face, "blinkLeft") >= 0 &&
           find_expression(&x->face, "blinkRight") >= 0;
}

static int32_t find_source_name(const sn_tracking_filter *source, const char *name)
{
    for (int32_t i = 0; i < source->weight_count; ++i) {
        if (strcmp(source->names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static void find_preset_targets(sn_expressions *x, const sn_tracking_filter *source)
{
    x->has_shapes = false;
    for (int i = 0; i < SN_ARKIT_COUNT; ++i) {
        x->shapes[i] = find_source_name(source, sn_arkit_name(i));
        x->has_shapes = x->has_shapes || x->shapes[i] >= 0;
    }
    for (int k = 0; k < SN_ARKIT_PRESET_COUNT; ++k) {
        const char *preset = sn_arkit_preset_name(k);
        const int32_t expression = x->has_arkit ? -1 : find_expression(&x->face, preset);
        x->preset_targets[k] = is_sent(x, expression) || is_redundant_blink(x, preset) ? -1 : expression;
    }
}

/* Looks up names that are new in the source. Expressions have precedence over morph targets of the same name. */
static void look_up_names(sn_expressions *x, const sn_tracking_filter *source)
{
    const bool is_new = x->lookup_count < source->weight_count;
    for (; x->lookup_count < source->weight_count; ++x->lookup_count) {
        const int i = x->lookup_count;
        x->expressions[i] = find_expression(&x->face, source->names[i]);
        x->morphs[i] = x->expressions[i] < 0 ? find_morph(&x->face, source->names[i]) : -1;
    }
    if (is_new) {
        find_preset_targets(x, source);
    }
}

/* A later source overrides earlier ones, weighted by its presence. */
static void blend_value(sn_expressions *x, int32_t expression, double value, double presence, float *values)
{
    values[expression] = (float)((1 - presence) * (double)values[expression] + presence * fmin(value, 1));
    x->presences[expression] = fmax(x->presences[expression], presence);
}

/* Sets the presets from ARKit shapes. Their presence is the maximum over the shapes, which fade individually. */
static void set_presets(sn_expressions *x, const sn_tracking_filter *source, float *values)
{
    double shapes[SN_ARKIT_COUNT] = {0}, presets[SN_ARKIT_PRESET_COUNT], max_presence = 0, presence = 0;
    for (int i = 0; i < SN_ARKIT_COUNT; ++i) {
        if (x->shapes[i] >= 0) {
            shapes[i] = sn_tracking_filter_weight(source, x->shapes[i], &presence);
            shapes[i] *= presence;
            max_presence = fmax(max_presence, presence);
        }
    }
    sn_arkit_presets(shapes, presets);
    for (int k = 0; k < SN_ARKIT_PRESET_COUNT && max_presence > 0; ++k) {
        if (x->preset_targets[k] >= 0) {
            blend_value(x, x->preset_targets[k], presets[k] / max_presence, max_presence, values);
        }
    }
}

/* Resolves conflicts between "blink" and the expressions of single lids: if this source sets only one of them, values
 * that other sources set for the other fade out. */
static void set_lids(const sn_expressions *x, float *values)
{
    const int32_t both = x->lid_expressions[0];
    for (int side = 1; side <= 2 && both >= 0; ++side) {
        if (x->lid_expressions[side] >= 0) {
            const double both_presence = x->presences[both], own_presence = x->presences[x->lid_expressions[side]];
            values[both] *= both_presence > 0 ? 1 : (float)(1 - own_presence);
            values[x->lid_expressions[side]] *= own_presence > 0 ? 1 : (float)(1 - both_presence);
        }
    }
}

void sn_expressions_blend(sn_expressions *x, const sn_tracking_filter *source, float *values, float *weights)
{
    double presence = 0;
    look_up_names(x, source);
    for (int32_t e = 0; e < x->face.expression_count; ++e) {
        x->presences[e] = 0;
    }
    for (int i = 0; i < x->lookup_count; ++i) {
        const double value = sn_tracking_filter_weight(source, i, &presence);
        if (x->expressions[i] >= 0) {
            blend_value(x, x->expressions[i], value, presence, values);
        } else if (x->morphs[i] >= 0) {
            float *weight = &weights[x->morphs[i]];
            *weight += (float)(presence * (value - (double)*weight));
        }
    }
    if (x->has_shapes) {
        set_presets(x, source, values);
    }
    set_lids(x, values);
}
