/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/tracking_filter.h"

#include <math.h>
#include <string.h>

#include "author/retarget/twist.h"
#include "host/math/quaternion.h"
#include "host/math/smoothstep.h"

#define CONFIDENCE_GAINED 0.5 /* on the confidence */
#define CONFIDENCE_LOST 0.3
#define MAX_STEP 0.5       /* seconds between frames, beyond which the sender's clock is assumed to have been set */
#define MAX_PERIOD 0.1     /* seconds */
#define HEIGHT_SECONDS 5.0 /* averaging time of the hips height, to which the body's position is proportional */
#define WRIST_TWIST 0.6    /* radians: maximum twist that skin between two joints tolerates */
#define FOREARM_TWIST 1.6

static const sn_one_euro rotation_filter = {.cutoff = 3, .beta = 3, .speed_cutoff = 1};  /* radians */
static const sn_one_euro position_filter = {.cutoff = 2, .beta = 10, .speed_cutoff = 1}; /* metres */
static const sn_one_euro weight_filter = {.cutoff = 4, .beta = 4, .speed_cutoff = 1};

/* ---- one value ---- */

typedef struct sample {
    const double *values;
    int count; /* 4 means a rotation (xyzw) */
    double confidence;
    const sn_one_euro *filter;
} sample;

static void add_sample(sn_filtered_value *t, const sample *s, double step, bool is_recorded)
{
    double values[4] = {0};
    memcpy(values, s->values, (size_t)s->count * sizeof *values);
    t->is_confident = s->confidence >= (t->is_confident ? CONFIDENCE_LOST : CONFIDENCE_GAINED);
    if (!t->is_confident) {
        return;
    }
    const bool is_first = t->presence == 0;
    t->filter.has_value = t->filter.has_value && !is_first && !is_recorded;
    if (s->count == 4) {
        sn_one_euro_rotate(s->filter, step, &t->filter, values);
    } else {
        sn_one_euro_filter(s->filter, step, s->count, &t->filter, values);
    }
    if (is_first || is_recorded) {
        memcpy(t->value, values, sizeof t->value);
    }
    t->lost_seconds = 0;
}

/* Advances presence and displayed value by a frame. `fraction`: fraction of the distance to the filtered value. */
static void advance_value(sn_filtered_value *t, double seconds, double fraction, int count, bool is_recorded)
{
    const bool is_available = t->filter.has_value && t->lost_seconds <= SN_FILTER_HOLD_SECONDS;
    t->presence += is_available ? seconds / SN_FILTER_FADE_IN_SECONDS : -seconds / SN_FILTER_FADE_OUT_SECONDS;
    t->presence = is_available && is_recorded ? 1 : fmin(fmax(t->presence, 0), 1);
    if (is_recorded || !t->filter.has_value) {
        return;
    }
    if (count == 4) {
        sn_quaternion_blend(t->value, t->filter.value, fraction, t->value);
    }
    for (int i = 0; i < count && count < 4; ++i) {
        t->value[i] += fraction * (t->filter.value[i] - t->value[i]);
    }
}

static double ease(double presence)
{
    return sn_smoothstep(0, 1, presence);
}

/* A known height never expires. The first height fades in together with the first hips position, because the position
 * is measured in units of that height. */
static void add_height(sn_tracking_filter *s, double height, double step)
{
    if (!(height > 0)) {
        return;
    }
    if (s->is_recorded || !(s->hips_height_seconds > 0)) {
        s->hips_height = height;
        s->hips_height_presence = s->hips.presence > 0 ? s->hips_height_presence : 1;
    }
    s->hips_height_seconds = fmin(s->hips_height_seconds + step, HEIGHT_SECONDS);
    if (s->hips_height_seconds > 0) {
        s->hips_height += fmin(step / s->hips_height_seconds, 1) * (height - s->hips_height);
    }
}

static void advance_height(sn_tracking_filter *s, double seconds)
{
    const double presence = s->hips_height_presence + seconds / SN_FILTER_FADE_IN_SECONDS;
    s->hips_height_presence = !(s->hips_height > 0) ? 0 : s->is_recorded ? 1 : fmin(presence, 1);
}

