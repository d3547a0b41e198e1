/* SPDX-License-Identifier: MIT */
/* Cuts triangles along the six families of parallel planes that bound the lattice's tets. A polygon cut by all six lies
 * in one tet, the one around its center. The pieces tile the triangle without any geometric predicates that could
 * disagree. */
#include "author/mesher/pieces.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

#define FAMILY_COUNT 6
/* Three corners, at most one more for each of two planes per family, and some from rounding of slivers. */
#define CORNER_LIMIT 24
#define NO_LABEL 3 /* label of sides created by planes, and of the corners between them */

typedef struct polygon_corner {
    double position[3];    /* lattice coordinates */
    double barycentric[3]; /* in the triangle */
    uint8_t point;         /* corner of the triangle that this is, or NO_LABEL */
    uint8_t edge;          /* edge of the triangle that contains the side to the next corner, or NO_LABEL */
} polygon_corner;

typedef struct polygon {
    int count;
    polygon_corner corners[CORNER_LIMIT];
} polygon;

typedef void piece_callback(void *user, const polygon *piece);

typedef struct cutter {
    piece_callback *emit;
    void *user;
} cutter;

/* The two axes of a family and the sign of the second. */
static const int family_axes[FAMILY_COUNT][3] = {{0, 1, 1}, {0, 1, -1}, {1, 2, 1}, {1, 2, -1}, {2, 0, 1}, {2, 0, -1}};

static double height(const polygon_corner *c, int family)
{
    const int *axes = family_axes[family];
    return c->position[axes[0]] + axes[2] * c->position[axes[1]];
}

static polygon_corner between(const polygon_corner *a, const polygon_corner *b, double at)
{
    polygon_corner c = {.point = NO_LABEL};
    for (int d = 0; d < 3; ++d) {
        c.position[d] = a->position[d] + at * (b->position[d] - a->position[d]);
        c.barycentric[d] = a->barycentric[d] + at * (b->barycentric[d] - a->barycentric[d]);
    }
    return c;
}

static void append(polygon *p, polygon_corner corner, uint8_t edge)
{
    if (p->count < CORNER_LIMIT) {
        p->corners[p->count] = corner;
        p->corners[p->count++].edge = edge;
    }
}

/* Splits a polygon at a plane that crosses it. A corner on the plane belongs to both parts. */
static void split(const polygon *source, int family, double level, polygon *below, polygon *above)
{
    below->count = above->count = 0;
    for (int i = 0; i < source->count; ++i) {
        const polygon_corner *a = &source->corners[i], *b = &source->corners[i + 1 < source->count ? i + 1 : 0];
        const double ha = height(a, family) - level, hb = height(b, family) - level;
        if (ha <= 0) {
            append(below, *a, ha < 0 || hb < 0 ? a->edge : NO_LABEL);
        }
        if (ha >= 0) {
            append(above, *a, ha > 0 || hb > 0 ? a->edge : NO_LABEL);
        }
        if ((ha < 0 && hb > 0) || (ha > 0 && hb < 0)) {
            const polygon_corner c = between(a, b, ha / (ha - hb));
            append(below, c, ha < 0 ? NO_LABEL : a->edge);
            append(above, c, ha < 0 ? a->edge : NO_LABEL);
        }
    }
}

/* Cuts along the families from `family` on. The recursion is at most six deep. */
static void cut(const cutter *c, const polygon *source, int family)
{
    if (family == FAMILY_COUNT) {
        c->emit(c->user, source);
        return;
    }
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < source->count; ++i) {
        const double h = height(&source->corners[i], family);
        low = fmin(low, h);
        high = fmax(high, h);
    }
    const double first = floor(low) + 1;
    if (first >= high) {
        cut(c, source, family + 1);
        return;
    }
    polygon remainder = *source, below, above;
    for (double level = first; level < high; level += 1) {
        split(&remainder, family, level, &below, &above);
        if (below.count > 0) {
            cut(c, &below, family + 1);
        }
        remainder = above;
    }
    cut(c, &remainder, family + 1);
}

