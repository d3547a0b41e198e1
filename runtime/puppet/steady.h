/* SPDX-License-Identifier: MIT */
/* What a source says, made steady: the One-Euro filter on rotations, places and weights; a gate on confidence; what is
 * lost is held, then relaxes, and what is found comes in gently, so that flesh is not kicked; and wrists do not twist
 * further than wrists do. Recordings pass as they are. */
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
    double value[4]; /* as it is shown: it follows what is filtered as evenly as frames come */
    double lost;     /* seconds since it was last sure */
    double presence; /* 0 .. 1 */
    bool is_sure;    /* past the gate */
} sn_steady_track;

/* Zero it to begin. */
typedef struct sn_steady {
    bool is_recorded;
    bool has_moment;
    double last_seconds; /* of the last moment */
    double period;       /* between moments, seconds, as they come on average */
    sn_steady_track bones[SN_HUMANOID_COUNT], hips, weights[SN_TRACKING_EXPRESSION_LIMIT];
    double hips_height, hips_height_presence; /* the mean of a while, and how far it is there */
    double hips_height_seconds;               /* of that mean */
    int weight_count;
    char names[SN_TRACKING_EXPRESSION_LIMIT][SN_TRACKING_NAME_SIZE];
} sn_steady;

/* A frame that took `seconds`; moment: the newest, or null where there is none that the last frame has not had. */
void sn_steady_advance(sn_steady *steady, const sn_tracking *moment, double seconds);

/* Adds what is there now to a pose that may have other sources' already: the later one prevails. */
void sn_steady_add(const sn_steady *steady, sn_person_pose *pose);
/* The weight of expression i as it is now, and how far it is there. */
double sn_steady_weight(const sn_steady *steady, int expression, double *presence);

/* Wrists: of a whole pose. */
void sn_steady_limit_twists(sn_person_pose *pose);

#endif
