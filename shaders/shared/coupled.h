/* SPDX-License-Identifier: MIT */
/* Records and buffer layouts shared by compute/coupled and shaders/coupled. The flesh of a body is described in
 * shaders/shared/xpbd.h. */
#ifndef SN_SHADERS_SHARED_COUPLED_H
#define SN_SHADERS_SHARED_COUPLED_H

#ifdef __STDC_VERSION__
#include <stdint.h>
#define SN_UINT uint32_t
#define SN_DOUBLE double
#define SN_STRUCT struct
#else
#define SN_UINT uint
#define SN_DOUBLE stored /* shaders/xpbd/real.glsl */
#define SN_STRUCT
#endif

/* Bindings of set 1, all storage buffers. */
#define SN_COUPLED_NUMBERS 0 /* doubles of rigs and systems */
#define SN_COUPLED_TABLES 1  /* words and floats of rigs and systems */
#define SN_COUPLED_RIGS 2
#define SN_COUPLED_SYSTEMS 3
#define SN_COUPLED_RECORDS 4  /* of bodies, by index */
#define SN_COUPLED_TARGETS 5  /* doubles: target poses of handles */
#define SN_COUPLED_STATES 6   /* doubles: persistent state of bodies */
#define SN_COUPLED_WORK 7     /* doubles: scratch */
#define SN_COUPLED_MATRICES 8 /* floats: matrices, and scratch of sums over vertices */
#define SN_COUPLED_BINDING_COUNT 9

/* Handle types, as sn_handle_type. */
#define SN_COUPLED_RIGID 0
#define SN_COUPLED_AFFINE 1
#define SN_COUPLED_TRANSLATION 2

/* Numbers of a handle's state: position (3), linear part (9), rotation (4), stretch (9). Of a pose: position, rotation,
 * stretch. */
#define SN_COUPLED_HANDLE_NUMBERS 25
#define SN_COUPLED_POSE_NUMBERS 16

/* Batches in which elements are examined. */
#define SN_COUPLED_CHECK_BATCHES 16

/* A rig on its flesh: offsets of its tables, in words unless stated otherwise ("numbers" are doubles). */
struct sn_coupled_rig_record {
    SN_DOUBLE size, flesh_mass; /* characteristic length L, mass of the flesh */
    SN_DOUBLE centre[3];        /* of the flesh in the rest pose */
    SN_UINT handle_count, basis_count, unknown_capacity;
    SN_UINT order, parents, roots, rotation_column, handle_types; /* (handle_count) */
    SN_UINT starts, slot_handles;                                 /* (blocks + 1), (slots) */
    SN_UINT handle_starts, slots, slot_blocks;                    /* (handle_count + 1), (slots) */
    SN_UINT weights;                                              /* floats (slots x SN_XPBD_BLOCK) */
    SN_UINT pivots, gram;                                         /* numbers (handle_count x 3), (basis_count^2) */
    /* Wind samples in levels; samples of one level share no vertex. */
    SN_UINT level_count, levels;          /* (level_count + 1) first sample of each level */
    SN_UINT samples, sample_values;       /* (samples x SN_XPBD_SAMPLE_WORDS); floats */
    SN_UINT sample_bones, sample_weights; /* influences; floats */
};

/* One axis of a system, as sn_coupled_elimination; numbers except `free`. Border and corner only where the part has a
 * border. */
struct sn_coupled_axis {
    SN_UINT free_count, free, inverse, transfer, reduced, border, corner;
};

/* The fit or the projection, as sn_coupled_system. kept (solved_count x 3): handle, its first scalar, its scalar count;
 * columns (dimension x solved_count); scalars (scalar_count x 3): handle, row in Q, number. */
struct sn_coupled_part {
    SN_UINT solved_count, scalar_count, border_count, solved, columns, scalars;
    SN_STRUCT sn_coupled_axis axes[3];
};

#define SN_COUPLED_FIT 0
#define SN_COUPLED_PROJECTION 1

/* Data that depends on locks, pins, compliances and settings only. */
struct sn_coupled_system_record {
    SN_DOUBLE joint_lock_mass, min_compliance_factor;
    SN_STRUCT sn_coupled_part parts[2];        /* indexed by SN_COUPLED_FIT, SN_COUPLED_PROJECTION */
    SN_UINT locks;                             /* (handle_count) */
    SN_UINT joint_lock_count, joint_locks;     /* (joint_lock_count x 2): handle, axes */
    SN_UINT joint_lock_functions;              /* numbers (joint_lock_count x basis_count) */
    SN_UINT fit_gram, free_gram, free_moments; /* numbers */
    SN_UINT is_locked, is_constraint_locked_only, newton_count;
};

/* A body. */
struct sn_coupled_record {
    SN_DOUBLE wind[3], wind_limit, mass; /* maximum wind speed; mass relative to the flesh's own */
    SN_UINT rig, system;
    SN_UINT target;             /* first number in this recording */
    SN_UINT state, work, lanes; /* first numbers; lanes: first float */
    SN_UINT matrix;             /* first float */
    SN_UINT empty_count;        /* number of zero matrices after the handles' */
    SN_UINT elements;           /* of its rig or its own: batch begins (SN_COUPLED_CHECK_BATCHES + 1), then corners */
    SN_UINT flags;
};
#define SN_COUPLED_USED 1
#define SN_COUPLED_FLAT 2
#define SN_COUPLED_HAS_WIND 4

#undef SN_UINT
#undef SN_DOUBLE
#undef SN_STRUCT
#endif
