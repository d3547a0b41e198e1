/* SPDX-License-Identifier: MIT */
/* Cuts a part by a plane. A face with corners on both sides has two crossed edges, and lines run from edge to edge
 * through such faces. A corner in the plane counts as above it, so a face has either no crossed edge or two. */
#include "author/fourier/sections.h"
#include "host/math/vec3.h"

static bool is_crossed(const sn_fit_cutter *c, int32_t edge)
{
    const int32_t *v = c->topology->edges + 2 * edge;
    return (c->sides[v[0]] < 0) != (c->sides[v[1]] < 0);
}

/* Returns the other crossed edge of a face; -1: none. */
static int32_t cross_face(const sn_fit_cutter *c, int32_t face, int32_t edge)
{
    for (int k = 0; k < 3; ++k) {
        const int32_t other = c->topology->face_edges[3 * face + k];
        if (other != edge && is_crossed(c, other)) {
            return other;
        }
    }
    return -1;
}

/* Returns a face of the part at the edge that no line has passed through; -1: none. */
static int32_t find_face(const sn_fit_cutter *c, int part, int32_t edge)
{
    const sn_fit_topology *t = c->topology;
    for (int i = t->face_starts[edge]; i < t->face_starts[edge + 1]; ++i) {
        if (c->parts[t->faces[i]] == part && c->face_stamps[t->faces[i]] != c->stamp) {
            return t->faces[i];
        }
    }
    return -1;
}

static int count_faces(const sn_fit_cutter *c, int part, int32_t edge)
{
    int count = 0;
    for (int i = c->topology->face_starts[edge]; i < c->topology->face_starts[edge + 1]; ++i) {
        count += c->parts[c->topology->faces[i]] == part;
    }
    return count;
}

static sn_result add_crossing(const sn_fit_cutter *c, int32_t edge, sn_fit_lines *lines)
{
    const int32_t *v = c->topology->edges + 2 * edge;
    const double a = c->sides[v[0]], b = c->sides[v[1]];
    const sn_fourier_point point = {{v[0], v[1]}, a / (a - b), 0};
    return sn_fit_lines_add_point(lines, &point);
}

static sn_result follow(sn_fit_cutter *c, int part, int32_t first, sn_fit_lines *lines)
{
    sn_fit_line line = {.part = part, .first_point = lines->point_count};
    sn_result result = add_crossing(c, first, lines);
    int32_t edge = first;
    for (int32_t face = find_face(c, part, edge); face >= 0 && result == SN_OK; face = find_face(c, part, edge)) {
        c->face_stamps[face] = c->stamp;
        edge = cross_face(c, face, edge);
        line.is_closed = edge == first;
        if (edge < 0 || line.is_closed) {
            break;
        }
        result = add_crossing(c, edge, lines);
    }
    line.point_count = lines->point_count - line.first_point;
    return result == SN_OK ? sn_fit_lines_add(lines, &line) : result;
}

/* Computes signed distances. Returns the number of cut faces. */
static int measure_sides(sn_fit_cutter *c, int part, const double *point, const double *normal)
{
    int cut_count = 0;
    for (int i = c->face_starts[part]; i < c->face_starts[part + 1]; ++i) {
        int below = 0;
        for (int k = 0; k < 3; ++k) {
            const int32_t vertex = c->topology->mesh->triangles[3 * c->faces[i] + k];
            double from[3];
            sn_subtract3(c->topology->mesh->positions + 3 * (size_t)vertex, point, from);
            c->sides[vertex] = sn_dot3(from, normal);
            below += c->sides[vertex] < 0;
        }
        c->cut_faces[cut_count] = c->faces[i];
        cut_count += below % 3 != 0;
    }
    return cut_count;
}

/* Adds open lines first, starting at the part's boundary, then closed ones. */
sn_result sn_fit_cut(sn_fit_cutter *c, int part, const double *point, const double *normal, sn_fit_lines *lines)
{
    sn_result result = SN_OK;
    ++c->stamp;
    const int cut_count = measure_sides(c, part, point, normal);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < cut_count && result == SN_OK; ++i) {
            for (int k = 0; k < 3 && result == SN_OK && c->face_stamps[c->cut_faces[i]] != c->stamp; ++k) {
                const int32_t edge = c->topology->face_edges[3 * c->cut_faces[i] + k];
                if (is_crossed(c, edge) && (pass == 1 || count_faces(c, part, edge) == 1)) {
                    result = follow(c, part, edge, lines);
                }
            }
        }
    }
    return result;
}
