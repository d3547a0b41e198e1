/* SPDX-License-Identifier: MIT */
/* Traces a part's boundary: the edges with only one face of the part, followed from vertex to vertex. Where more than
 * two of them meet, the line continues along the first unused one, so every edge belongs to one line on any surface. */
#include "author/fourier/sections.h"

static bool is_boundary(const sn_fit_cutter *c, int part, int32_t edge)
{
    const sn_fit_topology *t = c->topology;
    int count = 0;
    for (int i = t->face_starts[edge]; i < t->face_starts[edge + 1]; ++i) {
        count += c->parts[t->faces[i]] == part;
    }
    return count == 1;
}

/* The edges of a boundary, and those at each of its vertices. */
typedef struct boundary {
    int count;
    int32_t *edges;
    int32_t *starts;         /* (vertices + 1) by local index */
    int32_t *incident;       /* (2 count) edges at each vertex */
    int32_t *local_vertices; /* (2 count) local index of each end */
    int32_t *mesh_vertices;  /* (vertices) mesh vertex */
    bool *is_used;           /* (count) */
    int vertex_count;
} boundary;

static bool collect(sn_fit_cutter *c, int part, sn_arena *arena, boundary *b)
{
    const sn_fit_topology *t = c->topology;
    const size_t max_count = 3 * (size_t)(c->face_starts[part + 1] - c->face_starts[part]);
    *b = (boundary){.edges = SN_NEW(arena, int32_t, max_count),
                    .starts = SN_NEW(arena, int32_t, 2 * max_count + 1),
                    .incident = SN_NEW(arena, int32_t, 2 * max_count),
                    .local_vertices = SN_NEW(arena, int32_t, 2 * max_count),
                    .mesh_vertices = SN_NEW(arena, int32_t, 2 * max_count),
                    .is_used = SN_NEW(arena, bool, max_count)};
    if (!b->edges || !b->starts || !b->incident || !b->local_vertices || !b->mesh_vertices || !b->is_used) {
        return false;
    }
    for (int i = c->face_starts[part]; i < c->face_starts[part + 1]; ++i) {
        for (int k = 0; k < 3; ++k) {
            const int32_t edge = t->face_edges[3 * c->faces[i] + k];
            if (is_boundary(c, part, edge) && t->edges[2 * edge] != t->edges[2 * edge + 1]) {
                b->edges[b->count++] = edge;
            }
        }
    }
    return true;
}

static void connect(sn_fit_cutter *c, boundary *b)
{
    for (int i = 0; i < 2 * b->count; ++i) {
        c->vertex_labels[c->topology->edges[2 * b->edges[i / 2] + i % 2]] = -1;
    }
    for (int i = 0; i < 2 * b->count; ++i) {
        const int32_t vertex = c->topology->edges[2 * b->edges[i / 2] + i % 2];
        if (c->vertex_labels[vertex] < 0) {
            b->mesh_vertices[b->vertex_count] = vertex;
            c->vertex_labels[vertex] = b->vertex_count++;
        }
        b->local_vertices[i] = c->vertex_labels[vertex];
        ++b->starts[b->local_vertices[i] + 1];
    }
    for (int v = 0; v < b->vertex_count; ++v) {
        b->starts[v + 1] += b->starts[v];
    }
    for (int i = 2 * b->count - 1; i >= 0; --i) { /* decrements the ends to the starts */
        b->incident[--b->starts[b->local_vertices[i] + 1]] = i / 2;
    }
    for (int v = 0; v < b->vertex_count; ++v) {
        b->starts[v] = b->starts[v + 1];
    }
    b->starts[b->vertex_count] = 2 * b->count;
}

static int32_t find_next(const boundary *b, int32_t vertex)
{
    for (int i = b->starts[vertex]; i < b->starts[vertex + 1]; ++i) {
        if (!b->is_used[b->incident[i]]) {
            return b->incident[i];
        }
    }
    return -1;
}

static sn_result follow(boundary *b, int part, int32_t edge, sn_fit_lines *lines)
{
    const int32_t first = b->local_vertices[2 * edge];
    int32_t vertex = first;
    sn_fit_line line = {.part = part, .first_point = lines->point_count, .is_seam = true};
    sn_result result = SN_OK;
    for (; edge >= 0 && result == SN_OK; edge = vertex == first ? -1 : find_next(b, vertex)) {
        const sn_fourier_point point = {{b->mesh_vertices[vertex], b->mesh_vertices[vertex]}, 0, 0};
        b->is_used[edge] = true;
        vertex = b->local_vertices[2 * edge] == vertex ? b->local_vertices[2 * edge + 1] : b->local_vertices[2 * edge];
        result = sn_fit_lines_add_point(lines, &point);
        ++line.point_count;
    }
    line.is_closed = vertex == first;
    if (!line.is_closed && result == SN_OK) {
        const sn_fourier_point point = {{b->mesh_vertices[vertex], b->mesh_vertices[vertex]}, 0, 0};
        result = sn_fit_lines_add_point(lines, &point);
        ++line.point_count;
    }
    return result == SN_OK ? sn_fit_lines_add(lines, &line) : result;
}

sn_result sn_fit_add_seams(sn_fit_cutter *c, int part, sn_fit_lines *lines)
{
    sn_arena arena = {0};
    boundary b;
    sn_result result = collect(c, part, &arena, &b) ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        connect(c, &b);
    }
    for (int i = 0; i < b.count && result == SN_OK; ++i) {
        if (!b.is_used[i]) {
            result = follow(&b, part, i, lines);
        }
    }
    sn_arena_finish(&arena);
    return result;
}
