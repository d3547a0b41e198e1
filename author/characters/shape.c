/* SPDX-License-Identifier: MIT */
/* Distance functions of the pieces, blended by the quadratic smooth minimum (Quilez, "smooth minimum"; the ellipsoid's
 * distance is his bound k0 (k0 - 1) / k1, exact to first order at the surface). Surface nets: Gibson, "Constrained
 * Elastic Surface Nets" (1998), without the relaxation: a vertex in each cell that the surface crosses, and a quad
 * around each grid edge that it crosses. */
#include "author/characters/shape.h"

#include <string.h>

#include "host/math/vec3.h"

#define GRADIENT_STEP 1e-5
#define SMOOTH_ROUNDS 7
#define NEWTON_STEPS 2 /* per smoothing round */
#define MARGIN_CELLS 3
#define REPAIR_ROUNDS 50

static sn_shape_piece *add_piece(sn_shape *shape, sn_shape_type type, double blend)
{
    SN_ASSERT(shape->count < SN_SHAPE_PIECES);
    sn_shape_piece *piece = &shape->pieces[shape->count++];
    *piece = (sn_shape_piece){.type = type, .blend = blend};
    return piece;
}

void sn_shape_add_ball(sn_shape *shape, const double center[3], const double radii[3], const double *angles,
                       double blend)
{
    static const double upright[3] = {0, 0, 0};
    const double *rotation = angles ? angles : upright;
    sn_shape_piece *piece = add_piece(shape, SN_SHAPE_BALL, blend);
    memcpy(piece->center, center, sizeof piece->center);
    memcpy(piece->radii, radii, sizeof piece->radii);
    const double cx = cos(rotation[0]), sx = sin(rotation[0]), cy = cos(rotation[1]), sy = sin(rotation[1]);
    const double cz = cos(rotation[2]), sz = sin(rotation[2]);
    /* columns of Ry Rx Rz, as rows */
    const double axes[9] = {cy * cz + sy * sx * sz,
                            cx * sz,
                            -sy * cz + cy * sx * sz, /* x */
                            -cy * sz + sy * sx * cz,
                            cx * cz,
                            sy * sz + cy * sx * cz, /* y */
                            sy * cx,
                            -sx,
                            cy * cx}; /* z */
    memcpy(piece->axes, axes, sizeof axes);
}

void sn_shape_add_limb(sn_shape *shape, const double a[3], const double b[3], double radius_a, double radius_b,
                       double blend)
{
    sn_shape_piece *piece = add_piece(shape, SN_SHAPE_LIMB, blend);
    memcpy(piece->ends[0], a, sizeof piece->ends[0]);
    memcpy(piece->ends[1], b, sizeof piece->ends[1]);
    piece->end_radii[0] = radius_a;
    piece->end_radii[1] = radius_b;
    for (int d = 0; d < 3; ++d) {
        piece->center[d] = (a[d] + b[d]) / 2;
    }
    piece->bounding_radius = sn_distance3(a, b) / 2 + fmax(radius_a, radius_b);
}

void sn_shape_cut_last(sn_shape *shape)
{
    SN_ASSERT(shape->count > 0);
    shape->pieces[shape->count - 1].is_cut = true;
}

void sn_shape_mirror_last(sn_shape *shape)
{
    SN_ASSERT(shape->count > 0 && shape->count < SN_SHAPE_PIECES);
    sn_shape_piece *piece = &shape->pieces[shape->count];
    *piece = shape->pieces[shape->count - 1];
    piece->center[0] = -piece->center[0];
    piece->ends[0][0] = -piece->ends[0][0];
    piece->ends[1][0] = -piece->ends[1][0];
    for (int k = 0; k < 9; k += 3) {
        piece->axes[k] = -piece->axes[k];
    }
    ++shape->count;
}

