/* SPDX-License-Identifier: MIT */
/* Cubes whose centre lies in the shape, each cut into six tets along one diagonal (Kuhn): neighbours' faces match. */
#include "tools/bench_mesh.h"

#include <math.h>
#include <string.h>

#define GRID_X 44
#define GRID_Y 28
#define GRID_Z 20

/* An ellipsoid with a trunk that tapers and droops. Grid coordinates. */
static bool is_inside(double x, double y, double z)
{
    const double bx = (x - 13) / 12, by = (y - 16) / 10.5, bz = (z - 10) / 9;
    const double along = (x - 20) / 23;
    const double centre_y = 20 - 12 * along * along, radius = 5.5 - 3 * along;
    const double ty = y - centre_y, tz = z - 10;
    return bx * bx + by * by + bz * bz < 1 || (along > 0 && along < 1 && ty * ty + tz * tz < radius * radius);
}

static int32_t corner_index(int x, int y, int z)
{
    return (z * (GRID_Y + 1) + y) * (GRID_X + 1) + x;
}

/* The six orders of the axes: from corner 0 to corner 7, one axis a step. */
static void add_cube(int x, int y, int z, int32_t *tets)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int i = 0; i < 6; ++i) {
        int at[3] = {x, y, z};
        int32_t tet[4] = {corner_index(x, y, z)};
        for (int step = 0; step < 3; ++step) {
            ++at[orders[i][step]];
            tet[step + 1] = corner_index(at[0], at[1], at[2]);
        }
        if (i >= 3) { /* odd permutations are left-handed */
            const int32_t swapped = tet[1];
            tet[1] = tet[2];
            tet[2] = swapped;
        }
        memcpy(tets + (size_t)4 * (size_t)i, tet, sizeof tet);
    }
}

static void number_vertices(int32_t *numbers, sn_tet_mesh *mesh)
{
    memset(numbers, -1, sizeof(int32_t) * (GRID_X + 1) * (GRID_Y + 1) * (GRID_Z + 1));
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i) {
        const int32_t corner = mesh->tets[i];
        if (numbers[corner] < 0) {
            double *position = mesh->positions + 3 * (size_t)mesh->vertex_count;
            position[0] = corner % (GRID_X + 1);
            position[1] = corner / (GRID_X + 1) % (GRID_Y + 1);
            position[2] = (double)(corner / ((GRID_X + 1) * (GRID_Y + 1)));
            numbers[corner] = mesh->vertex_count++;
        }
        mesh->tets[i] = numbers[corner];
    }
}

sn_result sn_bench_mesh(sn_arena *arena, sn_tet_mesh *mesh)
{
    const size_t cells = (size_t)GRID_X * GRID_Y * GRID_Z;
    const size_t corners = (size_t)(GRID_X + 1) * (GRID_Y + 1) * (GRID_Z + 1);
    *mesh = (sn_tet_mesh){.positions = SN_NEW(arena, double, 3 * corners), .tets = SN_NEW(arena, int32_t, 24 * cells)};
    int32_t *numbers = SN_NEW(arena, int32_t, corners);
    if (!mesh->positions || !mesh->tets || !numbers) {
        return SN_ERROR_MEMORY;
    }
    for (int z = 0; z < GRID_Z; ++z) {
        for (int y = 0; y < GRID_Y; ++y) {
            for (int x = 0; x < GRID_X; ++x) {
                if (is_inside(x + 0.5, y + 0.5, z + 0.5)) {
                    add_cube(x, y, z, mesh->tets + 4 * (size_t)mesh->tet_count);
                    mesh->tet_count += 6;
                }
            }
        }
    }
    number_vertices(numbers, mesh);
    return SN_OK;
}
