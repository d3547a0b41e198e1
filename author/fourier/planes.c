/* SPDX-License-Identifier: MIT */
/* Cuts a part by several planes. In parts with many seams, or bent ones, some planes intersect inside the part, where
 * their curves would cross. These planes are rotated towards each other and towards the normal of the part's axis. If
 * that does not help, they are removed. */
#include <math.h>
#include <string.h>

#include "author/fourier/sections.h"
#include "host/math/vec3.h"

#define ROUNDS 16
#define MARGIN 0.15 /* of the spacing; curves nearer than this merge, since points snap to vertices */

typedef struct box {
    double low[3], high[3];
} box;

typedef struct section {
    sn_fit_plane plane;
    sn_fit_lines lines;
    double *point_positions; /* (point_count of the lines x 3) */
    box *boxes;              /* (line_count) */
    bool is_changed, is_removed;
    int crossing_count;
    double normal_sum[3]; /* sum of its normal and those of the sections that it crosses */
} section;

static void finish_lines(section *s)
{
    sn_free(s->point_positions, 3 * (size_t)s->lines.point_count, sizeof *s->point_positions);
    sn_free(s->boxes, (size_t)s->lines.line_count, sizeof *s->boxes);
    s->point_positions = NULL;
    s->boxes = NULL;
    sn_fit_lines_finish(&s->lines);
}

static sn_result compute_positions(const sn_tri_mesh *mesh, section *s)
{
    s->point_positions = sn_alloc(3 * (size_t)s->lines.point_count, sizeof *s->point_positions);
    s->boxes = sn_alloc((size_t)s->lines.line_count, sizeof *s->boxes);
    if (!s->point_positions || !s->boxes) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < s->lines.line_count; ++i) {
        const sn_fit_line *line = &s->lines.lines[i];
        box *b = &s->boxes[i];
        *b = (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (int k = line->first_point; k < line->first_point + line->point_count; ++k) {
            double *position = s->point_positions + 3 * (size_t)k;
            sn_fit_position(mesh, &s->lines.points[k], position);
            for (int d = 0; d < 3; ++d) {
                b->low[d] = fmin(b->low[d], position[d]);
                b->high[d] = fmax(b->high[d], position[d]);
            }
        }
    }
    return SN_OK;
}

/* Returns whether a box is on both sides of a plane, or nearer to it than the margin. */
static bool is_box_crossed(const box *b, const sn_fit_plane *plane, double margin)
{
    double center_distance = 0, half_extent = 0;
    for (int d = 0; d < 3; ++d) {
        center_distance += plane->normal[d] * (0.5 * (b->low[d] + b->high[d]) - plane->point[d]);
        half_extent += fabs(plane->normal[d]) * 0.5 * (b->high[d] - b->low[d]);
    }
    return center_distance - half_extent < margin && center_distance + half_extent > -margin;
}

/* The same for the points of a line. */
static bool is_line_crossed(const section *other, int line, const sn_fit_plane *plane, double margin)
{
    const double *position = other->point_positions + 3 * (size_t)other->lines.lines[line].first_point;
    bool is_below = false, is_above = false;
    for (int i = 0; i < other->lines.lines[line].point_count && !(is_below && is_above); ++i, position += 3) {
        double from[3];
        sn_subtract3(position, plane->point, from);
        const double side = sn_dot3(from, plane->normal);
        is_below = is_below || side < margin;
        is_above = is_above || side > -margin;
    }
    return is_below && is_above;
}

static bool is_crossed(const section *other, const sn_fit_plane *plane, double margin)
{
    for (int i = 0; i < other->lines.line_count; ++i) {
        if (is_box_crossed(&other->boxes[i], plane, margin) && is_line_crossed(other, i, plane, margin)) {
            return true;
        }
    }
    return false;
}

static void add_normal(const double *normal, section *to)
{
    const double side = sn_dot3(normal, to->plane.normal) < 0 ? -1 : 1;
    for (int d = 0; d < 3; ++d) {
        to->normal_sum[d] += side * normal[d];
    }
}

