/* SPDX-License-Identifier: MIT */
/* Splitting faces that three tets share can leave layers without a face in common with the rest. Crumbs join the tets
 * of the rest that lie in their cells; a layer is tied at one tet where it goes on past the edge of the other, since a
 * face is free there. */
#include "author/mesher/branches.h"

#include <string.h>

#include "author/mesher/sets.h"

#define LARGEST_CRUMB 64 /* tets, in the first round; twice as many in each further one, so that it comes to an end */
#define ROUND_LIMIT 16

typedef struct reuniter {
    int largest_crumb;
    const sn_fragments *fragments;
    sn_tets *tets;
    int component_count;
    int32_t main_component;
    int32_t *neighbours;    /* (tet_count x 4) */
    int32_t *labels;        /* (tet_count) components */
    int32_t *starts;        /* (component_count + 1) */
    int32_t *queue;         /* (tet_count) tets by component */
    int32_t *heads, *nexts; /* lists of the tets of each cell */
    int32_t *replacements;  /* (tet_count) the tet that a tet becomes part of, or itself */
    int32_t *node_sets;     /* (node_count) */
} reuniter;

static bool start_reuniter(reuniter *r, sn_arena *scratch)
{
    const size_t tets = (size_t)r->tets->tet_count;
    r->neighbours = SN_NEW(scratch, int32_t, 4 * tets);
    r->labels = SN_NEW(scratch, int32_t, tets);
    r->starts = SN_NEW(scratch, int32_t, tets + 1);
    r->queue = SN_NEW(scratch, int32_t, tets);
    r->heads = SN_NEW(scratch, int32_t, r->fragments->cell_count);
    r->nexts = SN_NEW(scratch, int32_t, tets);
    r->replacements = SN_NEW(scratch, int32_t, tets);
    r->node_sets = SN_NEW(scratch, int32_t, r->tets->node_capacity);
    return r->neighbours && r->labels && r->starts && r->queue && r->heads && r->nexts && r->replacements &&
           r->node_sets;
}

static int size_of(const reuniter *r, int32_t component)
{
    return r->starts[component + 1] - r->starts[component];
}

/* Components by a walk over common faces; the largest is the main one. */
static void label_components(reuniter *r)
{
    int32_t count = 0;
    memset(r->labels, -1, (size_t)r->tets->tet_count * sizeof *r->labels);
    r->component_count = 0;
    for (int32_t seed = 0; seed < r->tets->tet_count; ++seed) {
        if (r->labels[seed] >= 0) {
            continue;
        }
        int32_t next = count;
        r->queue[count++] = seed;
        r->labels[seed] = r->component_count;
        for (; next < count; ++next) {
            for (int k = 0; k < 4; ++k) {
                const int32_t other = r->neighbours[4 * r->queue[next] + k];
                if (other >= 0 && r->labels[other] < 0) {
                    r->labels[other] = r->component_count;
                    r->queue[count++] = other;
                }
            }
        }
        r->starts[++r->component_count] = count;
    }
    r->main_component = 0;
    for (int32_t c = 1; c < r->component_count; ++c) {
        r->main_component = size_of(r, c) > size_of(r, r->main_component) ? c : r->main_component;
    }
}

static void list_cells(reuniter *r)
{
    memset(r->heads, -1, (size_t)r->fragments->cell_count * sizeof *r->heads);
    for (int32_t t = r->tets->tet_count; t-- > 0;) {
        r->nexts[t] = r->heads[r->tets->cells[t]];
        r->heads[r->tets->cells[t]] = t;
        r->replacements[t] = t;
    }
    sn_sets_start(r->node_sets, r->tets->node_count);
}

static int common_nodes(const reuniter *r, int32_t a, int32_t b)
{
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        count += r->tets->nodes[4 * a + k] == r->tets->nodes[4 * b + k];
    }
    return count;
}

