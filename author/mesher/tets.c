/* SPDX-License-Identifier: MIT */
/* Converts sets of fragment corners to nodes, and fragments to tets. */
#include "author/mesher/tets.h"

#include <string.h>

#include "author/mesher/sets.h"
#include "host/math/vec3.h"

/* Numbers the sets in the order in which fragments use them. numbers (4 fragment_count): node of each set. */
static void number_nodes(sn_fragments *f, sn_tets *tets, int32_t *numbers)
{
    memset(numbers, -1, 4 * (size_t)f->fragment_count * sizeof *numbers);
    for (int32_t corner = 0; corner < 4 * f->fragment_count; ++corner) {
        const int32_t set = sn_sets_find(f->corner_sets, corner);
        if (numbers[set] < 0) {
            double *x = tets->positions + 3 * (size_t)tets->node_count;
            const int32_t cell = f->fragment_cells[corner / 4];
            sn_lattice_node_position(f->lattice, f->nodes[4 * (size_t)cell + (size_t)(corner % 4)], x);
            for (int d = 0; d < 3; ++d) {
                x[d] = f->lattice->origin[d] + x[d] * f->lattice->cell_size;
            }
            numbers[set] = tets->node_count++;
        }
    }
}

/* Numbers tets in the order of fragments. The tets of a cell form a linked list, so that duplicates are found. */
static void number_tets(sn_fragments *f, sn_tets *tets, const int32_t *numbers, int32_t *first_tets, int32_t *next_tets)
{
    memset(first_tets, -1, (size_t)f->cell_count * sizeof *first_tets);
    for (int32_t i = 0; i < f->fragment_count; ++i) {
        int32_t *nodes = tets->nodes + 4 * (size_t)tets->tet_count;
        int32_t *head = &first_tets[f->fragment_cells[i]], duplicate = *head;
        for (int k = 0; k < 4; ++k) {
            nodes[k] = numbers[sn_sets_find(f->corner_sets, 4 * i + k)];
        }
        while (duplicate >= 0 && memcmp(tets->nodes + 4 * (size_t)duplicate, nodes, 4 * sizeof *nodes) != 0) {
            duplicate = next_tets[duplicate];
        }
        if (duplicate < 0) {
            duplicate = tets->tet_count++;
            tets->cells[duplicate] = f->fragment_cells[i];
            next_tets[duplicate] = *head;
            *head = duplicate;
        }
        tets->fragment_tets[i] = duplicate;
    }
}

sn_result sn_tets_build(sn_fragments *fragments, sn_arena *arena, sn_tets *tets)
{
    sn_fragments *f = fragments;
    const size_t count = (size_t)f->fragment_count;
    *tets = (sn_tets){0};
    sn_arena scratch = {0};
    int32_t *numbers = SN_NEW(&scratch, int32_t, 4 * count);
    int32_t *first_tets = SN_NEW(&scratch, int32_t, f->cell_count);
    int32_t *next_tets = SN_NEW(&scratch, int32_t, count);
    tets->positions = SN_NEW(arena, double, 12 * count);
    tets->nodes = SN_NEW(arena, int32_t, 4 * count);
    tets->cells = SN_NEW(arena, int32_t, count);
    tets->node_capacity = 4 * f->fragment_count;
    tets->fragment_tets = SN_NEW(arena, int32_t, count);
    const bool is_ok =
        numbers && first_tets && next_tets && tets->positions && tets->nodes && tets->cells && tets->fragment_tets;
    if (is_ok) {
        number_nodes(f, tets, numbers);
        number_tets(f, tets, numbers, first_tets, next_tets);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

static double volume6(const double *a, const double *b, const double *c, const double *d)
{
    double ab[3], ac[3], ad[3], normal[3];
    sn_subtract3(b, a, ab);
    sn_subtract3(c, a, ac);
    sn_subtract3(d, a, ad);
    sn_cross3(ac, ad, normal);
    return sn_dot3(ab, normal);
}

void sn_tets_weights(const sn_tets *tets, int32_t tet, const double *point, double *weights)
{
    const double *x[4];
    for (int k = 0; k < 4; ++k) {
        x[k] = tets->positions + 3 * (size_t)tets->nodes[4 * (size_t)tet + (size_t)k];
    }
    const double total = volume6(x[0], x[1], x[2], x[3]);
    weights[0] = volume6(point, x[1], x[2], x[3]) / total;
    weights[1] = volume6(x[0], point, x[2], x[3]) / total;
    weights[2] = volume6(x[0], x[1], point, x[3]) / total;
    weights[3] = volume6(x[0], x[1], x[2], point) / total;
}
