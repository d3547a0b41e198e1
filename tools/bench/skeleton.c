/* SPDX-License-Identifier: MIT */
#include "tools/bench/skeleton.h"

#include <math.h>
#include <string.h>

#include "host/base/arena.h"
#include "host/math/vec3.h"

/* A grid of cells: a trunk along y, with limbs along x on both sides of its ends. */
enum { WIDTH = 28, HEIGHT = 12, DEPTH = 3, LIMB = 12 };
#define CELL (1.0 / WIDTH)
#define LIMB_JOINTS 10

static bool is_flesh(int x, int y)
{
    return (x >= LIMB && x < WIDTH - LIMB) || y < 2 || y >= HEIGHT - 2;
}

typedef struct grid {
    int vertex_count, tet_count;
    int32_t numbers[WIDTH + 1][HEIGHT + 1][DEPTH + 1]; /* vertex index + 1; 0: none */
    double positions[3 * (WIDTH + 1) * (HEIGHT + 1) * (DEPTH + 1)];
    int32_t tets[24 * WIDTH * HEIGHT * DEPTH];
    double lambda[6 * WIDTH * HEIGHT * DEPTH], mu[6 * WIDTH * HEIGHT * DEPTH], density[6 * WIDTH * HEIGHT * DEPTH];
} grid;

static int32_t number_of(grid *g, int x, int y, int z)
{
    int32_t *number = &g->numbers[x][y][z];
    if (*number == 0) {
        double *place = g->positions + 3 * (size_t)g->vertex_count;
        place[0] = CELL * x, place[1] = CELL * y, place[2] = CELL * z;
        *number = ++g->vertex_count;
    }
    return *number - 1;
}

/* Six tets around the diagonal, one per order of the axes. */
static void add_cell(grid *g, int x, int y, int z)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int i = 0; i < 6; ++i) {
        int at[3] = {x, y, z};
        int32_t *tet = g->tets + 4 * (size_t)g->tet_count;
        tet[0] = number_of(g, x, y, z);
        for (int k = 0; k < 3; ++k) {
            ++at[orders[i][k]];
            tet[i < 3 || k == 2 ? k + 1 : 2 - k] = number_of(g, at[0], at[1], at[2]);
        }
        g->lambda[g->tet_count] = 900;
        g->mu[g->tet_count] = 100;
        g->density[g->tet_count++] = 1;
    }
}

/* Ten joints along the trunk and ten along each limb, starting at the trunk's first or last joint. */
static void place_joints(sn_coupled_handle *joints)
{
    const double middle = CELL * WIDTH / 2, deep = CELL * DEPTH / 2;
    for (int k = 0; k < SN_BENCH_JOINT_COUNT; ++k) {
        const int limb = k / LIMB_JOINTS, along = k % LIMB_JOINTS, side = limb % 2 ? 1 : -1;
        const double y =
            limb == 0 ? CELL * (1 + (HEIGHT - 2) * along / (LIMB_JOINTS - 1.0)) : CELL * (limb <= 2 ? 1 : HEIGHT - 1);
        const double out = limb == 0 ? 0 : CELL * (WIDTH / 2.0 - LIMB + LIMB * (along + 0.3) / LIMB_JOINTS);
        joints[k] =
            (sn_coupled_handle){.type = SN_HANDLE_RIGID, .parent = k - 1, .pivot = {middle + side * out, y, deep}};
        if (limb > 0 && along == 0) {
            joints[k].parent = limb <= 2 ? 0 : LIMB_JOINTS - 1;
        }
    }
}

/* Weights of the four nearest joints. */
static void compute_weights(const grid *g, const sn_coupled_handle *joints, double *weights)
{
    for (int v = 0; v < g->vertex_count; ++v) {
        double *own = weights + (size_t)SN_BENCH_JOINT_COUNT * (size_t)v, sum = 0;
        for (int i = 0; i < 4; ++i) {
            int nearest = -1;
            double min_distance = INFINITY;
            for (int k = 0; k < SN_BENCH_JOINT_COUNT; ++k) {
                const double away = sn_distance3(g->positions + 3 * (size_t)v, joints[k].pivot);
                nearest = own[k] == 0 && away < min_distance ? k : nearest;
                min_distance = own[k] == 0 && away < min_distance ? away : min_distance;
            }
            own[nearest] = exp(-min_distance * min_distance / (2.5 * CELL * CELL));
            sum += own[nearest];
        }
        for (int k = 0; k < SN_BENCH_JOINT_COUNT; ++k) {
            own[k] /= sum;
        }
    }
}

sn_result sn_bench_skeleton_create(sn_xpbd_model **model, sn_coupled_rig **rig, double *pivot)
{
    sn_arena arena = {0};
    sn_coupled_handle joints[SN_BENCH_JOINT_COUNT];
    grid *g = SN_NEW(&arena, grid, 1);
    for (int cell = 0; g && cell < WIDTH * HEIGHT * DEPTH; ++cell) {
        const int x = cell % WIDTH, y = cell / WIDTH % HEIGHT;
        if (is_flesh(x, y)) {
            add_cell(g, x, y, cell / (WIDTH * HEIGHT));
        }
    }
    double *weights = g ? SN_NEW(&arena, double, SN_BENCH_JOINT_COUNT *(size_t)g->vertex_count) : NULL;
    sn_result result = weights ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        place_joints(joints);
        compute_weights(g, joints, weights);
        memcpy(pivot, joints[0].pivot, sizeof joints[0].pivot);
        const sn_xpbd_desc desc = {.vertex_count = g->vertex_count,
                                   .positions = g->positions,
                                   .element_count = g->tet_count,
                                   .element_corners = 4,
                                   .elements = g->tets,
                                   .lambda = g->lambda,
                                   .mu = g->mu,
                                   .density = g->density};
        result = sn_xpbd_model_create(&desc, model);
    }
    if (result == SN_OK) {
        const sn_coupled_rig_desc desc = {*model, SN_BENCH_JOINT_COUNT, joints, weights};
        result = sn_coupled_rig_create(&desc, rig);
    }
    sn_arena_finish(&arena);
    return result;
}
