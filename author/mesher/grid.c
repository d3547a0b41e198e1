/* SPDX-License-Identifier: MIT */
/* Converts a triangle surface to a grid of signed distances. Distances are exact next to triangles, signed by winding
 * numbers, and swept from there. Where the surface is open, its solid ends at winding number 0.5. The virtual cap
 * across each hole gets its own distances, so that the field stays continuous. */
#include <math.h>

#include "author/mesher/sweep.h"
#include "author/mesher/winding.h"
#include "host/math/vec3.h"
#include "host/mesh/box_tree.h"
#include "host/mesh/embedding.h"
#include "sinew/author.h"

#define RESOLUTION_LIMIT 256
#define BAND 3.0 /* max. distance from a triangle with exact distances, in cells */
#define MARGIN 3 /* cells around the surface's box */
#define BLOCK 4  /* side of the blocks whose winding numbers are compared, in cells */
#define WINDING_MARGIN 0.3
#define EXACT_RANGE                                                                                                    \
    1.5 /* distances of open surfaces are final up to this, in cells; beyond it, a cap may be nearer                   \
         */

typedef struct builder {
    const sn_grid_surface *input;
    sn_surface surface;
    sn_winding winding;
    sn_arena arena;
    int counts[3], open_edge_count;
    double origin[3], spacing; /* in the surface's units */
    size_t strides[3], node_count;
    bool is_closed;
    double *distances; /* (node_count) in cells, unsigned until the grid is written */
    double *windings;  /* (node_count) */
    bool *is_fixed;
    int8_t *signs;
} builder;

static sn_result check_input(const sn_grid_surface *s, int resolution)
{
    if (resolution < 2 || resolution > RESOLUTION_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: grid resolution %d is out of range; use 2 to %d cells", s->name,
                       resolution, RESOLUTION_LIMIT);
    }
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; ++i) {
        if (s->triangles[i] < 0 || s->triangles[i] >= s->vertex_count) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: triangle %zu: vertex %d does not exist", s->name, i / 3,
                           s->triangles[i]);
        }
    }
    for (size_t i = 0; i < 3 * (size_t)s->vertex_count; ++i) {
        if (!isfinite(s->positions[i])) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: vertex %zu: position is not finite", s->name, i / 3);
        }
    }
    return SN_OK;
}

/* ---- surface ---- */

/* Counts the edges whose triangles are not balanced: more of them run in one direction than in the other. */
static sn_result count_open_edges(builder *b)
{
    const sn_surface *s = &b->surface;
    int32_t *balance = SN_NEW(&b->arena, int32_t, s->edge_count);
    if (!balance) {
        return SN_ERROR_MEMORY;
    }
    for (int side = 0; side < 3 * s->triangle_count; ++side) {
        const int32_t from = s->points[s->triangles[side]],
                      to = s->points[s->triangles[side % 3 == 2 ? side - 2 : side + 1]];
        if (s->edges[side] >= 0) {
            balance[s->edges[side]] += from < to ? 1 : -1;
        }
    }
    b->open_edge_count = 0;
    for (int e = 0; e < s->edge_count; ++e) {
        b->open_edge_count += balance[e] != 0;
    }
    b->is_closed = b->open_edge_count == 0;
    return sn_winding_build(s, 0, &b->arena, &b->winding);
}

static sn_result weld(builder *b)
{
    const sn_mesher_input input = {.name = b->input->name,
                                   .vertex_count = b->input->vertex_count,
                                   .triangle_count = b->input->triangle_count,
                                   .positions = b->input->positions,
                                   .triangles = b->input->triangles};
    sn_result result = sn_surface_weld(&input, &b->arena, &b->surface);
    if (result == SN_OK) {
        result = count_open_edges(b);
    }
    b->surface.input = NULL; /* the local input does not outlive this call */
    return result;
}

/* ---- lattice ---- */

static sn_result plan_lattice(builder *b, int resolution)
{
    const double *high = b->surface.high;
    b->spacing = fmax(high[0], fmax(high[1], high[2])) / resolution;
    b->node_count = 1;
    for (int d = 0; d < 3; ++d) {
        const int cells = (int)ceil(high[d] / b->spacing - 1e-9) + 2 * MARGIN;
        b->counts[d] = cells + 1;
        b->origin[d] = 0.5 * (high[d] - cells * b->spacing); /* centers the surface */
        b->strides[d] = b->node_count;
        b->node_count *= (size_t)b->counts[d];
    }
    b->distances = SN_NEW(&b->arena, double, b->node_count);
    b->windings = SN_NEW(&b->arena, double, b->node_count);
    b->is_fixed = SN_NEW(&b->arena, bool, b->node_count);
    b->signs = SN_NEW(&b->arena, int8_t, b->node_count);
    return b->distances && b->windings && b->is_fixed && b->signs ? SN_OK : SN_ERROR_MEMORY;
}

