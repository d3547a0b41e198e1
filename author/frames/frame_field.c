/* SPDX-License-Identifier: MIT */
#include "author/frames/frame_field.h"

#include <math.h>
#include <string.h>

#include "author/mesher/node_graph.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"
#include "host/mesh/box_tree.h"

#define MAX_SWEEPS 400
#define MIN_WEIGHT 1e-3       /* fraction of the mean weight */
#define OVER_RELAXATION 1.7   /* over-relaxation factor */
#define CONVERGED_CHANGE 1e-4 /* max. change of a quaternion in the last sweep */

void sn_frame_align(const double *like, const double *q, double *aligned)
{
    double difference[4], axis[4] = {0};
    sn_quaternion_conjugate(q, aligned);
    sn_quaternion_multiply(aligned, like, difference); /* rotation from q to like, in q's own axes */
    int nearest = 3;
    for (int i = 0; i < 3; ++i) {
        nearest = fabs(difference[i]) > fabs(difference[nearest]) ? i : nearest;
    }
    axis[nearest] = difference[nearest] < 0 ? -1 : 1;
    sn_quaternion_multiply(q, axis, aligned);
}

typedef struct field {
    const sn_tet_mesh *mesh;
    const sn_frame_line *lines;
    sn_node_graph graph;
    double *neighbour_weights; /* weight of each neighbour in the graph: the negated entry of the cotangent Laplacian,
                       clamped to positive values */
    int segment_count;
    int32_t *segment_lines, *segment_points; /* (segment_count) segment from a point of a line to the next one */
    double *frames;                          /* (vertex_count x 4) quaternions */
    bool *is_known;                          /* (vertex_count) has the frame of a line */
    bool *is_set;                            /* (vertex_count) has any frame */
    int32_t *queue;                          /* (vertex_count) */
} field;

/* ---- vertices near the lines ---- */

static const double *segment_end(const field *f, int segment)
{
    const sn_frame_line *line = &f->lines[f->segment_lines[segment]];
    const int next =
        f->segment_points[segment] + 1 < line->count ? f->segment_points[segment] + 1 : f->segment_points[segment];
    return line->points + 3 * (size_t)next;
}

static const double *segment_start(const field *f, int segment)
{
    return f->lines[f->segment_lines[segment]].points + 3 * (size_t)f->segment_points[segment];
}

static double distance2(int segment, const double *point, void *user)
{
    const field *f = user;
    const double distance = sn_segment_distance(point, segment_start(f, segment), segment_end(f, segment));
    return distance * distance;
}

/* Sets the vertex's frame to the line's frame at its nearest point. */
static void set_known(field *f, int segment, int vertex)
{
    const sn_frame_line *line = &f->lines[f->segment_lines[segment]];
    const double *first = line->frames + 9 * (size_t)f->segment_points[segment];
    double from[4], to[4], aligned[4];
    sn_quaternion_from_matrix(first, from);
    sn_quaternion_from_matrix(f->segment_points[segment] + 1 < line->count ? first + 9 : first, to);
    sn_frame_align(from, to, aligned);
    sn_quaternion_blend(
        from, aligned,
        sn_segment_nearest(f->mesh->positions + 3 * (size_t)vertex, segment_start(f, segment), segment_end(f, segment)),
        f->frames + 4 * (size_t)vertex);
    f->is_known[vertex] = f->is_set[vertex] = true;
}

static sn_result list_segments(field *f, int line_count, sn_arena *arena, sn_box_tree *tree)
{
    for (int l = 0; l < line_count; ++l) {
        f->segment_count += f->lines[l].count > 1 ? f->lines[l].count - 1 : 1;
    }
    double *boxes = SN_NEW(arena, double, 6 * (size_t)f->segment_count);
    f->segment_lines = SN_NEW(arena, int32_t, f->segment_count);
    f->segment_points = SN_NEW(arena, int32_t, f->segment_count);
    if (!boxes || !f->segment_lines || !f->segment_points) {
        return SN_ERROR_MEMORY;
    }
    for (int l = 0, segment = 0; l < line_count; ++l) {
        for (int i = 0; i < (f->lines[l].count > 1 ? f->lines[l].count - 1 : 1); ++i, ++segment) {
            f->segment_lines[segment] = l;
            f->segment_points[segment] = i;
            const double *a = segment_start(f, segment), *b = segment_end(f, segment);
            for (int d = 0; d < 3; ++d) {
                boxes[6 * (size_t)segment + (size_t)d] = fmin(a[d], b[d]);
                boxes[6 * (size_t)segment + 3 + (size_t)d] = fmax(a[d], b[d]);
            }
        }
    }
    return sn_box_tree_build(boxes, f->segment_count, arena, tree);
}