static sn_result cut_changed(sn_fit_cutter *c, int part, section *sections, int count)
{
    for (int i = 0; i < count; ++i) {
        section *s = &sections[i];
        if (s->is_changed) {
            finish_lines(s);
            SN_TRY(sn_fit_cut(c, part, s->plane.point, s->plane.normal, &s->lines));
            SN_TRY(compute_positions(c->topology->mesh, s));
        }
    }
    return SN_OK;
}

/* Returns the number of crossing pairs. `pairs` (count x count) caches the result for pairs that have not changed. */
static int count_crossings(const sn_fit_cutter *c, section *sections, int count, bool *pairs)
{
    const double margin = MARGIN * c->spacing;
    int crossing_count = 0;
    for (int i = 0; i < count; ++i) {
        sections[i].crossing_count = 0;
        memcpy(sections[i].normal_sum, sections[i].plane.normal, sizeof sections[i].normal_sum);
    }
    for (int i = 0; i < count; ++i) {
        for (int k = i + 1; k < count && !sections[i].is_removed; ++k) {
            bool *pair = &pairs[i * count + k];
            if (!sections[k].is_removed && (sections[i].is_changed || sections[k].is_changed)) {
                *pair = is_crossed(&sections[k], &sections[i].plane, margin);
            }
            if (!sections[k].is_removed && *pair) {
                add_normal(sections[i].plane.normal, &sections[k]);
                add_normal(sections[k].plane.normal, &sections[i]);
                ++sections[i].crossing_count;
                ++sections[k].crossing_count;
                ++crossing_count;
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        sections[i].is_changed = false;
    }
    return crossing_count;
}

static void rotate_planes(section *sections, int count, const double *axis)
{
    for (int i = 0; i < count; ++i) {
        section *s = &sections[i];
        if (s->crossing_count > 0) {
            for (int k = 0; k < s->crossing_count; ++k) {
                add_normal(axis, s);
            }
            sn_normalize3(s->normal_sum, s->plane.normal);
            memcpy(s->plane.normal, s->normal_sum, sizeof s->normal_sum);
            s->is_changed = true;
        }
    }
}

/* Removes the section that crosses the most others. */
static void remove_worst(section *sections, int count)
{
    int worst = 0;
    for (int i = 1; i < count; ++i) {
        worst = sections[i].crossing_count > sections[worst].crossing_count ? i : worst;
    }
    sections[worst].is_removed = true;
}

static sn_result add_lines(const section *s, sn_fit_lines *to)
{
    for (int i = 0; i < s->lines.line_count; ++i) {
        sn_fit_line line = s->lines.lines[i];
        const sn_fourier_point *points = s->lines.points + line.first_point;
        line.first_point = to->point_count;
        for (int k = 0; k < line.point_count; ++k) {
            SN_TRY(sn_fit_lines_add_point(to, &points[k]));
        }
        SN_TRY(sn_fit_lines_add(to, &line));
    }
    return SN_OK;
}

sn_result sn_fit_cut_planes(sn_fit_cutter *c, int part, const sn_fit_planes *planes)
{
    sn_arena arena = {0};
    section *sections = SN_NEW(&arena, section, planes->count);
    bool *pairs = SN_NEW(&arena, bool, planes->count * planes->count);
    sn_result result = sections && pairs ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < planes->count && sections; ++i) {
        sections[i] = (section){.plane = planes->planes[i], .is_changed = true};
    }
    for (int round = 0; result == SN_OK; ++round) {
        result = cut_changed(c, part, sections, planes->count);
        if (result != SN_OK || count_crossings(c, sections, planes->count, pairs) == 0) {
            break;
        }
        if (round < ROUNDS) {
            rotate_planes(sections, planes->count, planes->axis);
        } else {
            remove_worst(sections, planes->count);
        }
    }
    for (int i = 0; i < planes->count && sections; ++i) {
        if (result == SN_OK && !sections[i].is_removed) {
            result = add_lines(&sections[i], c->lines);
        }
        finish_lines(&sections[i]);
    }
    sn_arena_finish(&arena);
    return result;
}