static double ball_distance(const sn_shape_piece *p, const double point[3])
{
    double offset[3], scaled_square = 0, gradient_square = 0;
    sn_subtract3(point, p->center, offset);
    for (int k = 0; k < 3; ++k) {
        const double along = sn_dot3(p->axes + 3 * k, offset) / p->radii[k];
        scaled_square += along * along;
        gradient_square += along * along / (p->radii[k] * p->radii[k]);
    }
    const double min_radius = fmin(p->radii[0], fmin(p->radii[1], p->radii[2]));
    return gradient_square < 1e-12 ? -min_radius
                                   : sqrt(scaled_square) * (sqrt(scaled_square) - 1) / sqrt(gradient_square);
}

/* Exact distance: Quilez, "round cone". */
static double limb_distance(const sn_shape_piece *p, const double point[3])
{
    double axis[3], offset[3];
    sn_subtract3(p->ends[1], p->ends[0], axis);
    sn_subtract3(point, p->ends[0], offset);
    const double length2 = sn_dot3(axis, axis), difference = p->end_radii[0] - p->end_radii[1];
    const double a2 = length2 - difference * difference, y = sn_dot3(offset, axis), z = y - length2;
    double across[3];
    for (int d = 0; d < 3; ++d) {
        across[d] = offset[d] * length2 - axis[d] * y;
    }
    const double x2 = sn_dot3(across, across), y2 = y * y * length2, z2 = z * z * length2;
    const double k = (difference > 0 ? 1 : difference < 0 ? -1 : 0) * difference * difference * x2;
    if ((z > 0 ? 1 : -1) * a2 * z2 > k) {
        return sqrt(x2 + z2) / length2 - p->end_radii[1];
    }
    if ((y > 0 ? 1 : -1) * a2 * y2 < k) {
        return sqrt(x2 + y2) / length2 - p->end_radii[0];
    }
    return (sqrt(x2 * a2 / length2) + y * difference) / length2 - p->end_radii[0];
}

static double smooth_minimum(double a, double b, double blend)
{
    const double h = blend > 0 ? fmax(blend - fabs(a - b), 0) / blend : 0;
    return fmin(a, b) - h * h * blend / 4;
}

double sn_shape_piece_distance(const sn_shape_piece *piece, const double point[3])
{
    return piece->type == SN_SHAPE_BALL ? ball_distance(piece, point) : limb_distance(piece, point);
}

/* Returns whether a limb is too far away to change the distance. */
static bool is_too_far(const sn_shape_piece *p, const double point[3], double distance)
{
    const double bounding_radius = distance + p->blend + p->bounding_radius;
    double offset[3];
    if (p->type != SN_SHAPE_LIMB || p->is_cut || bounding_radius < 0) {
        return false;
    }
    sn_subtract3(point, p->center, offset);
    return sn_dot3(offset, offset) > bounding_radius * bounding_radius;
}

double sn_shape_distance(const sn_shape *shape, const double point[3])
{
    double distance = 1e3;
    for (int i = 0; i < shape->count; ++i) {
        const sn_shape_piece *p = &shape->pieces[i];
        if (is_too_far(p, point, distance)) {
            continue;
        }
        const double d = sn_shape_piece_distance(p, point);
        distance = p->is_cut ? -smooth_minimum(-distance, d, p->blend) : smooth_minimum(distance, d, p->blend);
    }
    return distance;
}

static void gradient(const sn_shape *shape, const double point[3], double out[3])
{
    for (int d = 0; d < 3; ++d) {
        double low[3] = {point[0], point[1], point[2]}, high[3] = {point[0], point[1], point[2]};
        low[d] -= GRADIENT_STEP;
        high[d] += GRADIENT_STEP;
        out[d] = (sn_shape_distance(shape, high) - sn_shape_distance(shape, low)) / (2 * GRADIENT_STEP);
    }
}

void sn_shape_normal(const sn_shape *shape, const double point[3], double normal[3])
{
    static const double up[3] = {0, 1, 0};
    gradient(shape, point, normal);
    sn_normalize3(normal, up);
}

