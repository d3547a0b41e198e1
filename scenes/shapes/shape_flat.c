/* SPDX-License-Identifier: MIT */
/* Meshes flat shapes: a lattice of equilateral triangles, clipped at the boundary. */
#include <math.h>

#include "scenes/shapes/shape_lattice.h"

/* Edges owned by a node (x, y): to the next node along x, and to the upper left and upper right in the next row. Odd
 * rows are shifted by half an edge. */
enum { ALONG, UP_LEFT, UP_RIGHT, DIRECTION_COUNT };

static void init_nodes(sn_lattice *lattice)
{
    const sn_shape_field *field = lattice->field;
    const double edge = field->shape->edge_length;
    for (int y = 0; y < lattice->counts[1]; ++y) {
        for (int x = 0; x < lattice->counts[0]; ++x) {
            double *node = lattice->nodes[sn_lattice_node(lattice, x, y, 0)];
            node[0] = field->low[0] + (x - 1 + 0.5 * (y & 1)) * edge;
            node[1] = field->low[1] + (y - 1) * 0.5 * sqrt(3) * edge;
        }
    }
}

/* The cut vertex of the edge between two nodes, in either order. */
static int32_t cut_between(sn_lattice *lattice, int a, int b)
{
    const int node = a < b ? a : b, other = a < b ? b : a, width = lattice->counts[0];
    const int y = node / width;
    const int direction = other == node + 1 ? ALONG : other == node + width - 1 + (y & 1) ? UP_LEFT : UP_RIGHT;
    return sn_lattice_cut(lattice, node, direction, other);
}

/* Clips a counter-clockwise triangle to the inside; the result is a polygon of up to four corners. */
static void clip_triangle(sn_lattice *lattice, const int corners[3])
{
    int32_t polygon[6];
    int count = 0, inside = 0;
    double centroid[3] = {0};
    for (int i = 0; i < 3; ++i) {
        const double distance = lattice->distances[corners[i]];
        inside += distance < 0;
        for (int d = 0; d < 3; ++d) {
            centroid[d] += lattice->nodes[corners[i]][d] / 3;
        }
    }
    const bool is_on_boundary = lattice->distances[corners[0]] == 0 && lattice->distances[corners[1]] == 0 &&
                                lattice->distances[corners[2]] == 0;
    if (inside == 0 && !(is_on_boundary && sn_shape_field_distance(lattice->field, centroid) < 0)) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        const int a = corners[i], b = corners[(i + 1) % 3];
        if (lattice->distances[a] <= 0) {
            polygon[count++] = sn_lattice_vertex(lattice, a);
        }
        if (lattice->distances[a] * lattice->distances[b] < 0) {
            polygon[count++] = cut_between(lattice, a, b);
        }
    }
    for (int i = 2; i < count; ++i) {
        sn_lattice_add_triangle(lattice, polygon[0], polygon[i - 1], polygon[i]);
    }
}

static void clip_cells(sn_lattice *lattice)
{
    for (int y = 0; y + 1 < lattice->counts[1]; ++y) {
        for (int x = 0; x + 1 < lattice->counts[0]; ++x) {
            const int a = sn_lattice_node(lattice, x, y, 0), b = a + 1;
            const int above = a + lattice->counts[0], next = above + 1;
            const int cells[2][2][3] = {{{a, b, above}, {b, next, above}}, {{a, b, next}, {a, next, above}}};
            clip_triangle(lattice, cells[y & 1][0]);
            clip_triangle(lattice, cells[y & 1][1]);
        }
    }
}

sn_result sn_shape_build_flat(const sn_shape_field *field, sn_shape_mesh *mesh, const char **message)
{
    const double edge = field->shape->edge_length;
    const double width = ceil((field->high[0] - field->low[0]) / edge) + 4;
    const double height = ceil((field->high[1] - field->low[1]) / (0.5 * sqrt(3) * edge)) + 4;
    sn_lattice lattice;
    if (!(width * height <= SN_SHAPE_NODE_LIMIT)) {
        *message = "the edge length is too small for the size of the shape";
        return SN_ERROR_ARGUMENT;
    }
    sn_result result =
        sn_lattice_init(&lattice, field, (const int[3]){(int)width, (int)height, 1}, DIRECTION_COUNT, mesh);
    if (result == SN_OK) {
        init_nodes(&lattice);
        sn_lattice_snap(&lattice);
        clip_cells(&lattice);
        result = lattice.is_out_of_memory ? SN_ERROR_MEMORY : SN_OK;
    }
    sn_lattice_finish(&lattice);
    return result;
}
