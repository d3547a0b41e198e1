/* SPDX-License-Identifier: MIT */
/* Builds curves on a mesh: seams and sections of its parts. Points are snapped to near vertices. The parameter is the
 * chord length on the input mesh for every pose; recomputing it per pose would let points slide. */
#include <math.h>

#include "author/fourier/fourier_fit.h"
#include "author/fourier/sections.h"
#include "host/math/vec3.h"

#define MIN_CLOSED_POINTS 6
#define MIN_OPEN_POINTS 4

sn_fourier_fit_desc sn_default_fourier_fit_desc(void)
{
    return (sn_fourier_fit_desc){.harmonic_count = 9, .curve_spacing = 3, .snap = 0.25};
}

/* Initializes the cutter and groups the faces by part. */
static sn_result init_cutter(const sn_fit_topology *t, const int32_t *parts, int part_count, double spacing,
                             sn_arena *arena, sn_fit_cutter *c)
{
    const int faces = t->mesh->triangle_count;
    *c = (sn_fit_cutter){.topology = t,
                         .parts = parts,
                         .part_count = part_count,
                         .face_starts = SN_NEW(arena, int32_t, part_count + 1),
                         .faces = SN_NEW(arena, int32_t, faces),
                         .sides = SN_NEW(arena, double, t->mesh->vertex_count),
                         .cut_faces = SN_NEW(arena, int32_t, faces),
                         .vertex_labels = SN_NEW(arena, int32_t, t->mesh->vertex_count),
                         .face_stamps = SN_NEW(arena, int32_t, faces),
                         .spacing = spacing * t->mean_edge};
    int32_t *at = SN_NEW(arena, int32_t, part_count);
    if (!c->face_starts || !c->faces || !c->sides || !c->cut_faces || !c->vertex_labels || !c->face_stamps || !at) {
        return SN_ERROR_MEMORY;
    }
    for (int f = 0; f < faces; ++f) {
        ++c->face_starts[parts[f] + 1];
    }
    for (int p = 0; p < part_count; ++p) {
        c->face_starts[p + 1] += c->face_starts[p];
        at[p] = c->face_starts[p];
    }
    for (int f = 0; f < faces; ++f) {
        c->faces[at[parts[f]]++] = f;
    }
    return SN_OK;
}

/* A seam belongs to the first of the parts along it. Returns false for seams of later parts without a vertex of their
 * own. */
static bool is_new_seam(sn_fit_cutter *c, const sn_fit_lines *seams, const sn_fit_line *seam)
{
    bool is_new = false;
    for (int i = 0; i < seam->point_count; ++i) {
        const int32_t vertex = seams->points[seam->first_point + i].vertices[0];
        is_new |= c->vertex_labels[vertex] != -2;
    }
    return is_new;
}

static sn_result add_new_seams(sn_fit_cutter *c, const sn_fit_lines *seams)
{
    for (int i = 0; i < seams->line_count; ++i) {
        sn_fit_line line = seams->lines[i];
        if (!is_new_seam(c, seams, &line)) {
            continue;
        }
        const int first = line.first_point;
        line.first_point = c->lines->point_count;
        for (int k = 0; k < line.point_count; ++k) {
            SN_TRY(sn_fit_lines_add_point(c->lines, &seams->points[first + k]));
        }
        SN_TRY(sn_fit_lines_add(c->lines, &line));
    }
    return SN_OK;
}

static sn_result cut_parts(sn_fit_cutter *c)
{
    sn_result result = SN_OK;
    bool *is_seam = sn_alloc((size_t)c->topology->mesh->vertex_count, sizeof *is_seam);
    if (!is_seam) {
        return SN_ERROR_MEMORY;
    }
    for (int part = 0; part < c->part_count && result == SN_OK; ++part) {
        sn_fit_lines seams = {0};
        result = sn_fit_add_seams(c, part, &seams);
        for (int v = 0; v < c->topology->mesh->vertex_count; ++v) {
            c->vertex_labels[v] = is_seam[v] ? -2 : 0;
        }
        result = result == SN_OK ? add_new_seams(c, &seams) : result;
        for (int i = 0; i < seams.point_count; ++i) {
            is_seam[seams.points[i].vertices[0]] = true;
        }
        result = result == SN_OK ? sn_fit_add_sections(c, part, &seams) : result;
        sn_fit_lines_finish(&seams);
    }
    sn_free(is_seam, (size_t)c->topology->mesh->vertex_count, sizeof *is_seam);
    return result;
}

