/* SPDX-License-Identifier: MIT */
/* Builds the elements that fragments consist of: connected patches of the surface inside a cell, and copies of interior
 * cells. Also computes the position of each element in the test poses. */
#include "author/mesher/elements.h"

#include <string.h>

#include "author/mesher/sets.h"

/* Lists the cells that contain pieces or copies. */
static bool list_cells(sn_fragments *f, const sn_inside *inside, sn_arena *arena)
{
    const sn_piece_list *pieces = f->pieces;
    f->cells = SN_NEW(arena, int32_t, (size_t)pieces->cell_count + (size_t)inside->copy_count);
    f->positions = SN_NEW(arena, int32_t, f->lattice->cell_count);
    if (!f->cells || !f->positions) {
        return false;
    }
    memset(f->positions, -1, (size_t)f->lattice->cell_count * sizeof *f->positions);
    for (int p = 0, c = 0; p < pieces->cell_count || c < inside->copy_count;) {
        const int32_t with_piece = p < pieces->cell_count ? pieces->cells[p] : INT32_MAX;
        const int32_t with_copy = c < inside->copy_count ? inside->copies[c].cell : INT32_MAX;
        const int32_t cell = with_piece < with_copy ? with_piece : with_copy;
        f->positions[cell] = f->cell_count;
        f->cells[f->cell_count++] = cell;
        p += with_piece == cell;
        while (c < inside->copy_count && inside->copies[c].cell == cell) {
            ++c;
        }
    }
    return true;
}

static bool list_neighbours(sn_fragments *f, sn_arena *arena)
{
    f->nodes = SN_NEW(arena, int32_t, 4 * (size_t)f->cell_count);
    f->neighbours = SN_NEW(arena, int32_t, 4 * (size_t)f->cell_count);
    for (int i = 0; f->nodes && f->neighbours && i < f->cell_count; ++i) {
        sn_lattice_nodes(f->lattice, f->cells[i], f->nodes + 4 * (size_t)i);
        for (int k = 0; k < 4; ++k) {
            const int32_t cell = sn_lattice_neighbour(f->lattice, f->cells[i], k);
            f->neighbours[4 * (size_t)i + (size_t)k] = cell < 0 ? -1 : f->positions[cell];
        }
    }
    return f->nodes && f->neighbours;
}

/* The last piece at each welded edge and point. Two pieces of one cell that share either are connected. */
typedef struct last_pieces {
    int32_t *edges, *points;
    int32_t *sets; /* (pieces' count) */
} last_pieces;

static void join_with_last(const last_pieces *j, int32_t *last, int32_t piece, int32_t first_of_cell)
{
    if (*last >= first_of_cell) {
        sn_sets_union(j->sets, *last, piece);
    }
    *last = piece;
}

static void join_pieces(const sn_fragments *f, const last_pieces *j)
{
    const sn_surface *s = &f->context->surface;
    for (int slot = 0; slot < f->pieces->cell_count; ++slot) {
        const int32_t first = f->pieces->starts[slot];
        for (int32_t i = first; i < f->pieces->starts[slot + 1]; ++i) {
            const sn_piece *piece = &f->pieces->pieces[i];
            for (size_t k = 0; k < 3; ++k) {
                const size_t corner = 3 * (size_t)piece->triangle + k;
                if (piece->edge_bits >> k & 1 && s->edges[corner] >= 0) {
                    join_with_last(j, &j->edges[s->edges[corner]], i, first);
                }
                if (piece->point_bits >> k & 1) {
                    join_with_last(j, &j->points[s->points[s->triangles[corner]]], i, first);
                }
            }
        }
    }
}

static bool find_patches(const sn_fragments *f, sn_arena *scratch, last_pieces *j)
{
    const sn_surface *s = &f->context->surface;
    j->edges = SN_NEW(scratch, int32_t, s->edge_count);
    j->points = SN_NEW(scratch, int32_t, s->point_count);
    j->sets = SN_NEW(scratch, int32_t, f->pieces->count);
    if (!j->edges || !j->points || !j->sets) {
        return false;
    }
    memset(j->edges, -1, (size_t)s->edge_count * sizeof *j->edges);
    memset(j->points, -1, (size_t)s->point_count * sizeof *j->points);
    sn_sets_start(j->sets, f->pieces->count);
    join_pieces(f, j);
    return true;
}

