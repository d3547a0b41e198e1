/* SPDX-License-Identifier: MIT */
/* Bounding box of a mesh, flat or not. */
#include <math.h>

#include "host/mesh/tet_mesh.h"

double sn_tet_mesh_box(const sn_tet_mesh *mesh, double *low, double *high)
{
    double square = 0;
    for (size_t d = 0; d < 3; d++) {
        low[d] = INFINITY;
        high[d] = -INFINITY;
        for (size_t v = 0; v < (size_t)mesh->vertex_count; v++) {
            low[d] = fmin(low[d], mesh->positions[3 * v + d]);
            high[d] = fmax(high[d], mesh->positions[3 * v + d]);
        }
        square += (high[d] - low[d]) * (high[d] - low[d]);
    }
    return sqrt(square);
}
