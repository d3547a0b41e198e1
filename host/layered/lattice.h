/* SPDX-License-Identifier: MIT */
/* The lattice of a two-level step over a body's tets. */
#ifndef SN_HOST_LAYERED_LATTICE_H
#define SN_HOST_LAYERED_LATTICE_H

#include "host/base/arena.h"
#include "host/mesh/tet_mesh.h"
#include "host/xpbd/lattice.h"
#include "host/xpbd/solver.h"

typedef struct sn_layered_lattice_desc {
    sn_tet_mesh mesh;           /* positively oriented */
    const double *volumes;      /* (tet_count) */
    const double *stiffness;    /* (tet_count x 7) */
    const double *frames;       /* (tet_count x 9) or null */
    const double *masses;       /* (vertex_count) */
    const bool *is_held;        /* (vertex_count) */
    const sn_xpbd_model *flesh; /* of the same vertices and tets */
} sn_layered_lattice_desc;

/* Cells are cubes of a few tets' edges, one for each part of the tets inside that hangs together by vertices; nodes are
 * corners of cells, one for each part of the flesh around them, so that limbs which lie side by side are not tied.
 * Memory is the arena's, but for the batches', which sn_layered_lattice_finish frees. */
sn_result sn_layered_lattice_build(const sn_layered_lattice_desc *desc, sn_arena *arena, sn_xpbd_lattice *lattice);
void sn_layered_lattice_finish(sn_xpbd_lattice *lattice);

#endif
