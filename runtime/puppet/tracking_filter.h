/* SPDX-License-Identifier: MIT */
/* Filters a tracking source: One-Euro filter on rotations, positions and weights, and hysteresis on confidence. Lost
 * values are held, then fade out; new values fade in, so that the flesh is not jolted. The twist of wrists is limited.
 * Recordings pass unfiltered. */
#ifndef SN_RUNTIME_PUPPET_TRACKING_FILTER_H
#define SN_RUNTIME_PUPPET_TRACKING_FILTER_H

#include "author/retarget/person.h"
#include "host/math/one_euro.h"
#include "runtime/puppet/tracking.h"

#define SN_FILTER_HOLD_SECONDS 0.5
#define SN_FILTER_FADE_OUT_SECONDS 1.0
#define SN_FILTER_FADE_IN_SECONDS 0.3

typedef struct sn_filtered_value {
    sn_one_euro_state filter;
    double value[4];     /* displayed value, which approaches the filtered value smoothly over the display frames */
    double lost_seconds; /* seconds since it was last confident */
    double presence;     /* 0 to 1 */
    bool is_confident;   /* passed the confidence threshold */
} sn_filtered_value;

/* Zero-initialize. */
typedef struct sn_tracking_filter {
    bool is_recorded;
    bool has_frame;
    double last_seconds; /* of the last tracking frame */
    double period;       /* mean time between tracking frames, seconds */
    sn_filtered_value bones[SN_HUMANOID_COUNT], hips, weights[SN_TRACKING_EXPRESSION_LIMIT];
    double hips_height, hips_height_presence; /* running mean, and its presence */
    double hips_height_seconds;               /* averaging time so far */
    int weight_count;
    char names[SN_TRACKING_EXPRESSION_LIMIT][SN_TRACKING_NAME_SIZE];
} sn_tracking_filter;

/* Advances a display frame of `seconds`. tracking_frame: the newest tracking frame, or null if there is none since the
 * last call. */
void sn_tracking_filter_advance(sn_tracking_filter *tracking_filter, const sn_tracking *tracking_frame, double seconds);

/* Blends the current values into a pose, over those of earlier sources. */
void sn_tracking_filter_add(const sn_tracking_filter *tracking_filter, sn_person_pose *pose);
/* Current weight of an expression, and its presence. */
double sn_tracking_filter_weight(const sn_tracking_filter *tracking_filter, int expression, double *presence);

/* Limits the twist of the wrists of a pose. */
void sn_tracking_filter_limit_twists(sn_person_pose *pose);

#endif
