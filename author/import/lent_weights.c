/* SPDX-License-Identifier: MIT */
/* A skinned vertex without weights would stay at the skeleton's root while its surroundings move, and form a spike. */
#include "author/import/lent_weights.h"

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

/* Numbers the distinct positions; vertices at one position share a number. */
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

/* The triangles at each position, concatenated. */
typedef struct corners {
    int32_t *starts;    /* (vertex_count + 1), by position */
    int32_t *triangles; /* (3 triangle_count) */
} corners;

static sn_result list_corners(const sn_scene_primitive *p, const int32_t *places, sn_arena *arena, corners *c)
{
    const size_t n = (size_t)p->vertex_count, count = 3 * (size_t)p->triangle_count;
    c->starts = SN_NEW(arena, int32_t, n + 1);
    c->triangles = SN_NEW(arena, int32_t, count);
    if (!c->starts || !c->triangles) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        ++c->starts[places[p->triangles[i]]];
    }
    for (size_t v = 0; v < n; ++v) {
        c->starts[v + 1] += c->starts[v];
    }
    for (size_t i = count; i-- > 0;) { /* moves the offsets from ends back to starts */
        c->triangles[--c->starts[places[p->triangles[i]]]] = (int32_t)(i / 3);
    }
    return SN_OK;
}

/* Breadth-first search from the positions with a source, which the queue holds at the beginning. */
static void spread(const sn_scene_primitive *p, const int32_t *places, const corners *c, int32_t *queue, int count,
                   int32_t *sources)
{
    for (int next = 0; next < count; ++next) {
        const int32_t from = queue[next];
        for (int32_t i = c->starts[from]; i < c->starts[from + 1]; ++i) {
            for (int corner = 0; corner < 3; ++corner) {
                const int32_t to = places[p->triangles[3 * (size_t)c->triangles[i] + (size_t)corner]];
                if (sources[to] < 0) {
                    sources[to] = sources[from];
                    queue[count++] = to;
                }
            }
        }
    }
}

sn_result sn_lend_weights(const sn_scene_primitive *primitive, sn_arena *arena, sn_lent_weights *lent)
{
    const int n = primitive->vertex_count;
    bool is_one_bare = false;
    *lent = (sn_lent_weights){0};
    for (int v = 0; v < n && !is_one_bare; ++v) {
        is_one_bare = is_bare(primitive, v);
    }
    if (!is_one_bare) {
        return SN_OK;
    }
    int32_t *places = NULL, *sources = SN_NEW(arena, int32_t, n), *queue = SN_NEW(arena, int32_t, n);
    corners around;
    int count = 0;
    lent->lenders = SN_NEW(arena, int32_t, n);
    if (!sources || !queue || !lent->lenders || find_places(primitive, arena, &places) != SN_OK ||
        list_corners(primitive, places, arena, &around) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < n; ++v) {
        sources[v] = -1;
    }
    for (int v = 0; v < n; ++v) {
        if (!is_bare(primitive, v) && sources[places[v]] < 0) {
            sources[places[v]] = v;
            queue[count++] = places[v];
        }
    }
    spread(primitive, places, &around, queue, count, sources);
    for (int v = 0; v < n; ++v) {
        const int32_t source = sources[places[v]];
        const bool is_drawn = around.starts[places[v] + 1] > around.starts[places[v]];
        lent->lenders[v] = is_bare(primitive, v) && source >= 0 ? source : v;
        lent->lent_count += lent->lenders[v] != v;
        lent->left_count += source < 0 && is_drawn;
    }
    return SN_OK;
}
