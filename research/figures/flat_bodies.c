/* SPDX-License-Identifier: MIT */
/* An outline is a union of ellipses and tapered tubes. */
#include "research/figures/flat_bodies.h"

#include <math.h>
#include <string.h>

#include "author/weights/bounded_biharmonic.h"
#include "host/mesh/flat_mesh.h"
#include "host/mesh/tri_mesh.h"

#define HANDLE_LIMIT 12
#define PART_LIMIT 10
#define MARGIN 0.75

/* From one point to another, radius to radius; an ellipse is stretched across. */
typedef struct part {
    double from[2], to[2], radius[2];
} part;

typedef struct outline {
    const char *name;
    int vertex_count; /* the paper's, of its table 1 */
    int part_count, handle_count;
    bool is_cage;
    part parts[PART_LIMIT];
    double handles[HANDLE_LIMIT][2];
} outline;

static const outline outlines[SN_OUTLINE_COUNT] = {
    [SN_OUTLINE_BUNNY] =
        {"a rabbit's head",
         2241,
         5,
         8,
         false,
         {{{-0.08, -0.22}, {0.08, -0.22}, {0.26, 0.26}},
          {{-0.12, 0}, {-0.17, 0.22}, {0.07, 0.09}},
          {{-0.17, 0.22}, {-0.2, 0.45}, {0.09, 0.05}},
          {{0.12, 0}, {0.17, 0.22}, {0.07, 0.09}},
          {{0.17, 0.22}, {0.2, 0.45}, {0.09, 0.05}}},
         {{-0.24, -0.3}, {0.24, -0.3}, {0, -0.1}, {0, -0.38}, {-0.17, 0.2}, {-0.2, 0.45}, {0.17, 0.2}, {0.2, 0.45}}},
    [SN_OUTLINE_GHOST] = {"a ghost",
                          430,
                          5,
                          10,
                          true,
                          {{{0, 0.15}, {0, -0.2}, {0.3, 0.3}},
                           {{-0.22, -0.2}, {-0.24, -0.42}, {0.1, 0.07}},
                           {{-0.07, -0.2}, {-0.08, -0.44}, {0.1, 0.07}},
                           {{0.07, -0.2}, {0.08, -0.42}, {0.1, 0.07}},
                           {{0.22, -0.2}, {0.24, -0.44}, {0.1, 0.07}}},
                          {{-0.18, 0.56},
                           {0.18, 0.56},
                           {0.42, 0.35},
                           {0.42, 0},
                           {0.42, -0.3},
                           {0.36, -0.58},
                           {-0.36, -0.58},
                           {-0.42, -0.3},
                           {-0.42, 0},
                           {-0.42, 0.35}}},
    [SN_OUTLINE_MUSHROOM] = {"a mushroom",
                             1905,
                             4,
                             5,
                             false,
                             {{{0, -0.4}, {0, 0}, {0.14, 0.11}},
                              {{-0.3, 0.12}, {0, 0.2}, {0.1, 0.2}},
                              {{0.3, 0.12}, {0, 0.2}, {0.1, 0.2}},
                              {{0, 0.1}, {0, 0.25}, {0.2, 0.2}}},
                             {{0, -0.42}, {0, -0.12}, {0, 0.25}, {-0.3, 0.13}, {0.3, 0.13}}},
    [SN_OUTLINE_OCTOPUS] = {"an octopus",
                            392,
                            9,
                            12,
                            false,
                            {{{0, 0.2}, {0, 0.3}, {0.2, 0.2}},
                             {{-0.12, 0.08}, {-0.34, 0}, {0.09, 0.07}},
                             {{-0.34, 0}, {-0.48, -0.16}, {0.07, 0.045}},
                             {{-0.06, 0.05}, {-0.16, -0.2}, {0.09, 0.065}},
                             {{-0.16, -0.2}, {-0.22, -0.42}, {0.065, 0.045}},
                             {{0.06, 0.05}, {0.16, -0.2}, {0.09, 0.065}},
                             {{0.16, -0.2}, {0.22, -0.42}, {0.065, 0.045}},
                             {{0.12, 0.08}, {0.34, 0}, {0.09, 0.07}},
                             {{0.34, 0}, {0.48, -0.16}, {0.07, 0.045}}},
                            {{0, 0.2},
                             {-0.34, 0},
                             {-0.48, -0.16},
                             {-0.16, -0.2},
                             {-0.22, -0.42},
                             {0.16, -0.2},
                             {0.22, -0.42},
                             {0.34, 0},
                             {0.48, -0.16},
                             {0, 0.44},
                             {-0.08, 0.06},
                             {0.08, 0.06}}},
    [SN_OUTLINE_FISH] = {"a fish",
                         1040,
                         4,
                         4,
                         false,
                         {{{-0.2, 0}, {0.1, 0}, {0.2, 0.15}},
                          {{0.1, 0}, {0.36, 0}, {0.15, 0.045}},
                          {{0.36, 0}, {0.48, 0.14}, {0.045, 0.04}},
                          {{0.36, 0}, {0.48, -0.14}, {0.045, 0.04}}},
                         {{-0.2, 0}, {0.02, 0}, {0.24, 0}, {0.42, 0}}},
};

