/* SPDX-License-Identifier: MIT */
#include "tools/bench/table.h"

#include <stdio.h>

#include "host/base/base.h"

sn_bench_case *sn_bench_add(sn_bench_table *table, const char *label, const char *what)
{
    SN_ASSERT(table->count < SN_BENCH_CASE_LIMIT);
    sn_bench_case *row = &table->cases[table->count++];
    snprintf(row->name, sizeof row->name, "%s, %s", what, label);
    return row;
}
