/* SPDX-License-Identifier: MIT */
/* Deforming the drawn surface: the vertex stage on a device beside the double reference. */
#ifndef SN_TOOLS_BENCH_SKIN_H
#define SN_TOOLS_BENCH_SKIN_H

#include "host/model/model.h"
#include "tools/bench/device.h"

/* backend: "cpu", "gpu", or null for both. */
sn_result sn_bench_skin(const sn_model *model, const char *backend, sn_bench_table *table);

/* The surfaces of 20 to 2000 bodies of one model, as many as the device's largest buffer has room for. */
sn_result sn_bench_skin_crowd(sn_bench_device *on, const sn_model *model, sn_bench_table *table);

#endif
