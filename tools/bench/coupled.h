/* SPDX-License-Identifier: MIT */
/* The coupling of rig and flesh at the sizes of the paper's Table 1, and crowds, on threads or on a device. */
#ifndef SN_TOOLS_BENCH_COUPLED_H
#define SN_TOOLS_BENCH_COUPLED_H

#include "host/coupled/coupled.h"
#include "tools/bench/table.h"

sn_result sn_bench_coupled(int threads, sn_bench_table *table);
/* Steps of 100, 1000 and 5000 fish; software Vulkan skips what would take it minutes. */
sn_result sn_bench_coupled_on_device(sn_bench_table *table);

/* What both have in common. */
typedef struct sn_bench_fixture {
    sn_xpbd_model *model;
    sn_coupled_rig *rig;
    double pivot[3]; /* of the driven handle, the first */
} sn_bench_fixture;

/* The paper's fish, coloured. What a failure leaves is to be finished, too. */
sn_result sn_bench_fish_make(sn_bench_fixture *made);
void sn_bench_fixture_finish(sn_bench_fixture *made);
/* As the authors have them. */
sn_coupled_settings sn_bench_coupled_settings(void);
/* Where the driven handle goes (12). */
void sn_bench_coupled_target(const sn_bench_fixture *made, int frame, double *target);
/* Of a body's step. */
double sn_bench_coupled_flops(const sn_bench_fixture *made);

#endif
