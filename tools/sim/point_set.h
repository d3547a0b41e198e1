/* SPDX-License-Identifier: MIT */
/* Vertex positions of a body's tets or surface, and with --dump their history. */
#ifndef SN_TOOLS_SIM_POINT_SET_H
#define SN_TOOLS_SIM_POINT_SET_H

#include "host/base/arena.h"

/* Positions with secondary motion, and by the rig alone. */
typedef struct sn_point_set {
    int count;
    double *moved, *rig;         /* (count x 3) */
    double *all_moved, *all_rig; /* (frame_count x count x 3); null without --dump */
} sn_point_set;

typedef enum sn_point_dump { SN_DUMP_NONE, SN_DUMP_MOVED, SN_DUMP_BOTH } sn_point_dump;

sn_result sn_point_set_alloc(int count, int frame_count, sn_point_dump dump, sn_arena *arena, sn_point_set *points);

#endif
