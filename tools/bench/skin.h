/* SPDX-License-Identifier: MIT */
/* Skinning of the surface: the vertex stage on a device, and the double-precision reference. */
#ifndef SN_TOOLS_BENCH_SKIN_H
#define SN_TOOLS_BENCH_SKIN_H

#include "host/model/model.h"
#include "tools/bench/device.h"

/* backend: "cpu", "gpu", or null for both. */
sn_result sn_bench_skin(const sn_model *model, const char *backend, sn_bench_table *table);

/* Skins the surfaces of 20 to 2000 bodies of one model, limited by the device's largest buffer. */
sn_result sn_bench_skin_crowd(sn_bench_device *on, const sn_model *model, sn_bench_table *table);

#endif
