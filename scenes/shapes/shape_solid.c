/* SPDX-License-Identifier: MIT */
/* Surface of a solid shape by marching tetrahedra: a lattice of cubes, each split into six tets around its diagonal. */
#include <math.h>

#include "scenes/shapes/shape_lattice.h"

/* Edges go from a node to the nodes at offsets 1 to 7 (bits of x, y, z). */
#define DIRECTION_COUNT 7

static void init_nodes(sn_lattice *lattice)
{
    const sn_shape_field *field = lattice->field;
    const double edge = field->shape->edge_length;
    for (int z = 0; z < lattice->counts[2]; ++z) {
        for (int y = 0; y < lattice->counts[1]; ++y) {
            for (int x = 0; x < lattice->counts[0]; ++x) {
                double *node = lattice->nodes[sn_lattice_node(lattice, x, y, z)];
                node[0] = field->low[0] + (x - 1) * edge;
                node[1] = field->low[1] + (y - 1) * edge;
                node[2] = field->low[2] + (z - 1) * edge;
            }
        }
    }
}

typedef struct tet {
    int nodes[4], corners[4]; /* corners: of the cube, bits of x, y, z */
} tet;

/* Surface vertex between an inside corner and another one. */
static int32_t vertex_between(sn_lattice *lattice, const tet *t, int inside, int other)
{
    if (lattice->distances[t->nodes[other]] == 0) {
        return sn_lattice_vertex(lattice, t->nodes[other]);
    }
    const bool is_first = t->corners[inside] < t->corners[other];
    const int from = is_first ? inside : other, to = is_first ? other : inside;
    const int direction = (t->corners[to] ^ t->corners[from]) - 1;
    return sn_lattice_cut(lattice, t->nodes[from], direction, t->nodes[to]);
}

/* Adds a triangle that faces away from an inside point; skips degenerate ones. */
static void add_outwards(sn_lattice *lattice, int32_t a, int32_t b, int32_t c, const double *inside)
{
    double e[2][3], offset[3];
    if (a == b || b == c || c == a || lattice->is_out_of_memory) {
        return;
    }
    const double *p = lattice->mesh->positions;
    for (int d = 0; d < 3; ++d) {
        e[0][d] = p[3 * b + d] - p[3 * a + d];
        e[1][d] = p[3 * c + d] - p[3 * a + d];
        offset[d] = p[3 * a + d] - inside[d];
    }
    double volume = 0;
    for (int d = 0; d < 3; ++d) {
        const int d1 = (d + 1) % 3, d2 = (d + 2) % 3;
        volume += offset[d] * (e[0][d1] * e[1][d2] - e[0][d2] * e[1][d1]);
    }
    sn_lattice_add_triangle(lattice, a, volume > 0 ? b : c, volume > 0 ? c : b);
}

static void march(sn_lattice *lattice, const tet *t)
{
    int inside[4], others[4], inside_count = 0, other_count = 0;
    for (int i = 0; i < 4; ++i) {
        if (lattice->distances[t->nodes[i]] < 0) {
            inside[inside_count++] = i;
        } else {
            others[other_count++] = i;
        }
    }
    if (inside_count == 0 || other_count == 0) {
        return;
    }
    const double *inside_point = lattice->nodes[t->nodes[inside[0]]];
    if (inside_count == 2) {
        const int32_t a = vertex_between(lattice, t, inside[0], others[0]);
        const int32_t b = vertex_between(lattice, t, inside[0], others[1]);
        const int32_t c = vertex_between(lattice, t, inside[1], others[1]);
        const int32_t d = vertex_between(lattice, t, inside[1], others[0]);
        add_outwards(lattice, a, b, c, inside_point);
        add_outwards(lattice, a, c, d, inside_point);
        return;
    }
    int32_t corners[3];
    for (int i = 0; i < 3; ++i) {
        corners[i] = inside_count == 1 ? vertex_between(lattice, t, inside[0], others[i])
                                       : vertex_between(lattice, t, inside[i], others[0]);
    }
    add_outwards(lattice, corners[0], corners[1], corners[2], inside_point);
}

static void march_cubes(sn_lattice *lattice)
{
    /* the two cube corners between the first and the last of a tet */
    static const int middle_corners[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
    for (int z = 0; z + 1 < lattice->counts[2]; ++z) {
        for (int y = 0; y + 1 < lattice->counts[1]; ++y) {
            for (int x = 0; x + 1 < lattice->counts[0]; ++x) {
                for (int k = 0; k < 6; ++k) {
                    tet t = {.corners = {0, middle_corners[k][0], middle_corners[k][1], 7}};
                    for (int i = 0; i < 4; ++i) {
                        const int c = t.corners[i];
                        t.nodes[i] = sn_lattice_node(lattice, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
                    }
                    march(lattice, &t);
                }
            }
        }
    }
}

sn_result sn_shape_build_solid(const sn_shape_field *field, sn_shape_mesh *mesh, const char **message)
{
    const double edge = field->shape->edge_length;
    double size[3], node_count = 1;
    int counts[3];
    sn_lattice lattice;
    for (int d = 0; d < 3; ++d) {
        size[d] = ceil((field->high[d] - field->low[d]) / edge) + 4;
        node_count *= size[d];
    }
    if (!(node_count <= SN_SHAPE_NODE_LIMIT)) {
        *message = "the edge length is too small for the size of the shape";
        return SN_ERROR_ARGUMENT;
    }
    for (int d = 0; d < 3; ++d) {
        counts[d] = (int)size[d];
    }
    sn_result result = sn_lattice_init(&lattice, field, counts, DIRECTION_COUNT, mesh);
    if (result == SN_OK) {
        init_nodes(&lattice);
        sn_lattice_snap(&lattice);
        march_cubes(&lattice);
        result = lattice.is_out_of_memory ? SN_ERROR_MEMORY : SN_OK;
    }
    sn_lattice_finish(&lattice);
    return result;
}
