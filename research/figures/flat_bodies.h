/* SPDX-License-Identifier: MIT */
/* Drawn characters for the figures of two-way coupling, in the plane: outlines of our own, as lattices of triangles
 * with as many vertices as the paper's, and handles with bounded biharmonic weights. */
#ifndef SN_RESEARCH_FIGURES_FLAT_BODIES_H
#define SN_RESEARCH_FIGURES_FLAT_BODIES_H

#include "research/baselines/baselines.h"

typedef enum sn_outline_name {
    SN_OUTLINE_BUNNY,    /* a head with two ears: 8 points; 0 and 1 are at the chin's sides */
    SN_OUTLINE_GHOST,    /* in a cage of 10 vertices; 0 and 1 are above, 5 and 6 below */
    SN_OUTLINE_MUSHROOM, /* 5 points: foot, middle of the stem, middle, left and right of the cap */
    SN_OUTLINE_OCTOPUS,  /* 12 points: the head, then middle and tip of each tentacle, one at the mantle */
    SN_OUTLINE_FISH,     /* 4 points from head to tail */
    SN_OUTLINE_COUNT
} sn_outline_name;

typedef struct sn_flat_subject {
    const char *name;
    sn_baseline_body body; /* flat, about the origin, about one unit wide */
    int32_t *triangles;    /* (tet_count x 3) */
    int32_t *outline;      /* (outline_count) its loops, each ended by -1 */
    int outline_count;
    int handle_count;
    double *pivots, *weights; /* (handle_count x 3), (vertex_count x handle_count) */
    bool is_cage;             /* handles are translations */
} sn_flat_subject;

/* About `vertex_count` vertices: the paper's of its figure where 0. */
sn_result sn_flat_subject_build(sn_outline_name outline, int vertex_count, sn_arena *arena, sn_flat_subject *subject);

#endif
