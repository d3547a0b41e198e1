/* SPDX-License-Identifier: MIT */
/* Reconnects components after the split of non-manifold faces, which can separate layers from the rest. The tets of a
 * small component are merged with tets of the main component in the same cells. A larger component is connected at one
 * tet where the layer continues past the edge of the other, because a face is free there. The connection with the least
 * relative motion is chosen, so that one foot is not connected to the other. */
#include "author/mesher/nonmanifold.h"

#include <math.h>
#include <string.h>

#include "author/mesher/elements.h"
#include "author/mesher/sets.h"
#include "host/math/vec3.h"

/* Limits for the first round. They double in each further round, so that the process ends. */
#define MAX_SMALL_COMPONENT 64 /* max. tets of a small component */
#define MAX_MERGE_CELLS 1      /* max. pose distance of its tets from those that they are merged with, in cells */
#define ROUND_LIMIT 16

typedef struct reconnector {
    int max_small_component;
    double max_merge_distance; /* pose distance */
    const sn_fragments *fragments;
    sn_tets *tets;
    int component_count;
    int32_t main_component;
    int32_t *neighbours;             /* (tet_count x 4) */
    int32_t *labels;                 /* (tet_count) components */
    int32_t *starts;                 /* (component_count + 1) */
    int32_t *queue;                  /* (tet_count) tets by component */
    int32_t *first_tets, *next_tets; /* linked lists of the tets of each cell */
    int32_t *replacements;           /* (tet_count) the tet that a tet is merged into, or itself */
    int32_t *node_sets;              /* (node_count) disjoint sets */
    int32_t *attempts;               /* (fragments' cell_count) connections made in each cell, over all rounds */
    int32_t *elements;               /* (tet_count) an element in the tet, or -1 */
    float *moved[2];                 /* (3 x pose_count) posed centers */
} reconnector;

/* A tet of a component and a tet of the main component that could be merged or share a face. */
typedef struct connection {
    int32_t attempts; /* previous connections in that cell, which a later split undid */
    bool is_unstable; /* both tets continue at the same faces, so a split may separate them again */
    double motion;    /* pose distance; INFINITY: none found */
    int32_t tet, other;
    int face; /* face of `tet`, or INSIDE_CELL */
} connection;

#define INSIDE_CELL (-1)

static bool start_reconnector(reconnector *r, sn_arena *scratch)
{
    const size_t tets = (size_t)r->tets->tet_count;
    r->neighbours = SN_NEW(scratch, int32_t, 4 * tets);
    r->labels = SN_NEW(scratch, int32_t, tets);
    r->starts = SN_NEW(scratch, int32_t, tets + 1);
    r->queue = SN_NEW(scratch, int32_t, tets);
    r->first_tets = SN_NEW(scratch, int32_t, r->fragments->cell_count);
    r->next_tets = SN_NEW(scratch, int32_t, tets);
    r->replacements = SN_NEW(scratch, int32_t, tets);
    r->node_sets = SN_NEW(scratch, int32_t, r->tets->node_capacity);
    r->elements = SN_NEW(scratch, int32_t, tets);
    r->moved[0] = SN_NEW(scratch, float, SN_MOTION_POSES * 3);
    r->moved[1] = SN_NEW(scratch, float, SN_MOTION_POSES * 3);
    return r->neighbours && r->labels && r->starts && r->queue && r->first_tets && r->next_tets && r->replacements &&
           r->node_sets && r->elements && r->moved[0] && r->moved[1];
}

static int size_of(const reconnector *r, int32_t component)
{
    return r->starts[component + 1] - r->starts[component];
}

/* Labels components by walking over common faces. The largest is the main component. */
static void label_components(reconnector *r)
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

static void list_cells(reconnector *r)
{
    memset(r->first_tets, -1, (size_t)r->fragments->cell_count * sizeof *r->first_tets);
    for (int32_t t = r->tets->tet_count; t-- > 0;) {
        r->next_tets[t] = r->first_tets[r->tets->cells[t]];
        r->first_tets[r->tets->cells[t]] = t;
        r->replacements[t] = t;
    }
    sn_sets_start(r->node_sets, r->tets->node_count);
}

static void list_elements(reconnector *r)
{
    const sn_fragments *f = r->fragments;
    memset(r->elements, -1, (size_t)r->tets->tet_count * sizeof *r->elements);
    for (int32_t e = f->element_count; e-- > 0;) {
        r->elements[r->tets->fragment_tets[f->element_fragments[e]]] = e;
    }
}

