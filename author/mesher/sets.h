/* SPDX-License-Identifier: MIT */
/* Disjoint sets over 0 to count - 1. The smallest member represents its set, so the order of unions does not matter. */
#ifndef SN_AUTHOR_MESHER_SETS_H
#define SN_AUTHOR_MESHER_SETS_H

#include <stdint.h>

static inline void sn_sets_start(int32_t *parents, int count)
{
    for (int32_t i = 0; i < count; ++i) {
        parents[i] = i;
    }
}

static inline int32_t sn_sets_find(int32_t *parents, int32_t i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]]; /* path halving; needs no ranks */
        i = parents[i];
    }
    return i;
}

/* Merges the sets of a and b. Returns 1 if they were different sets. */
static inline int sn_sets_union(int32_t *parents, int32_t a, int32_t b)
{
    const int32_t ra = sn_sets_find(parents, a), rb = sn_sets_find(parents, b);
    if (ra == rb) {
        return 0;
    }
    parents[ra > rb ? ra : rb] = ra > rb ? rb : ra;
    return 1;
}

#endif
