/* SPDX-License-Identifier: MIT */
#include "tools/bench/rigged_modes.h"

#include <math.h>
#include <stdio.h>

#include "author/modes/modes.h"
#include "host/base/hash.h"
#include "host/platform/platform.h"
#include "tools/bench/mesh.h"

#define BONE_COUNT 60
#define MODE_COUNT 16
#define FINENESS 2.9 /* 150,000 vertices */
#define SEAM 1.0     /* width of the transition between bones, relative to the distance of the nearest bone */

typedef struct body {
    sn_tet_mesh mesh;
    double *gradients, *volumes, *mass, *leak, *weights;
} body;

/* Bones at scattered vertices; weights fall off linearly. */
static void spread_bones(const sn_tet_mesh *mesh, double *weights)
{
    for (size_t v = 0; v < (size_t)mesh->vertex_count; ++v) {
        double distances[BONE_COUNT], nearest = INFINITY, sum = 0;
        for (size_t b = 0; b < BONE_COUNT; ++b) {
            const double *bone = mesh->positions + 3 * ((2 * b + 1) * (size_t)mesh->vertex_count / (2 * BONE_COUNT));
            const double *x = mesh->positions + 3 * v;
            distances[b] = sqrt((x[0] - bone[0]) * (x[0] - bone[0]) + (x[1] - bone[1]) * (x[1] - bone[1]) +
                                (x[2] - bone[2]) * (x[2] - bone[2]));
            nearest = fmin(nearest, distances[b]);
        }
        for (size_t b = 0; b < BONE_COUNT; ++b) {
            distances[b] = fmax(0, 1.5 * nearest + SEAM - distances[b]);
            sum += distances[b];
        }
        for (size_t b = 0; b < BONE_COUNT; ++b) {
            weights[v * BONE_COUNT + b] = distances[b] / sum;
        }
    }
}

static sn_result create_body(sn_arena *arena, body *b)
{
    const sn_result result = sn_bench_mesh(FINENESS, arena, &b->mesh);
    if (result != SN_OK) {
        return result;
    }
    const size_t n = (size_t)b->mesh.vertex_count, t = (size_t)b->mesh.tet_count;
    b->gradients = SN_NEW(arena, double, 12 * t);
    b->volumes = SN_NEW(arena, double, t);
    b->mass = SN_NEW(arena, double, n);
    b->leak = SN_NEW(arena, double, n);
    b->weights = SN_NEW(arena, double, n *BONE_COUNT);
    if (!b->gradients || !b->volumes || !b->mass || !b->leak || !b->weights) {
        return SN_ERROR_MEMORY;
    }
    sn_tet_gradients(&b->mesh, b->gradients, b->volumes);
    sn_tet_lumped_mass(&b->mesh, b->volumes, NULL, b->mass);
    for (size_t v = 0; v < n; ++v) {
        b->leak[v] = 1;
    }
    spread_bones(&b->mesh, b->weights);
    return SN_OK;
}

sn_result sn_bench_rigged_modes(sn_bench_table *table)
{
    sn_arena arena = {0};
    body b = {0};
    sn_constraint constraint = {0};
    sn_modes modes = {0};
    sn_result result = create_body(&arena, &b);
    const sn_constraint_rig rig = {BONE_COUNT, b.weights, NULL};
    const double start = sn_now();
    result = result == SN_OK ? sn_constraint_build(&b.mesh, b.mass, b.leak, &rig, &arena, &constraint) : result;
    result = result == SN_OK ? sn_modes_build(&b.mesh, b.gradients, b.volumes, b.mass, NULL, &constraint, MODE_COUNT,
                                              &arena, &modes)
                             : result;
    if (result == SN_OK) {
        char label[64];
        snprintf(label, sizeof label, "%d vertices, %d bones, %d modes", b.mesh.vertex_count, BONE_COUNT, MODE_COUNT);
        sn_bench_case *row = sn_bench_add(table, label, "constraint and modes");
        row->median_ms = 1e3 * (sn_now() - start);
        row->throughput = b.mesh.vertex_count / (1e-3 * row->median_ms);
        row->throughput_unit = "vertices/s";
        row->hash = sn_hash(SN_HASH_SEED, modes.weights, sizeof(double) * MODE_COUNT * (size_t)b.mesh.vertex_count);
    }
    sn_arena_finish(&arena);
    return result;
}