/* Numbers the patches of a cell. The lowest piece of a set comes first and represents it. */
static void number_patches(sn_fragments *f, int32_t cell, int32_t *sets)
{
    const int slot = f->pieces->positions[cell];
    for (int32_t i = slot < 0 ? 0 : f->pieces->starts[slot]; slot >= 0 && i < f->pieces->starts[slot + 1]; ++i) {
        const int32_t root = sn_sets_find(sets, i);
        if (root == i) {
            f->piece_elements[i] = f->element_count;
            f->elements[f->element_count++] = (sn_element){.piece = i, .solid = -1};
        } else {
            f->piece_elements[i] = f->piece_elements[root];
        }
    }
}

static void number_elements(sn_fragments *f, const sn_inside *inside, int32_t *sets)
{
    for (int i = 0, c = 0; i < f->cell_count; ++i) {
        f->element_starts[i] = f->element_count;
        number_patches(f, f->cells[i], sets);
        for (; c < inside->copy_count && inside->copies[c].cell == f->cells[i]; ++c) {
            const sn_interior_copy *copy = &inside->copies[c];
            sn_element *element = &f->elements[f->element_count++];
            *element = (sn_element){.piece = copy->piece, .solid = copy->solid};
            sn_lattice_cell_centre(f->lattice, copy->cell, element->centre);
            for (int d = 0; d < 3; ++d) {
                element->centre[d] = f->lattice->origin[d] + element->centre[d] * f->lattice->cell_size;
            }
        }
    }
    f->element_starts[f->cell_count] = f->element_count;
}

/* Adds a small constant so that pieces without area count too. */
static double piece_weight(const sn_piece *piece)
{
    return piece->area + 1e-9;
}

/* Computes areas, centers and posed centers of the patches. */
static void measure_patches(sn_fragments *f)
{
    const sn_surface *s = &f->context->surface;
    const sn_motion *tests = &f->context->tests;
    for (int i = 0; i < f->pieces->count; ++i) {
        f->elements[f->piece_elements[i]].area += piece_weight(&f->pieces->pieces[i]);
    }
    for (int i = 0; i < f->pieces->count; ++i) {
        const sn_piece *piece = &f->pieces->pieces[i];
        sn_element *element = &f->elements[f->piece_elements[i]];
        const double fraction = piece_weight(piece) / element->area;
        double centre[3];
        sn_piece_centre(s, piece, centre);
        for (int d = 0; d < 3; ++d) {
            element->centre[d] += fraction * centre[d];
        }
        if (f->moved) {
            float *moved = f->moved + 3 * (size_t)tests->pose_count * (size_t)f->piece_elements[i];
            sn_motion_add(tests, s, piece->triangle, piece->centre, (float)fraction, moved);
        }
    }
}

void sn_elements_transform(const sn_fragments *f, const sn_motion *motion, int32_t element, float *moved)
{
    const sn_element *e = &f->elements[element];
    const sn_piece *piece = &f->pieces->pieces[e->piece];
    sn_motion_transform(motion, &f->context->surface, piece->triangle, piece->centre, e->centre, moved);
}

/* Poses the copies. A copy that is the only element of its cell is skipped, since it is compared with nothing. */
static void move_copies(sn_fragments *f)
{
    for (int i = 0; i < f->cell_count && f->moved; ++i) {
        const int32_t first = f->element_starts[i], end = f->element_starts[i + 1];
        for (int32_t e = first; e < end && end - first > 1; ++e) {
            if (f->elements[e].solid >= 0) {
                const size_t width = 3 * (size_t)f->context->tests.pose_count;
                sn_elements_transform(f, &f->context->tests, e, f->moved + width * (size_t)e);
            }
        }
    }
}

sn_result sn_elements_build(sn_fragments *fragments, const sn_inside *inside, sn_arena *arena)
{
    sn_fragments *f = fragments;
    sn_arena scratch = {0};
    last_pieces j;
    if (!list_cells(f, inside, arena) || !list_neighbours(f, arena) || !find_patches(f, &scratch, &j)) {
        sn_arena_finish(&scratch);
        return SN_ERROR_MEMORY;
    }
    size_t max_count = (size_t)inside->copy_count;
    for (int i = 0; i < f->pieces->count; ++i) {
        max_count += j.sets[i] == i;
    }
    const size_t width = 3 * (size_t)f->context->tests.pose_count;
    f->elements = SN_NEW(arena, sn_element, max_count);
    f->element_starts = SN_NEW(arena, int32_t, f->cell_count + 1);
    f->piece_elements = SN_NEW(arena, int32_t, f->pieces->count);
    f->moved = width > 0 ? SN_NEW(arena, float, width *max_count) : NULL;
    const bool is_ok = f->elements && f->element_starts && f->piece_elements && (f->moved || width == 0);
    if (is_ok) {
        number_elements(f, inside, j.sets);
        measure_patches(f);
        move_copies(f);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
