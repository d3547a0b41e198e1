/* SPDX-License-Identifier: MIT */
/* A coarse lattice over a body of strain-based tets, and what a sweep over its cells needs: the upper level of a
 * two-level step. A cell is a set of tets; its eight corners are nodes, which move the rows of flesh inside of it
 * along.
 *
 * Rows of the lattice are rows of four numbers as the flesh has them: nodes (displacement since the flesh was looked
 * at, 1 / mass), three rows a cell (columns of G R = (F - 1) R of its flesh, averaged by volume, and 0), the spare row,
 * and padding. A cell is a constraint with eleven corners: its nodes, and its three rows, which weigh nothing. */
#ifndef SN_HOST_XPBD_LATTICE_H
#define SN_HOST_XPBD_LATTICE_H

#include "host/xpbd/batches.h"

#define CELL_NODES 8
#define CELL_CORNERS 11
#define CELL_VALUES 31       /* gradients of the corners' shape functions, times R; 1/(k V) of each constraint */
#define CELL_FRAME_VALUES 40 /* the same, and R, row-major */
#define SEED_NUMBERS 8       /* of a cell: what its constraints should be, seven numbers */

typedef struct sn_xpbd_lattice {
    int vertex_count; /* rows of flesh that nodes move */
    int node_count, cell_count, row_count;
    float *inverse_masses; /* (node_count) 0: held */
    int32_t *nodes;        /* (vertex_count x 8) 4 times the node */
    float *shares;         /* (vertex_count x 8) of a node's displacement that the row goes along with; sum 1 */
    int32_t *starts;       /* (cell_count + 1) of the next two */
    int32_t *members;      /* 4 times the row of flesh */
    float *gradients;      /* (members x 4) G R = sum u gradient^T; and 0 */
    bool is_framed;
    sn_xpbd_batches cells;
    int32_t *group_starts; /* (9) batches of cells that share no node, but for parts of one */
    int32_t *cell_of;      /* (batches of the flesh x SN_BATCH) SEED_NUMBERS times the tet's cell */
} sn_xpbd_lattice;

#endif