/* The tet of the main component in the same cell that shares most nodes, or -1. */
static int32_t main_sibling(const reuniter *r, int32_t tet)
{
    int32_t best = -1;
    int most = -1;
    for (int32_t t = r->heads[r->tets->cells[tet]]; t >= 0; t = r->nexts[t]) {
        const int count = common_nodes(r, tet, t);
        if (r->labels[t] == r->main_component && count > most) {
            most = count;
            best = t;
        }
    }
    return best;
}

/* Whether all of a crumb's tets could join tets of the main component; then they do. */
static bool dissolve_crumb(reuniter *r, int32_t component)
{
    if (size_of(r, component) > r->largest_crumb) {
        return false;
    }
    for (int32_t i = r->starts[component]; i < r->starts[component + 1]; ++i) {
        if (main_sibling(r, r->queue[i]) < 0) {
            return false;
        }
    }
    for (int32_t i = r->starts[component]; i < r->starts[component + 1]; ++i) {
        r->replacements[r->queue[i]] = main_sibling(r, r->queue[i]);
    }
    return true;
}

/* Makes a tet one with its sibling where a face of either is free that the other goes on from. */
static bool tie_in_cell(reuniter *r, int32_t tet)
{
    for (int32_t t = r->heads[r->tets->cells[tet]]; t >= 0; t = r->nexts[t]) {
        bool is_free = false;
        for (int k = 0; k < 4; ++k) {
            is_free |= (r->neighbours[4 * tet + k] < 0) != (r->neighbours[4 * t + k] < 0);
        }
        if (r->labels[t] == r->main_component && is_free) {
            for (int k = 0; k < 4; ++k) {
                sn_sets_unite(r->node_sets, r->tets->nodes[4 * tet + k], r->tets->nodes[4 * t + k]);
            }
            r->replacements[tet] = t;
            return true;
        }
    }
    return false;
}

/* Joins free faces of tets in neighbouring cells. */
static bool tie_across_face(reuniter *r, int32_t tet, int k)
{
    const sn_fragments *f = r->fragments;
    const int32_t cell = r->tets->cells[tet];
    const int32_t lattice_cell = sn_lattice_neighbour(f->lattice, f->cells[cell], k);
    const int32_t other_cell = lattice_cell < 0 ? -1 : f->positions[lattice_cell];
    if (r->neighbours[4 * tet + k] >= 0 || other_cell < 0) {
        return false;
    }
    int32_t corners[4] = {-1, -1, -1, -1}; /* of the other cell, at this one's nodes */
    int opposite = 0;
    for (int j = 0; j < 4; ++j) {
        bool is_common = false;
        for (int i = 0; i < 4; ++i) {
            if (f->nodes[4 * (size_t)cell + (size_t)i] == f->nodes[4 * (size_t)other_cell + (size_t)j]) {
                corners[i] = j;
                is_common = true;
            }
        }
        opposite = is_common ? opposite : j;
    }
    for (int32_t t = r->heads[other_cell]; t >= 0; t = r->nexts[t]) {
        if (r->labels[t] == r->main_component && r->neighbours[4 * t + opposite] < 0) {
            for (int i = 0; i < 4; ++i) {
                if (corners[i] >= 0) {
                    sn_sets_unite(r->node_sets, r->tets->nodes[4 * tet + i], r->tets->nodes[4 * t + corners[i]]);
                }
            }
            return true;
        }
    }
    return false;
}

static bool tie_component(reuniter *r, int32_t component)
{
    for (int32_t i = r->starts[component]; i < r->starts[component + 1]; ++i) {
        if (tie_in_cell(r, r->queue[i])) {
            return true;
        }
    }
    for (int32_t i = r->starts[component]; i < r->starts[component + 1]; ++i) {
        for (int k = 0; k < 4; ++k) {
            if (tie_across_face(r, r->queue[i], k)) {
                return true;
            }
        }
    }
    return false;
}

