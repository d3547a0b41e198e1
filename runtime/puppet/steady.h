/* SPDX-License-Identifier: MIT */
/* Filters a tracking source: One-Euro filter on rotations, positions and weights, and hysteresis on confidence. Lost
 * values are held, then fade out; new values fade in, so that the flesh is not jolted. The twist of wrists is limited.
 * Recordings pass unfiltered. */
#ifndef SN_RUNTIME_PUPPET_STEADY_H
#define SN_RUNTIME_PUPPET_STEADY_H

#include "author/retarget/person.h"
#include "host/math/one_euro.h"
#include "runtime/puppet/tracking.h"

#define SN_STEADY_HOLD_SECONDS 0.5
#define SN_STEADY_RELAX_SECONDS 1.0
#define SN_STEADY_APPEAR_SECONDS 0.3

typedef struct sn_steady_track {
    sn_one_euro_state filter;
    double value[4]; /* displayed value, which approaches the filtered value smoothly over the display frames */
    double lost;     /* seconds since it was last confident */
    double presence; /* 0 to 1 */
    bool is_sure;    /* passed the confidence threshold */
} sn_steady_track;

/* Zero-initialize. */
typedef struct sn_steady {
    bool is_recorded;
    bool has_moment;
    double last_seconds; /* of the last tracking frame */
    double period;       /* mean time between tracking frames, seconds */
    sn_steady_track bones[SN_HUMANOID_COUNT], hips, weights[SN_TRACKING_EXPRESSION_LIMIT];
    double hips_height, hips_height_presence; /* running mean, and its presence */
    double hips_height_seconds;               /* averaging time so far */
    int weight_count;
    char names[SN_TRACKING_EXPRESSION_LIMIT][SN_TRACKING_NAME_SIZE];
} sn_steady;

/* Advances a display frame of `seconds`. tracking_frame: the newest tracking frame, or null if there is none since the
 * last call. */
void sn_steady_advance(sn_steady *steady, const sn_tracking *moment, double seconds);

/* Blends the current values into a pose, over those of earlier sources. */
void sn_steady_add(const sn_steady *steady, sn_person_pose *pose);
/* Current weight of an expression, and its presence. */
double sn_steady_weight(const sn_steady *steady, int expression, double *presence);

/* Limits the twist of the wrists of a pose. */
void sn_steady_limit_twists(sn_person_pose *pose);

#endif