typedef struct grid {
    double low[3], cell;
    int size[3];     /* number of corners */
    double *values;  /* (corners) distances */
    int32_t *vertex; /* (corners) vertex of the cell whose lowest corner this is, or -1 */
} grid;

static size_t corner(const grid *g, int x, int y, int z)
{
    return ((size_t)z * (size_t)g->size[1] + (size_t)y) * (size_t)g->size[0] + (size_t)x;
}

static void extend_box(double low[3], double high[3], const double center[3], double radius)
{
    for (int d = 0; d < 3; ++d) {
        low[d] = fmin(low[d], center[d] - radius);
        high[d] = fmax(high[d], center[d] + radius);
    }
}

static sn_result fill_grid(const sn_shape *shape, double cell, sn_arena *arena, grid *g)
{
    double low[3] = {1e3, 1e3, 1e3}, high[3] = {-1e3, -1e3, -1e3};
    for (int i = 0; i < shape->count; ++i) {
        const sn_shape_piece *p = &shape->pieces[i];
        if (p->is_cut) {
            continue;
        }
        if (p->type == SN_SHAPE_BALL) {
            extend_box(low, high, p->center, fmax(p->radii[0], fmax(p->radii[1], p->radii[2])) + p->blend / 4);
        } else {
            extend_box(low, high, p->ends[0], p->end_radii[0] + p->blend / 4);
            extend_box(low, high, p->ends[1], p->end_radii[1] + p->blend / 4);
        }
    }
    g->cell = cell;
    for (int d = 0; d < 3; ++d) {
        g->low[d] = low[d] - MARGIN_CELLS * cell;
        g->size[d] = (int)ceil((high[d] - low[d]) / cell) + 2 * MARGIN_CELLS + 1;
    }
    g->low[0] = -0.5 * cell * (g->size[0] - 1); /* centered, so that mirrored shapes get mirrored grids */
    const size_t count = (size_t)g->size[0] * (size_t)g->size[1] * (size_t)g->size[2];
    g->values = SN_NEW(arena, double, count);
    g->vertex = SN_NEW(arena, int32_t, count);
    for (int z = 0; g->values && z < g->size[2]; ++z) {
        for (int y = 0; y < g->size[1]; ++y) {
            for (int x = 0; x < g->size[0]; ++x) {
                const double point[3] = {g->low[0] + cell * x, g->low[1] + cell * y, g->low[2] + cell * z};
                g->values[corner(g, x, y, z)] = sn_shape_distance(shape, point);
            }
        }
    }
    return g->values && g->vertex ? SN_OK : SN_ERROR_MEMORY;
}

/* Value at corner i of a cell: bit 0 is x, bit 1 y, bit 2 z. */
static double *cell_value(const grid *g, const int at[3], int i)
{
    return &g->values[corner(g, at[0] + (i & 1), at[1] + (i >> 1 & 1), at[2] + (i >> 2))];
}

/* If inner and outer corners of a face alternate, makes the shallower of the two outer corners an inner one. */
static bool repair_face(const grid *g, const int at[3], int axis)
{
    const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
    double *const values[4] = {cell_value(g, at, 0), cell_value(g, at, u), cell_value(g, at, u | v),
                               cell_value(g, at, v)};
    const bool is_inside = *values[0] < 0;
    if ((*values[2] < 0) != is_inside || (*values[1] < 0) == is_inside || (*values[3] < 0) == is_inside) {
        return false;
    }
    double *const a = values[is_inside], *const b = values[2 + is_inside];
    *(*a < *b ? a : b) = -1e-3 * g->cell;
    return true;
}

/* If two opposite corners of a cell differ from all others, changes one of them. */
static bool repair_diagonal(const grid *g, const int at[3])
{
    int inside = 0;
    for (int i = 0; i < 8; ++i) {
        inside |= (*cell_value(g, at, i) < 0) << i;
    }
    for (int i = 0; i < 4; ++i) {
        const int pair = 1 << i | 1 << (7 - i);
        if (inside == pair || inside == (255 ^ pair)) {
            *cell_value(g, at, i) = (inside == pair ? 1e-3 : -1e-3) * g->cell;
            return true;
        }
    }
    return false;
}

