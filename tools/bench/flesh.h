/* SPDX-License-Identifier: MIT */
/* Figures of a character's flesh in one motion: how far it moves from the rig, where, and how soon it rests. */
#ifndef SN_TOOLS_BENCH_FLESH_H
#define SN_TOOLS_BENCH_FLESH_H

#include "runtime/session/motion.h"
#include "tools/bench/flesh_parts.h"

/* Lengths are per cent of the character's height. Not a number: does not apply. */
typedef enum sn_flesh_figure {
    SN_FLESH_P90,       /* 90% of the tets' mass stays below this displacement: see sn_flesh_bone */
    SN_FLESH_MAX,       /* largest displacement of the drawn surface, without loose parts */
    SN_FLESH_LOOSE_MAX, /* of loose parts; the next three: of hands, feet, heads */
    SN_FLESH_HAND_MAX,
    SN_FLESH_FOOT_MAX,
    SN_FLESH_HEAD_MAX,
    SN_FLESH_STRETCH,    /* largest ratio of an edge's length to the larger of its rig and rest lengths */
    SN_FLESH_INVERTED,   /* frames with tets inverted that the rig does not invert or crush */
    SN_FLESH_AFTER_HALF, /* largest displacement from 0.5 s after the rig stopped */
    SN_FLESH_AFTER_TWO,  /* from 2 s after it */
    SN_FLESH_SAG,        /* largest displacement in the last second, at rest under gravity */
    SN_FLESH_STEP_MS,    /* median of a world step to a tolerance of 1e-4 */
    SN_FLESH_ITERATIONS, /* mean number of iterations of such a step */
    SN_FLESH_FULL_ERROR, /* relative error against the full space, over all vertices and frames, weighted by mass */
    SN_FLESH_FULL_CORRELATION,
    SN_FLESH_FIGURE_COUNT
} sn_flesh_figure;

typedef struct sn_flesh_bone {
    double mass; /* fraction of the model's mass that the bone dominates */
    double p90;  /* of each vertex's largest displacement, weighted by mass */
    double max;  /* of the surface vertices that the bone dominates */
    sn_flesh_part part;
} sn_flesh_bone;

typedef struct sn_flesh_report {
    double figures[SN_FLESH_FIGURE_COUNT];
    int max_bone, stretch_bone; /* where the largest displacement (of all parts) and the largest stretch are */
    int frame_count, recovery_count;
    sn_flesh_bone *bones; /* (bone_count) in the arena */
} sn_flesh_report;

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

/* The value below which `fraction` of the total weight lies; sorts neither array. order (count) is scratch. */
double sn_weighted_quantile(const double *values, const double *weights, int count, double fraction, int32_t *order);

#endif
