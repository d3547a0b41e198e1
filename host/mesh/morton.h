/* SPDX-License-Identifier: MIT */
/* The order of points along a Morton curve (Morton 1966): bits of the three coordinates, interleaved. Points that are
 * near on the curve are near in space. */
#ifndef SN_HOST_MESH_MORTON_H
#define SN_HOST_MESH_MORTON_H

#include <stddef.h>
#include <stdint.h>

typedef struct sn_morton_key {
    uint64_t code;
    int32_t index; /* the caller's */
} sn_morton_key;

/* at (3) in the unit cube, clamped to it: 21 bits a coordinate, x the lowest. */
uint64_t sn_morton_code(const double *at);
/* In place, by code, then by index. */
void sn_morton_sort(sn_morton_key *keys, size_t count);

#endif
