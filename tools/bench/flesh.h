/* SPDX-License-Identifier: MIT */
/* Steps a character through a motion with the default parameters and reports the figures of its flesh. */
#ifndef SN_TOOLS_BENCH_FLESH_H
#define SN_TOOLS_BENCH_FLESH_H

#include "runtime/session/motion.h"
#include "tools/bench/flesh_figures.h"

typedef struct sn_flesh_desc {
    const char *name; /* of the character, for messages */
    sn_motion motion;
    int frame_count;      /* steps of 1/60 s */
    double height;        /* model units; the unit of the figures */
    double gravity[3];    /* model units/s^2 */
    double stop;          /* seconds: the rig has stopped; negative: it does not */
    bool is_rest;         /* measure SN_FLESH_SAG */
    int full_frame_count; /* frames that are compared with the full space; 0: none */
} sn_flesh_desc;

/* Steps a body with the default parameters through the motion, in a world at 60 Hz. */
sn_result sn_flesh_measure(const sn_flesh_desc *desc, sn_arena *arena, sn_flesh_report *report);

#endif
