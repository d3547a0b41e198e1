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
        if (strcasecmp(own, name) == 0 || sn_vrm_is_same_expression(own, name)) {
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
    *x = (sn_expressions){.model = model};
    const sn_result result = sn_face_of_model(model, arena, &x->face);
    for (int i = 0; i < SN_ARKIT_COUNT && result == SN_OK; ++i) {
        const char *name = sn_arkit_name(i);
        x->has_arkit = x->has_arkit || find_morph(&x->face, name) >= 0 || find_expression(&x->face, name) >= 0;
    }
    return result;
}

static bool is_said(const sn_expressions *x, int32_t expression)
{
    for (int i = 0; i < x->heard_count; ++i) {
        if (x->expressions[i] == expression) {
            return true;
        }
    }
    return false;
}

/* "blink" closes both lids: not where each has its own. */
static bool is_doubled(const sn_expressions *x, const char *preset)
{
    return strcmp(preset, "blink") == 0 && find_expression(&x->face, "blinkLeft") >= 0 &&
           find_expression(&x->face, "blinkRight") >= 0;
}

static int32_t find_heard(const sn_steady *source, const char *name)
{
    for (int32_t i = 0; i < source->weight_count; ++i) {
        if (strcmp(source->names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static void find_stand_ins(sn_expressions *x, const sn_steady *source)
{
    x->has_shapes = false;
    for (int i = 0; i < SN_ARKIT_COUNT; ++i) {
        x->shapes[i] = find_heard(source, sn_arkit_name(i));
        x->has_shapes = x->has_shapes || x->shapes[i] >= 0;
    }
    for (int k = 0; k < SN_ARKIT_PRESET_COUNT; ++k) {
        const char *preset = sn_arkit_preset_name(k);
        const int32_t expression = x->has_arkit ? -1 : find_expression(&x->face, preset);
        x->stand_ins[k] = is_said(x, expression) || is_doubled(x, preset) ? -1 : expression;
    }
}

/* Expressions go before morph targets that have the same name. */
static void look_up(sn_expressions *x, const sn_steady *source)
{
    const bool is_new = x->heard_count < source->weight_count;
    for (; x->heard_count < source->weight_count; ++x->heard_count) {
        const int i = x->heard_count;
        x->expressions[i] = find_expression(&x->face, source->names[i]);
        x->morphs[i] = x->expressions[i] < 0 ? find_morph(&x->face, source->names[i]) : -1;
    }
    if (is_new) {
        find_stand_ins(x, source);
    }
}

static void add(const sn_expressions *x, int32_t expression, double value, float *weights)
{
    sn_model_add_expression(x->model, expression, (float)fmin(value, 1), weights, x->face.morph_count);
}

static void add_stand_ins(const sn_expressions *x, const sn_steady *source, float *weights)
{
    double shapes[SN_ARKIT_COUNT] = {0}, presets[SN_ARKIT_PRESET_COUNT], presence = 0;
    for (int i = 0; i < SN_ARKIT_COUNT; ++i) {
        if (x->shapes[i] >= 0) {
            shapes[i] = sn_steady_weight(source, x->shapes[i], &presence);
            shapes[i] *= presence;
        }
    }
    sn_arkit_presets(shapes, presets);
    for (int k = 0; k < SN_ARKIT_PRESET_COUNT; ++k) {
        if (x->stand_ins[k] >= 0) {
            add(x, x->stand_ins[k], presets[k], weights);
        }
    }
}

void sn_expressions_apply(sn_expressions *x, const sn_steady *source, float *weights)
{
    double presence = 0;
    look_up(x, source);
    for (int i = 0; i < x->heard_count; ++i) {
        const double value = sn_steady_weight(source, i, &presence);
        if (x->expressions[i] >= 0) {
            add(x, x->expressions[i], presence * value, weights);
        } else if (x->morphs[i] >= 0) {
            float *weight = &weights[x->morphs[i]];
            *weight += (float)(presence * (value - (double)*weight));
        }
    }
    if (x->has_shapes) {
        add_stand_ins(x, source, weights);
    }
}