/* Returns how far test poses move two tets apart; 0 for tets without elements, such as those of bridges. */
static double motion_between(const reconnector *r, int32_t a, int32_t b)
{
    const sn_fragments *f = r->fragments;
    const sn_motion *tests = &f->context->tests;
    const int32_t ends[2] = {r->elements[a], r->elements[b]};
    if (tests->pose_count == 0 || ends[0] < 0 || ends[1] < 0) {
        return 0;
    }
    for (int i = 0; i < 2; ++i) {
        sn_elements_transform(f, tests, ends[i], r->moved[i]);
    }
    const double distance = sn_distance3(f->elements[ends[0]].centre, f->elements[ends[1]].centre);
    return sn_motion_growth(tests, distance, r->moved[0], r->moved[1]);
}

static int common_nodes(const reconnector *r, int32_t a, int32_t b)
{
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        count += r->tets->nodes[4 * a + k] == r->tets->nodes[4 * b + k];
    }
    return count;
}

/* Returns the tet of the main component in the same cell that shares the most nodes, or -1. */
static int32_t main_sibling(const reconnector *r, int32_t tet)
{
    int32_t best = -1;
    int max_common = -1;
    for (int32_t t = r->first_tets[r->tets->cells[tet]]; t >= 0; t = r->next_tets[t]) {
        const int count = common_nodes(r, tet, t);
        if (r->labels[t] == r->main_component && count > max_common) {
            max_common = count;
            best = t;
        }
    }
    return best;
}

/* Merges a small component with the main component if all of its tets can be merged. Returns whether it did. */
static bool merge_small_component(reconnector *r, int32_t component)
{
    if (size_of(r, component) > r->max_small_component) {
        return false;
    }
    for (int32_t i = r->starts[component]; i < r->starts[component + 1]; ++i) {
        const int32_t sibling = main_sibling(r, r->queue[i]);
        if (sibling < 0 || motion_between(r, r->queue[i], sibling) > r->max_merge_distance) {
            return false;
        }
    }
    for (int32_t i = r->starts[component]; i < r->starts[component + 1]; ++i) {
        r->replacements[r->queue[i]] = main_sibling(r, r->queue[i]);
    }
    return true;
}

/* Prefers fewer earlier attempts, then stable connections, then less motion. */
static void try_connection(const reconnector *r, connection candidate, connection *best)
{
    candidate.attempts = r->attempts[r->tets->cells[candidate.tet]];
    const int32_t order = candidate.attempts != best->attempts ? candidate.attempts - best->attempts
                                                               : candidate.is_unstable - best->is_unstable;
    if (order > 0) {
        return;
    }
    candidate.motion = motion_between(r, candidate.tet, candidate.other);
    if (order < 0 || candidate.motion < best->motion) {
        *best = candidate;
    }
}

/* Considers tets of the main component in the same cell, where one tet has a free face at which the other continues.
 * The connection is stable if that holds for both. */
static void find_connection_in_cell(const reconnector *r, int32_t tet, connection *best)
{
    for (int32_t t = r->first_tets[r->tets->cells[tet]]; t >= 0; t = r->next_tets[t]) {
        bool does_continue = false, does_main_continue = false;
        for (int k = 0; k < 4; ++k) {
            const bool is_free = r->neighbours[4 * tet + k] < 0, is_main_free = r->neighbours[4 * t + k] < 0;
            does_continue |= is_main_free && !is_free;
            does_main_continue |= is_free && !is_main_free;
        }
        if (r->labels[t] == r->main_component && (does_continue || does_main_continue)) {
            try_connection(r, (connection){0, !does_continue || !does_main_continue, INFINITY, tet, t, INSIDE_CELL},
                           best);
        }
    }
}

/* Finds the corners of cell `other` at the nodes of `cell`, -1 where there is none. Returns the corner of `other` that
 * is not shared. */
static int match_corners(const sn_fragments *f, int32_t cell, int32_t other, int *corners)
{
    int opposite = 0;
    corners[0] = corners[1] = corners[2] = corners[3] = -1;
    for (int j = 0; j < 4; ++j) {
        bool is_common = false;
        for (int i = 0; i < 4; ++i) {
            if (f->nodes[4 * (size_t)cell + (size_t)i] == f->nodes[4 * (size_t)other + (size_t)j]) {
                corners[i] = j;
                is_common = true;
            }
        }
        opposite = is_common ? opposite : j;
    }
    return opposite;
}

/* Returns the cell across a face, or -1. Uses the lattice, because the fragments' neighbour lists omit the cells of
 * bridges. */
static int32_t cell_across(const reconnector *r, int32_t tet, int k)
{
    const sn_fragments *f = r->fragments;
    const int32_t cell = sn_lattice_neighbour(f->lattice, f->cells[r->tets->cells[tet]], k);
    return cell < 0 ? -1 : f->positions[cell];
}

