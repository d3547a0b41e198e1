/* SPDX-License-Identifier: MIT */
#include "tools/bench_table.h"

#include <stdio.h>

sn_bench_case *sn_bench_add(sn_bench_table *table, const char *label, const char *what)
{
    sn_bench_case *row = &table->cases[table->count++];
    snprintf(row->name, sizeof row->name, "%s, %s", what, label);
    return row;
}