static sn_fourier_point snap_point(const sn_fourier_point *point, double snap)
{
    sn_fourier_point to = *point;
    if (to.ratio <= snap || to.ratio >= 1 - snap) {
        to.vertices[0] = to.vertices[1] = point->vertices[to.ratio > 0.5];
        to.ratio = 0;
    }
    return to;
}

static bool is_same(const sn_fourier_point *a, const sn_fourier_point *b)
{
    return a->vertices[0] == b->vertices[0] && a->vertices[1] == b->vertices[1] && a->ratio == b->ratio;
}

/* Sets the parameters to normalized chord lengths. Returns false if the curve's length is 0. */
static bool set_parameters(const sn_tri_mesh *mesh, const sn_fourier_curve *curve, sn_fourier_point *points)
{
    double previous[3], at[3], first[3], length = 0;
    sn_fit_position(mesh, &points[0], first);
    sn_fit_position(mesh, &points[0], previous);
    for (int i = 0; i < curve->point_count; ++i) {
        sn_fit_position(mesh, &points[i], at);
        length += sn_distance3(at, previous);
        points[i].parameter = length;
        for (int d = 0; d < 3; ++d) {
            previous[d] = at[d];
        }
    }
    length += curve->is_closed ? sn_distance3(first, previous) : 0;
    for (int i = 0; i < curve->point_count && length > 0; ++i) {
        points[i].parameter /= length;
    }
    return length > 0;
}

static void add_curve(const sn_fit_lines *lines, const sn_fit_line *line, double snap, sn_fourier_curves *to)
{
    sn_fourier_curve curve = {
        .part = line->part, .first_point = to->point_count, .is_closed = line->is_closed, .is_seam = line->is_seam};
    sn_fourier_point *points = to->points + to->point_count;
    for (int i = 0; i < line->point_count; ++i) {
        const sn_fourier_point point = snap_point(&lines->points[line->first_point + i], snap);
        if (curve.point_count == 0 || !is_same(&point, &points[curve.point_count - 1])) {
            points[curve.point_count++] = point;
        }
    }
    while (curve.is_closed && curve.point_count > 1 && is_same(&points[0], &points[curve.point_count - 1])) {
        --curve.point_count;
    }
    const bool is_long = curve.point_count >= (curve.is_closed ? MIN_CLOSED_POINTS : MIN_OPEN_POINTS);
    if (is_long && set_parameters(&to->mesh, &curve, points)) {
        const int max_harmonics = curve.is_closed ? (curve.point_count - 1) / 3 : (curve.point_count - 2) / 2;
        curve.harmonic_count = max_harmonics < to->harmonic_count ? max_harmonics : to->harmonic_count;
        to->point_count += curve.point_count;
        to->curves[to->curve_count++] = curve;
    }
}

static sn_result store_curves(const sn_fit_lines *lines, double snap, sn_arena *arena, sn_fourier_curves *to)
{
    to->curves = SN_NEW(arena, sn_fourier_curve, lines->line_count);
    to->points = SN_NEW(arena, sn_fourier_point, lines->point_count);
    for (int i = 0; i < lines->line_count && to->curves && to->points; ++i) {
        add_curve(lines, &lines->lines[i], snap, to);
    }
    return to->curves && to->points ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_fourier_curves_build(const sn_tri_mesh *mesh, const sn_fourier_fit_desc *desc, sn_arena *arena,
                                  sn_fourier_curves *curves)
{
    SN_ASSERT(desc->harmonic_count >= 0 && desc->curve_spacing > 0 && desc->snap >= 0 && desc->snap < 0.5);
    sn_arena scratch = {0};
    sn_fit_topology topology;
    sn_fit_lines lines = {0};
    sn_fit_cutter cutter;
    *curves = (sn_fourier_curves){
        .mesh = *mesh, .harmonic_count = desc->harmonic_count, .parts = SN_NEW(arena, int32_t, mesh->triangle_count)};
    sn_result result = curves->parts ? sn_fit_topology_build(&curves->mesh, &scratch, &topology) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_fit_segment(&topology, desc->part_count, curves->parts, &curves->part_count);
    }
    if (result == SN_OK) {
        result = init_cutter(&topology, curves->parts, curves->part_count, desc->curve_spacing, &scratch, &cutter);
        cutter.lines = &lines;
    }
    if (result == SN_OK) {
        result = cut_parts(&cutter);
    }
    if (result == SN_OK) {
        result = store_curves(&lines, desc->snap, arena, curves);
    }
    sn_fit_lines_finish(&lines);
    sn_arena_finish(&scratch);
    return result;
}
