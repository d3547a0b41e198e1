/* SPDX-License-Identifier: MIT */
#include "runtime/edit/mesh_lines.h"

#include <stdlib.h>
#include <string.h>

#include "host/base/base.h"

#define COLOR SN_MARKER_COLOR(18, 74, 160, 150)
#define PART_COLOR SN_MARKER_COLOR(255, 128, 20, 220)
#define HALF_WIDTH 0.4F

static int compare_edges(const void *a, const void *b)
{
    const int32_t *u = a, *v = b;
    return u[0] != v[0] ? (u[0] > v[0]) - (u[0] < v[0]) : (u[1] > v[1]) - (u[1] < v[1]);
}

/* Builds the list of unique edges. */
static void list_edges(sn_mesh_lines *lines, const sn_model *model)
{
    int unique_count = 0;
    for (int t = 0; t < model->counts.triangle_count; ++t) {
        const int32_t *corners = model->triangles + 3 * (size_t)t;
        for (int c = 0; c < 3; ++c) {
            const int32_t a = corners[c], b = corners[(c + 1) % 3];
            int32_t *edge = lines->edges + 2 * (3 * (size_t)t + (size_t)c);
            edge[0] = a < b ? a : b;
            edge[1] = a < b ? b : a;
        }
    }
    qsort(lines->edges, (size_t)lines->capacity, 2 * sizeof *lines->edges, compare_edges);
    for (int i = 0; i < lines->capacity; ++i) {
        const int32_t *edge = lines->edges + 2 * (size_t)i;
        if (unique_count == 0 || compare_edges(edge, lines->edges + 2 * (size_t)(unique_count - 1)) != 0) {
            memmove(lines->edges + 2 * (size_t)unique_count++, edge, 2 * sizeof *edge);
        }
    }
    lines->edge_count = unique_count;
}

sn_result sn_mesh_lines_start(sn_mesh_lines *lines, const sn_model *model)
{
    *lines = (sn_mesh_lines){.vertex_count = model->counts.vertex_count, .capacity = 3 * model->counts.triangle_count};
    lines->edges = sn_alloc((size_t)lines->capacity, 2 * sizeof *lines->edges);
    lines->positions = lines->edges ? sn_alloc((size_t)lines->vertex_count, 3 * sizeof *lines->positions) : NULL;
    if (!lines->positions) {
        sn_mesh_lines_finish(lines);
        return SN_ERROR_MEMORY;
    }
    list_edges(lines, model);
    return SN_OK;
}

void sn_mesh_lines_finish(sn_mesh_lines *lines)
{
    sn_free(lines->edges, (size_t)lines->capacity, 2 * sizeof *lines->edges);
    sn_free(lines->positions, (size_t)lines->vertex_count, 3 * sizeof *lines->positions);
    *lines = (sn_mesh_lines){0};
}

/* Adds the weighted sum of `count` transforms of a point. */
static void add(const float *weights, const float *transforms, int count, const float *point, double *result)
{
    for (int i = 0; i < count; ++i) {
        for (int d = 0; d < 3 && weights[i] != 0; ++d) {
            const float *row = transforms + 12 * (size_t)i + 4 * d;
            result[d] += (double)(weights[i] * (row[0] * point[0] + row[1] * point[1] + row[2] * point[2] + row[3]));
        }
    }
}

void sn_mesh_lines_set_rig(sn_mesh_lines *lines, const sn_model *model, const float *transforms, int mode_count)
{
    const sn_model_counts *c = &model->counts;
    SN_ASSERT(c->vertex_count == lines->vertex_count && mode_count <= c->mode_count);
    for (size_t v = 0; v < (size_t)c->vertex_count; ++v) {
        const float *rest = model->rest_positions + 3 * v;
        double *to = lines->positions + 3 * v;
        memset(to, 0, 3 * sizeof *to);
        add(model->rig_weights + v * (size_t)c->bone_count, transforms, c->bone_count, rest, to);
        add(model->mode_weights + v * (size_t)c->mode_count, transforms + 12 * (size_t)c->bone_count, mode_count, rest,
            to);
    }
}

void sn_mesh_lines_set_flesh(sn_mesh_lines *lines, sn_body_id id)
{
    sn_body_tet_positions(id, lines->positions, lines->vertex_count);
}

static void add_edge(const sn_mesh_lines *lines, int edge, uint32_t color, sn_marker_list *list)
{
    const double *a = lines->positions + 3 * (size_t)lines->edges[2 * edge];
    const double *b = lines->positions + 3 * (size_t)lines->edges[2 * edge + 1];
    sn_marker_add(list, &(sn_render_marker){.from = {(float)a[0], (float)a[1], (float)a[2]},
                                            .to = {(float)b[0], (float)b[1], (float)b[2]},
                                            .size = HALF_WIDTH,
                                            .shape = SN_MARKER_LINE,
                                            .fill = color});
}

void sn_mesh_lines_add_markers(const sn_mesh_lines *lines, sn_marker_list *list)
{
    for (int i = 0; i < lines->edge_count; ++i) {
        add_edge(lines, i, COLOR, list);
    }
}

void sn_mesh_lines_add_part_markers(const sn_mesh_lines *lines, const int32_t *of_vertex, int part,
                                    sn_marker_list *list)
{
    for (int i = 0; i < lines->edge_count; ++i) {
        if (of_vertex[lines->edges[2 * i]] == part && of_vertex[lines->edges[2 * i + 1]] == part) {
            add_edge(lines, i, PART_COLOR, list);
        }
    }
}
