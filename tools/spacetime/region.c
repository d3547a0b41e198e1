/* SPDX-License-Identifier: MIT */
/* Selects the vertices of a region. */
#include <string.h>

#include "author/io/npy.h"
#include "tools/spacetime/sequence.h"

static bool is_in_box(const sn_region *region, const double *x)
{
    bool is_in = true;
    for (int d = 0; d < 3; ++d) {
        is_in = is_in && x[d] >= region->low[d] && x[d] <= region->high[d];
    }
    return is_in;
}

static sn_result mark_paint(const sn_region *region, size_t count, bool *is_in)
{
    sn_arena scratch = {0};
    sn_source source;
    sn_npy array;
    sn_result result = sn_source_read(region->path, &scratch, &source);
    if (result == SN_OK) {
        result = sn_npy_read(&source, &scratch, &array);
    }
    if (result == SN_OK && array.count != count) {
        result = sn_fail(SN_ERROR_FORMAT, "%s: %zu numbers, but the mesh has %zu vertices", region->path, array.count,
                         count);
    }
    for (size_t v = 0; v < count && result == SN_OK; ++v) {
        is_in[v] = array.values[v] > 0.5;
    }
    sn_arena_finish(&scratch);
    return result;
}

static sn_result mark_vertices(const sn_region_selector *marker, const sn_region *region, bool *is_in)
{
    const int count = marker->mesh->vertex_count;
    for (int i = 0; i < region->count; ++i) {
        if (region->vertices[i] >= count) {
            return sn_fail(SN_ERROR_FORMAT, "%s: %s[%d]: is %d, but the mesh has %d vertices", marker->name,
                           region->path, i, (int)region->vertices[i], count);
        }
        is_in[region->vertices[i]] = true;
    }
    return SN_OK;
}

static sn_result mark(const sn_region_selector *marker, const sn_region *region, int depth, bool *is_in);

static sn_result mark_parts(const sn_region_selector *marker, const sn_region *region, int depth, bool *is_in)
{
    const size_t n = (size_t)marker->mesh->vertex_count;
    bool *part = marker->masks + (size_t)depth * n;
    sn_result result = SN_OK;
    for (int i = 0; i < region->count && result == SN_OK; ++i) {
        result = mark(marker, &region->parts[i], depth + 1, part);
        for (size_t v = 0; v < n && result == SN_OK; ++v) {
            is_in[v] = is_in[v] || part[v];
        }
    }
    for (size_t v = 0; v < n && region->type == SN_REGION_NOT; ++v) {
        is_in[v] = !is_in[v];
    }
    return result;
}

static sn_result mark(const sn_region_selector *marker, const sn_region *region, int depth, bool *is_in)
{
    const size_t n = (size_t)marker->mesh->vertex_count;
    SN_ASSERT(depth <= SN_REGION_DEPTH);
    memset(is_in, region->type == SN_REGION_ALL, n * sizeof *is_in);
    for (size_t v = 0; v < n && region->type == SN_REGION_BOX; ++v) {
        is_in[v] = is_in_box(region, marker->mesh->positions + 3 * v);
    }
    switch (region->type) {
    case SN_REGION_VERTICES:
        return mark_vertices(marker, region, is_in);
    case SN_REGION_PAINT:
        return mark_paint(region, n, is_in);
    case SN_REGION_NOT:
    case SN_REGION_ANY:
        return mark_parts(marker, region, depth, is_in);
    default:
        return SN_OK;
    }
}

sn_result sn_region_select(const sn_region_selector *marker, const sn_region *region, bool *is_in)
{
    return mark(marker, region, 0, is_in);
}
