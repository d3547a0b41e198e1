/* SPDX-License-Identifier: MIT */
/* A vertex that a modeller forgot to weigh would stay with the skeleton's root while all around it moves: a spike. */
#include "author/cook/lent_weights.h"

#include "host/mesh/tri_mesh.h"

static bool is_bare(const sn_scene_primitive *p, int vertex)
{
    const float *weights = p->weights + (size_t)vertex * (size_t)p->influence_count;
    float sum = 0;
    for (int i = 0; i < p->influence_count; ++i) {
        sum += weights[i];
    }
    return !(sum > 0);
}

/* The number of a vertex's place; vertices at one place share it. */
static sn_result find_places(const sn_scene_primitive *p, sn_arena *arena, int32_t **places)
{
    const size_t n = (size_t)p->vertex_count;
    double *positions = SN_NEW(arena, double, 3 * n);
    int count = 0;
    *places = SN_NEW(arena, int32_t, n);
    if (!positions || !*places) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        positions[i] = (double)p->positions[i];
    }
    const sn_tri_mesh mesh = {p->vertex_count, p->triangle_count, positions, p->triangles};
    return sn_tri_groups(&mesh, NULL, *places, &count);
}

/* Round by round from those that have a lender to their neighbours; sources and rounds are places'. */
static void spread(const sn_scene_primitive *p, const int32_t *places, int32_t *sources, int32_t *rounds)
{
    bool has_spread = true;
    for (int32_t round = 1; has_spread; ++round) {
        has_spread = false;
        for (int i = 0; i < 3 * p->triangle_count; ++i) {
            const int32_t a = places[p->triangles[i]], b = places[p->triangles[i % 3 == 2 ? i - 2 : i + 1]];
            const int32_t from = sources[a] >= 0 ? a : b, to = from == a ? b : a;
            if (sources[from] >= 0 && rounds[from] < round && sources[to] < 0) {
                sources[to] = sources[from];
                rounds[to] = round;
                has_spread = true;
            }
        }
    }
}

sn_result sn_lend_weights(const sn_scene_primitive *primitive, sn_arena *arena, int32_t **lenders, int *lent_count)
{
    const int n = primitive->vertex_count;
    bool is_one_bare = false;
    *lenders = NULL;
    *lent_count = 0;
    for (int v = 0; v < n && !is_one_bare; ++v) {
        is_one_bare = is_bare(primitive, v);
    }
    if (!is_one_bare) {
        return SN_OK;
    }
    int32_t *places = NULL, *sources = SN_NEW(arena, int32_t, n), *rounds = SN_NEW(arena, int32_t, n);
    *lenders = SN_NEW(arena, int32_t, n);
    if (!sources || !rounds || !*lenders || find_places(primitive, arena, &places) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < n; ++v) {
        sources[v] = -1;
    }
    for (int v = n - 1; v >= 0; --v) {
        sources[places[v]] = is_bare(primitive, v) ? sources[places[v]] : v;
    }
    spread(primitive, places, sources, rounds);
    for (int v = 0; v < n; ++v) {
        const int32_t source = sources[places[v]];
        (*lenders)[v] = is_bare(primitive, v) && source >= 0 ? source : v;
        *lent_count += (*lenders)[v] != v;
    }
    return SN_OK;
}