static double max_radius(const field *f, int line_count)
{
    double influence_radius = 0;
    for (int l = 0; l < line_count; ++l) {
        influence_radius = fmax(influence_radius, f->lines[l].influence_radius);
    }
    return influence_radius;
}

/* Returns the vertex nearest to the middle point of a line. */
static int nearest_vertex(const field *f, int line)
{
    double min_distance = INFINITY;
    int best = 0;
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        const double distance = sn_distance3(f->mesh->positions + 3 * (size_t)v,
                                             f->lines[line].points + 3 * (size_t)(f->lines[line].count / 2));
        best = distance < min_distance ? v : best;
        min_distance = fmin(distance, min_distance);
    }
    return best;
}

static sn_result find_known(field *f, int line_count, sn_arena *arena)
{
    sn_box_tree tree;
    bool *is_used = SN_NEW(arena, bool, line_count);
    SN_TRY(is_used ? list_segments(f, line_count, arena, &tree) : SN_ERROR_MEMORY);
    const double influence_radius = max_radius(f, line_count);
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        const double *point = f->mesh->positions + 3 * (size_t)v;
        const int segment = sn_box_tree_nearest(&tree, point, influence_radius * influence_radius, distance2, f);
        if (segment >= 0) {
            const double own = f->lines[f->segment_lines[segment]].influence_radius;
            if (distance2(segment, point, f) <= own * own) {
                set_known(f, segment, v);
                is_used[f->segment_lines[segment]] = true;
            }
        }
    }
    for (int l = 0, segment = 0; l < line_count; ++l) {
        const int line_segments = f->lines[l].count > 1 ? f->lines[l].count - 1 : 1;
        const int vertex = is_used[l] ? -1 : nearest_vertex(f, l);
        if (vertex >= 0 && !f->is_known[vertex]) {
            set_known(f, segment + (f->lines[l].count / 2 < line_segments ? f->lines[l].count / 2 : line_segments - 1),
                      vertex);
        }
        segment += line_segments;
    }
    return SN_OK;
}

/* ---- other vertices ---- */

/* Copies frames outwards; each vertex takes the frame of the first neighbour that has one. */
static void flood_frames(field *f)
{
    int count = 0;
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        if (f->is_set[v]) {
            f->queue[count++] = v;
        }
    }
    for (int at = 0; at < count; ++at) {
        const int32_t v = f->queue[at];
        for (int32_t i = f->graph.starts[v]; i < f->graph.starts[v + 1]; ++i) {
            const int32_t other = f->graph.others[i];
            if (!f->is_set[other]) {
                memcpy(f->frames + 4 * (size_t)other, f->frames + 4 * (size_t)v, 4 * sizeof(double));
                f->is_set[other] = true;
                f->queue[count++] = other;
            }
        }
    }
}

/* Handles components without a line: their first vertex gets, and keeps, the frame of the nearest line segment. */
static sn_result set_unreached(field *f, int line_count, sn_arena *arena)
{
    sn_box_tree tree;
    f->segment_count = 0;
    sn_result result = SN_OK;
    bool is_built = false;
    for (int v = 0; v < f->mesh->vertex_count && result == SN_OK; ++v) {
        if (f->is_set[v]) {
            continue;
        }
        result = is_built ? SN_OK : list_segments(f, line_count, arena, &tree);
        is_built = true;
        if (result == SN_OK) {
            set_known(f, sn_box_tree_nearest(&tree, f->mesh->positions + 3 * (size_t)v, INFINITY, distance2, f), v);
            flood_frames(f);
        }
    }
    return result;
}

static void add_weight(field *f, int32_t v, int32_t other, double weight)
{
    for (int32_t i = f->graph.starts[v]; i < f->graph.starts[v + 1]; ++i) {
        f->neighbour_weights[i] += f->graph.others[i] == other ? weight : 0;
    }
}

/* Computes the neighbours' weights. At obtuse dihedral angles entries of the Laplacian have the wrong sign; these are
 * clamped. */
