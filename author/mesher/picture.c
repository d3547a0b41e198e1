/* SPDX-License-Identifier: MIT */
/* Searches for the cell size: the number of vertices falls about with its square. */
#include "author/mesher/picture.h"

#include <math.h>
#include <string.h>

#include "author/mesher/picture_lattice.h"

#define DEFAULT_TARGET 1500
#define TRY_LIMIT 8
#define TOLERANCE 0.01
/* Min. cell size in pixels, and max. cells along the longer side. */
#define MIN_SIDE 1.0
#define MAX_CELLS_PER_SIDE 2000

static sn_result try_side(const sn_picture_runs *runs, double side, sn_arena *arena, sn_picture_lattice *lattice,
                          sn_picture_fragments *fragments)
{
    sn_picture_lattice_init(runs, side, lattice);
    return sn_picture_fragments_build(runs, lattice, arena, fragments);
}

/* One step of the secant method on logarithms, with the slope clamped to a plausible range. */
static double next_side(double side, int count, double last_side, int last_count, int target)
{
    double slope = -2;
    if (last_count > 0 && last_count != count && last_side != side) {
        slope = log((double)count / last_count) / log(side / last_side);
        slope = fmin(fmax(slope, -2.5), -0.5);
    }
    return side * exp(log((double)target / count) / slope);
}

/* Finds the cell size whose vertex count is nearest to the target. */
static sn_result find_side(const sn_picture_runs *runs, int target, double *best)
{
    const double width = runs->high[0] - runs->low[0] + 1, height = runs->high[1] - runs->low[1] + 1;
    const double max_side = fmax(width, height), min_side = fmax(MIN_SIDE, max_side / MAX_CELLS_PER_SIDE);
    double side = sqrt((double)runs->pixel_count / (target * sqrt(0.75))), last_side = 0;
    int last_count = 0, best_gap = INT32_MAX;
    for (int i = 0; i < TRY_LIMIT; ++i) {
        sn_arena scratch = {0};
        sn_picture_lattice lattice;
        sn_picture_fragments fragments;
        side = fmin(fmax(side, min_side), fmax(max_side, min_side));
        const sn_result result = try_side(runs, side, &scratch, &lattice, &fragments);
        sn_arena_finish(&scratch);
        if (result != SN_OK) {
            return result;
        }
        const int gap = fragments.node_count > target ? fragments.node_count - target : target - fragments.node_count;
        *best = gap < best_gap ? side : *best;
        best_gap = gap < best_gap ? gap : best_gap;
        const double next = next_side(side, fragments.node_count, last_side, last_count, target);
        if (gap <= TOLERANCE * target || (side <= min_side && next <= side) || (side >= max_side && next >= side)) {
            break;
        }
        last_side = side;
        last_count = fragments.node_count;
        side = next;
    }
    return SN_OK;
}

static sn_result write_mesh(const sn_picture_lattice *lattice, const sn_picture_fragments *from, sn_arena *arena,
                            sn_picture_mesh *mesh)
{
    const double area = lattice->side * lattice->height / 2;
    mesh->vertex_count = from->node_count;
    mesh->triangle_count = from->count;
    mesh->cell_size = lattice->side;
    mesh->positions = SN_NEW(arena, double, 2 * (size_t)from->node_count);
    mesh->triangles = SN_NEW(arena, int32_t, 3 * (size_t)from->count);
    mesh->fill = SN_NEW(arena, double, from->count);
    mesh->cells = SN_NEW(arena, int32_t, from->count);
    mesh->segment_starts = SN_NEW(arena, int32_t, from->count + 1);
    if (!mesh->positions || !mesh->triangles || !mesh->fill || !mesh->cells || !mesh->segment_starts) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < from->count; ++t) {
        const sn_picture_fragment *f = &from->fragments[t];
        double corners[3][2];
        for (int k = 0; k < 3; ++k) {
            sn_picture_lattice_corner(lattice, f->cell, k, corners[k]);
            memcpy(mesh->positions + 2 * (size_t)f->corners[k], corners[k], sizeof corners[k]);
        }
        const bool is_pointing_down = corners[2][1] > corners[0][1]; /* y points down */
        mesh->triangles[3 * t] = f->corners[is_pointing_down ? 1 : 0];
        mesh->triangles[3 * t + 1] = f->corners[is_pointing_down ? 0 : 1];
        mesh->triangles[3 * t + 2] = f->corners[2];
        mesh->fill[t] = fmin(f->area / area, 1);
        mesh->cells[t] = f->cell;
        mesh->segment_starts[t] = f->first_segment;
    }
    mesh->segment_starts[from->count] = from->segment_count;
    mesh->segments = from->segments;
    return SN_OK;
}

bool sn_picture_is_shared(const sn_picture_mesh *mesh, int triangle)
{
    const int32_t *cell = &mesh->cells[triangle];
    return (triangle > 0 && cell[-1] == *cell) || (triangle + 1 < mesh->triangle_count && cell[1] == *cell);
}

sn_result sn_picture_mesh_build(const sn_picture_input *input, sn_arena *arena, sn_picture_mesh *mesh)
{
    SN_ASSERT(input->width > 0 && input->height > 0);
    if (input->width > SN_PICTURE_SIDE_LIMIT || input->height > SN_PICTURE_SIDE_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: %d x %d pixels are too many; use at most %d pixels per side",
                       input->name, input->width, input->height, SN_PICTURE_SIDE_LIMIT);
    }
    if (input->target_vertex_count < 0 || input->target_vertex_count > SN_PICTURE_VERTEX_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: %d vertices requested; use at most %d", input->name,
                       input->target_vertex_count, SN_PICTURE_VERTEX_LIMIT);
    }
    sn_arena scratch = {0};
    sn_picture_runs runs;
    sn_picture_lattice lattice;
    sn_picture_fragments fragments;
    double side = 1;
    *mesh = (sn_picture_mesh){.vertex_count = 0};
    sn_result result = sn_picture_runs_build(input, &scratch, &runs);
    if (result == SN_OK) {
        result = find_side(&runs, input->target_vertex_count > 0 ? input->target_vertex_count : DEFAULT_TARGET, &side);
    }
    if (result == SN_OK) {
        result = try_side(&runs, side, arena, &lattice, &fragments);
    }
    if (result == SN_OK) {
        result = write_mesh(&lattice, &fragments, arena, mesh);
        mesh->island_count = runs.island_count;
        mesh->piece_count = runs.piece_count;
        mesh->is_full = runs.pixel_count == (int64_t)input->width * input->height;
    }
    sn_arena_finish(&scratch);
    return result;
}