/* How far a point is inside of the union; negative: outside. */
static double depth_at(const outline *o, double x, double y)
{
    double depth = -1;
    for (int i = 0; i < o->part_count; ++i) {
        const part *p = &o->parts[i];
        const double along[2] = {p->to[0] - p->from[0], p->to[1] - p->from[1]};
        const double square = along[0] * along[0] + along[1] * along[1];
        const double at = fmin(fmax(((x - p->from[0]) * along[0] + (y - p->from[1]) * along[1]) / square, 0), 1);
        const double away = hypot(x - p->from[0] - at * along[0], y - p->from[1] - at * along[1]);
        depth = fmax(depth, p->radius[0] + at * (p->radius[1] - p->radius[0]) - away);
    }
    return depth;
}

/* ---- the lattice ---- */

typedef struct grid {
    int columns, rows;
    double spacing;
    int32_t *numbers; /* (columns x rows) of nodes, or -1 */
} grid;

static void node_place(const grid *g, int column, int row, double *place)
{
    place[0] = -MARGIN + g->spacing * (column + 0.5 * (row % 2));
    place[1] = -MARGIN + g->spacing * sqrt(0.75) * row;
    place[2] = 0;
}

/* Corners of triangle `which` (0, 1) of a cell, counter-clockwise, as nodes. */
static void cell_corners(const grid *g, int column, int row, int which, int nodes[3][2])
{
    const int odd = row % 2, here = row, above = row + 1;
    const int up[2][3][2] = {{{column, here}, {column + 1, here}, {column + odd, above}},
                             {{column + 1, here}, {column + 1 + odd, above}, {column + odd, above}}};
    memcpy(nodes, up[which], sizeof up[which]);
    (void)g;
}

/* Triangles whose middle is inside; numbers nodes as they are met. */
static void fill(const outline *o, grid *g, sn_tet_mesh *mesh)
{
    memset(g->numbers, -1, (size_t)g->columns * (size_t)g->rows * sizeof *g->numbers);
    mesh->vertex_count = mesh->tet_count = 0;
    for (int i = 0; i < 2 * (g->columns - 2) * (g->rows - 1); ++i) {
        int nodes[3][2];
        double places[3][3];
        cell_corners(g, i / 2 % (g->columns - 2), i / 2 / (g->columns - 2), i % 2, nodes);
        for (int c = 0; c < 3; ++c) {
            node_place(g, nodes[c][0], nodes[c][1], places[c]);
        }
        if (depth_at(o, (places[0][0] + places[1][0] + places[2][0]) / 3,
                     (places[0][1] + places[1][1] + places[2][1]) / 3) < 0) {
            continue;
        }
        for (int c = 0; c < 3; ++c) {
            int32_t *number = &g->numbers[nodes[c][1] * g->columns + nodes[c][0]];
            if (*number < 0) {
                *number = mesh->vertex_count++;
                memcpy(mesh->positions + 3 * (size_t)*number, places[c], sizeof places[c]);
            }
            mesh->tets[4 * (size_t)mesh->tet_count + (size_t)c] = *number;
        }
        mesh->tets[4 * (size_t)mesh->tet_count + 3] = mesh->tets[4 * (size_t)mesh->tet_count + 2];
        ++mesh->tet_count;
    }
}

/* The spacing is halved into place: fewer vertices than wanted, by the least. */
static sn_result build_mesh(const outline *o, int wanted, sn_arena *arena, sn_tet_mesh *mesh)
{
    double low = 0.3 / sqrt(wanted), high = 0.3;
    const int most = (int)(2 * MARGIN / low) + 3, most_rows = (int)(2 * MARGIN / (low * sqrt(0.75))) + 3;
    const size_t room = (size_t)most * (size_t)most_rows;
    grid g = {.numbers = SN_NEW(arena, int32_t, room)};
    *mesh = (sn_tet_mesh){.is_flat = true};
    mesh->positions = SN_NEW(arena, double, 3 * room);
    mesh->tets = SN_NEW(arena, int32_t, 8 * room);
    if (!g.numbers || !mesh->positions || !mesh->tets) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < 24; ++i) {
        g.spacing = i < 23 ? 0.5 * (low + high) : high;
        g.columns = (int)(2 * MARGIN / g.spacing) + 3;
        g.rows = (int)(2 * MARGIN / (g.spacing * sqrt(0.75))) + 3;
        fill(o, &g, mesh);
        *(mesh->vertex_count > wanted ? &low : &high) = g.spacing;
    }
    return SN_OK;
}