static sn_result compute_weights(field *f, sn_arena *arena)
{
    const size_t t = (size_t)f->mesh->tet_count, edges = (size_t)f->graph.starts[f->mesh->vertex_count];
    double *gradients = SN_NEW(arena, double, 12 * t), *volumes = SN_NEW(arena, double, t), mean = 0;
    f->neighbour_weights = SN_NEW(arena, double, edges);
    if (!gradients || !volumes || !f->neighbour_weights) {
        return SN_ERROR_MEMORY;
    }
    sn_tet_gradients(f->mesh, gradients, volumes);
    for (size_t i = 0; i < 16 * t; ++i) {
        const size_t a = i / 4 % 4, b = i % 4;
        const double *g = gradients + i / 16 * 12;
        if (a != b) {
            add_weight(f, f->mesh->tets[i / 16 * 4 + a], f->mesh->tets[i / 16 * 4 + b],
                       -volumes[i / 16] * sn_dot3(g + 3 * a, g + 3 * b));
        }
    }
    for (size_t i = 0; i < edges; ++i) {
        mean += fabs(f->neighbour_weights[i]) / (double)edges;
    }
    for (size_t i = 0; i < edges; ++i) {
        f->neighbour_weights[i] = fmax(f->neighbour_weights[i], MIN_WEIGHT * mean);
    }
    return SN_OK;
}

/* Runs one sweep of successive over-relaxation. Returns the largest change. */
static double smooth(field *f)
{
    double max_change = 0;
    for (int v = 0; v < f->mesh->vertex_count; ++v) {
        double *frame = f->frames + 4 * (size_t)v, mean[4] = {0}, aligned[4], change = 0;
        if (f->is_known[v]) {
            continue;
        }
        for (int32_t i = f->graph.starts[v]; i < f->graph.starts[v + 1]; ++i) {
            sn_frame_align(frame, f->frames + 4 * (size_t)f->graph.others[i], aligned);
            for (int j = 0; j < 4; ++j) {
                mean[j] += f->neighbour_weights[i] * aligned[j];
            }
        }
        sn_quaternion_normalize(mean);
        for (int j = 0; j < 4; ++j) {
            mean[j] = frame[j] + OVER_RELAXATION * (mean[j] - frame[j]);
        }
        sn_quaternion_normalize(mean);
        for (int j = 0; j < 4; ++j) {
            change += (mean[j] - frame[j]) * (mean[j] - frame[j]);
        }
        max_change = fmax(max_change, change);
        memcpy(frame, mean, sizeof mean);
    }
    return sqrt(max_change);
}

static void average_frames(const field *f, double *frames)
{
    for (size_t t = 0; t < (size_t)f->mesh->tet_count; ++t) {
        const double *first = f->frames + 4 * (size_t)f->mesh->tets[4 * t];
        double mean[4] = {0}, aligned[4];
        for (size_t corner = 0; corner < 4; ++corner) {
            sn_frame_align(first, f->frames + 4 * (size_t)f->mesh->tets[4 * t + corner], aligned);
            for (int j = 0; j < 4; ++j) {
                mean[j] += aligned[j];
            }
        }
        sn_quaternion_normalize(mean);
        sn_quaternion_to_matrix(mean, frames + 9 * t);
    }
}

sn_result sn_frame_field_build(const sn_tet_mesh *mesh, const sn_frame_line *lines, int line_count, double *frames,
                               sn_frame_field_report *report)
{
    const size_t n = (size_t)mesh->vertex_count;
    sn_arena arena = {0};
    field f = {.mesh = mesh,
               .lines = lines,
               .frames = SN_NEW(&arena, double, 4 * n),
               .is_known = SN_NEW(&arena, bool, n),
               .is_set = SN_NEW(&arena, bool, n),
               .queue = SN_NEW(&arena, int32_t, n)};
    *report = (sn_frame_field_report){0};
    sn_result result = f.frames && f.is_known && f.is_set && f.queue ? SN_OK : SN_ERROR_MEMORY;
    result = result ? result : sn_node_graph_build(mesh, &arena, &f.graph);
    result = result ? result : compute_weights(&f, &arena);
    result = result ? result : find_known(&f, line_count, &arena);
    for (size_t v = 0; v < n && result == SN_OK; ++v) {
        report->known_count += f.is_known[v];
    }
    if (result == SN_OK) {
        flood_frames(&f);
        result = set_unreached(&f, line_count, &arena);
    }
    if (result == SN_OK) {
        double change = 1;
        while (change > CONVERGED_CHANGE && report->sweep_count < MAX_SWEEPS) {
            change = smooth(&f);
            ++report->sweep_count;
        }
        average_frames(&f, frames);
    }
    sn_arena_finish(&arena);
    return result;
}
