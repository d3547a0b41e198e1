/* SPDX-License-Identifier: MIT */
/* A lattice of one cell size over runs of pixels: cells, their copies, and the corners that copies share. */
#ifndef SN_AUTHOR_MESHER_PICTURE_LATTICE_H
#define SN_AUTHOR_MESHER_PICTURE_LATTICE_H

#include "author/mesher/picture_runs.h"

/* Row r of nodes is at y = origin[1] + r height. Its nodes are at x = origin[0] + u side / 2 for all u of r's parity.
 * Cell i of the strip below row r spans u = i to i + 2; its long side is at the top if r + i is even. */
typedef struct sn_picture_lattice {
    double side, height, origin[2];
    int columns, strips; /* columns: cells per strip */
} sn_picture_lattice;

/* A copy of a cell: a connected group of pixels in it. */
typedef struct sn_picture_fragment {
    int32_t cell;                         /* strip * columns + i */
    int32_t first_segment, segment_count; /* valid after the fragments are sorted */
    int32_t corners[3];                   /* nodes: left and right end of the long side, then the opposite corner */
    double area;
} sn_picture_fragment;

typedef struct sn_picture_fragments {
    int count, node_count, segment_count;
    sn_picture_fragment *fragments; /* (count) sorted by cell */
    sn_picture_segment *segments;   /* (segment_count) sorted by fragment, then by row */
} sn_picture_fragments;

void sn_picture_lattice_init(const sn_picture_runs *runs, double side, sn_picture_lattice *lattice);
/* Computes the position of a fragment's corner, in pixels. */
void sn_picture_lattice_corner(const sn_picture_lattice *lattice, int32_t cell, int corner, double *position);
sn_result sn_picture_fragments_build(const sn_picture_runs *runs, const sn_picture_lattice *lattice, sn_arena *arena,
                                     sn_picture_fragments *fragments);

#endif
