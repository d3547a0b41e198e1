/* SPDX-License-Identifier: MIT */
#include "host/mesh/morton.h"

#include <math.h>
#include <stdlib.h>

#define MAX_COORDINATE 2097151 /* 2^21 cells per axis */

/* Spreads the bits of a 21-bit number to every third bit. */
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x1f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x1f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

uint64_t sn_morton_code(const double *at)
{
    uint64_t code = 0;
    for (int d = 0; d < 3; ++d) {
        code |= spread((uint64_t)(fmin(fmax(at[d], 0), 1) * MAX_COORDINATE)) << d;
    }
    return code;
}

static int by_code(const void *left, const void *right)
{
    const sn_morton_key *a = left, *b = right;
    return a->code != b->code ? (a->code > b->code) - (a->code < b->code)
                              : (a->index > b->index) - (a->index < b->index);
}

void sn_morton_sort(sn_morton_key *keys, size_t count)
{
    qsort(keys, count, sizeof *keys, by_code);
}
