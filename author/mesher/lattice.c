/* SPDX-License-Identifier: MIT */
/* The body-centered cubic lattice of Molino, Bridson, Teran, Fedkiw 2003, "A crystalline, red green strategy for
 * meshing highly deformable objects with tetrahedra", section 3. Tets stay uncut: snapping nodes to the surface and
 * isosurface stuffing (Labelle, Shewchuk 2007) produce angles down to 10 degrees and leave vertices outside. */
#include "author/mesher/lattice.h"

#include <math.h>

#define MARGIN 2
/* Shifts the lattice off the symmetry planes of characters, so that no triangle lies in a lattice plane. */
static const double shifts[3] = {0.137, 0.283, 0.419};

/* A tet: its lower cube, the axis m to the other cube, and the axis q and side s of its edge on the square between
 * them. */
typedef struct tet_location {
    int cube[3];
    int m, q, s;
} tet_location;

bool sn_lattice_start(sn_lattice *lattice, const double *high, double cell_size)
{
    double cubes = 1, nodes = 2;
    lattice->cell_size = cell_size;
    for (int d = 0; d < 3; ++d) {
        const double size = ceil(high[d] / cell_size + 2 * MARGIN + shifts[d]);
        if (!(size < SN_LATTICE_MAX_CUBES)) {
            return false;
        }
        lattice->sizes[d] = (int)size;
        lattice->origin[d] = -(MARGIN + shifts[d]) * cell_size;
        cubes *= size;
        nodes *= size + 1;
    }
    if (!(cubes <= SN_LATTICE_MAX_CUBES)) {
        return false;
    }
    lattice->cell_count = (int32_t)cubes * SN_LATTICE_TETS_PER_CUBE;
    lattice->node_count = (int32_t)nodes;
    return true;
}

void sn_lattice_from_unit(const sn_lattice *lattice, const double *point, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = (point[d] - lattice->origin[d]) / lattice->cell_size;
    }
}

static int32_t cell_index(const sn_lattice *lattice, const tet_location *p)
{
    const int32_t cube = (p->cube[2] * lattice->sizes[1] + p->cube[1]) * lattice->sizes[0] + p->cube[0];
    return cube * SN_LATTICE_TETS_PER_CUBE + p->m * 4 + (p->q == (p->m + 1) % 3 ? 0 : 2) + p->s;
}

static tet_location locate_tet(const sn_lattice *lattice, int32_t cell)
{
    const int32_t cube = cell / SN_LATTICE_TETS_PER_CUBE, type = cell % SN_LATTICE_TETS_PER_CUBE;
    tet_location p = {.m = type / 4, .s = type % 2};
    p.q = (p.m + (type & 2 ? 2 : 1)) % 3;
    p.cube[0] = cube % lattice->sizes[0];
    p.cube[1] = cube / lattice->sizes[0] % lattice->sizes[1];
    p.cube[2] = cube / lattice->sizes[0] / lattice->sizes[1];
    return p;
}

int32_t sn_lattice_cell_at(const sn_lattice *lattice, const double *point)
{
    tet_location p;
    double off[3];
    for (int d = 0; d < 3; ++d) {
        const double low = floor(point[d]);
        p.cube[d] = (int)low;
        off[d] = point[d] - low - 0.5;
    }
    /* the axis of the nearest square, then of its nearest edge */
    p.m = fabs(off[0]) >= fabs(off[1]) && fabs(off[0]) >= fabs(off[2]) ? 0 : fabs(off[1]) >= fabs(off[2]) ? 1 : 2;
    p.q = (p.m + 1) % 3;
    if (fabs(off[(p.m + 2) % 3]) > fabs(off[p.q])) {
        p.q = (p.m + 2) % 3;
    }
    p.s = off[p.q] > 0;
    p.cube[p.m] -= off[p.m] > 0 ? 0 : 1;
    return cell_index(lattice, &p);
}

static int32_t node_index(const sn_lattice *lattice, const int *cube, bool is_centre)
{
    return 2 * ((cube[2] * (lattice->sizes[1] + 1) + cube[1]) * (lattice->sizes[0] + 1) + cube[0]) + is_centre;
}

/* Whether the edge's upper end is listed first. */
static bool is_swapped(const tet_location *p)
{
    return (p->s == 1) != (p->q == (p->m + 1) % 3);
}

void sn_lattice_nodes(const sn_lattice *lattice, int32_t cell, int32_t *nodes)
{
    const tet_location p = locate_tet(lattice, cell);
    const int r = 3 - p.m - p.q;
    int cube[3] = {p.cube[0], p.cube[1], p.cube[2]};
    nodes[0] = node_index(lattice, cube, true);
    ++cube[p.m];
    nodes[1] = node_index(lattice, cube, true);
    cube[p.q] += p.s;
    nodes[is_swapped(&p) ? 3 : 2] = node_index(lattice, cube, false);
    ++cube[r];
    nodes[is_swapped(&p) ? 2 : 3] = node_index(lattice, cube, false);
}

void sn_lattice_node_position(const sn_lattice *lattice, int32_t node, double *position)
{
    const int32_t cube = node / 2, nx = lattice->sizes[0] + 1, ny = lattice->sizes[1] + 1;
    const double half = node % 2 ? 0.5 : 0;
    position[0] = cube % nx + half;
    position[1] = cube / nx % ny + half;
    position[2] = cube / nx / ny + half;
}

void sn_lattice_cell_centre(const sn_lattice *lattice, int32_t cell, double *centre)
{
    int32_t nodes[4];
    sn_lattice_nodes(lattice, cell, nodes);
    centre[0] = centre[1] = centre[2] = 0;
    for (int k = 0; k < 4; ++k) {
        double x[3];
        sn_lattice_node_position(lattice, nodes[k], x);
        for (int d = 0; d < 3; ++d) {
            centre[d] += x[d] / 4;
        }
    }
}

int32_t sn_lattice_neighbour(const sn_lattice *lattice, int32_t cell, int k)
{
    const tet_location p = locate_tet(lattice, cell);
    tet_location n = p;
    if (k < 2) { /* around the edge, about the center of the other cube */
        n.cube[p.m] += k == 0 ? 1 : 0;
        n.cube[p.q] -= p.s ? 0 : 1;
        n.m = p.q;
        n.q = p.m;
        n.s = k == 0 ? 0 : 1;
    } else { /* around the axis between the centers, to the edge at the remaining end */
        n.q = 3 - p.m - p.q;
        n.s = (k == 2) != is_swapped(&p);
    }
    for (int d = 0; d < 3; ++d) {
        if (n.cube[d] < 0 || n.cube[d] >= lattice->sizes[d]) {
            return -1;
        }
    }
    return cell_index(lattice, &n);
}
