/* SPDX-License-Identifier: MIT */
/* Chooses the planes that cut a part, by the number of its seams (the paper's section 4.1). One seam: planes step from
 * the seam's center in the direction in which the section centers moved last. Two: planes repeatedly bisect the
 * distance between centers; then planes across the resulting center line cut the part. More: seams are split into two
 * groups by 2-means of their centers, then treated as two; beyond both groups, planes step as from one seam. No seam,
 * or a single one in whose plane the part lies: the part's two most distant ends replace the seams. */
#include "author/fourier/sections.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

#define MAX_DEPTH 6
#define MIN_SEAM_RATIO 0.2 /* fraction of the longest seam; shorter ones are holes */
#define MEANS_ROUNDS 16

static void add_plane(sn_fit_planes *planes, const double *point, const double *normal)
{
    sn_fit_plane *to = &planes->planes[planes->count++];
    memcpy(to->point, point, sizeof to->point);
    memcpy(to->normal, normal, sizeof to->normal);
}

/* Computes the center of all open lines, which are pieces of one section interrupted by seams. */
static void find_open_center(const sn_fit_cutter *c, const sn_fit_lines *cut, double *center)
{
    double sum[3] = {0}, length = 0;
    for (int i = 0; i < cut->line_count; ++i) {
        double mid[3];
        const double own = sn_fit_line_center(c->topology->mesh, cut, &cut->lines[i], mid);
        for (int d = 0; d < 3 && !cut->lines[i].is_closed; ++d) {
            sum[d] += own * mid[d];
        }
        length += cut->lines[i].is_closed ? 0 : own;
    }
    for (int d = 0; d < 3 && length > 0; ++d) {
        center[d] = sum[d] / length;
    }
}

/* Finds the section at the plane whose center is nearest to a point. *is_found: false if there is none. */
static sn_result find_section(sn_fit_cutter *c, int part, const double *point, const double *normal, double *center,
                              bool *is_found)
{
    sn_fit_lines cut = {0};
    double min_distance = INFINITY;
    bool is_open = false;
    const sn_result result = sn_fit_cut(c, part, point, normal, &cut);
    *is_found = false;
    for (int i = 0; i < cut.line_count && result == SN_OK; ++i) {
        double mid[3];
        sn_fit_line_center(c->topology->mesh, &cut, &cut.lines[i], mid);
        const double distance = sn_distance3(mid, point);
        if (distance < min_distance) {
            min_distance = distance;
            memcpy(center, mid, sizeof mid);
            *is_found = true;
            is_open = !cut.lines[i].is_closed;
        }
    }
    if (is_open) {
        find_open_center(c, &cut, center);
    }
    sn_fit_lines_finish(&cut);
    return result;
}

static void find_part_center(const sn_fit_cutter *c, int part, double *center)
{
    const int first = c->face_starts[part], count = c->face_starts[part + 1] - first;
    memset(center, 0, 3 * sizeof *center);
    for (int i = first; i < first + count; ++i) {
        for (int d = 0; d < 3; ++d) {
            center[d] += c->topology->centers[3 * c->faces[i] + d] / count;
        }
    }
}

/* Computes the normal of a seam, pointing into the part. */
static void find_seam_normal(const sn_fit_cutter *c, const sn_fit_lines *seams, const sn_fit_line *seam,
                             const double *center, double *normal)
{
    double inside[3], a[3], b[3], area[3] = {0};
    for (int i = 0; i < seam->point_count; ++i) {
        double product[3];
        sn_fit_position(c->topology->mesh, &seams->points[seam->first_point + i], a);
        sn_fit_position(c->topology->mesh, &seams->points[seam->first_point + (i + 1) % seam->point_count], b);
        sn_subtract3(a, center, a);
        sn_subtract3(b, center, b);
        sn_cross3(a, b, product);
        for (int d = 0; d < 3; ++d) {
            area[d] += product[d];
        }
    }
    find_part_center(c, seam->part, inside);
    sn_subtract3(inside, center, inside);
    const double side = sn_dot3(area, inside) < 0 ? -1 : 1;
    for (int d = 0; d < 3; ++d) {
        normal[d] = side * area[d];
    }
    sn_normalize3(normal, (const double[3]){0, 1, 0});
}

