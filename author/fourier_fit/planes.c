/* SPDX-License-Identifier: MIT */
/* Planes that cut one part, together: of a part with many seams, or one that is bent, some cross each other inside of
 * it, where their curves would. Those are turned towards each other and across the part's axis, and, if that does not
 * do, left out. */
#include <math.h>
#include <string.h>

#include "author/fourier_fit/sections.h"
#include "host/math/vec3.h"

#define ROUNDS 16
#define MARGIN 0.15 /* of the spacing: nearer curves are one, as points snap to vertices */

typedef struct section {
    sn_fit_plane plane;
    sn_fit_lines lines;
    bool is_changed, is_out;
    int crossings;
    double turned[3]; /* sum of its own normal and those of what it crosses */
} section;

/* Whether a line has points on both sides of a plane, or nearer to it than the margin. */
static bool is_line_crossed(const sn_fit_cutter *c, const section *of, const sn_fit_line *line,
                            const sn_fit_plane *plane)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < line->point_count; ++i) {
        double place[3];
        sn_fit_place(c->topology->mesh, &of->lines.points[line->first_point + i], place);
        sn_subtract3(place, plane->point, place);
        const double side = sn_dot3(place, plane->normal);
        low = fmin(low, side);
        high = fmax(high, side);
    }
    return low < MARGIN * c->spacing && high > -MARGIN * c->spacing;
}

static bool is_crossed(const sn_fit_cutter *c, const section *of, const sn_fit_plane *plane)
{
    for (int i = 0; i < of->lines.line_count; ++i) {
        if (is_line_crossed(c, of, &of->lines.lines[i], plane)) {
            return true;
        }
    }
    return false;
}

static void add_normal(const double *normal, section *to)
{
    const double side = sn_dot3(normal, to->plane.normal) < 0 ? -1 : 1;
    for (int d = 0; d < 3; ++d) {
        to->turned[d] += side * normal[d];
    }
}

static sn_result cut_changed(sn_fit_cutter *c, int part, section *sections, int count)
{
    sn_result result = SN_OK;
    for (int i = 0; i < count && result == SN_OK; ++i) {
        section *s = &sections[i];
        if (s->is_changed) {
            sn_fit_lines_finish(&s->lines);
            result = sn_fit_cut(c, part, s->plane.point, s->plane.normal, &s->lines);
            s->is_changed = false;
        }
    }
    return result;
}

/* How many pairs cross. */
static int count_crossings(const sn_fit_cutter *c, section *sections, int count)
{
    int crossings = 0;
    for (int i = 0; i < count; ++i) {
        sections[i].crossings = 0;
        memcpy(sections[i].turned, sections[i].plane.normal, sizeof sections[i].turned);
    }
    for (int i = 0; i < count; ++i) {
        for (int k = i + 1; k < count && !sections[i].is_out; ++k) {
            if (!sections[k].is_out && is_crossed(c, &sections[k], &sections[i].plane)) {
                add_normal(sections[i].plane.normal, &sections[k]);
                add_normal(sections[k].plane.normal, &sections[i]);
                ++sections[i].crossings;
                ++sections[k].crossings;
                ++crossings;
            }
        }
    }
    return crossings;
}

static void turn(section *sections, int count, const double *axis)
{
    for (int i = 0; i < count; ++i) {
        section *s = &sections[i];
        if (s->crossings > 0) {
            for (int k = 0; k < s->crossings; ++k) {
                add_normal(axis, s);
            }
            sn_normalize3(s->turned, s->plane.normal);
            memcpy(s->plane.normal, s->turned, sizeof s->turned);
            s->is_changed = true;
        }
    }
}

/* The one that crosses most others. */
static void leave_out(section *sections, int count)
{
    int most = 0;
    for (int i = 1; i < count; ++i) {
        most = sections[i].crossings > sections[most].crossings ? i : most;
    }
    sections[most].is_out = true;
}

static sn_result add_lines(const section *s, sn_fit_lines *to)
{
    sn_result result = SN_OK;
    for (int i = 0; i < s->lines.line_count && result == SN_OK; ++i) {
        sn_fit_line line = s->lines.lines[i];
        const sn_fourier_point *points = s->lines.points + line.first_point;
        line.first_point = to->point_count;
        for (int k = 0; k < line.point_count && result == SN_OK; ++k) {
            result = sn_fit_lines_add_point(to, &points[k]);
        }
        result = result == SN_OK ? sn_fit_lines_add(to, &line) : result;
    }
    return result;
}

sn_result sn_fit_cut_planes(sn_fit_cutter *c, int part, const sn_fit_planes *planes)
{
    sn_arena arena = {0};
    section *sections = SN_NEW(&arena, section, planes->count);
    sn_result result = sections ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < planes->count && sections; ++i) {
        sections[i] = (section){.plane = planes->planes[i], .is_changed = true};
    }
    for (int round = 0; result == SN_OK; ++round) {
        result = cut_changed(c, part, sections, planes->count);
        if (result != SN_OK || count_crossings(c, sections, planes->count) == 0) {
            break;
        }
        if (round < ROUNDS) {
            turn(sections, planes->count, planes->axis);
        } else {
            leave_out(sections, planes->count);
        }
    }
    for (int i = 0; i < planes->count && sections; ++i) {
        if (result == SN_OK && !sections[i].is_out) {
            result = add_lines(&sections[i], c->lines);
        }
        sn_fit_lines_finish(&sections[i].lines);
    }
    sn_arena_finish(&arena);
    return result;
}
