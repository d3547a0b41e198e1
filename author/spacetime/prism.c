/* SPDX-License-Identifier: MIT */
/* The test scenes of the paper's figure 9. */
#include "author/spacetime/prism.h"

#include <math.h>
#include <string.h>

#define HEIGHT 3.0

typedef struct grid {
    int x, y, z; /* number of cells */
} grid;

static int32_t node(const grid *g, int i, int j, int k)
{
    return (i * (g->y + 1) + j) * (g->z + 1) + k;
}

/* Splits a cell into six tets around the diagonal from z to (x, y). Corner bits: x = 1, z = 2, y = 4. */
static void add_cell(const grid *g, int i, int j, int k, int32_t *tets)
{
    static const int corners[6][4] = {{6, 2, 5, 4}, {2, 0, 4, 5}, {5, 1, 0, 2},
                                      {7, 5, 6, 2}, {7, 5, 2, 3}, {1, 2, 3, 5}};
    for (int t = 0; t < 6; ++t) {
        for (int c = 0; c < 4; ++c) {
            const int bits = corners[t][c];
            tets[4 * t + c] = node(g, i + bits % 2, j + bits / 4, k + bits / 2 % 2);
        }
    }
}

static sn_result build_mesh(const grid *g, sn_arena *arena, sn_tet_mesh *mesh)
{
    *mesh = (sn_tet_mesh){.vertex_count = (g->x + 1) * (g->y + 1) * (g->z + 1), .tet_count = 6 * g->x * g->y * g->z};
    mesh->positions = SN_NEW(arena, double, 3 * (size_t)mesh->vertex_count);
    mesh->tets = SN_NEW(arena, int32_t, 4 * (size_t)mesh->tet_count);
    if (!mesh->positions || !mesh->tets) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double *x = mesh->positions + 3 * (size_t)v;
        x[0] = -0.8 + 1.6 * (v / ((g->y + 1) * (g->z + 1))) / g->x;
        x[1] = HEIGHT * (v / (g->z + 1) % (g->y + 1)) / g->y;
        x[2] = -0.5 + 1.0 * (v % (g->z + 1)) / g->z;
    }
    for (int cell = 0; cell < g->x * g->y * g->z; ++cell) {
        add_cell(g, cell / (g->y * g->z), cell / g->z % g->y, cell % g->z, mesh->tets + 24 * (size_t)cell);
    }
    for (int t = 0; t < mesh->tet_count; ++t) { /* two thirds of the tets are left-handed */
        int32_t *tet = mesh->tets + 4 * (size_t)t;
        if (sn_tet_volume(mesh, t) < 0) {
            const int32_t swapped = tet[2];
            tet[2] = tet[3];
            tet[3] = swapped;
        }
    }
    return SN_OK;
}

/* Key 1 is long, the other keys are short. */
static void stretch(int key, double *x)
{
    const double y = x[1];
    x[1] = key == 1 ? -3 + 2.15 * y - 0.05 * y * y : 0.8 + 2.65 / 3 * y - 0.05 * y * y;
}

/* Keys 1 and 3 are rotated by 180 degrees at the top, in opposite directions, and compressed. */
static void twist(int key, double *x)
{
    if (key % 2 == 1) {
        const double angle = (key == 1 ? 1 : -1) * acos(-1.0) * x[1] / HEIGHT, c = cos(angle), s = sin(angle);
        const double rotated[2] = {c * x[0] + s * x[2], c * x[2] - s * x[0]};
        x[0] = rotated[0];
        x[1] *= 0.8;
        x[2] = rotated[1];
    }
}

typedef struct set_up {
    void (*deform)(int key, double *position);
    int key_count, sample_count;
    double stiffness, duration;
    bool is_foot_fixed;
} set_up;

static const set_up set_ups[] = {
    [SN_SPACETIME_STRETCH] = {stretch, 3, 7, 30, 0.7, false}, [SN_SPACETIME_TWIST] = {twist, 5, 10, 70, 0.5, true}};

sn_result sn_spacetime_prism_build(sn_spacetime_prism scene, double fineness, sn_arena *arena,
                                   sn_spacetime_input *input)
{
    const set_up *s = &set_ups[scene];
    const grid g = {(int)lround(8 * fineness), (int)lround(10 * fineness), (int)lround(5 * fineness)};
    sn_tet_mesh *mesh = SN_NEW(arena, sn_tet_mesh, 1);
    sn_spacetime_key *keys = SN_NEW(arena, sn_spacetime_key, s->key_count);
    sn_result result = mesh && keys ? build_mesh(&g, arena, mesh) : SN_ERROR_MEMORY;
    if (result != SN_OK) {
        return result;
    }
    const size_t n = (size_t)mesh->vertex_count;
    bool *is_end = SN_NEW(arena, bool, n), *is_foot = SN_NEW(arena, bool, n);
    double *positions = SN_NEW(arena, double, 3 * n * (size_t)s->key_count);
    if (!is_end || !is_foot || !positions) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        const double y = mesh->positions[3 * v + 1];
        is_foot[v] = y < 1e-9 * HEIGHT;
        is_end[v] = is_foot[v] || y > HEIGHT * (1 - 1e-9);
    }
    for (int key = 0; key < s->key_count; ++key) {
        double *x = positions + 3 * n * (size_t)key;
        memcpy(x, mesh->positions, 3 * n * sizeof *x);
        for (size_t v = 0; v < n; ++v) {
            s->deform(key, x + 3 * v);
        }
        keys[key] = (sn_spacetime_key){.positions = x,
                                       .is_fixed = is_end,
                                       .is_velocity_fixed = s->is_foot_fixed ? is_foot : NULL,
                                       .duration = s->duration,
                                       .sample_count = s->sample_count};
    }
    *input = (sn_spacetime_input){.mesh = mesh,
                                  .material = {.volume = s->stiffness, .strain = s->stiffness, .density = 1},
                                  .damping = 1,
                                  .key_count = s->key_count,
                                  .keys = keys,
                                  .is_cyclic = true};
    return SN_OK;
}
