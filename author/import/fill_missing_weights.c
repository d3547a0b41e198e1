/* SPDX-License-Identifier: MIT */
/* A skinned vertex without weights would stay at the skeleton's root while its surroundings move, and form a spike. */
#include "author/import/fill_missing_weights.h"

#include "host/mesh/tri_mesh.h"

static bool has_no_weights(const sn_scene_primitive *p, int vertex)
{
    const float *weights = p->weights + (size_t)vertex * (size_t)p->influence_count;
    float sum = 0;
    for (int i = 0; i < p->influence_count; ++i) {
        sum += weights[i];
    }
    return !(sum > 0);
}

/* Numbers the distinct positions; vertices at one position share a number. */
static sn_result find_positions(const sn_scene_primitive *p, sn_arena *arena, int32_t **position_ids)
{
    const size_t n = (size_t)p->vertex_count;
    double *positions = SN_NEW(arena, double, 3 * n);
    int count = 0;
    *position_ids = SN_NEW(arena, int32_t, n);
    if (!positions || !*position_ids) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        positions[i] = (double)p->positions[i];
    }
    const sn_tri_mesh mesh = {p->vertex_count, p->triangle_count, positions, p->triangles};
    return sn_tri_groups(&mesh, NULL, *position_ids, &count);
}

/* The triangles at each position, concatenated. */
typedef struct corners {
    int32_t *starts;    /* (vertex_count + 1), by position */
    int32_t *triangles; /* (3 triangle_count) */
} corners;

static sn_result list_corners(const sn_scene_primitive *p, const int32_t *position_ids, sn_arena *arena, corners *c)
{
    const size_t n = (size_t)p->vertex_count, count = 3 * (size_t)p->triangle_count;
    c->starts = SN_NEW(arena, int32_t, n + 1);
    c->triangles = SN_NEW(arena, int32_t, count);
    if (!c->starts || !c->triangles) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        ++c->starts[position_ids[p->triangles[i]]];
    }
    for (size_t v = 0; v < n; ++v) {
        c->starts[v + 1] += c->starts[v];
    }
    for (size_t i = count; i-- > 0;) { /* moves the offsets from ends back to starts */
        c->triangles[--c->starts[position_ids[p->triangles[i]]]] = (int32_t)(i / 3);
    }
    return SN_OK;
}

/* Breadth-first search from the positions with a source, which the queue holds at the beginning. */
static void spread(const sn_scene_primitive *p, const int32_t *position_ids, const corners *c, int32_t *queue,
                   int count, int32_t *sources)
{
    for (int next = 0; next < count; ++next) {
        const int32_t from = queue[next];
        for (int32_t i = c->starts[from]; i < c->starts[from + 1]; ++i) {
            for (int corner = 0; corner < 3; ++corner) {
                const int32_t to = position_ids[p->triangles[3 * (size_t)c->triangles[i] + (size_t)corner]];
                if (sources[to] < 0) {
                    sources[to] = sources[from];
                    queue[count++] = to;
                }
            }
        }
    }
}

sn_result sn_fill_missing_weights(const sn_scene_primitive *primitive, sn_arena *arena, sn_weight_sources *result)
{
    const int n = primitive->vertex_count;
    bool is_any_missing = false;
    *result = (sn_weight_sources){0};
    for (int v = 0; v < n && !is_any_missing; ++v) {
        is_any_missing = has_no_weights(primitive, v);
    }
    if (!is_any_missing) {
        return SN_OK;
    }
    int32_t *position_ids = NULL, *sources = SN_NEW(arena, int32_t, n), *queue = SN_NEW(arena, int32_t, n);
    corners corners_at;
    int count = 0;
    result->weight_vertices = SN_NEW(arena, int32_t, n);
    if (!sources || !queue || !result->weight_vertices || find_positions(primitive, arena, &position_ids) != SN_OK ||
        list_corners(primitive, position_ids, arena, &corners_at) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < n; ++v) {
        sources[v] = -1;
    }
    for (int v = 0; v < n; ++v) {
        if (!has_no_weights(primitive, v) && sources[position_ids[v]] < 0) {
            sources[position_ids[v]] = v;
            queue[count++] = position_ids[v];
        }
    }
    spread(primitive, position_ids, &corners_at, queue, count, sources);
    for (int v = 0; v < n; ++v) {
        const int32_t source = sources[position_ids[v]];
        const bool is_used = corners_at.starts[position_ids[v] + 1] > corners_at.starts[position_ids[v]];
        result->weight_vertices[v] = has_no_weights(primitive, v) && source >= 0 ? source : v;
        result->filled_count += result->weight_vertices[v] != v;
        result->unfilled_count += source < 0 && is_used;
    }
    return SN_OK;
}
