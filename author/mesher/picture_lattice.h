/* SPDX-License-Identifier: MIT */
/* The lattice of one cell size over runs of pixels: cells, their copies, and the corners that copies share. */
#ifndef SN_AUTHOR_MESHER_PICTURE_LATTICE_H
#define SN_AUTHOR_MESHER_PICTURE_LATTICE_H

#include "author/mesher/picture_runs.h"

/* Row r of nodes is at y = origin[1] + r height; its nodes at x = origin[0] + u side / 2 for all u of r's parity. Cell
 * i of the strip below row r spans u = i .. i + 2; its long side is at its top where r + i is even. */
typedef struct sn_picture_lattice {
    double side, height, origin[2];
    int columns, strips; /* cells of a strip */
} sn_picture_lattice;

/* A copy of a cell: what touches of the pixels in it. */
typedef struct sn_picture_fragment {
    int32_t cell;                         /* strip * columns + i */
    int32_t first_segment, segment_count; /* after the fragments are sorted */
    int32_t corners[3];                   /* nodes: the ends of its long side, from the left, and what is opposite */
    double area;
} sn_picture_fragment;

typedef struct sn_picture_fragments {
    int count, node_count, segment_count;
    sn_picture_fragment *fragments; /* (count) by cell */
    sn_picture_segment *segments;   /* (segment_count) by fragment, then by row */
} sn_picture_fragments;

void sn_picture_lattice_place(const sn_picture_runs *runs, double side, sn_picture_lattice *lattice);
/* Of a fragment's corner, in pixels. */
void sn_picture_lattice_corner(const sn_picture_lattice *lattice, int32_t cell, int corner, double *position);
sn_result sn_picture_fragments_build(const sn_picture_runs *runs, const sn_picture_lattice *lattice, sn_arena *arena,
                                     sn_picture_fragments *fragments);

#endif