static void node_position(const builder *b, size_t node, double *position)
{
    for (int d = 0; d < 3; ++d) {
        position[d] = b->origin[d] + b->spacing * (double)(node / b->strides[d] % (size_t)b->counts[d]);
    }
}

static double triangle_distance2(int item, const double *point, void *user)
{
    const sn_surface *s = user;
    const double *const corners[3] = {sn_surface_corner(s, item, 0), sn_surface_corner(s, item, 1),
                                      sn_surface_corner(s, item, 2)};
    double barycentric[3];
    return sn_triangle_nearest(corners, point, barycentric);
}

static double *triangle_boxes(builder *b)
{
    double *boxes = SN_NEW(&b->arena, double, 6 * (size_t)b->surface.triangle_count);
    for (int t = 0; boxes && t < b->surface.triangle_count; ++t) {
        for (int d = 0; d < 3; ++d) {
            const double x = sn_surface_corner(&b->surface, t, 0)[d], y = sn_surface_corner(&b->surface, t, 1)[d];
            const double z = sn_surface_corner(&b->surface, t, 2)[d];
            boxes[6 * t + d] = fmin(x, fmin(y, z));
            boxes[6 * t + 3 + d] = fmax(x, fmax(y, z));
        }
    }
    return boxes;
}

static sn_result measure_distances(builder *b)
{
    const double max_distance = BAND * b->spacing, *boxes = triangle_boxes(b);
    sn_box_tree tree;
    const sn_result result =
        boxes ? sn_box_tree_build(boxes, b->surface.triangle_count, &b->arena, &tree) : SN_ERROR_MEMORY;
    for (size_t i = 0; i < b->node_count && result == SN_OK; ++i) {
        double point[3];
        node_position(b, i, point);
        const int nearest =
            sn_box_tree_nearest(&tree, point, max_distance * max_distance, triangle_distance2, &b->surface);
        b->distances[i] = nearest < 0 ? INFINITY : sqrt(triangle_distance2(nearest, point, &b->surface)) / b->spacing;
    }
    return result;
}

/* ---- inside and outside ---- */

static void compute_winding(builder *b, size_t node)
{
    double point[3];
    node_position(b, node, point);
    b->windings[node] = sn_winding_at(&b->winding, point);
    b->signs[node] = b->windings[node] > 0.5 ? -1 : 1;
}

/* Sets the signs of a closed surface, which change only at its triangles; the sweep extends them. Returns the smallest
 * winding number. */
static double sign_closed(builder *b)
{
    double min_winding = 0;
    for (size_t i = 0; i < b->node_count; ++i) {
        if (b->distances[i] < INFINITY) {
            compute_winding(b, i);
            min_winding = fmin(min_winding, b->windings[i]);
        }
    }
    return min_winding;
}

/* Finds the corners of a node's block. Returns whether the node is a corner itself. */
static bool find_block(const builder *b, size_t node, size_t corners[8])
{
    size_t low = 0, steps[3];
    bool is_corner = true;
    for (int d = 0; d < 3; ++d) {
        const size_t at = node / b->strides[d] % (size_t)b->counts[d], last = (size_t)b->counts[d] - 1;
        const size_t first = at / BLOCK * BLOCK, end = first + BLOCK < last ? first + BLOCK : last;
        is_corner &= at == first || at == last;
        low += first * b->strides[d];
        steps[d] = (end - first) * b->strides[d];
    }
    for (size_t k = 0; k < 8; ++k) {
        corners[k] = low + k % 2 * steps[0] + k / 2 % 2 * steps[1] + k / 4 * steps[2];
    }
    return is_corner;
}

/* Returns whether all nodes of a block have the same sign. Winding numbers are harmonic away from triangles, so it
 * suffices that the corners agree by a margin. */
