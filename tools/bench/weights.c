/* SPDX-License-Identifier: MIT */
#include "tools/bench/weights.h"

#include <stdio.h>
#include <string.h>

#include "author/weights/bounded_biharmonic.h"
#include "host/base/hash.h"
#include "host/platform/platform.h"
#include "tools/bench/mesh.h"
#include "tools/command/median.h"

#define BONE_COUNT 20
#define TRUNK_COUNT 10 /* bones in a chain along the trunk; the others in two rows through the body */
#define REPEAT_COUNT 5

static void place_bones(sn_weight_handle *bones)
{
    memset(bones, 0, BONE_COUNT * sizeof *bones);
    for (int i = 0; i < BONE_COUNT; ++i) {
        sn_weight_handle *bone = &bones[i];
        const int k = i - TRUNK_COUNT;
        bone->type = SN_WEIGHT_HANDLE_BONE;
        if (k < 0) {
            sn_bench_mesh_trunk((i + 0.5) / (TRUNK_COUNT + 1), bone->start);
            sn_bench_mesh_trunk((i + 1.5) / (TRUNK_COUNT + 1), bone->end);
        } else {
            const double x = 4 + 3.5 * (k / 2), side = k % 2 == 0 ? -1 : 1;
            memcpy(bone->start, (double[]){x, 15 + side, 10 + 2.5 * side}, sizeof bone->start);
            memcpy(bone->end, (double[]){x, 15 + 4.5 * side, 10 + 4 * side}, sizeof bone->end);
        }
    }
}

static sn_result add_case(double fineness, const char *peer, sn_bench_table *table)
{
    sn_arena arena = {0};
    sn_tet_mesh mesh;
    sn_weight_handle bones[BONE_COUNT];
    sn_bounded_biharmonic_report report = {0};
    double seconds[REPEAT_COUNT];
    sn_result result = sn_bench_mesh(fineness, &arena, &mesh);
    double *weights = result == SN_OK ? SN_NEW(&arena, double, (size_t)mesh.vertex_count *BONE_COUNT) : NULL;
    const size_t size = weights ? (size_t)mesh.vertex_count * BONE_COUNT * sizeof *weights : 0;
    result = result == SN_OK && !weights ? SN_ERROR_MEMORY : result;
    place_bones(bones);
    for (int repeat = 0; repeat < REPEAT_COUNT && result == SN_OK; ++repeat) {
        const sn_bounded_biharmonic_input input = {
            .name = "built-in mesh", .tets = &mesh, .handles = {.count = BONE_COUNT, .handles = bones}};
        const double start = sn_now();
        result = sn_bounded_biharmonic(&input, weights, &report);
        seconds[repeat] = sn_now() - start;
    }
    if (result == SN_OK) {
        char label[64];
        snprintf(label, sizeof label, "%d bones, %d vertices", BONE_COUNT, mesh.vertex_count);
        sn_bench_case *row = sn_bench_add(table, label, "bounded biharmonic weights");
        row->median_ms = 1e3 * sn_median(seconds, REPEAT_COUNT);
        row->throughput = BONE_COUNT * (double)mesh.vertex_count / (1e-3 * row->median_ms);
        row->throughput_unit = "weights/s";
        row->iterations = report.iteration_count;
        row->hash = sn_hash(SN_HASH_SEED, weights, size);
        row->peer = peer;
    }
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_bench_weights(sn_bench_table *table)
{
    const sn_result result = add_case(1.44, "minutes (libigl, a quadratic program a bone)", table); /* 20,000 tets */
    return result == SN_OK ? add_case(0.65, NULL, table) : result; /* 2000 vertices, as in live editing */
}
