/* SPDX-License-Identifier: MIT */
/* A body-centered cubic lattice of tets. Its nodes are the corners and the centers of a grid of cubes. Its tets are
 * bounded by the planes x +- y, y +- z, z +- x = integer. They are congruent, with dihedral angles of 60 and 90
 * degrees. Each tet spans the centers of two neighbouring cubes and one edge of the square between them. */
#ifndef SN_AUTHOR_MESHER_LATTICE_H
#define SN_AUTHOR_MESHER_LATTICE_H

#include "host/base/base.h"

#define SN_LATTICE_TETS_PER_CUBE 12 /* tets per cube: 3 axes x 4 edges */
/* Max. cubes of a lattice. A compact shape needs about as many cubes as nodes. */
#define SN_LATTICE_MAX_CUBES (1 << 20)

typedef struct sn_lattice {
    double cell_size; /* side of the cubes, in unit coordinates */
    double origin[3]; /* of the grid, in unit coordinates */
    int sizes[3];     /* cubes per axis */
    int32_t cell_count, node_count;
} sn_lattice;

/* Initializes a lattice over the box from 0 to `high`, with a margin of two cubes. Returns false if it has too many
 * cubes. */
bool sn_lattice_start(sn_lattice *lattice, const double *high, double cell_size);

/* Converts unit to lattice coordinates, in which cubes have side 1. */
void sn_lattice_from_unit(const sn_lattice *lattice, const double *point, double *result);

/* Returns the tet that contains a point in lattice coordinates. The point must lie inside the grid, away from its
 * boundary. */
int32_t sn_lattice_cell_at(const sn_lattice *lattice, const double *point);

/* Writes the four nodes, positively oriented. */
void sn_lattice_nodes(const sn_lattice *lattice, int32_t cell, int32_t *nodes);

/* In lattice coordinates. */
void sn_lattice_node_position(const sn_lattice *lattice, int32_t node, double *position);
void sn_lattice_cell_centre(const sn_lattice *lattice, int32_t cell, double *centre);

/* Returns the tet across the face opposite node k, or -1 outside the grid. */
int32_t sn_lattice_neighbour(const sn_lattice *lattice, int32_t cell, int k);

#endif
