/* SPDX-License-Identifier: MIT */
/* What compute/coupled and shaders/coupled share: records, and where things lie in the buffers. What a body's flesh
 * needs is in shaders/shared/xpbd.h. */
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
#define SN_COUPLED_TABLES 1  /* words of rigs and systems */
#define SN_COUPLED_WEIGHTS 2 /* floats */
#define SN_COUPLED_RIGS 3
#define SN_COUPLED_SYSTEMS 4
#define SN_COUPLED_RECORDS 5 /* of bodies, in the order of their indices */
#define SN_COUPLED_TARGETS 6 /* doubles: where handles move to, a pose each */
#define SN_COUPLED_STATES 7  /* doubles: what bodies keep */
#define SN_COUPLED_WORK 8    /* doubles: scratch */
#define SN_COUPLED_LANES 9   /* floats: scratch of sums over vertices */
#define SN_COUPLED_MATRICES 10
#define SN_COUPLED_BINDING_COUNT 11

/* Kinds of handles, as sn_handle_kind. */
#define SN_COUPLED_RIGID 0
#define SN_COUPLED_AFFINE 1
#define SN_COUPLED_TRANSLATION 2

/* Numbers of a handle's state: place, linear part (9), turn (4), stretch (9); of a pose: place, turn, stretch. */
#define SN_COUPLED_HANDLE_NUMBERS 25
#define SN_COUPLED_POSE_NUMBERS 16

/* Parts that elements are looked at in, one after the other. */
#define SN_COUPLED_ROUND 16

/* A rig on its flesh: where its tables begin. Words, unless it says numbers. */
struct sn_coupled_rig_record {
    SN_DOUBLE size, flesh_mass; /* L */
    SN_DOUBLE centre[3];        /* of the flesh at rest */
    SN_UINT handle_count, basis_count, unknown_room;
    SN_UINT order, parents, roots, turning, kinds; /* (handle_count) */
    SN_UINT starts, slot_handles;                  /* (blocks + 1), (slots) */
    SN_UINT handle_starts, slots, slot_blocks;     /* (handle_count + 1), (slots) */
    SN_UINT weights;                               /* floats (slots x SN_XPBD_BLOCK) */
    SN_UINT pivots, gram;                          /* numbers (handle_count x 3), (basis_count^2) */
    /* What feels wind, level by level: samples of one share no vertex. */
    SN_UINT level_count, levels;          /* (level_count + 1) first samples */
    SN_UINT samples, sample_values;       /* (samples x SN_XPBD_SAMPLE_WORDS); floats */
    SN_UINT sample_bones, sample_weights; /* of influences; floats */
};

/* One axis of a system, as sn_coupled_elimination; numbers but for `free`. Border and corner where the part has them.
 */
struct sn_coupled_axis {
    SN_UINT free_count, free, inverse, carried, reduced, border, corner;
};

/* The fit, or the projection, as sn_coupled_system. kept (kept_count x 3): a handle, its first scalar, how many it has;
 * columns (dimension x kept_count); scalars (scalar_count x 3): handle, its place in Q, number. */
struct sn_coupled_part {
    SN_UINT kept_count, scalar_count, border_count, kept, columns, scalars;
    SN_STRUCT sn_coupled_axis axes[3];
};

#define SN_COUPLED_FIT 0
#define SN_COUPLED_PROJECTION 1

/* What locks, pins, compliances and settings make constant. */
struct sn_coupled_system_record {
    SN_DOUBLE hold_mass, yielding;
    SN_STRUCT sn_coupled_part parts[2];  /* SN_COUPLED_FIT, SN_COUPLED_PROJECTION */
    SN_UINT locks;                       /* (handle_count) */
    SN_UINT hold_count, holds;           /* (hold_count x 2): handle, axes */
    SN_UINT hold_functions;              /* numbers (hold_count x basis_count) */
    SN_UINT fit_gram, free_gram, shares; /* numbers */
    SN_UINT is_locked, is_driven_only, newton_count;
};

/* A body. */
struct sn_coupled_record {
    SN_DOUBLE wind[3], wind_limit, mass; /* the speed that is felt at most; how many times as heavy as its flesh says */
    SN_UINT rig, system;
    SN_UINT target;             /* of this recording: from its first number */
    SN_UINT state, work, lanes; /* first numbers, and float */
    SN_UINT matrix;             /* first float */
    SN_UINT empty_count;        /* matrices of zeros after the handles' */
    SN_UINT elements;           /* of its rig, or its own: firsts (SN_COUPLED_ROUND + 1), then corners */
    SN_UINT flags;
};
#define SN_COUPLED_USED 1
#define SN_COUPLED_FLAT 2
#define SN_COUPLED_WINDY 4

#undef SN_UINT
#undef SN_DOUBLE
#undef SN_STRUCT
#endif
