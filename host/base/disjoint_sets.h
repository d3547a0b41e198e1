/* SPDX-License-Identifier: MIT */
/* Disjoint sets of integers (union-find). parents[i] = i at the start; the root of a set is its smallest member. */
#ifndef SN_HOST_BASE_DISJOINT_SETS_H
#define SN_HOST_BASE_DISJOINT_SETS_H

#include <stdint.h>

static inline int32_t sn_sets_root(int32_t *parents, int32_t i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

static inline void sn_sets_merge(int32_t *parents, int32_t a, int32_t b)
{
    a = sn_sets_root(parents, a);
    b = sn_sets_root(parents, b);
    parents[a > b ? a : b] = a > b ? b : a;
}

#endif
