/* SPDX-License-Identifier: MIT */
/* Virtual nodes after Molino, Bao, Fedkiw 2004. Unlike the paper, the split is decided by motion instead of
 * connectivity. Elements of one cell form one fragment if they stay near each other in the test poses. Fragments of
 * neighbouring cells share nodes if they contain parts of one triangle or of the interior of one solid, or if they stay
 * near. So clothes and body are welded, and a hand and a thigh are not. Splitting by connectivity alone separates
 * layers of clothing, and one interior for overlapping solids glues them. */
#include "author/mesher/fragments.h"

#include <string.h>

#include "author/mesher/elements.h"
#include "author/mesher/sets.h"
#include "host/math/vec3.h"

#define PAIR_LIMIT 64 /* max. elements of a cell that others are compared with */

/* Returns whether the distance of two elements grows by at most one cell size in the test poses. */
static bool stay_near(const sn_fragments *f, int32_t a, int32_t b)
{
    if (!f->moved) {
        return true; /* without skinning nothing moves */
    }
    const double distance = sn_distance3(f->elements[a].centre, f->elements[b].centre);
    return sn_motion_growth(&f->context->tests, distance, sn_fragments_moved(f, a), sn_fragments_moved(f, b)) <=
           f->lattice->cell_size;
}

/* Merges the elements of each cell that stay near. `sets` are disjoint sets of elements. */
static void merge_in_cells(const sn_fragments *f, int32_t *sets)
{
    for (int i = 0; i < f->cell_count; ++i) {
        const int32_t first = f->element_starts[i], end = f->element_starts[i + 1];
        for (int32_t b = first + 1; b < end; ++b) {
            for (int32_t a = first; a < b && a < first + PAIR_LIMIT; ++a) {
                if (sn_sets_find(sets, a) != sn_sets_find(sets, b) && stay_near(f, a, b)) {
                    sn_sets_union(sets, a, b);
                }
            }
        }
    }
}

static void number_fragments(sn_fragments *f, int32_t *sets)
{
    for (int i = 0; i < f->cell_count; ++i) {
        f->fragment_starts[i] = f->fragment_count;
        for (int32_t e = f->element_starts[i]; e < f->element_starts[i + 1]; ++e) {
            const int32_t root = sn_sets_find(sets, e);
            f->element_fragments[e] = root == e ? f->fragment_count : f->element_fragments[root];
            if (root == e) {
                f->fragment_cells[f->fragment_count++] = i;
            }
        }
    }
    f->fragment_starts[f->cell_count] = f->fragment_count;
}

void sn_fragments_link(sn_fragments *fragments, int32_t a, int k, int32_t b)
{
    const int32_t *nodes_a = fragments->nodes + 4 * (size_t)fragments->fragment_cells[a];
    const int32_t *nodes_b = fragments->nodes + 4 * (size_t)fragments->fragment_cells[b];
    sn_sets_union(fragments->component_sets, a, b);
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4 && i != k; ++j) {
            if (nodes_a[i] == nodes_b[j]) {
                sn_sets_union(fragments->corner_sets, 4 * a + i, 4 * b + j);
            }
        }
    }
}

void sn_fragments_merge(sn_fragments *fragments, int32_t a, int32_t b)
{
    sn_sets_union(fragments->component_sets, a, b);
    for (int i = 0; i < 4; ++i) {
        sn_sets_union(fragments->corner_sets, 4 * a + i, 4 * b + i);
    }
}

/* Links fragments that contain pieces of the same triangle. Both piece lists are sorted by triangle. */
static void link_by_triangles(sn_fragments *f, int32_t cell, int k, int32_t other)
{
    const sn_piece_list *p = f->pieces;
    const int slot = p->positions[f->cells[cell]], other_slot = p->positions[f->cells[other]];
    if (slot < 0 || other_slot < 0) {
        return;
    }
    int32_t i = p->starts[slot], j = p->starts[other_slot];
    while (i < p->starts[slot + 1] && j < p->starts[other_slot + 1]) {
        const int32_t a = p->pieces[i].triangle, b = p->pieces[j].triangle;
        if (a == b) {
            sn_fragments_link(f, f->element_fragments[f->piece_elements[i]], k,
                              f->element_fragments[f->piece_elements[j]]);
        }
        i += a <= b;
        j += b <= a;
    }
}