static sn_result step_planes(sn_fit_cutter *c, int part, const double *from, const double *direction,
                             sn_fit_planes *planes)
{
    double at[3], along[3];
    memcpy(at, from, sizeof at);
    memcpy(along, direction, sizeof along);
    sn_result result = SN_OK;
    while (planes->count < SN_FIT_PLANE_LIMIT && result == SN_OK) {
        double point[3], center[3], displacement[3];
        bool is_found = false;
        for (int d = 0; d < 3; ++d) {
            point[d] = at[d] + c->spacing * along[d];
        }
        result = find_section(c, part, point, along, center, &is_found);
        if (result != SN_OK || !is_found) {
            break;
        }
        add_plane(planes, point, along);
        sn_subtract3(center, at, displacement);
        const double length = sn_length3(displacement);
        for (int d = 0; d < 3; ++d) { /* only half of the rotation, so that noise in the centers does not flip planes */
            along[d] += length > 0.25 * c->spacing ? displacement[d] / length : 0;
        }
        memcpy(at, center, sizeof at);
        sn_normalize3(along, direction);
    }
    return result;
}

/* Computes centers between two ends recursively: 2^depth + 1 positions in a row. */
static sn_result bisect(sn_fit_cutter *c, int part, double *center_row, int first, int last)
{
    const int mid = (first + last) / 2;
    double point[3], normal[3], center[3];
    bool is_found = false;
    if (mid == first) {
        return SN_OK;
    }
    for (int d = 0; d < 3; ++d) {
        point[d] = (center_row[3 * first + d] + center_row[3 * last + d]) / 2;
        normal[d] = center_row[3 * last + d] - center_row[3 * first + d];
    }
    sn_normalize3(normal, (const double[3]){0, 1, 0});
    sn_result result = find_section(c, part, point, normal, center, &is_found);
    memcpy(center_row + 3 * mid, is_found ? center : point, sizeof center);
    if (result == SN_OK) {
        result = bisect(c, part, center_row, first, mid);
    }
    return result == SN_OK ? bisect(c, part, center_row, mid, last) : result;
}

static sn_result bisect_planes(sn_fit_cutter *c, int part, const double *from, const double *to, sn_fit_planes *planes)
{
    double center_row[3 * ((1 << MAX_DEPTH) + 1)];
    int depth = 1;
    while (depth < MAX_DEPTH && sn_distance3(from, to) > c->spacing * (1 << depth)) {
        ++depth;
    }
    const int last = 1 << depth;
    sn_subtract3(to, from, planes->axis);
    sn_normalize3(planes->axis, (const double[3]){0, 1, 0});
    memcpy(center_row, from, 3 * sizeof *center_row);
    memcpy(center_row + 3 * last, to, 3 * sizeof *center_row);
    SN_TRY(bisect(c, part, center_row, 0, last));
    for (int i = 1; i < last; ++i) {
        double normal[3];
        sn_subtract3(center_row + 3 * (i + 1), center_row + 3 * (i - 1), normal);
        sn_normalize3(normal, (const double[3]){0, 1, 0});
        add_plane(planes, center_row + 3 * i, normal);
    }
    return SN_OK;
}

/* Adds planes beyond the centers of both groups, for example in a neck or chest. */
static sn_result step_planes_beyond(sn_fit_cutter *c, int part, const double *ends, sn_fit_planes *planes)
{
    double along[3], reverse[3];
    for (int d = 0; d < 3; ++d) {
        along[d] = planes->axis[d];
        reverse[d] = -planes->axis[d];
    }
    SN_TRY(step_planes(c, part, ends + 3, along, planes));
    return step_planes(c, part, ends, reverse, planes);
}

