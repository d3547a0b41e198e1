/* SPDX-License-Identifier: MIT */
/* Labels triangles by the axis that they face and their region, and smooths labels by the neighbours' votes. Connected
 * triangles with one label form a chart, which is projected along its axis. Charts are packed in shelves, highest
 * first, at the largest scale that fits. */
#include "author/characters/atlas.h"

#include <stdlib.h>
#include <string.h>

#include "host/math/vec3.h"

#define SMOOTH_ROUNDS 12
#define MIN_FACING 0.35 /* min. cosine to an axis; a more oblique triangle keeps its own axis */
#define PADDING 5       /* texels around a chart */
#define SCALE_STEPS 24
#define SMALL_CHART 10 /* max. triangles of a chart that is merged with a neighbour */

typedef struct chart {
    int32_t label;
    int triangle_count;
    double low[2], high[2]; /* metres times the region's density */
    double corner[2];       /* texels */
    int32_t index;
} chart;

typedef struct atlas_builder {
    const sn_shape_surface *surface;
    const double *region_density;
    sn_arena scratch;
    int32_t *neighbours;    /* (triangle_count x 3) */
    int32_t *labels;        /* (triangle_count) 6 region + axis */
    int32_t *chart_indices; /* (triangle_count) chart index */
    double *normals;        /* (triangle_count x 3) */
    chart *charts;
    int chart_count;
} atlas_builder;

typedef struct half_edge {
    int32_t low, high, corner;
} half_edge;

static int by_ends(const void *left, const void *right)
{
    const half_edge *a = left, *b = right;
    return a->low != b->low     ? (a->low > b->low) - (a->low < b->low)
           : a->high != b->high ? (a->high > b->high) - (a->high < b->high)
                                : (a->corner > b->corner) - (a->corner < b->corner);
}

static sn_result find_neighbours(atlas_builder *b)
{
    const sn_shape_surface *s = b->surface;
    const size_t count = 3 * (size_t)s->triangle_count;
    half_edge *edges = SN_NEW(&b->scratch, half_edge, count);
    b->neighbours = SN_NEW(&b->scratch, int32_t, count);
    if (!edges || !b->neighbours) {
        return SN_ERROR_MEMORY;
    }
    memset(b->neighbours, -1, count * sizeof(int32_t));
    for (size_t i = 0; i < count; ++i) {
        const int32_t from = s->triangles[i], to = s->triangles[i - i % 3 + (i + 1) % 3];
        edges[i] = (half_edge){from < to ? from : to, from < to ? to : from, (int32_t)i};
    }
    qsort(edges, count, sizeof *edges, by_ends);
    for (size_t i = 0; i + 1 < count; ++i) {
        if (edges[i].low == edges[i + 1].low && edges[i].high == edges[i + 1].high) {
            b->neighbours[edges[i].corner] = edges[i + 1].corner / 3;
            b->neighbours[edges[i + 1].corner] = edges[i].corner / 3;
        }
    }
    return SN_OK;
}

/* Cosine between a normal and an axis; 0 to 5: +x -x +y -y +z -z. */
static double facing(const double normal[3], int axis)
{
    return axis % 2 == 0 ? normal[axis / 2] : -normal[axis / 2];
}

static sn_result label_triangles(atlas_builder *b, const int32_t *regions)
{
    const sn_shape_surface *s = b->surface;
    b->labels = SN_NEW(&b->scratch, int32_t, s->triangle_count);
    b->normals = SN_NEW(&b->scratch, double, 3 * (size_t)s->triangle_count);
    if (!b->labels || !b->normals) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < s->triangle_count; ++t) {
        static const double up[3] = {0, 1, 0};
        const int32_t *triangle = s->triangles + 3 * (size_t)t;
        double *normal = b->normals + 3 * (size_t)t, sides[2][3];
        for (int k = 0; k < 2; ++k) {
            sn_subtract3(s->positions + 3 * (size_t)triangle[k + 1], s->positions + 3 * (size_t)triangle[0], sides[k]);
        }
        sn_cross3(sides[0], sides[1], normal);
        sn_normalize3(normal, up);
        int best = 0;
        for (int axis = 1; axis < 6; ++axis) {
            best = facing(normal, axis) > facing(normal, best) ? axis : best;
        }
        b->labels[t] = 6 * regions[triangle[0]] + best;
    }
    return SN_OK;
}