static bool has_uniform_sign(const builder *b, const size_t corners[8])
{
    double min_winding = INFINITY, max_winding = -INFINITY;
    for (int k = 0; k < 8; ++k) {
        min_winding = fmin(min_winding, b->windings[corners[k]]);
        max_winding = fmax(max_winding, b->windings[corners[k]]);
    }
    return min_winding > 0.5 + WINDING_MARGIN || max_winding < 0.5 - WINDING_MARGIN;
}

static void sign_open(builder *b)
{
    size_t corners[8];
    for (size_t i = 0; i < b->node_count; ++i) {
        if (find_block(b, i, corners)) {
            compute_winding(b, i);
        }
    }
    for (size_t i = 0; i < b->node_count; ++i) {
        const bool is_corner = find_block(b, i, corners);
        if (!is_corner && b->distances[i] == INFINITY && has_uniform_sign(b, corners)) {
            b->windings[i] = b->windings[corners[0]];
            b->signs[i] = b->signs[corners[0]];
        } else if (!is_corner) {
            compute_winding(b, i);
        }
    }
}

/* Computes signs with the input's orientation if that is consistent, so that hollow objects keep their walls. Otherwise
 * repairs the orientation first. */
static sn_result compute_signs(builder *b)
{
    if (b->is_closed && sign_closed(b) > -0.5) {
        return SN_OK;
    }
    SN_TRY(sn_surface_orient(&b->surface));
    SN_TRY(count_open_edges(b));
    if (b->is_closed) {
        sign_closed(b);
    }
    if (!b->is_closed) {
        sign_open(b);
        sn_log(SN_LOG_WARNING, "%s: %d edges are open; winding numbers decide what is inside", b->input->name,
               b->open_edge_count);
    }
    return SN_OK;
}

/* Adds the distances of caps: grid edges whose ends have different signs without a triangle between them. */
static void cap_holes(builder *b)
{
    for (size_t i = 0; i < b->node_count; ++i) {
        b->is_fixed[i] = b->distances[i] < (b->is_closed ? INFINITY : EXACT_RANGE);
    }
    for (size_t i = 0; i < b->node_count && !b->is_closed; ++i) {
        for (int d = 0; d < 3; ++d) {
            const size_t other = i + b->strides[d];
            if (i / b->strides[d] % (size_t)b->counts[d] + 1 == (size_t)b->counts[d] ||
                b->signs[i] == b->signs[other] || b->distances[i] + b->distances[other] <= 1) {
                continue;
            }
            const double at = (b->windings[i] - 0.5) / (b->windings[i] - b->windings[other]);
            b->distances[i] = fmin(b->distances[i], at);
            b->distances[other] = fmin(b->distances[other], 1 - at);
            b->is_fixed[i] = b->is_fixed[other] = true;
        }
    }
}

static sn_result write_grid(builder *b, sn_grid **grid)
{
    const double scale = b->surface.scale;
    sn_grid_desc desc = {.spacing = b->spacing * scale};
    float *distances = SN_NEW(&b->arena, float, b->node_count);
    bool is_solid = false;
    for (int d = 0; d < 3; ++d) {
        desc.counts[d] = b->counts[d];
        desc.origin[d] = b->surface.origin[d] + scale * b->origin[d];
    }
    for (size_t i = 0; distances && i < b->node_count; ++i) {
        distances[i] = (float)(b->signs[i] * b->distances[i] * desc.spacing);
        is_solid |= distances[i] < 0;
    }
    desc.distances = distances;
    if (distances && !is_solid) {
        return sn_fail(SN_ERROR_FORMAT, "%s: encloses no volume; close the surface, or use a grid finer than %g",
                       b->input->name, desc.spacing);
    }
    return distances ? sn_grid_create(&desc, grid) : SN_ERROR_MEMORY;
}

sn_result sn_grid_build(const sn_grid_surface *surface, int resolution, sn_grid **grid)
{
    builder b = {.input = surface};
    *grid = NULL;
    sn_result result = check_input(surface, resolution);
    if (result == SN_OK) {
        result = weld(&b);
    }
    if (result == SN_OK) {
        result = plan_lattice(&b, resolution);
    }
    if (result == SN_OK) {
        result = measure_distances(&b);
    }
    if (result == SN_OK) {
        result = compute_signs(&b);
    }
    if (result == SN_OK) {
        cap_holes(&b);
        sn_distances_sweep(b.counts, b.is_fixed, b.distances, b.signs);
        result = write_grid(&b, grid);
    }
    sn_arena_finish(&b.arena);
    return result;
}
