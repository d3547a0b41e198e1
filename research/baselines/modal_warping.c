/* SPDX-License-Identifier: MIT */
/* Modal warping (Choi and Ko 2005, "Modal warping: real-time simulation of large rotational deformation and
 * manipulation"). Half of the linear displacement's curl is a rotation vector w at each vertex. The displacement is
 * rotated as if it had grown along that rotation: u' = integral over t from 0 to 1 of exp(t [w]) u. */
#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "research/baselines/pencil.h"

/* Adds a tet's rotation vector, weighted by its volume, to vectors (vertex_count x 3), and its volume to
 * `total_volumes`. */
static void add_rotation(const sn_baseline_body *body, int tet, const double *u, double *vectors, double *total_volumes)
{
    const int32_t *corners = body->mesh.tets + 4 * (size_t)tet;
    double f[9];
    sn_tet_displacement_gradient(body, tet, u, f);
    const double rotation[3] = {0.5 * (f[7] - f[5]), 0.5 * (f[2] - f[6]), 0.5 * (f[3] - f[1])};
    for (int c = 0; c < 4; ++c) {
        total_volumes[corners[c]] += body->volumes[tet];
        for (int d = 0; d < 3; ++d) {
            vectors[3 * (size_t)corners[c] + (size_t)d] += body->volumes[tet] * rotation[d];
        }
    }
}

static void warp(const double *vector, const double *u, double *warped)
{
    const double angle = sn_length3(vector);
    if (angle < 1e-8) {
        memcpy(warped, u, 3 * sizeof *u);
        return;
    }
    const double axis[3] = {vector[0] / angle, vector[1] / angle, vector[2] / angle};
    double once[3], twice[3];
    sn_cross3(axis, u, once);
    sn_cross3(axis, once, twice);
    for (int d = 0; d < 3; ++d) {
        warped[d] = u[d] + (1 - cos(angle)) / angle * once[d] + (1 - sin(angle) / angle) * twice[d];
    }
}

void sn_modal_warp(const sn_baseline_body *body, const double *displacements, double *warped)
{
    const size_t n = (size_t)body->mesh.vertex_count;
    sn_arena scratch = {0};
    double *vectors = SN_NEW(&scratch, double, 3 * n), *total_volumes = SN_NEW(&scratch, double, n);
    SN_ASSERT(vectors && total_volumes);
    for (int t = 0; t < body->mesh.tet_count; ++t) {
        add_rotation(body, t, displacements, vectors, total_volumes);
    }
    for (size_t v = 0; v < n; ++v) {
        for (size_t d = 0; d < 3; ++d) {
            vectors[3 * v + d] /= total_volumes[v];
        }
        warp(vectors + 3 * v, displacements + 3 * v, warped + 3 * v);
    }
    sn_arena_finish(&scratch);
}
