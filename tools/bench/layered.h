/* SPDX-License-Identifier: MIT */
/* Layered bodies: on a leg of 24 thousand tets, tets a second of a sweep for every instruction set, and whole steps; on
 * a device steps of legs, large and small. */
#ifndef SN_TOOLS_BENCH_LAYERED_H
#define SN_TOOLS_BENCH_LAYERED_H

#include "host/base/arena.h"
#include "host/layered/layered.h"
#include "tools/bench/table.h"

sn_result sn_bench_layered(sn_bench_table *table);
/* One and 16 legs of 24 thousand tets, and 100, 1000 and 5000 of 768; software Vulkan skips what would take it minutes.
 */
sn_result sn_bench_layered_on_device(sn_bench_table *table);

/* What both have in common. */
typedef struct sn_bench_layered_body {
    sn_arena arena;
    sn_layered_desc desc;
    double *frames; /* of the tets: x, y, z */
} sn_bench_layered_body;

/* Of the leg, in cubes; to be finished (its arena) after a failure, too. */
sn_result sn_bench_layered_leg(int across, int along, sn_bench_layered_body *leg);
/* The knee bends, and the whole is lifted; pose (2 x 12). */
void sn_bench_layered_pose(double seconds, double *pose);
/* Of a tet in recipe_strain.inc without axes; divisions and roots as one each. */
#define SN_BENCH_LAYERED_FLOPS 722.0

#endif