/* Computes the center of the face opposite node k, in unit coordinates. */
static void face_centre(const sn_fragments *f, int32_t cell, int k, double *centre)
{
    centre[0] = centre[1] = centre[2] = 0;
    for (int i = 0; i < 4; ++i) {
        double x[3];
        sn_lattice_node_position(f->lattice, f->nodes[4 * (size_t)cell + (size_t)i], x);
        for (int d = 0; d < 3 && i != k; ++d) {
            centre[d] += (f->lattice->origin[d] + x[d] * f->lattice->cell_size) / 3;
        }
    }
}

/* Links a copy to the neighbour's copy of the same solid, or to the fragment whose surface bounds the solid there. */
static void link_copy(sn_fragments *f, int32_t element, int32_t cell, int k, int32_t other)
{
    const int32_t solid = f->elements[element].solid;
    for (int32_t e = f->element_starts[other]; e < f->element_starts[other + 1]; ++e) {
        if (f->elements[e].solid == solid) {
            sn_fragments_link(f, f->element_fragments[element], k, f->element_fragments[e]);
            return;
        }
    }
    const int slot = f->pieces->positions[f->cells[other]];
    if (slot >= 0) {
        double centre[3];
        face_centre(f, cell, k, centre);
        const int32_t piece = sn_inside_piece(&f->context->surface, f->lattice, f->pieces, slot, solid, centre);
        if (piece >= 0) {
            sn_fragments_link(f, f->element_fragments[element], k, f->element_fragments[f->piece_elements[piece]]);
            return;
        }
    }
    /* through a hole of the solid into the volume that only the complete surface encloses */
    for (int32_t e = f->element_starts[other]; e < f->element_starts[other + 1]; ++e) {
        if (f->elements[e].solid == 0 || (solid == 0 && f->elements[e].solid > 0)) {
            sn_fragments_link(f, f->element_fragments[element], k, f->element_fragments[e]);
        }
    }
}

/* Links fragments of two cells that contain patches which stay near. */
static void link_by_motion(sn_fragments *f, int32_t cell, int k, int32_t other)
{
    const int32_t first = f->element_starts[cell], other_first = f->element_starts[other];
    for (int32_t a = first; a < f->element_starts[cell + 1] && a < first + PAIR_LIMIT; ++a) {
        for (int32_t b = other_first; b < f->element_starts[other + 1] && b < other_first + PAIR_LIMIT; ++b) {
            if (f->elements[a].solid < 0 && f->elements[b].solid < 0 && stay_near(f, a, b)) {
                sn_fragments_link(f, f->element_fragments[a], k, f->element_fragments[b]);
            }
        }
    }
}

static void link_cells(sn_fragments *f)
{
    for (int32_t cell = 0; cell < f->cell_count; ++cell) {
        for (int k = 0; k < 4; ++k) {
            const int32_t other = f->neighbours[4 * (size_t)cell + (size_t)k];
            if (other < 0) {
                continue;
            }
            for (int32_t e = f->element_starts[cell]; e < f->element_starts[cell + 1]; ++e) {
                if (f->elements[e].solid >= 0) {
                    link_copy(f, e, cell, k, other);
                }
            }
            if (other > cell) {
                link_by_triangles(f, cell, k, other);
                link_by_motion(f, cell, k, other);
            }
        }
    }
}

sn_result sn_fragments_build(const sn_mesher_context *context, const sn_lattice *lattice, const sn_piece_list *pieces,
                             const sn_inside *inside, sn_arena *arena, sn_fragments *fragments)
{
    sn_fragments *f = fragments;
    *f = (sn_fragments){.context = context, .lattice = lattice, .pieces = pieces};
    const sn_result result = sn_elements_build(f, inside, arena);
    if (result != SN_OK) {
        return result;
    }
    sn_arena scratch = {0};
    int32_t *sets = SN_NEW(&scratch, int32_t, f->element_count);
    f->element_fragments = SN_NEW(arena, int32_t, f->element_count);
    f->fragment_starts = SN_NEW(arena, int32_t, f->cell_count + 1);
    f->fragment_cells = SN_NEW(arena, int32_t, f->element_count);
    f->corner_sets = SN_NEW(arena, int32_t, 4 * (size_t)f->element_count);
    f->component_sets = SN_NEW(arena, int32_t, f->element_count);
    const bool is_ok =
        sets && f->element_fragments && f->fragment_starts && f->fragment_cells && f->corner_sets && f->component_sets;
    if (is_ok) {
        sn_sets_start(sets, f->element_count);
        merge_in_cells(f, sets);
        number_fragments(f, sets);
        sn_sets_start(f->corner_sets, 4 * f->fragment_count);
        sn_sets_start(f->component_sets, f->fragment_count);
        link_cells(f);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
