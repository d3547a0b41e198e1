/* SPDX-License-Identifier: MIT */
/* Generates tet meshes from the cubes whose center lies in the shape, each cut into six tets along one diagonal (Kuhn),
 * so that neighbouring faces match. */
#include "tools/bench/mesh.h"

#include <math.h>
#include <string.h>

#define SIZE_X 44
#define SIZE_Y 28
#define SIZE_Z 20

/* Cells along each axis, and cells per unit. */
typedef struct grid {
    int x, y, z;
    double fineness;
} grid;

void sn_bench_mesh_trunk(double along, double *point)
{
    point[0] = 20 + 23 * along;
    point[1] = 20 - 12 * along * along;
    point[2] = 10;
}

/* An ellipsoid with a tapered, drooping trunk. */
static bool is_inside(double x, double y, double z)
{
    const double bx = (x - 13) / 12, by = (y - 16) / 10.5, bz = (z - 10) / 9;
    const double along = (x - 20) / 23, radius = 5.5 - 3 * along;
    double middle[3];
    sn_bench_mesh_trunk(along, middle);
    const double ty = y - middle[1], tz = z - middle[2];
    return bx * bx + by * by + bz * bz < 1 || (along > 0 && along < 1 && ty * ty + tz * tz < radius * radius);
}

static int32_t corner_index(const grid *g, int x, int y, int z)
{
    return (z * (g->y + 1) + y) * (g->x + 1) + x;
}

/* The six orders of the axes: paths from corner 0 to corner 7, one axis per step. */
static void add_cube(const grid *g, int x, int y, int z, int32_t *tets)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int i = 0; i < 6; ++i) {
        int at[3] = {x, y, z};
        int32_t tet[4] = {corner_index(g, x, y, z)};
        for (int step = 0; step < 3; ++step) {
            ++at[orders[i][step]];
            tet[step + 1] = corner_index(g, at[0], at[1], at[2]);
        }
        if (i >= 3) { /* odd permutations are left-handed */
            const int32_t swapped = tet[1];
            tet[1] = tet[2];
            tet[2] = swapped;
        }
        memcpy(tets + (size_t)4 * (size_t)i, tet, sizeof tet);
    }
}

static void number_vertices(const grid *g, int32_t *numbers, sn_tet_mesh *mesh)
{
    memset(numbers, -1, sizeof(int32_t) * (size_t)(g->x + 1) * (size_t)(g->y + 1) * (size_t)(g->z + 1));
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i) {
        const int32_t corner = mesh->tets[i];
        if (numbers[corner] < 0) {
            double *position = mesh->positions + 3 * (size_t)mesh->vertex_count;
            position[0] = corner % (g->x + 1) / g->fineness;
            position[1] = corner / (g->x + 1) % (g->y + 1) / g->fineness;
            position[2] = corner / ((g->x + 1) * (g->y + 1)) / g->fineness;
            numbers[corner] = mesh->vertex_count++;
        }
        mesh->tets[i] = numbers[corner];
    }
}

sn_result sn_bench_mesh(double fineness, sn_arena *arena, sn_tet_mesh *mesh)
{
    const grid g = {(int)ceil(SIZE_X * fineness), (int)ceil(SIZE_Y * fineness), (int)ceil(SIZE_Z * fineness), fineness};
    const size_t cells = (size_t)g.x * (size_t)g.y * (size_t)g.z;
    const size_t corners = (size_t)(g.x + 1) * (size_t)(g.y + 1) * (size_t)(g.z + 1);
    *mesh = (sn_tet_mesh){.positions = SN_NEW(arena, double, 3 * corners), .tets = SN_NEW(arena, int32_t, 24 * cells)};
    int32_t *numbers = SN_NEW(arena, int32_t, corners);
    if (!mesh->positions || !mesh->tets || !numbers) {
        return SN_ERROR_MEMORY;
    }
    for (int z = 0; z < g.z; ++z) {
        for (int y = 0; y < g.y; ++y) {
            for (int x = 0; x < g.x; ++x) {
                if (is_inside((x + 0.5) / fineness, (y + 0.5) / fineness, (z + 0.5) / fineness)) {
                    add_cube(&g, x, y, z, mesh->tets + 4 * (size_t)mesh->tet_count);
                    mesh->tet_count += 6;
                }
            }
        }
    }
    number_vertices(&g, numbers, mesh);
    return SN_OK;
}

/* Maps a square to the disc, so that concentric squares become circles. */
static void make_round(double *x, double *z)
{
    const double most = fmax(fabs(*x), fabs(*z)), length = sqrt(*x * *x + *z * *z);
    *x *= length > 0 ? most / length : 0;
    *z *= length > 0 ? most / length : 0;
}

sn_result sn_bench_leg(int across, int along, sn_arena *arena, sn_tet_mesh *mesh)
{
    const grid g = {across, along, across, 1};
    const int cubes = across * along * across, vertices = (across + 1) * (along + 1) * (across + 1);
    *mesh = (sn_tet_mesh){.vertex_count = vertices,
                          .tet_count = 6 * cubes,
                          .positions = SN_NEW(arena, double, 3 * (size_t)vertices),
                          .tets = SN_NEW(arena, int32_t, 24 * (size_t)cubes)};
    if (!mesh->positions || !mesh->tets) {
        return SN_ERROR_MEMORY;
    }
    for (int cube = 0; cube < cubes; ++cube) {
        add_cube(&g, cube % across, cube / across % along, cube / (across * along), mesh->tets + 24 * (size_t)cube);
    }
    for (int v = 0; v < vertices; ++v) {
        double *x = mesh->positions + 3 * (size_t)v;
        x[0] = 2 * SN_BENCH_LEG_RADIUS * (v % (across + 1) / (double)across - 0.5);
        x[1] = SN_BENCH_LEG_LENGTH * (v / (across + 1) % (along + 1) / (double)along - 0.5);
        x[2] = 2 * SN_BENCH_LEG_RADIUS * (v / ((across + 1) * (along + 1)) / (double)across - 0.5);
        make_round(&x[0], &x[2]);
    }
    return SN_OK;
}
