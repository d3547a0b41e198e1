/* SPDX-License-Identifier: MIT */
#include "tools/bench_table.h"

#include <stdio.h>
#include <stdlib.h>

sn_bench_case *sn_bench_add(sn_bench_table *table, const char *label, const char *what)
{
    sn_bench_case *row = &table->cases[table->count++];
    snprintf(row->name, sizeof row->name, "%s, %s", what, label);
    return row;
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double sn_bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}