/* Makes the grid well-composed (Latecki). Where inner corners meet only diagonally across a face or a cell, two sheets
 * of the surface would share an edge or a vertex. */
static void make_well_composed(const grid *g)
{
    bool is_changed = true;
    for (int round = 0; round < REPAIR_ROUNDS && is_changed; ++round) {
        is_changed = false;
        for (int z = 0; z + 1 < g->size[2]; ++z) {
            for (int y = 0; y + 1 < g->size[1]; ++y) {
                for (int x = 0; x + 1 < g->size[0]; ++x) {
                    const int at[3] = {x, y, z};
                    for (int axis = 0; axis < 3; ++axis) {
                        is_changed |= repair_face(g, at, axis);
                    }
                    is_changed |= repair_diagonal(g, at);
                }
            }
        }
    }
}

/* Computes the mean of the crossings on the cell's edges. Returns false if there are none. */
static bool cell_vertex(const grid *g, const int at[3], double out[3])
{
    int crossings = 0;
    double sum[3] = {0, 0, 0};
    for (int i = 0; i < 8; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            if (i >> axis & 1) {
                continue;
            }
            const int j = i | 1 << axis;
            const double a = g->values[corner(g, at[0] + (i & 1), at[1] + (i >> 1 & 1), at[2] + (i >> 2))];
            const double b = g->values[corner(g, at[0] + (j & 1), at[1] + (j >> 1 & 1), at[2] + (j >> 2))];
            if ((a < 0) == (b < 0)) {
                continue;
            }
            ++crossings;
            for (int d = 0; d < 3; ++d) {
                sum[d] += (i >> d & 1) + (d == axis ? a / (a - b) : 0);
            }
        }
    }
    for (int d = 0; d < 3 && crossings > 0; ++d) {
        out[d] = g->low[d] + g->cell * (at[d] + sum[d] / crossings);
    }
    return crossings > 0;
}

static void create_vertices(const grid *g, sn_shape_surface *s)
{
    s->vertex_count = 0;
    for (int z = 0; z + 1 < g->size[2]; ++z) {
        for (int y = 0; y + 1 < g->size[1]; ++y) {
            for (int x = 0; x + 1 < g->size[0]; ++x) {
                double point[3];
                const bool is_crossed = cell_vertex(g, (int[3]){x, y, z}, point);
                g->vertex[corner(g, x, y, z)] = is_crossed ? s->vertex_count : -1;
                if (is_crossed && s->positions) {
                    memcpy(s->positions + 3 * (size_t)s->vertex_count, point, sizeof point);
                }
                s->vertex_count += is_crossed;
            }
        }
    }
}

static void add_quad(sn_shape_surface *s, const int32_t q[4], bool is_reversed)
{
    if (s->triangles) {
        double a = 0, b = 0;
        if (s->positions) { /* split along the shorter diagonal */
            a = sn_distance3(s->positions + 3 * (size_t)q[0], s->positions + 3 * (size_t)q[2]);
            b = sn_distance3(s->positions + 3 * (size_t)q[1], s->positions + 3 * (size_t)q[3]);
        }
        const int first = a <= b ? 0 : 1;
        int32_t *out = s->triangles + 3 * (size_t)s->triangle_count;
        const int32_t p[4] = {q[first], q[first + 1], q[first + 2], q[(first + 3) % 4]};
        const int32_t triangles[6] = {p[0], p[is_reversed ? 2 : 1], p[is_reversed ? 1 : 2],
                                      p[0], p[is_reversed ? 3 : 2], p[is_reversed ? 2 : 3]};
        memcpy(out, triangles, sizeof triangles);
    }
    s->triangle_count += 2;
}

