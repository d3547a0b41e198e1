/* SPDX-License-Identifier: MIT */
/* Deforming the drawn surface: the vertex stage on a device beside the double reference. */
#ifndef SN_TOOLS_BENCH_SKIN_H
#define SN_TOOLS_BENCH_SKIN_H

#include "host/model/model.h"
#include "tools/bench/table.h"

/* backend: "cpu", "gpu", or null for both. */
sn_result sn_bench_skin(const sn_model *model, const char *backend, sn_bench_table *table);

#endif
