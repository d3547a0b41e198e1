/* SPDX-License-Identifier: MIT */
/* Private to author/fourier: lines on a part, and the planes that cut it. */
#ifndef SN_AUTHOR_FOURIER_SECTIONS_H
#define SN_AUTHOR_FOURIER_SECTIONS_H

#include "author/fourier/fourier_fit.h"
#include "author/fourier/topology.h"

/* Concatenated lines, each a list of points on edges. */
typedef struct sn_fit_line {
    int part, first_point, point_count;
    bool is_closed, is_seam;
} sn_fit_line;

typedef struct sn_fit_lines {
    int line_count, point_count, line_capacity, point_capacity;
    sn_fit_line *lines;
    sn_fourier_point *points;
} sn_fit_lines;

typedef struct sn_fit_cutter {
    const sn_fit_topology *topology;
    const int32_t *parts;
    int part_count;
    int32_t *face_starts;   /* (part_count + 1) */
    int32_t *faces;         /* (triangle_count) sorted by part */
    double *sides;          /* (vertex_count) signed distance from the current plane */
    int32_t *cut_faces;     /* (triangle_count) faces of the part that the plane cuts */
    int32_t *vertex_labels; /* (vertex_count) */
    int32_t *face_stamps;   /* (triangle_count) */
    int32_t stamp;
    double spacing;
    sn_fit_lines *lines;
} sn_fit_cutter;

sn_result sn_fit_lines_add(sn_fit_lines *lines, const sn_fit_line *line);
sn_result sn_fit_lines_add_point(sn_fit_lines *lines, const sn_fourier_point *point);
void sn_fit_lines_finish(sn_fit_lines *lines);
/* Computes the position of a curve point. */
void sn_fit_position(const sn_tri_mesh *mesh, const sn_fourier_point *point, double *position);
/* Computes the center of a line, weighted by length. Returns its length. */
double sn_fit_line_center(const sn_tri_mesh *mesh, const sn_fit_lines *lines, const sn_fit_line *line, double *center);

/* seams.c: adds a part's boundary as lines with is_seam. */
sn_result sn_fit_add_seams(sn_fit_cutter *cutter, int part, sn_fit_lines *lines);

/* plane_cut.c: adds the lines where a plane cuts a part. */
sn_result sn_fit_cut(sn_fit_cutter *cutter, int part, const double *point, const double *normal, sn_fit_lines *lines);

/* planes.c: adds the lines where several planes cut a part to cutter->lines. Planes that cross each other there are
 * rotated or removed. */
typedef struct sn_fit_plane {
    double point[3], normal[3];
} sn_fit_plane;

#define SN_FIT_PLANE_LIMIT 256
typedef struct sn_fit_planes {
    int count;
    double axis[3]; /* direction between the ends of the part; 0: planes start at one seam */
    sn_fit_plane planes[SN_FIT_PLANE_LIMIT];
} sn_fit_planes;

sn_result sn_fit_cut_planes(sn_fit_cutter *cutter, int part, const sn_fit_planes *planes);

/* sections.c: chooses the planes of a part by the number of its seams and adds the resulting lines to cutter->lines. */
sn_result sn_fit_add_sections(sn_fit_cutter *cutter, int part, const sn_fit_lines *seams);

#endif
