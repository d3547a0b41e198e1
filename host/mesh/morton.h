/* SPDX-License-Identifier: MIT */
/* Order of points along a Morton curve (Morton 1966): interleaved bits of the three coordinates. Points near on the
 * curve are near in space. */
#ifndef SN_HOST_MESH_MORTON_H
#define SN_HOST_MESH_MORTON_H

#include <stddef.h>
#include <stdint.h>

typedef struct sn_morton_key {
    uint64_t code;
    int32_t index; /* user data of the caller */
} sn_morton_key;

/* at (3) in the unit cube, clamped to it: 21 bits per coordinate, x in the lowest bit. */
uint64_t sn_morton_code(const double *at);
/* Sorts in place by code, then by index. */
void sn_morton_sort(sn_morton_key *keys, size_t count);

#endif