/* Considers free faces of tets in neighbouring cells. */
static void find_connection_across(const reconnector *r, int32_t tet, int k, connection *best)
{
    const int32_t other_cell = cell_across(r, tet, k);
    int corners[4];
    if (r->neighbours[4 * tet + k] >= 0 || other_cell < 0) {
        return;
    }
    const int opposite = match_corners(r->fragments, r->tets->cells[tet], other_cell, corners);
    for (int32_t t = r->first_tets[other_cell]; t >= 0; t = r->next_tets[t]) {
        if (r->labels[t] == r->main_component && r->neighbours[4 * t + opposite] < 0) {
            try_connection(r, (connection){0, false, INFINITY, tet, t, k}, best);
        }
    }
}

static void connect_tets(reconnector *r, const connection *at)
{
    int corners[4] = {0, 1, 2, 3};
    ++r->attempts[r->tets->cells[at->tet]];
    if (at->face == INSIDE_CELL) {
        r->replacements[at->tet] = at->other;
    } else {
        match_corners(r->fragments, r->tets->cells[at->tet], r->tets->cells[at->other], corners);
    }
    for (int i = 0; i < 4; ++i) {
        if (corners[i] >= 0) {
            sn_sets_union(r->node_sets, r->tets->nodes[4 * at->tet + i], r->tets->nodes[4 * at->other + corners[i]]);
        }
    }
}

static bool connect_component(reconnector *r, int32_t component)
{
    connection best = {.attempts = INT32_MAX, .motion = INFINITY};
    for (int32_t i = r->starts[component]; i < r->starts[component + 1]; ++i) {
        find_connection_in_cell(r, r->queue[i], &best);
        for (int k = 0; k < 4; ++k) {
            find_connection_across(r, r->queue[i], k, &best);
        }
    }
    if (best.motion < INFINITY) {
        connect_tets(r, &best);
    }
    return best.motion < INFINITY;
}

static int32_t find_replacement(const reconnector *r, int32_t tet)
{
    while (r->replacements[tet] != tet) {
        tet = r->replacements[tet];
    }
    return tet;
}

/* Merges tets of one cell that now share all four nodes. */
static void merge_duplicates(reconnector *r)
{
    for (int i = 0; i < 4 * r->tets->tet_count; ++i) {
        r->tets->nodes[i] = sn_sets_find(r->node_sets, r->tets->nodes[i]);
    }
    for (int32_t t = 0; t < r->tets->tet_count; ++t) {
        for (int32_t duplicate = r->first_tets[r->tets->cells[t]]; duplicate < t && r->replacements[t] == t;
             duplicate = r->next_tets[duplicate]) {
            if (r->replacements[duplicate] == duplicate && common_nodes(r, t, duplicate) == 4) {
                r->replacements[t] = duplicate;
            }
        }
    }
}

/* Removes merged tets and unused nodes. */
static bool compact(reconnector *r, sn_arena *scratch)
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

/* Runs one round. Returns false if memory runs out. */
static bool reconnect_round(reconnector *r, bool *has_changed)
{
    sn_arena scratch = {0};
    bool is_ok = start_reconnector(r, &scratch) && sn_nonmanifold_split(r->tets, r->neighbours) == SN_OK;
    *has_changed = false;
    if (is_ok) {
        label_components(r);
        list_cells(r);
        list_elements(r);
        for (int32_t c = 0; c < r->component_count; ++c) {
            if (c != r->main_component) {
                *has_changed |= merge_small_component(r, c) || connect_component(r, c);
            }
        }
        merge_duplicates(r);
        is_ok = compact(r, &scratch);
    }
    sn_arena_finish(&scratch);
    return is_ok;
}

sn_result sn_nonmanifold_repair(const sn_fragments *fragments, sn_tets *tets)
{
    sn_arena scratch = {0};
    int32_t *attempts = SN_NEW(&scratch, int32_t, fragments->cell_count);
    bool is_ok = attempts != NULL, has_changed = true;
    for (int round = 0; is_ok && has_changed && round < ROUND_LIMIT; ++round) {
        reconnector r = {.fragments = fragments,
                         .tets = tets,
                         .attempts = attempts,
                         .max_small_component = MAX_SMALL_COMPONENT << round,
                         .max_merge_distance = MAX_MERGE_CELLS * fragments->lattice->cell_size * (1 << round)};
        is_ok = reconnect_round(&r, &has_changed);
    }
    if (is_ok &&
        has_changed) { /* some layers cannot be connected; separate layers are better than non-manifold faces */
        int32_t *neighbours = SN_NEW(&scratch, int32_t, 4 * (size_t)tets->tet_count);
        is_ok = neighbours && sn_nonmanifold_split(tets, neighbours) == SN_OK;
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
