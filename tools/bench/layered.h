/* SPDX-License-Identifier: MIT */
/* Layered bodies: tets per second of a sweep on a leg of 24,000 tets for every instruction set, and complete steps; on
 * a device, steps of small and large legs. */
#ifndef SN_TOOLS_BENCH_LAYERED_H
#define SN_TOOLS_BENCH_LAYERED_H

#include "host/base/arena.h"
#include "host/layered/layered.h"
#include "tools/bench/table.h"

sn_result sn_bench_layered(sn_bench_table *table);
/* Steps of 1 and 16 legs of 24,000 tets, and of 100, 1000 and 5000 legs of 768. Software Vulkan skips cases that would
 * take minutes. */
sn_result sn_bench_layered_on_device(sn_bench_table *table);

/* Shared by the CPU and the device benchmark. */
typedef struct sn_bench_layered_body {
    sn_arena arena;
    sn_layered_desc desc;
    double *frames; /* tets along x, y, z */
} sn_bench_layered_body;

/* Creates a leg; the sizes count cubes. Finish its arena also after a failure. */
sn_result sn_bench_layered_leg(int across, int along, sn_bench_layered_body *leg);
/* The pose (2 x 12) at a time: the knee bends and the leg is lifted. */
void sn_bench_layered_pose(double seconds, double *pose);
/* Flops per tet in recipe_strain.inc without axes; divisions and roots count as one. */
#define SN_BENCH_LAYERED_FLOPS 722.0

#endif
