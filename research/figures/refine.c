/* SPDX-License-Identifier: MIT */
/* Regular refinement of tets: four at the corners, four in the octahedron between (Bey 1995, with its shortest
 * diagonal). */
#include <stdlib.h>
#include <string.h>

#include "host/math/vec3.h"
#include "research/figures/bodies.h"

typedef struct edge {
    int32_t low, high;
    int32_t place; /* 6 t + k: edge k of tet t */
} edge;

static const int corners_of[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static int by_ends(const void *left, const void *right)
{
    const edge *a = left, *b = right;
    return a->low != b->low ? a->low - b->low : a->high != b->high ? a->high - b->high : a->place - b->place;
}

/* middles (tet_count x 6); new vertices are the edges in the order of their ends. */
static sn_result place_middles(const sn_tet_mesh *mesh, sn_arena *scratch, sn_arena *arena, int32_t *middles,
                               sn_tet_mesh *refined)
{
    const size_t count = 6 * (size_t)mesh->tet_count;
    edge *edges = SN_NEW(scratch, edge, count);
    if (!edges) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const int32_t *tet = mesh->tets + i / 6 * 4;
        const int32_t a = tet[corners_of[i % 6][0]], b = tet[corners_of[i % 6][1]];
        edges[i] = (edge){a < b ? a : b, a < b ? b : a, (int32_t)i};
    }
    qsort(edges, count, sizeof *edges, by_ends);
    refined->vertex_count = mesh->vertex_count;
    for (size_t i = 0; i < count; ++i) {
        refined->vertex_count += i == 0 || edges[i].low != edges[i - 1].low || edges[i].high != edges[i - 1].high;
    }
    refined->positions = SN_NEW(arena, double, 3 * refined->vertex_count);
    if (!refined->positions) {
        return SN_ERROR_MEMORY;
    }
    memcpy(refined->positions, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(double));
    int32_t next = mesh->vertex_count - 1;
    for (size_t i = 0; i < count; ++i) {
        next += i == 0 || edges[i].low != edges[i - 1].low || edges[i].high != edges[i - 1].high;
        middles[edges[i].place] = next;
        for (int d = 0; d < 3; ++d) {
            refined->positions[3 * next + d] =
                0.5 * (mesh->positions[3 * edges[i].low + d] + mesh->positions[3 * edges[i].high + d]);
        }
    }
    return SN_OK;
}

/* The octahedron's three diagonals join middles of opposite edges; around each, the other four in a ring. */
static void split(const sn_tet_mesh *refined, const int32_t *tet, const int32_t *m, int32_t *tets)
{
    static const int diagonals[3][6] = {{0, 5, 1, 3, 4, 2}, {1, 4, 0, 2, 5, 3}, {2, 3, 0, 4, 5, 1}};
    const int32_t outer[16] = {tet[0], m[0], m[1],   m[2], m[0], tet[1], m[3], m[4],
                               m[1],   m[3], tet[2], m[5], m[2], m[4],   m[5], tet[3]};
    int best = 0;
    double shortest = INFINITY;
    memcpy(tets, outer, sizeof outer);
    for (int i = 0; i < 3; ++i) {
        const double length =
            sn_distance3(refined->positions + 3 * m[diagonals[i][0]], refined->positions + 3 * m[diagonals[i][1]]);
        best = length < shortest ? i : best;
        shortest = fmin(length, shortest);
    }
    for (int i = 0; i < 4; ++i) {
        int32_t *made = tets + 16 + 4 * i;
        const int *ring = diagonals[best] + 2;
        const int32_t inner[4] = {m[diagonals[best][0]], m[diagonals[best][1]], m[ring[i]], m[ring[(i + 1) % 4]]};
        memcpy(made, inner, sizeof inner);
        const sn_tet_mesh one = {.vertex_count = 0, .tet_count = 1, .positions = refined->positions, .tets = made};
        if (sn_tet_volume(&one, 0) < 0) {
            made[2] = inner[3];
            made[3] = inner[2];
        }
    }
}

sn_result sn_tet_refine(const sn_tet_mesh *mesh, sn_arena *arena, sn_tet_mesh *refined)
{
    sn_arena scratch = {0};
    int32_t *middles = SN_NEW(&scratch, int32_t, 6 * (size_t)mesh->tet_count);
    *refined = (sn_tet_mesh){.tet_count = 8 * mesh->tet_count};
    refined->tets = SN_NEW(arena, int32_t, 32 * (size_t)mesh->tet_count);
    const sn_result result =
        middles && refined->tets ? place_middles(mesh, &scratch, arena, middles, refined) : SN_ERROR_MEMORY;
    for (size_t t = 0; t < (size_t)mesh->tet_count && result == SN_OK; ++t) {
        split(refined, mesh->tets + 4 * t, middles + 6 * t, refined->tets + 32 * t);
    }
    sn_arena_finish(&scratch);
    return result;
}
