/* SPDX-License-Identifier: MIT */
/* Cuts surface triangles along the lattice's planes: one convex piece for each tet that a triangle crosses. */
#ifndef SN_AUTHOR_MESHER_PIECES_H
#define SN_AUTHOR_MESHER_PIECES_H

#include "author/mesher/lattice.h"
#include "author/mesher/surface.h"

typedef struct sn_piece {
    int32_t cell;       /* lattice cell */
    int32_t triangle;   /* surface triangle */
    double area;        /* in lattice units */
    float centre[3];    /* centroid, in the triangle's barycentric coordinates */
    uint8_t edge_bits;  /* bit k: the piece is bounded by part of the triangle's edge from corner k to k + 1 */
    uint8_t point_bits; /* bit k: the piece contains the triangle's corner k */
} sn_piece;

/* Pieces sorted by cell, then by triangle, and the list of cells that contain any. */
typedef struct sn_piece_list {
    int count;
    sn_piece *pieces;   /* (count) */
    int cell_count;     /* number of cells with pieces */
    int32_t *cells;     /* (cell_count) lattice cells, ascending */
    int32_t *starts;    /* (cell_count + 1) */
    int32_t *positions; /* (lattice's cell_count) index in `cells`, or -1 */
} sn_piece_list;

/* Max. number of pieces. */
#define SN_PIECE_LIMIT (1 << 23)

/* Estimates into how many pieces a lattice would cut the surface. */
double sn_pieces_estimate(const sn_surface *surface, double cell_size);

/* Returns SN_ERROR_UNSUPPORTED if there would be more than SN_PIECE_LIMIT pieces. */
sn_result sn_pieces_cut(const sn_surface *surface, const sn_lattice *lattice, sn_arena *arena, sn_piece_list *list);

/* Finds the tets that one triangle (3 x 3, in lattice coordinates) crosses. Writes up to `capacity` cells and returns
 * how many there are. */
int sn_pieces_cells(const sn_lattice *lattice, const double *corners, int32_t *cells, int capacity);

/* Computes the centroid of a piece in unit coordinates. */
void sn_piece_centre(const sn_surface *surface, const sn_piece *piece, double *centre);

#endif
