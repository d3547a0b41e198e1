/* SPDX-License-Identifier: MIT */
/* Functions shared by both methods' energies. */
#include "research/baselines/spokes_rims.h"

#include <math.h>
#include <string.h>

#include "host/reduced/kernels/cluster_pass.h"
#include "research/baselines/pencil.h"

void sn_spokes_rims_accumulate(const sn_baseline_body *body, const double *positions, double *sums)
{
    memset(sums, 0, 9 * (size_t)body->mesh.vertex_count * sizeof *sums);
    for (int t = 0; t < body->mesh.tet_count; ++t) {
        double f[9];
        sn_tet_displacement_gradient(body, t, positions, f);
        for (int c = 0; c < 4; ++c) {
            const double fraction = sn_tet_corner_fraction(&body->mesh, c) * body->volumes[t];
            double *sum = sums + 9 * (size_t)body->mesh.tets[4 * (size_t)t + (size_t)c];
            for (int i = 0; i < 9; ++i) {
                sum[i] += fraction * f[i];
            }
        }
    }
}

static void rotate_in_plane(const double *m, double *rotation)
{
    const double c = m[0] + m[4], s = m[3] - m[1], size = hypot(c, s);
    const double cosine = size > 0 ? c / size : 1, sine = size > 0 ? s / size : 0;
    const double rotation_z[9] = {cosine, -sine, 0, sine, cosine, 0, 0, 0, 1};
    memcpy(rotation, rotation_z, sizeof rotation_z);
}

void sn_nearest_rotations(const double *matrices, int count, bool is_flat, double *rotations)
{
    for (size_t first = 0; first < sn_rotation_capacity(count); first += SN_LANES) {
        sn_f64x8 in[9], out[9];
        for (size_t i = 0; i < 9 * SN_LANES; ++i) {
            in[i / SN_LANES][i % SN_LANES] = matrices[9 * (first + i % SN_LANES) + i / SN_LANES];
        }
        for (size_t lane = 0; is_flat && lane < SN_LANES; ++lane) {
            rotate_in_plane(matrices + 9 * (first + lane), rotations + 9 * (first + lane));
        }
        if (is_flat) {
            continue;
        }
        sn_polar_f64(in, out);
        for (size_t i = 0; i < 9 * SN_LANES; ++i) {
            rotations[9 * (first + i % SN_LANES) + i / SN_LANES] = out[i / SN_LANES][i % SN_LANES];
        }
    }
}