/* If two neighbours share a label, the triangle takes it. */
static void smooth_labels(atlas_builder *b)
{
    for (int round = 0; round < SMOOTH_ROUNDS; ++round) {
        for (int t = 0; t < b->surface->triangle_count; ++t) {
            const int32_t *n = b->neighbours + 3 * (size_t)t;
            for (int k = 0; k < 3; ++k) {
                const int32_t one = n[k], other = n[(k + 1) % 3];
                if (one < 0 || other < 0 || b->labels[one] != b->labels[other]) {
                    continue;
                }
                if (facing(b->normals + 3 * (size_t)t, b->labels[one] % 6) > MIN_FACING) {
                    b->labels[t] = b->labels[one];
                }
            }
        }
    }
}

/* Flood-fills the triangles of one label from `start`. Returns their number. */
static int flood_fill(atlas_builder *b, int32_t start, int32_t number, int32_t *stack)
{
    int size = 0, count = 0;
    stack[size++] = start;
    b->chart_indices[start] = number;
    while (size > 0) {
        const int32_t t = stack[--size];
        ++count;
        for (int k = 0; k < 3; ++k) {
            const int32_t next = b->neighbours[3 * (size_t)t + (size_t)k];
            if (next >= 0 && b->chart_indices[next] < 0 && b->labels[next] == b->labels[start]) {
                b->chart_indices[next] = number;
                stack[size++] = next;
            }
        }
    }
    return count;
}

static sn_result find_charts(atlas_builder *b)
{
    const size_t count = (size_t)b->surface->triangle_count;
    int32_t *stack = SN_NEW(&b->scratch, int32_t, count);
    b->chart_indices = b->chart_indices ? b->chart_indices : SN_NEW(&b->scratch, int32_t, count);
    b->charts = b->charts ? b->charts : SN_NEW(&b->scratch, chart, count);
    if (!stack || !b->chart_indices || !b->charts) {
        return SN_ERROR_MEMORY;
    }
    memset(b->chart_indices, -1, count * sizeof(int32_t));
    b->chart_count = 0;
    for (size_t t = 0; t < count; ++t) {
        if (b->chart_indices[t] < 0) {
            const int32_t number = b->chart_count++;
            b->charts[number] = (chart){.label = b->labels[t], .low = {1e9, 1e9}, .high = {-1e9, -1e9}};
            b->charts[number].triangle_count = flood_fill(b, (int32_t)t, number, stack);
        }
    }
    return SN_OK;
}

/* Merges charts of a few triangles with a neighbour whose axis they face at least slightly. */
static void merge_small_charts(atlas_builder *b)
{
    for (int t = 0; t < b->surface->triangle_count; ++t) {
        if (b->charts[b->chart_indices[t]].triangle_count > SMALL_CHART) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            const int32_t next = b->neighbours[3 * (size_t)t + (size_t)k];
            if (next >= 0 && b->labels[next] != b->labels[t] &&
                b->charts[b->chart_indices[next]].triangle_count > SMALL_CHART &&
                facing(b->normals + 3 * (size_t)t, b->labels[next] % 6) > 0.05) {
                b->labels[t] = b->labels[next];
                break;
            }
        }
    }
}

/* Projects a point along the chart's axis, upright and not mirrored. */
static void project(const atlas_builder *b, const chart *c, const double *p, double out[2])
{
    const double density = b->region_density[c->label / 6];
    const double planes[6][2] = {{-p[2], -p[1]}, {p[2], -p[1]}, {p[0], p[2]},
                                 {p[0], -p[2]},  {p[0], -p[1]}, {-p[0], -p[1]}};
    out[0] = planes[c->label % 6][0] * density;
    out[1] = planes[c->label % 6][1] * density;
}

static void measure_charts(atlas_builder *b)
{
    for (size_t i = 0; i < 3 * (size_t)b->surface->triangle_count; ++i) {
        chart *c = &b->charts[b->chart_indices[i / 3]];
        double at[2];
        project(b, c, b->surface->positions + 3 * (size_t)b->surface->triangles[i], at);
        for (int d = 0; d < 2; ++d) {
            c->low[d] = fmin(c->low[d], at[d]);
            c->high[d] = fmax(c->high[d], at[d]);
        }
    }
}

static int by_height(const void *left, const void *right)
{
    const chart *a = left, *b = right;
    const double ha = a->high[1] - a->low[1], hb = b->high[1] - b->low[1];
    return ha != hb ? (ha < hb) - (ha > hb) : (a->index > b->index) - (a->index < b->index);
}

