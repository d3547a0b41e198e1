/* SPDX-License-Identifier: MIT */
/* Building a lattice: its cells, of parts that are known. */
#ifndef SN_HOST_LAYERED_LATTICE_BUILD_H
#define SN_HOST_LAYERED_LATTICE_BUILD_H

#include "host/layered/lattice.h"

/* tets and vertices in the caller's numbers. */
typedef struct sn_lattice_build {
    const sn_layered_lattice_desc *desc;
    sn_arena scratch;
    double origin[3], side;
    int part_count, node_count;
    int32_t *cubes;      /* (tet_count x 3) */
    int32_t *starts;     /* (vertex_count + 1) */
    int32_t *incident;   /* (4 tet_count) tets of a vertex */
    int32_t *parts;      /* (tet_count) part of a cube */
    int32_t *part_cubes; /* (part_count x 3) */
    int32_t *nodes;      /* (part_count x 8) corner c: x = c & 1, y = c >> 1 & 1, z = c >> 2 */
    double *volumes;     /* (part_count) */
} sn_lattice_build;

static inline void *sn_lattice_scratch(sn_lattice_build *b, size_t count, size_t size)
{
    return sn_arena_alloc(&b->scratch, count, size);
}

/* Of a place in a part's cube, 0 .. 1, or somewhat beside it; returns how far outside it is. */
double sn_lattice_place_in(const sn_lattice_build *b, const double *position, int32_t part, double *at);

/* Members and batches of the parts' cells. */
sn_result sn_lattice_build_cells(sn_lattice_build *b, sn_arena *arena, sn_xpbd_lattice *l);

#endif
