/* SPDX-License-Identifier: MIT */
/* Figures of a character's flesh in one motion: how far it moves from the rig, where, and how soon it rests. */
#ifndef SN_TOOLS_BENCH_FLESH_FIGURES_H
#define SN_TOOLS_BENCH_FLESH_FIGURES_H

#include "tools/bench/bone_regions.h"
#include "tools/sim/measure.h"

#define SN_FLESH_TIME_STEP (1.0 / 60) /* seconds of a frame */

/* Lengths are per cent of the character's height. Not a number: does not apply. */
typedef enum sn_flesh_figure {
    SN_FLESH_P90,       /* 90% of the tets' mass stays below this displacement: see sn_flesh_bone */
    SN_FLESH_SKIN_P90,  /* the same of the drawn surface, weighted by area: thin parts count more */
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
    sn_bone_region part;
} sn_flesh_bone;

typedef struct sn_flesh_report {
    double figures[SN_FLESH_FIGURE_COUNT];
    int max_bone, stretch_bone; /* where the largest displacement (of all parts) and the largest stretch are */
    int frame_count, recovery_count;
    sn_flesh_bone *bones; /* (bone_count) in the arena */
} sn_flesh_report;

/* A frame: positions with the flesh and by the rig alone, in model units. */
typedef struct sn_flesh_frame {
    const double *tets, *tet_rig;        /* (vertex_count x 3) */
    const double *surface, *surface_rig; /* (surface_vertex_count x 3) */
    const double *pose;                  /* (bone_count x 12) */
    const float *morphs;                 /* (morph_count) */
} sn_flesh_frame;

/* Sums over the frames of a motion. */
typedef struct sn_flesh_sums {
    const sn_model *model;
    double height; /* model units; the unit of the figures */
    sn_measure measure;
    int32_t *vertex_bones, *surface_bones; /* bones with the largest weight */
    sn_bone_region *parts;                 /* (bone_count) */
    double *surface_areas;                 /* 1/3 of the triangles around each vertex at rest */
    double *vertex_moved, *surface_moved;  /* largest displacements */
    double *frame_max;                     /* (frame_limit) largest displacement of the surface */
    int frame_count, frame_limit;
} sn_flesh_sums;

sn_result sn_flesh_sums_init(const sn_model *model, double height, int frame_limit, sn_arena *arena,
                             sn_flesh_sums *sums);
void sn_flesh_sums_add(sn_flesh_sums *sums, const sn_flesh_frame *frame);
/* The largest displacement from a time on, a frame ending at a multiple of SN_FLESH_TIME_STEP; not a number if the
 * motion ends before. */
double sn_flesh_sums_max_from(const sn_flesh_sums *sums, double seconds);
/* Fills all that follows from positions, and sets the other figures to not a number. */
sn_result sn_flesh_sums_report(const sn_flesh_sums *sums, sn_arena *arena, sn_flesh_report *report);

#endif
