/* SPDX-License-Identifier: MIT */
/* What the lattice's planes cut triangles into: one convex piece for each tet that a triangle crosses. */
#ifndef SN_AUTHOR_MESHER_PIECES_H
#define SN_AUTHOR_MESHER_PIECES_H

#include "author/mesher/lattice.h"
#include "author/mesher/surface.h"

typedef struct sn_piece {
    int32_t cell;       /* of the lattice */
    int32_t triangle;   /* of the surface */
    double area;        /* in lattice units */
    float centre[3];    /* its centroid, in the triangle's barycentric coordinates */
    uint8_t edge_bits;  /* bit k: a stretch of the triangle's edge from corner k to k + 1 bounds it */
    uint8_t point_bits; /* bit k: it has the triangle's corner k */
} sn_piece;

/* Pieces by cell, within a cell by triangle; and the list of cells that hold any. */
typedef struct sn_piece_list {
    int count;
    sn_piece *pieces;   /* (count) */
    int cell_count;     /* those that hold pieces, ascending */
    int32_t *cells;     /* (cell_count) of the lattice */
    int32_t *starts;    /* (cell_count + 1) */
    int32_t *positions; /* (lattice's cell_count) in `cells`, or -1 */
} sn_piece_list;

/* The most pieces that are made; 10 thousand nodes need less than a hundred thousand of a plain character. */
#define SN_PIECE_LIMIT (1 << 23)

/* About how many pieces a lattice would cut the surface into. */
double sn_pieces_expected(const sn_surface *surface, double cell_size);

/* SN_ERROR_UNSUPPORTED where there would be too many. */
sn_result sn_pieces_cut(const sn_surface *surface, const sn_lattice *lattice, sn_arena *arena, sn_piece_list *list);

/* The tets that one triangle, (3 x 3) in lattice coordinates, crosses: appends up to `capacity` to cells and returns
 * how many there were. */
int sn_pieces_cells(const sn_lattice *lattice, const double *corners, int32_t *cells, int capacity);

/* Centroid in unit coordinates. */
void sn_piece_centre(const sn_surface *surface, const sn_piece *piece, double *centre);

#endif
