/* SPDX-License-Identifier: MIT */
#include "tools/command/median.h"

#include <stdlib.h>

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double sn_median(double *values, int count)
{
    if (count == 0) {
        return 0;
    }
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}
