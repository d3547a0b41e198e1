/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/expressions.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "author/io/scene_file.h"

/* `gain` times the mean of the shapes that there are. */
static const struct {
    const char *preset;
    const char *shapes[SN_STAND_IN_SHAPES];
    double gain;
} stand_ins[] = {
    {"blinkLeft", {"eyeBlinkLeft"}, 1},
    {"blinkRight", {"eyeBlinkRight"}, 1},
    {"blink", {"eyeBlinkLeft", "eyeBlinkRight"}, 1},
    {"aa", {"jawOpen"}, 1.2},
    {"ou", {"mouthPucker"}, 0.8},
    {"oh", {"mouthFunnel"}, 1},
    {"ee", {"mouthStretchLeft", "mouthStretchRight"}, 0.6},
    {"happy", {"mouthSmileLeft", "mouthSmileRight"}, 0.8},
    {"sad", {"mouthFrownLeft", "mouthFrownRight"}, 0.8},
    {"angry", {"browDownLeft", "browDownRight"}, 0.6},
    {"surprised", {"browInnerUp", "eyeWideLeft", "eyeWideRight"}, 0.6},
};
#define STAND_IN_COUNT ((int)(sizeof stand_ins / sizeof stand_ins[0]))
static_assert(STAND_IN_COUNT <= SN_STAND_IN_LIMIT, "raise the limit");

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

static void find_stand_ins(sn_expressions *x, const sn_steady *source)
{
    x->stand_in_count = 0;
    for (int k = 0; k < STAND_IN_COUNT && !x->has_arkit; ++k) {
        sn_stand_in *to = &x->stand_ins[x->stand_in_count];
        *to = (sn_stand_in){.expression = find_expression(&x->face, stand_ins[k].preset), .gain = stand_ins[k].gain};
        for (int i = 0; i < source->weight_count; ++i) {
            for (int s = 0; s < SN_STAND_IN_SHAPES && stand_ins[k].shapes[s]; ++s) {
                if (strcmp(source->names[i], stand_ins[k].shapes[s]) == 0) {
                    to->shapes[to->shape_count++] = i;
                }
            }
        }
        x->stand_in_count += to->expression >= 0 && to->shape_count > 0 && !is_said(x, to->expression) &&
                             !is_doubled(x, stand_ins[k].preset);
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
    for (int k = 0; k < x->stand_in_count; ++k) {
        const sn_stand_in *s = &x->stand_ins[k];
        double sum = 0;
        for (int i = 0; i < s->shape_count; ++i) {
            const double value = sn_steady_weight(source, s->shapes[i], &presence);
            sum += presence * value / s->shape_count;
        }
        add(x, s->expression, s->gain * sum, weights);
    }
}