static int32_t find_replacement(const reuniter *r, int32_t tet)
{
    while (r->replacements[tet] != tet) {
        tet = r->replacements[tet];
    }
    return tet;
}

/* Tets of one cell whose nodes have all become the same are one. */
static void replace_twins(reuniter *r)
{
    for (int i = 0; i < 4 * r->tets->tet_count; ++i) {
        r->tets->nodes[i] = sn_sets_find(r->node_sets, r->tets->nodes[i]);
    }
    for (int32_t t = 0; t < r->tets->tet_count; ++t) {
        for (int32_t twin = r->heads[r->tets->cells[t]]; twin < t && r->replacements[t] == t; twin = r->nexts[twin]) {
            if (r->replacements[twin] == twin && common_nodes(r, t, twin) == 4) {
                r->replacements[t] = twin;
            }
        }
    }
}

/* Drops tets that became part of others, and nodes that none uses any more. */
static bool compact(reuniter *r, sn_arena *scratch)
{
    sn_tets *tets = r->tets;
    int32_t *numbers = SN_NEW(scratch, int32_t, tets->node_count);
    int32_t *tet_numbers = SN_NEW(scratch, int32_t, tets->tet_count);
    if (!numbers || !tet_numbers) {
        return false;
    }
    int tet_count = 0, node_count = 0;
    for (int32_t t = 0; t < tets->tet_count; ++t) {
        for (int k = 0; k < 4 && r->replacements[t] == t; ++k) {
            const int32_t node = tets->nodes[4 * t + k];
            tets->nodes[4 * tet_count + k] = node;
            numbers[node] = 1;
        }
        tet_numbers[t] = tet_count;
        tets->cells[tet_count] = tets->cells[t];
        tet_count += r->replacements[t] == t;
    }
    for (int32_t n = 0; n < tets->node_count; ++n) {
        if (numbers[n]) {
            memmove(tets->positions + 3 * (size_t)node_count, tets->positions + 3 * (size_t)n, 3 * sizeof(double));
            numbers[n] = node_count++;
        }
    }
    for (int i = 0; i < 4 * tet_count; ++i) {
        tets->nodes[i] = numbers[tets->nodes[i]];
    }
    for (int i = 0; i < r->fragments->fragment_count; ++i) {
        tets->fragment_tets[i] = tet_numbers[find_replacement(r, tets->fragment_tets[i])];
    }
    tets->tet_count = tet_count;
    tets->node_count = node_count;
    return true;
}

/* One round; false where memory is out. */
static bool reunite_round(reuniter *r, bool *has_changed)
{
    sn_arena scratch = {0};
    bool is_ok = start_reuniter(r, &scratch) && sn_branches_split(r->tets, r->neighbours) == SN_OK;
    *has_changed = false;
    if (is_ok) {
        label_components(r);
        list_cells(r);
        for (int32_t c = 0; c < r->component_count; ++c) {
            if (c != r->main_component) {
                *has_changed |= dissolve_crumb(r, c) || tie_component(r, c);
            }
        }
        replace_twins(r);
        is_ok = compact(r, &scratch);
    }
    sn_arena_finish(&scratch);
    return is_ok;
}

sn_result sn_branches_clear(const sn_fragments *fragments, sn_tets *tets)
{
    bool is_ok = true, has_changed = true;
    for (int round = 0; is_ok && has_changed && round < ROUND_LIMIT; ++round) {
        reuniter r = {.fragments = fragments, .tets = tets, .largest_crumb = LARGEST_CRUMB << round};
        is_ok = reunite_round(&r, &has_changed);
    }
    if (is_ok && has_changed) { /* layers that neither way of joining holds together: rather apart than branched */
        sn_arena scratch = {0};
        int32_t *neighbours = SN_NEW(&scratch, int32_t, 4 * (size_t)tets->tet_count);
        is_ok = neighbours && sn_branches_split(tets, neighbours) == SN_OK;
        sn_arena_finish(&scratch);
    }
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
