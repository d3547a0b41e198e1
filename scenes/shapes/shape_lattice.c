/* SPDX-License-Identifier: MIT */
#include "scenes/shapes/shape_lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SNAP_FRACTION 0.3 /* fraction of an edge: nodes within this distance of the boundary are moved onto it */
#define CUT_STEPS 20      /* bisection steps */

sn_result sn_lattice_init(sn_lattice *lattice, const sn_shape_field *field, const int counts[3], int direction_count,
                          sn_shape_mesh *mesh)
{
    const size_t n = (size_t)counts[0] * (size_t)counts[1] * (size_t)counts[2];
    *lattice = (sn_lattice){.field = field, .direction_count = direction_count, .mesh = mesh};
    memcpy(lattice->counts, counts, sizeof lattice->counts);
    lattice->nodes = calloc(n, sizeof *lattice->nodes);
    lattice->distances = calloc(n, sizeof *lattice->distances);
    lattice->cuts = calloc(n * (size_t)direction_count, sizeof *lattice->cuts);
    lattice->vertices = calloc(n, sizeof *lattice->vertices);
    return lattice->nodes && lattice->distances && lattice->cuts && lattice->vertices ? SN_OK : SN_ERROR_MEMORY;
}

void sn_lattice_finish(sn_lattice *lattice)
{
    free(lattice->nodes);
    free(lattice->distances);
    free(lattice->cuts);
    free(lattice->vertices);
    *lattice = (sn_lattice){0};
}

void sn_lattice_snap(sn_lattice *lattice)
{
    const sn_shape_field *field = lattice->field;
    const int count = lattice->counts[0] * lattice->counts[1] * lattice->counts[2];
    const double snap_distance = SNAP_FRACTION * field->shape->edge_length;
    for (int i = 0; i < count; ++i) {
        double *node = lattice->nodes[i], gradient[3];
        double distance = sn_shape_field_distance(field, node);
        if (fabs(distance) < snap_distance) {
            double moved[3];
            sn_shape_field_gradient(field, node, gradient);
            for (int d = 0; d < 3; ++d) {
                moved[d] = node[d] - distance * gradient[d];
            }
            if (fabs(sn_shape_field_distance(field, moved)) <
                0.1 * snap_distance) { /* skip nodes between two close boundaries */
                memcpy(node, moved, sizeof moved);
                distance = 0;
            }
        }
        lattice->distances[i] = distance;
    }
}

/* Doubles a full array. */
static bool reserve(void *array, size_t size, int count, int *limit)
{
    if (count < *limit) {
        return true;
    }
    const int larger = *limit > 0 ? 2 * *limit : 256;
    void *grown = realloc(*(void **)array, (size_t)larger * size);
    if (grown) {
        *(void **)array = grown;
        *limit = larger;
    }
    return grown != NULL;
}

static int32_t add_vertex(sn_lattice *lattice, const double position[3])
{
    sn_shape_mesh *mesh = lattice->mesh;
    if (!reserve(&mesh->positions, 3 * sizeof(double), mesh->vertex_count, &lattice->vertex_limit)) {
        lattice->is_out_of_memory = true;
        return 0;
    }
    memcpy(mesh->positions + 3 * (size_t)mesh->vertex_count, position, 3 * sizeof(double));
    return mesh->vertex_count++;
}

int32_t sn_lattice_vertex(sn_lattice *lattice, int node)
{
    if (lattice->vertices[node] == 0) {
        lattice->vertices[node] = add_vertex(lattice, lattice->nodes[node]) + 1;
    }
    return lattice->vertices[node] - 1;
}

int32_t sn_lattice_cut(sn_lattice *lattice, int node, int direction, int other)
{
    int32_t *cut = &lattice->cuts[(size_t)node * (size_t)lattice->direction_count + (size_t)direction];
    if (*cut == 0) {
        const bool is_inside = lattice->distances[node] < 0;
        const double *inside = lattice->nodes[is_inside ? node : other];
        const double *outside = lattice->nodes[is_inside ? other : node];
        double low = 0, high = 1, position[3] = {0};
        for (int step = 0; step < CUT_STEPS; ++step) {
            const double mid = (low + high) / 2;
            for (int d = 0; d < 3; ++d) {
                position[d] = inside[d] + mid * (outside[d] - inside[d]);
            }
            *(sn_shape_field_distance(lattice->field, position) < 0 ? &low : &high) = mid;
        }
        *cut = add_vertex(lattice, position) + 1;
    }
    return *cut - 1;
}

void sn_lattice_add_triangle(sn_lattice *lattice, int32_t a, int32_t b, int32_t c)
{
    sn_shape_mesh *mesh = lattice->mesh;
    if (!reserve(&mesh->triangles, 3 * sizeof(int32_t), mesh->triangle_count, &lattice->triangle_limit)) {
        lattice->is_out_of_memory = true;
        return;
    }
    memcpy(mesh->triangles + 3 * (size_t)mesh->triangle_count++, (int32_t[3]){a, b, c}, 3 * sizeof(int32_t));
}
