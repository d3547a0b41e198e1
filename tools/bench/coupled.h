/* SPDX-License-Identifier: MIT */
/* Coupled bodies: the sizes of the paper's Table 1, and crowds, on the CPU or on a device. */
#ifndef SN_TOOLS_BENCH_COUPLED_H
#define SN_TOOLS_BENCH_COUPLED_H

#include "host/coupled/coupled.h"
#include "tools/bench/table.h"

sn_result sn_bench_coupled(int threads, sn_bench_table *table);
/* Steps of 100, 1000 and 5000 fish. Software Vulkan skips cases that would take minutes. */
sn_result sn_bench_coupled_on_device(sn_bench_table *table);

/* Shared by the CPU and the device benchmark. */
typedef struct sn_bench_fixture {
    sn_xpbd_model *model;
    sn_coupled_rig *rig;
    double pivot[3]; /* of the driven handle, which is the first */
} sn_bench_fixture;

/* Creates the paper's fish with coloured constraints. Finish it also after a failure. */
sn_result sn_bench_fish_create(sn_bench_fixture *made);
void sn_bench_fixture_finish(sn_bench_fixture *made);
/* The authors' settings. */
sn_coupled_settings sn_bench_coupled_settings(void);
/* Target transform of the driven handle (12). */
void sn_bench_coupled_target(const sn_bench_fixture *made, int frame, double *target);
/* Flops of one body's step. */
double sn_bench_coupled_flops(const sn_bench_fixture *made);

#endif