/* ---- tracking frames ---- */

static void add_frame(sn_tracking_filter *s, const sn_tracking *m)
{
    const double since = m->seconds - s->last_seconds;
    const double step = s->has_frame && since > 0 && since < MAX_STEP ? since : s->period;
    s->period += s->has_frame ? 0.1 * (fmin(step, MAX_PERIOD) - s->period) : 0;
    s->last_seconds = m->seconds;
    s->has_frame = true;
    add_height(s, m->hips_height, step);
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        if (sn_tracking_has(m, bone)) {
            add_sample(&s->bones[bone], &(sample){m->rotations[bone], 4, m->confidence[bone], &rotation_filter}, step,
                       s->is_recorded);
        }
    }
    if (m->has_hips) {
        add_sample(&s->hips, &(sample){m->hips, 3, 1, &position_filter}, step, s->is_recorded);
    }
    for (int i = 0; i < m->expression_count && !m->is_face_lost; ++i) {
        add_sample(&s->weights[i], &(sample){&m->expressions[i].weight, 1, 1, &weight_filter}, step, s->is_recorded);
    }
    for (; s->weight_count < m->expression_count; ++s->weight_count) {
        memcpy(s->names[s->weight_count], m->expressions[s->weight_count].name, sizeof s->names[0]);
    }
}

void sn_tracking_filter_advance(sn_tracking_filter *s, const sn_tracking *tracking_frame, double seconds)
{
    const double fraction = s->period > 0 ? 1 - exp(-2 * seconds / s->period) : 1;
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        s->bones[bone].lost_seconds += seconds;
    }
    s->hips.lost_seconds += seconds;
    for (int i = 0; i < s->weight_count; ++i) {
        s->weights[i].lost_seconds += seconds;
    }
    if (tracking_frame) {
        add_frame(s, tracking_frame);
    }
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        advance_value(&s->bones[bone], seconds, fraction, 4, s->is_recorded);
    }
    advance_value(&s->hips, seconds, fraction, 3, s->is_recorded);
    advance_height(s, seconds);
    for (int i = 0; i < s->weight_count; ++i) {
        advance_value(&s->weights[i], seconds, fraction, 1, s->is_recorded);
    }
}

/* ---- output ---- */

void sn_tracking_filter_add(const sn_tracking_filter *s, sn_person_pose *pose)
{
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        const sn_filtered_value *t = &s->bones[bone];
        const double fraction = ease(t->presence), previous = pose->bone_weights[bone];
        if (fraction > 0 && previous > 0) {
            sn_quaternion_blend(pose->rotations[bone], t->value, fraction, pose->rotations[bone]);
        } else if (fraction > 0) {
            memcpy(pose->rotations[bone], t->value, sizeof pose->rotations[bone]);
        }
        pose->bone_weights[bone] = previous + fraction - previous * fraction;
    }
    if (s->hips.presence > 0) {
        pose->hips_weight = ease(s->hips.presence);
        pose->hips_height = s->hips_height;
        pose->hips_height_weight = ease(s->hips_height_presence);
        memcpy(pose->hips, s->hips.value, sizeof pose->hips);
    }
}

double sn_tracking_filter_weight(const sn_tracking_filter *s, int expression, double *presence)
{
    *presence = ease(s->weights[expression].presence);
    return s->weights[expression].value[0];
}

void sn_tracking_filter_limit_twists(sn_person_pose *pose)
{
    static const double along[3] = {1, 0, 0}; /* direction of forearms in the T-pose */
    for (int side = 0; side < 2; ++side) {
        const int arm = sn_humanoid_bone_index(side, SN_PART_LOWER_ARM),
                  hand = sn_humanoid_bone_index(side, SN_PART_HAND);
        if (pose->bone_weights[arm] > 0 && pose->bone_weights[hand] > 0) {
            sn_rig_limit_twist(pose->rotations[arm], pose->rotations[hand], along, WRIST_TWIST, FOREARM_TWIST);
        }
    }
}