static void connect_quads(const grid *g, sn_shape_surface *s)
{
    s->triangle_count = 0;
    for (int z = 1; z + 1 < g->size[2]; ++z) {
        for (int y = 1; y + 1 < g->size[1]; ++y) {
            for (int x = 1; x + 1 < g->size[0]; ++x) {
                const double value = g->values[corner(g, x, y, z)];
                for (int axis = 0; axis < 3; ++axis) {
                    const int next[3] = {x + (axis == 0), y + (axis == 1), z + (axis == 2)};
                    if ((value < 0) == (g->values[corner(g, next[0], next[1], next[2])] < 0)) {
                        continue;
                    }
                    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
                    int32_t quad[4];
                    for (int k = 0; k < 4; ++k) {
                        int at[3] = {x, y, z};
                        at[u] -= k == 0 || k == 3;
                        at[v] -= k == 0 || k == 1;
                        quad[k] = g->vertex[corner(g, at[0], at[1], at[2])];
                    }
                    add_quad(s, quad, value >= 0);
                }
            }
        }
    }
}

static void project(const sn_shape *shape, double point[3])
{
    for (int step = 0; step < NEWTON_STEPS; ++step) {
        double slope[3];
        gradient(shape, point, slope);
        const double move = -sn_shape_distance(shape, point) / fmax(sn_dot3(slope, slope), 0.05);
        for (int d = 0; d < 3; ++d) {
            point[d] += move * slope[d];
        }
    }
}

/* Smooths the vertices along the surface: moves them halfway to the mean of their neighbours and projects them back. */
static sn_result smooth_vertices(const sn_shape *shape, sn_arena *scratch, sn_shape_surface *s)
{
    const size_t n = (size_t)s->vertex_count;
    double *sums = SN_NEW(scratch, double, 4 * n);
    if (!sums) {
        return SN_ERROR_MEMORY;
    }
    for (int round = 0; round < SMOOTH_ROUNDS; ++round) {
        memset(sums, 0, 4 * n * sizeof *sums);
        for (size_t i = 0; i < 3 * (size_t)s->triangle_count; ++i) {
            const size_t from = (size_t)s->triangles[i], to = (size_t)s->triangles[i - i % 3 + (i + 1) % 3];
            for (size_t d = 0; d < 3; ++d) {
                sums[4 * from + d] += s->positions[3 * to + d];
                sums[4 * to + d] += s->positions[3 * from + d];
            }
            sums[4 * from + 3] += 1;
            sums[4 * to + 3] += 1;
        }
        for (size_t v = 0; v < n; ++v) {
            double *at = s->positions + 3 * v;
            for (size_t d = 0; d < 3; ++d) {
                at[d] += 0.5 * (sums[4 * v + d] / sums[4 * v + 3] - at[d]);
            }
            project(shape, at);
        }
    }
    return SN_OK;
}

sn_result sn_shape_polygonise(const sn_shape *shape, double cell, sn_arena *arena, sn_shape_surface *surface)
{
    sn_arena scratch = {0};
    grid g = {0};
    *surface = (sn_shape_surface){0};
    sn_result result = fill_grid(shape, cell, &scratch, &g);
    if (result == SN_OK) { /* count first, then fill */
        make_well_composed(&g);
        create_vertices(&g, surface);
        connect_quads(&g, surface);
        surface->positions = SN_NEW(arena, double, 3 * (size_t)surface->vertex_count);
        surface->normals = SN_NEW(arena, double, 3 * (size_t)surface->vertex_count);
        surface->triangles = SN_NEW(arena, int32_t, 3 * (size_t)surface->triangle_count);
        result = surface->positions && surface->normals && surface->triangles ? SN_OK : SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        create_vertices(&g, surface);
        connect_quads(&g, surface);
        result = smooth_vertices(shape, &scratch, surface);
    }
    for (int v = 0; v < surface->vertex_count && result == SN_OK; ++v) {
        sn_shape_normal(shape, surface->positions + 3 * (size_t)v, surface->normals + 3 * (size_t)v);
    }
    sn_arena_finish(&scratch);
    return result;
}
