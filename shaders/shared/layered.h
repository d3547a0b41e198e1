/* SPDX-License-Identifier: MIT */
/* Records and buffer layouts shared by compute/layered and shaders/layered. The flesh of a body is described in
 * shaders/shared/xpbd.h. */
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
#define SN_LAYERED_TABLES 1  /* words and floats of models */
#define SN_LAYERED_NUMBERS 2 /* doubles of models */
#define SN_LAYERED_RECORDS 3 /* of bodies, by index */
#define SN_LAYERED_BONES 4   /* doubles: bone motions in a step */
#define SN_LAYERED_WORK 5    /* doubles: bone transforms and velocities in a substep */
#define SN_LAYERED_BINDING_COUNT 6

/* A model: offsets of its tables, in words unless stated otherwise ("numbers" are doubles). */
struct sn_layered_model_record {
    SN_UINT bone_count, attached_vertex_count;
    SN_UINT attached;        /* (attached_vertex_count x 2) row, bone */
    SN_UINT parent_bones;    /* (rows) bone relative to whose motion damping acts */
    SN_UINT layers;          /* (rows) first layer that contains the row; 0xffffffff: none */
    SN_UINT starts;          /* (rows + 1) begins of the lists of bones that pose a row's flesh after a reset */
    SN_UINT posing, weights; /* bones of the lists; their weights, floats */
    SN_UINT rest_positions;  /* numbers (rows x 3) rest positions */
    SN_UINT pivots;          /* numbers (bone_count x 3) */
    /* Wind samples in levels; samples of one level share no vertex (shaders/shared/xpbd.h). */
    SN_UINT level_count, levels;    /* (level_count + 1) first sample of each level */
    SN_UINT samples, sample_values; /* floats */
};

/* A bone's motion in a step: end transform (12), pivot positions at both ends (6), rotations (8), stretches (18), and
 * whether it is still (1), as sn_blend has them. */
#define SN_LAYERED_AT_POSITIONS 12
#define SN_LAYERED_AT_ROTATIONS 18
#define SN_LAYERED_AT_STRETCHES 26
#define SN_LAYERED_AT_STILL 44
#define SN_LAYERED_BONE_NUMBERS 45

/* Of a bone in WORK: its transform in this substep (12), and the velocity field of its motion (12). */
#define SN_LAYERED_WORK_NUMBERS 24

/* A body. */
struct sn_layered_record {
    SN_DOUBLE
    attached_mean[3]; /* mean of the bone-attached vertices at the step's end, relative to its rest position */
    SN_DOUBLE factor; /* mass factor of finished layers */
    SN_DOUBLE wind[3], wind_limit; /* wind velocity; maximum wind speed */
    SN_DOUBLE mass;                /* mass relative to the flesh's own */
    SN_UINT model;
    SN_UINT bones;                     /* first number in this recording */
    SN_UINT work;                      /* first number */
    SN_UINT consolidation_sweep_count; /* number of sweeps in which the factor applies */
    SN_UINT has_wind, padding;
};

#undef SN_UINT
#undef SN_DOUBLE
#endif
