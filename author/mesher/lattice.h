/* SPDX-License-Identifier: MIT */
/* A body-centred cubic lattice of tets. Its nodes are the corners and the centres of a grid of cubes; its tets are what
 * the planes x +- y, y +- z, z +- x = integer cut out of space, all alike, with dihedral angles of 60 and 90 degrees.
 * Each spans the centres of two neighbouring cubes and one edge of the square between them. */
#ifndef SN_AUTHOR_MESHER_LATTICE_H
#define SN_AUTHOR_MESHER_LATTICE_H

#include "host/base/base.h"

#define SN_LATTICE_TYPES 12 /* tets a cube: 3 axes x 4 edges */
/* The most cubes of a lattice. Ten thousand nodes of a compact shape need some ten thousand. */
#define SN_LATTICE_CUBES (1 << 20)

typedef struct sn_lattice {
    double cell_size; /* the side of the cubes, in unit coordinates */
    double origin[3]; /* of the grid, in unit coordinates */
    int sizes[3];     /* cubes */
    int32_t cell_count, node_count;
} sn_lattice;

/* Over the box 0 to high, with a margin of two cubes. False where it would have too many cubes. */
bool sn_lattice_start(sn_lattice *lattice, const double *high, double cell_size);

/* From unit to lattice coordinates, in which cubes are unit cubes. */
void sn_lattice_from_unit(const sn_lattice *lattice, const double *point, double *result);

/* The tet around a point in lattice coordinates; the point must lie in the grid, away from its faces. */
int32_t sn_lattice_cell_at(const sn_lattice *lattice, const double *point);

/* The four nodes, positively oriented. */
void sn_lattice_nodes(const sn_lattice *lattice, int32_t cell, int32_t *nodes);

/* In lattice coordinates. */
void sn_lattice_node_position(const sn_lattice *lattice, int32_t node, double *position);
void sn_lattice_cell_centre(const sn_lattice *lattice, int32_t cell, double *centre);

/* The tet across the face opposite node k, or -1 outside of the grid. */
int32_t sn_lattice_neighbour(const sn_lattice *lattice, int32_t cell, int k);

#endif
