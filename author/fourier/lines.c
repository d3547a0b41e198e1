/* SPDX-License-Identifier: MIT */
#include "author/fourier/sections.h"
#include "host/math/vec3.h"

sn_result sn_fit_lines_add(sn_fit_lines *lines, const sn_fit_line *line)
{
    void *grown = sn_grow(lines->lines, lines->line_count, &lines->line_capacity, sizeof *lines->lines);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    lines->lines = grown;
    lines->lines[lines->line_count++] = *line;
    return SN_OK;
}

sn_result sn_fit_lines_add_point(sn_fit_lines *lines, const sn_fourier_point *point)
{
    void *grown = sn_grow(lines->points, lines->point_count, &lines->point_capacity, sizeof *lines->points);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    lines->points = grown;
    lines->points[lines->point_count++] = *point;
    return SN_OK;
}

void sn_fit_lines_finish(sn_fit_lines *lines)
{
    sn_free(lines->lines, (size_t)lines->line_capacity, sizeof *lines->lines);
    sn_free(lines->points, (size_t)lines->point_capacity, sizeof *lines->points);
    *lines = (sn_fit_lines){0};
}

void sn_fit_position(const sn_tri_mesh *mesh, const sn_fourier_point *point, double *position)
{
    const double *a = mesh->positions + 3 * (size_t)point->vertices[0];
    const double *b = mesh->positions + 3 * (size_t)point->vertices[1];
    for (int d = 0; d < 3; ++d) {
        position[d] = (1 - point->ratio) * a[d] + point->ratio * b[d];
    }
}

double sn_fit_line_center(const sn_tri_mesh *mesh, const sn_fit_lines *lines, const sn_fit_line *line, double *center)
{
    const sn_fourier_point *points = lines->points + line->first_point;
    double previous[3], length = 0, sum[3] = {0};
    sn_fit_position(mesh, &points[0], center);
    sn_fit_position(mesh, &points[line->is_closed ? line->point_count - 1 : 0], previous);
    for (int i = 0; i < line->point_count; ++i) {
        double at[3];
        sn_fit_position(mesh, &points[i], at);
        const double step = sn_distance3(at, previous);
        for (int d = 0; d < 3; ++d) {
            sum[d] += step * (at[d] + previous[d]) / 2;
            previous[d] = at[d];
        }
        length += step;
    }
    for (int d = 0; d < 3 && length > 0; ++d) {
        center[d] = sum[d] / length;
    }
    return length;
}
