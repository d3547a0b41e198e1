/* SPDX-License-Identifier: MIT */
/* A bar of cubes, each cut into six tets, along x, and a sheet of squares, each cut into two triangles: characters that
 * need no data. */
#ifndef SN_TESTS_SUPPORT_BAR_H
#define SN_TESTS_SUPPORT_BAR_H

#include "host/mesh/tet_mesh.h"

/* nx x ny x nz cubes of edge `size` with one corner at the origin; null memory aborts the test. */
static inline sn_tet_mesh sn_test_bar(sn_arena *arena, int nx, int ny, int nz, double size)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    sn_tet_mesh mesh = {.vertex_count = (nx + 1) * (ny + 1) * (nz + 1), .tet_count = 6 * nx * ny * nz};
    mesh.positions = SN_NEW(arena, double, 3 * mesh.vertex_count);
    mesh.tets = SN_NEW(arena, int32_t, 4 * mesh.tet_count);
    SN_ASSERT(mesh.positions && mesh.tets);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        mesh.positions[3 * v] = size * (v % (nx + 1));
        mesh.positions[3 * v + 1] = size * (v / (nx + 1) % (ny + 1));
        mesh.positions[3 * v + 2] = size * (v / ((nx + 1) * (ny + 1)));
    }
    int32_t *tet = mesh.tets;
    for (int cube = 0; cube < nx * ny * nz; ++cube) {
        for (int i = 0; i < 6; ++i, tet += 4) {
            int at[3] = {cube % nx, cube / nx % ny, cube / (nx * ny)};
            for (int corner = 0; corner < 4; ++corner) {
                tet[corner] = (at[2] * (ny + 1) + at[1]) * (nx + 1) + at[0];
                at[corner < 3 ? orders[i][corner] : 0] += 1;
            }
            if (i >= 3) { /* odd orders of the axes are left-handed */
                const int32_t swapped = tet[1];
                tet[1] = tet[2];
                tet[2] = swapped;
            }
        }
    }
    return mesh;
}

/* Squares of edge `size` in the plane z = plane, each cut into two triangles along alternating diagonals. */
static inline sn_tet_mesh sn_test_sheet(sn_arena *arena, int nx, int ny, double size, double plane)
{
    sn_tet_mesh mesh = {.vertex_count = (nx + 1) * (ny + 1), .tet_count = 2 * nx * ny, .is_flat = true};
    mesh.positions = SN_NEW(arena, double, 3 * mesh.vertex_count);
    mesh.tets = SN_NEW(arena, int32_t, 4 * mesh.tet_count);
    SN_ASSERT(mesh.positions && mesh.tets);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        mesh.positions[3 * v] = size * (v % (nx + 1));
        mesh.positions[3 * v + 1] = size * (v / (nx + 1));
        mesh.positions[3 * v + 2] = plane;
    }
    for (int t = 0; t < mesh.tet_count; ++t) {
        const int cell = t / 2, x = cell % nx, y = cell / nx, o = y * (nx + 1) + x;
        const int square[4] = {o, o + 1, o + nx + 2, o + nx + 1}, turn = (x + y) % 2;
        for (int k = 0; k < 3; ++k) {
            mesh.tets[4 * t + k] = square[(turn + (t % 2 ? k + 2 : k)) % 4];
        }
    }
    return mesh;
}

#endif