/* Returns whether the charts, sorted by height, fit at a scale in texels per metre. Sets their corners. */
static bool pack(chart *sorted, int count, double scale, int size)
{
    double x = 0, y = 0, shelf = 0;
    for (int i = 0; i < count; ++i) {
        chart *c = &sorted[i];
        const double width = ceil((c->high[0] - c->low[0]) * scale) + 2 * PADDING;
        const double height = ceil((c->high[1] - c->low[1]) * scale) + 2 * PADDING;
        if (x + width > size) {
            x = 0;
            y += shelf;
            shelf = 0;
        }
        shelf = fmax(shelf, height);
        if (width > size || y + height > size) {
            return false;
        }
        c->corner[0] = x + PADDING;
        c->corner[1] = y + PADDING;
        x += width;
    }
    return true;
}

static sn_result pack_charts(atlas_builder *b, sn_atlas *atlas)
{
    chart *sorted = SN_NEW(&b->scratch, chart, b->chart_count);
    if (!sorted) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < b->chart_count; ++i) {
        b->charts[i].index = i;
        sorted[i] = b->charts[i];
    }
    qsort(sorted, (size_t)b->chart_count, sizeof *sorted, by_height);
    double min_scale = 1, max_scale = 1e5;
    for (int step = 0; step < SCALE_STEPS; ++step) {
        const double scale = sqrt(min_scale * max_scale);
        *(pack(sorted, b->chart_count, scale, atlas->size) ? &min_scale : &max_scale) = scale;
    }
    pack(sorted, b->chart_count, min_scale, atlas->size);
    for (int i = 0; i < b->chart_count; ++i) {
        memcpy(b->charts[sorted[i].index].corner, sorted[i].corner, sizeof sorted[i].corner);
    }
    atlas->density = min_scale;
    return SN_OK;
}

static void set_uv(const atlas_builder *b, const chart *c, int32_t vertex, sn_atlas *atlas)
{
    double at[2];
    project(b, c, b->surface->positions + 3 * (size_t)vertex, at);
    for (int d = 0; d < 2; ++d) {
        const double texel = c->corner[d] + (at[d] - c->low[d]) * atlas->density;
        atlas->uvs[2 * (size_t)atlas->vertex_count + (size_t)d] = (float)(texel / atlas->size);
    }
    atlas->sources[atlas->vertex_count++] = vertex;
}

/* Duplicates vertices at chart borders. The copies of a vertex form a linked list. */
static sn_result split_vertices(atlas_builder *b, sn_arena *arena, sn_atlas *atlas)
{
    const sn_shape_surface *s = b->surface;
    const size_t corners = 3 * (size_t)s->triangle_count;
    int32_t *first = SN_NEW(&b->scratch, int32_t, s->vertex_count), *next = SN_NEW(&b->scratch, int32_t, corners);
    int32_t *owner = SN_NEW(&b->scratch, int32_t, corners);
    atlas->sources = SN_NEW(arena, int32_t, corners);
    atlas->uvs = SN_NEW(arena, float, 2 * corners);
    atlas->triangles = SN_NEW(arena, int32_t, corners);
    if (!first || !next || !owner || !atlas->sources || !atlas->uvs || !atlas->triangles) {
        return SN_ERROR_MEMORY;
    }
    memset(first, -1, (size_t)s->vertex_count * sizeof(int32_t));
    for (size_t i = 0; i < corners; ++i) {
        const int32_t vertex = s->triangles[i], number = b->chart_indices[i / 3];
        int32_t copy = first[vertex];
        while (copy >= 0 && owner[copy] != number) {
            copy = next[copy];
        }
        if (copy < 0) {
            copy = atlas->vertex_count;
            owner[copy] = number;
            next[copy] = first[vertex];
            first[vertex] = copy;
            set_uv(b, &b->charts[number], vertex, atlas);
        }
        atlas->triangles[i] = copy;
    }
    return SN_OK;
}

sn_result sn_atlas_build(const sn_shape_surface *surface, const int32_t *regions, const double *region_density,
                         int size, sn_arena *arena, sn_atlas *atlas)
{
    atlas_builder b = {.surface = surface, .region_density = region_density};
    *atlas = (sn_atlas){.size = size};
    sn_result result = find_neighbours(&b);
    if (result == SN_OK) {
        result = label_triangles(&b, regions);
    }
    if (result == SN_OK) {
        smooth_labels(&b);
        result = find_charts(&b);
    }
    for (int round = 0; round < 2 && result == SN_OK; ++round) {
        merge_small_charts(&b);
        result = find_charts(&b);
    }
    if (result == SN_OK) {
        measure_charts(&b);
        result = pack_charts(&b, atlas);
    }
    if (result == SN_OK) {
        result = split_vertices(&b, arena, atlas);
    }
    atlas->chart_count = b.chart_count;
    sn_arena_finish(&b.scratch);
    return result;
}
