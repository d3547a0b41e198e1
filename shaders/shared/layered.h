/* SPDX-License-Identifier: MIT */
/* What compute/layered and shaders/layered share: records, and where things lie in the buffers. What a body's flesh
 * needs is in shaders/shared/xpbd.h. */
#ifndef SN_SHADERS_SHARED_LAYERED_H
#define SN_SHADERS_SHARED_LAYERED_H

#ifdef __STDC_VERSION__
#include <stdint.h>
#define SN_UINT uint32_t
#define SN_DOUBLE double
#else
#define SN_UINT uint
#define SN_DOUBLE stored /* shaders/xpbd/real.glsl */
#endif

/* Bindings of set 1, all storage buffers. */
#define SN_LAYERED_MODELS 0
#define SN_LAYERED_TABLES 1  /* words of models */
#define SN_LAYERED_NUMBERS 2 /* doubles of models */
#define SN_LAYERED_WEIGHTS 3 /* floats of models */
#define SN_LAYERED_RECORDS 4 /* of bodies, in the order of their indices */
#define SN_LAYERED_BONES 5   /* doubles: bones' ways in a step */
#define SN_LAYERED_WORK 6    /* doubles: where bones are in a substep, and how they move */
#define SN_LAYERED_BINDING_COUNT 7

/* A model: where its tables begin. Words, unless it says numbers. */
struct sn_layered_model_record {
    SN_UINT bone_count, carried_count;
    SN_UINT carried;         /* (carried_count x 2) row, bone */
    SN_UINT followed;        /* (rows) bone whose motion damping leaves alone */
    SN_UINT layers;          /* (rows) the first layer that has the row; no layer: all ones */
    SN_UINT starts;          /* (rows + 1) of the lists of what poses a row's flesh when it is put back */
    SN_UINT posing, weights; /* bones of the lists; floats */
    SN_UINT places;          /* numbers (rows x 3) at rest */
    SN_UINT pivots;          /* numbers (bone_count x 3) */
    /* What feels wind, level by level: samples of one share no vertex (shaders/shared/xpbd.h). */
    SN_UINT level_count, levels;    /* (level_count + 1) first samples */
    SN_UINT samples, sample_values; /* floats */
};

/* A bone's way in a step: where it leads (12), the pivot's places at both ends (6), turns (8), stretches (18), and
 * whether it stays (1), as sn_blend has them. */
#define SN_LAYERED_AT_PLACES 12
#define SN_LAYERED_AT_TURNS 18
#define SN_LAYERED_AT_STRETCHES 26
#define SN_LAYERED_AT_STILL 44
#define SN_LAYERED_BONE_NUMBERS 45

/* Of a bone in WORK: where it is in this substep (12), and the velocity field of its motion (12). */
#define SN_LAYERED_WORK_NUMBERS 24

/* A body. */
struct sn_layered_record {
    SN_DOUBLE middle[3];           /* of what bones carry, less its place at rest, at the step's end */
    SN_DOUBLE factor;              /* by which layers that are done are heavier */
    SN_DOUBLE wind[3], wind_limit; /* the air's velocity; the speed that is felt at most */
    SN_DOUBLE mass;                /* how many times as heavy it is as its flesh says */
    SN_UINT model;
    SN_UINT bones;               /* of this recording: first number */
    SN_UINT work;                /* first number */
    SN_UINT consolidating_count; /* sweeps in which they are */
    SN_UINT is_windy, padding;
};

#undef SN_UINT
#undef SN_DOUBLE
#endif