static void cut_triangle(const cutter *c, const double *corners)
{
    polygon triangle = {.count = 3};
    for (uint8_t k = 0; k < 3; ++k) {
        polygon_corner *corner = &triangle.corners[k];
        memcpy(corner->position, corners + 3 * k, sizeof corner->position);
        corner->barycentric[k] = 1;
        corner->point = corner->edge = k;
    }
    cut(c, &triangle, 0);
}

/* Returns the tet around the mean of the corners, which lies inside because the polygon is convex. */
static int32_t polygon_cell(const sn_lattice *lattice, const polygon *p)
{
    double mean[3] = {0, 0, 0};
    for (int i = 0; i < p->count; ++i) {
        for (int d = 0; d < 3; ++d) {
            mean[d] += p->corners[i].position[d] / p->count;
        }
    }
    return sn_lattice_cell_at(lattice, mean);
}

/* Computes area and centroid by a triangle fan. */
static void measure_polygon(const polygon *p, sn_piece *piece)
{
    double sum[3] = {0, 0, 0}, mean[3] = {0, 0, 0};
    const polygon_corner *a = &p->corners[0];
    for (int i = 0; i < p->count; ++i) {
        for (int d = 0; d < 3; ++d) {
            mean[d] += p->corners[i].barycentric[d] / p->count;
        }
    }
    for (int i = 1; i + 1 < p->count; ++i) {
        const polygon_corner *b = &p->corners[i], *c = &p->corners[i + 1];
        double ab[3], ac[3], normal[3];
        sn_subtract3(b->position, a->position, ab);
        sn_subtract3(c->position, a->position, ac);
        sn_cross3(ab, ac, normal);
        const double area = sn_length3(normal) / 2;
        piece->area += area;
        for (int d = 0; d < 3; ++d) {
            sum[d] += area / 3 * (a->barycentric[d] + b->barycentric[d] + c->barycentric[d]);
        }
    }
    for (int d = 0; d < 3; ++d) {
        piece->centre[d] = (float)(piece->area > 0 ? sum[d] / piece->area : mean[d]);
    }
}

typedef struct collector {
    const sn_lattice *lattice;
    sn_arena *arena;
    int32_t triangle;
    sn_piece *pieces;
    size_t count, capacity;
    bool is_full; /* out of memory, or at the limit */
} collector;

static bool reserve_piece(collector *c)
{
    if (c->count < c->capacity) {
        return true;
    }
    const size_t capacity = c->capacity ? 2 * c->capacity : 4096;
    sn_piece *larger = c->count < SN_PIECE_LIMIT ? SN_NEW(c->arena, sn_piece, capacity) : NULL;
    if (!larger) {
        c->is_full = true;
        return false;
    }
    if (c->count > 0) {
        memcpy(larger, c->pieces, c->count * sizeof *larger);
    }
    c->pieces = larger;
    c->capacity = capacity;
    return true;
}

static void collect_piece(void *user, const polygon *p)
{
    collector *c = user;
    sn_piece piece = {.cell = polygon_cell(c->lattice, p), .triangle = c->triangle};
    measure_polygon(p, &piece);
    for (int i = 0; i < p->count; ++i) {
        const polygon_corner *corner = &p->corners[i];
        piece.edge_bits |= (uint8_t)((1 << corner->edge) & 7);
        piece.point_bits |= (uint8_t)((1 << corner->point) & 7);
    }
    /* skip pieces without area, unless they contain a corner */
    if ((piece.area > 0 || piece.point_bits) && reserve_piece(c)) {
        c->pieces[c->count++] = piece;
    }
}