/* Returns the corner of the part's faces that is farthest from a point. */
static const double *find_farthest_corner(const sn_fit_cutter *c, int part, const double *from)
{
    const sn_tri_mesh *mesh = c->topology->mesh;
    const double *farthest_corner = NULL;
    for (int i = c->face_starts[part]; i < c->face_starts[part + 1]; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double *x = mesh->positions + 3 * (size_t)mesh->triangles[3 * c->faces[i] + k];
            if (!farthest_corner || sn_distance3(x, from) > sn_distance3(farthest_corner, from)) {
                farthest_corner = x;
            }
        }
    }
    return farthest_corner;
}

/* Splits positions into two groups by 2-means, starting with the first one and the one farthest from it. ends (2 x 3):
 * the centers. */
static void split_groups(const double *center_row, int count, double *ends)
{
    int far_index = 0;
    for (int i = 1; i < count; ++i) {
        far_index = sn_distance3(center_row + 3 * i, center_row) > sn_distance3(center_row + 3 * far_index, center_row)
                        ? i
                        : far_index;
    }
    memcpy(ends, center_row, 3 * sizeof *ends);
    memcpy(ends + 3, center_row + 3 * far_index, 3 * sizeof *ends);
    for (int round = 0; round < MEANS_ROUNDS; ++round) {
        double totals[6] = {0}, counts[2] = {0};
        for (int i = 0; i < count; ++i) {
            const int k = sn_distance3(center_row + 3 * i, ends + 3) < sn_distance3(center_row + 3 * i, ends);
            counts[k] += 1;
            for (int d = 0; d < 3; ++d) {
                totals[3 * k + d] += center_row[3 * i + d];
            }
        }
        for (int i = 0; i < 6; ++i) {
            ends[i] = counts[i / 3] > 0 ? totals[i] / counts[i / 3] : ends[i];
        }
    }
}

sn_result sn_fit_add_sections(sn_fit_cutter *c, int part, const sn_fit_lines *seams)
{
    const sn_tri_mesh *mesh = c->topology->mesh;
    sn_arena arena = {0};
    double *centers = SN_NEW(&arena, double, 3 * (size_t)seams->line_count + 3), max_length = 0, ends[6], normal[3];
    double *lengths = SN_NEW(&arena, double, seams->line_count);
    int count = 0, single = 0;
    sn_result result = centers && lengths ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < seams->line_count && result == SN_OK; ++i) {
        lengths[i] = sn_fit_line_center(mesh, seams, &seams->lines[i], centers);
        max_length = fmax(max_length, lengths[i]);
    }
    for (int i = 0; i < seams->line_count && result == SN_OK; ++i) {
        if (lengths[i] >= MIN_SEAM_RATIO * max_length) {
            single = i;
            sn_fit_line_center(mesh, seams, &seams->lines[i], centers + 3 * (size_t)count++);
        }
    }
    const int previous = c->lines->line_count;
    sn_fit_planes *planes = SN_NEW(&arena, sn_fit_planes, 1);
    result = planes ? result : SN_ERROR_MEMORY;
    if (result == SN_OK && count == 1) {
        find_seam_normal(c, seams, &seams->lines[single], centers, normal);
        result = step_planes(c, part, centers, normal, planes);
    } else if (result == SN_OK && count > 1) {
        split_groups(centers, count, ends);
        result = bisect_planes(c, part, ends, ends + 3, planes);
    }
    if (result == SN_OK && count > 2) {
        result = step_planes_beyond(c, part, ends, planes);
    }
    if (result == SN_OK) {
        result = sn_fit_cut_planes(c, part, planes);
    }
    if (result == SN_OK && c->lines->line_count == previous) {
        find_part_center(c, part, centers);
        const double *far_index = find_farthest_corner(c, part, centers);
        planes->count = 0;
        result = bisect_planes(c, part, far_index, find_farthest_corner(c, part, far_index), planes);
        result = result == SN_OK ? sn_fit_cut_planes(c, part, planes) : result;
    }
    sn_arena_finish(&arena);
    return result;
}