/* Edges of one triangle alone, chained; where two loops meet at a vertex, either way is right. */
static sn_result find_outline(sn_arena *arena, sn_flat_subject *s)
{
    const size_t count = 3 * (size_t)s->body.mesh.tet_count;
    int32_t *edges = SN_NEW(arena, int32_t, 2 * count);
    bool *is_done = SN_NEW(arena, bool, count);
    s->outline = SN_NEW(arena, int32_t, 2 * count);
    if (!edges || !is_done || !s->outline) {
        return SN_ERROR_MEMORY;
    }
    size_t edge_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const int32_t from = s->triangles[i], to = s->triangles[i / 3 * 3 + (i + 1) % 3];
        bool is_inner = false;
        for (size_t j = 0; j < count && !is_inner; ++j) {
            is_inner = s->triangles[j] == to && s->triangles[j / 3 * 3 + (j + 1) % 3] == from;
        }
        if (!is_inner) {
            edges[2 * edge_count] = from;
            edges[2 * edge_count++ + 1] = to;
        }
    }
    for (size_t first = 0; first < edge_count; ++first) {
        for (size_t at = first; at < edge_count && !is_done[at];) {
            is_done[at] = true;
            s->outline[s->outline_count++] = edges[2 * at];
            const int32_t end = edges[2 * at + 1];
            for (at = 0; at < edge_count && (is_done[at] || edges[2 * at] != end); ++at) {
            }
        }
        if (s->outline_count > 0 && s->outline[s->outline_count - 1] >= 0) {
            s->outline[s->outline_count++] = -1;
        }
    }
    return SN_OK;
}

/* ---- handles ---- */

static sn_result take_handles(const outline *o, sn_arena *arena, sn_flat_subject *s)
{
    s->pivots = SN_NEW(arena, double, 3 * (size_t)o->handle_count);
    s->weights = SN_NEW(arena, double, (size_t)s->body.mesh.vertex_count *(size_t)o->handle_count);
    for (int k = 0; k < o->handle_count && s->pivots; ++k) {
        memcpy(s->pivots + 3 * k, o->handles[k], sizeof o->handles[k]);
    }
    return s->pivots && s->weights ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result weigh_points(sn_flat_subject *s)
{
    const sn_tri_mesh triangles = {s->body.mesh.vertex_count, s->body.mesh.tet_count, s->body.mesh.positions,
                                   s->triangles};
    sn_weight_handle handles[HANDLE_LIMIT] = {{.type = SN_WEIGHT_HANDLE_POINT}};
    sn_bounded_biharmonic_report report;
    for (int k = 0; k < s->handle_count; ++k) {
        handles[k].type = SN_WEIGHT_HANDLE_POINT;
        memcpy(handles[k].start, s->pivots + 3 * k, sizeof handles[k].start);
    }
    return sn_bounded_biharmonic(
        &(sn_bounded_biharmonic_input){
            .name = s->name, .triangles = &triangles, .handles = {.count = s->handle_count, .handles = handles}},
        s->weights, &report);
}

/* Mean value coordinates (Floater 2003) of a loop around the body. */
static void weigh_in_loop(sn_flat_subject *s)
{
    const int count = s->handle_count;
    for (int v = 0; v < s->body.mesh.vertex_count; ++v) {
        const double *x = s->body.mesh.positions + 3 * (size_t)v;
        double *weights = s->weights + (size_t)v * (size_t)count, sum = 0;
        for (int k = 0; k < count; ++k) {
            const double *near[3] = {s->pivots + 3 * ((k + count - 1) % count), s->pivots + 3 * k,
                                     s->pivots + 3 * ((k + 1) % count)};
            double tangents = 0;
            for (int side = 0; side < 2; ++side) {
                const double a[2] = {near[side][0] - x[0], near[side][1] - x[1]};
                const double b[2] = {near[side + 1][0] - x[0], near[side + 1][1] - x[1]};
                tangents += tan(0.5 * atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]));
            }
            weights[k] = tangents / hypot(near[1][0] - x[0], near[1][1] - x[1]);
            sum += weights[k];
        }
        for (int k = 0; k < count; ++k) {
            weights[k] /= sum;
        }
    }
}

sn_result sn_flat_subject_build(sn_outline_name name, int vertex_count, sn_arena *arena, sn_flat_subject *subject)
{
    const outline *o = &outlines[name];
    *subject = (sn_flat_subject){.name = o->name, .handle_count = o->handle_count, .is_cage = o->is_cage};
    sn_tet_mesh *mesh = &subject->body.mesh;
    sn_result result = build_mesh(o, vertex_count > 0 ? vertex_count : o->vertex_count, arena, mesh);
    if (result != SN_OK) {
        return result;
    }
    double *gradients = SN_NEW(arena, double, 12 * (size_t)mesh->tet_count);
    double *areas = SN_NEW(arena, double, mesh->tet_count);
    int triangle_count;
    if (!gradients || !areas) {
        return SN_ERROR_MEMORY;
    }
    sn_flat_gradients(mesh, gradients, areas);
    subject->body.gradients = gradients;
    subject->body.volumes = areas;
    result = sn_flat_triangles(mesh, arena, &subject->triangles, &triangle_count);
    if (result == SN_OK) {
        result = find_outline(arena, subject);
    }
    if (result == SN_OK) {
        result = take_handles(o, arena, subject);
    }
    if (result == SN_OK && o->is_cage) {
        weigh_in_loop(subject);
    } else if (result == SN_OK) {
        result = weigh_points(subject);
    }
    return result;
}