/* Sorts by cell; within a cell the order of triangles stays. */
static bool sort_by_cell(const collector *c, sn_arena *arena, sn_piece_list *list)
{
    list->count = (int)c->count;
    list->positions = SN_NEW(arena, int32_t, c->lattice->cell_count);
    list->pieces = SN_NEW(arena, sn_piece, c->count);
    if (!list->positions || !list->pieces) {
        return false;
    }
    for (size_t i = 0; i < c->count; ++i) {
        list->cell_count += list->positions[c->pieces[i].cell]++ == 0;
    }
    list->cells = SN_NEW(arena, int32_t, list->cell_count);
    list->starts = SN_NEW(arena, int32_t, list->cell_count + 1);
    int32_t *next = SN_NEW(arena, int32_t, list->cell_count);
    if (!list->cells || !list->starts || !next) {
        return false;
    }
    for (int32_t cell = 0, position = 0; cell < c->lattice->cell_count; ++cell) {
        const int32_t count = list->positions[cell];
        list->positions[cell] = -1;
        if (count > 0) {
            list->cells[position] = cell;
            next[position] = list->starts[position];
            list->positions[cell] = position++;
            list->starts[position] = list->starts[position - 1] + count;
        }
    }
    for (size_t i = 0; i < c->count; ++i) {
        list->pieces[next[list->positions[c->pieces[i].cell]]++] = c->pieces[i];
    }
    return true;
}

double sn_pieces_estimate(const sn_surface *surface, double cell_size)
{
    double sum = 0;
    for (int t = 0; t < surface->triangle_count; ++t) {
        double area[3], length = 0;
        sn_surface_area_vector(surface, t, area);
        for (int k = 0; k < 3; ++k) {
            length += sn_distance3(sn_surface_corner(surface, t, k), sn_surface_corner(surface, t, (k + 1) % 3));
        }
        /* fitted to random triangles */
        sum += 1 + 2.5 * length / cell_size + 3.5 * sn_length3(area) / (cell_size * cell_size);
    }
    return sum;
}

static void lattice_corners(const sn_surface *surface, const sn_lattice *lattice, int triangle, double *corners)
{
    for (int k = 0; k < 3; ++k) {
        sn_lattice_from_unit(lattice, sn_surface_corner(surface, triangle, k), corners + 3 * k);
    }
}

sn_result sn_pieces_cut(const sn_surface *surface, const sn_lattice *lattice, sn_arena *arena, sn_piece_list *list)
{
    sn_arena scratch = {0};
    collector c = {.lattice = lattice, .arena = &scratch};
    const cutter triangle_cutter = {collect_piece, &c};
    for (int32_t t = 0; t < surface->triangle_count && !c.is_full; ++t) {
        double corners[9];
        lattice_corners(surface, lattice, t, corners);
        c.triangle = t;
        cut_triangle(&triangle_cutter, corners);
    }
    sn_result result = SN_OK;
    if (c.is_full && c.count >= SN_PIECE_LIMIT) {
        result = sn_fail(SN_ERROR_UNSUPPORTED,
                         "%s: triangles overlap more than %d tets; simplify the mesh, or request fewer vertices",
                         surface->input->name, SN_PIECE_LIMIT);
    } else if (c.is_full || !sort_by_cell(&c, arena, list)) {
        result = SN_ERROR_MEMORY;
    }
    sn_arena_finish(&scratch);
    return result;
}

typedef struct cell_collector {
    const sn_lattice *lattice;
    int32_t *cells;
    int count, capacity;
} cell_collector;

static void collect_cell(void *user, const polygon *p)
{
    cell_collector *c = user;
    if (c->count < c->capacity) {
        c->cells[c->count] = polygon_cell(c->lattice, p);
    }
    ++c->count;
}

int sn_pieces_cells(const sn_lattice *lattice, const double *corners, int32_t *cells, int capacity)
{
    cell_collector c = {.lattice = lattice, .cells = cells, .capacity = capacity};
    const cutter triangle_cutter = {collect_cell, &c};
    cut_triangle(&triangle_cutter, corners);
    return c.count;
}

void sn_piece_centre(const sn_surface *surface, const sn_piece *piece, double *centre)
{
    for (int d = 0; d < 3; ++d) {
        centre[d] = 0;
        for (int k = 0; k < 3; ++k) {
            centre[d] += (double)piece->centre[k] * sn_surface_corner(surface, piece->triangle, k)[d];
        }
    }
}
