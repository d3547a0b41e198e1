/* SPDX-License-Identifier: MIT */
/* Connects components that touch nothing. In each round, every component is bridged to its cheapest partner (Boruvka
 * 1926). The cost is three times the gap, plus how far the ends move apart in the poses times the resulting stretch of
 * the bar. The stretch factor prevents bridges between two legs that swing past each other. A bridge is a bar of
 * lattice tets along the line between its ends. Its tets are new fragments, so they do not glue the parts that they
 * pass through. */
#include "author/mesher/connect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "author/mesher/elements.h"
#include "author/mesher/sets.h"
#include "host/math/vec3.h"

#define GAP_COST 3.0
#define SAMPLE_LIMIT 1024 /* max. elements compared in a round */
#define BAR_RADIUS 0.5    /* max. distance of a tet's center from the line, in cells */

/* A candidate end of a bridge. */
typedef struct sample {
    int32_t element, component;
} sample;

typedef struct bridge {
    double cost;
    int32_t a, b; /* elements */
} bridge;

typedef struct bridger {
    sn_fragments *fragments;
    const sn_motion *motion;
    sn_arena *arena;
    sn_arena scratch;
    float **moved;             /* (element_count) posed centers, computed on demand */
    int32_t *stamps;           /* (lattice's cell_count) index in `bar` plus one; 0: not in the current bar */
    int32_t *bar;              /* (lattice's cell_count) cells of the current bar */
    int32_t *labels;           /* (element_count) components at the start of the round */
    int32_t *starts, *members; /* elements by label */
    int old_cell_count;        /* number of cells that contain elements */
    int cell_capacity, fragment_capacity;
} bridger;

static int32_t component_of(const bridger *b, int32_t element)
{
    return sn_sets_find(b->fragments->component_sets, b->fragments->element_fragments[element]);
}

static const float *posed_centre(bridger *b, int32_t element)
{
    if (!b->moved[element]) {
        b->moved[element] = SN_NEW(&b->scratch, float, 3 * (size_t)b->motion->pose_count);
        if (b->moved[element]) {
            sn_elements_transform(b->fragments, b->motion, element, b->moved[element]);
        }
    }
    return b->moved[element];
}

/* Returns INFINITY if the cost is not below `bound`. */
static double bridge_cost(bridger *b, int32_t x, int32_t y, double bound)
{
    const sn_element *elements = b->fragments->elements;
    const double gap = sn_distance3(elements[x].centre, elements[y].centre);
    if (GAP_COST * gap >= bound) {
        return INFINITY;
    }
    const float *moved_x = posed_centre(b, x), *moved_y = posed_centre(b, y);
    const double growth = moved_x && moved_y ? sn_motion_growth(b->motion, gap, moved_x, moved_y) : 0;
    const double cost = GAP_COST * gap + growth * fmax(1, growth / fmax(gap, b->fragments->lattice->cell_size));
    return cost < bound ? cost : INFINITY;
}

static bool list_members(bridger *b, sn_arena *scratch)
{
    const sn_fragments *f = b->fragments;
    b->labels = SN_NEW(scratch, int32_t, f->element_count);
    b->members = SN_NEW(scratch, int32_t, f->element_count);
    b->starts = SN_NEW(scratch, int32_t, (size_t)f->fragment_count + 2);
    if (!b->labels || !b->members || !b->starts) {
        return false;
    }
    for (int32_t e = 0; e < f->element_count; ++e) {
        b->labels[e] = component_of(b, e);
        ++b->starts[b->labels[e] + 2];
    }
    for (int i = 0; i < f->fragment_count; ++i) {
        b->starts[i + 2] += b->starts[i + 1];
    }
    for (int32_t e = 0; e < f->element_count; ++e) {
        b->members[b->starts[b->labels[e] + 1]++] = e;
    }
    return true;
}

/* Samples every component's elements evenly, at least one each. Returns the number of samples. */
static int choose_samples(const bridger *b, int component_count, sample *samples)
{
    const int quota = component_count < SAMPLE_LIMIT ? SAMPLE_LIMIT / component_count : 1;
    int count = 0;
    for (int32_t i = 0; i < b->fragments->element_count && count < SAMPLE_LIMIT; ++i) {
        const int32_t label = b->labels[b->members[i]];
        const int32_t size = b->starts[label + 1] - b->starts[label];
        if ((i - b->starts[label]) % ((size + quota - 1) / quota) == 0) {
            samples[count++] = (sample){b->members[i], label};
        }
    }
    return count;
}

/* Finds the best bridge of each component among the samples and stores it at bests[component's root fragment]. */
static void find_best_bridges(bridger *b, const sample *samples, int count, bridge *best_bridges)
{
    for (int i = 0; i < count; ++i) {
        best_bridges[samples[i].component] = (bridge){INFINITY, -1, -1};
    }
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            bridge *x = &best_bridges[samples[i].component], *y = &best_bridges[samples[j].component];
            const double bound = fmax(x->cost, y->cost);
            if (x == y) {
                continue;
            }
            const double cost = bridge_cost(b, samples[i].element, samples[j].element, bound);
            if (cost < x->cost) {
                *x = (bridge){cost, samples[i].element, samples[j].element};
            }
            if (cost < y->cost) {
                *y = (bridge){cost, samples[i].element, samples[j].element};
            }
        }
    }
}

/* Moves one end and then the other to the best element of its component, as labelled at the start of the round. */
static void refine_bridge(bridger *b, bridge *at)
{
    for (int pass = 0; pass < 2; ++pass) {
        const int32_t label = b->labels[at->b], fixed = at->a;
        for (int32_t i = b->starts[label]; i < b->starts[label + 1]; ++i) {
            const double cost = bridge_cost(b, fixed, b->members[i], at->cost);
            at->b = cost < at->cost ? b->members[i] : at->b;
            at->cost = fmin(cost, at->cost);
        }
        const int32_t swapped = at->a;
        at->a = at->b, at->b = swapped;
    }
}

static double distance_to_line(const double *point, const double *a, const double *b)
{
    const double at = sn_segment_nearest(point, a, b);
    double offset[3];
    for (int d = 0; d < 3; ++d) {
        offset[d] = (point[d] - a[d]) - at * (b[d] - a[d]);
    }
    return sn_length3(offset);
}

/* Collects cells near the line, starting at the first cell. Returns false if the last cell was not reached. Cells are
 * stamped with their number in the bar, from 1. */
static bool walk_bar(bridger *b, int32_t first, int32_t last, const double *from, const double *to, double radius,
                     int *count)
{
    *count = 0;
    b->bar[(*count)++] = first;
    b->stamps[first] = *count;
    for (int next = 0; next < *count; ++next) {
        for (int k = 0; k < 4; ++k) {
            const int32_t cell = sn_lattice_neighbour(b->fragments->lattice, b->bar[next], k);
            double centre[3];
            if (cell < 0 || b->stamps[cell]) {
                continue;
            }
            sn_lattice_cell_centre(b->fragments->lattice, cell, centre);
            if (cell == last || distance_to_line(centre, from, to) < radius) {
                b->bar[(*count)++] = cell;
                b->stamps[cell] = *count;
            }
        }
    }
    return b->stamps[last] > 0;
}

static void clear_stamps(bridger *b, int count)
{
    for (int i = 0; i < count; ++i) {
        b->stamps[b->bar[i]] = 0;
    }
}

/* Replaces an array by a larger copy. The old array stays allocated in the arena. */
static bool enlarge(sn_arena *arena, int32_t **values, size_t used, size_t capacity)
{
    int32_t *larger = SN_NEW(arena, int32_t, capacity);
    if (larger) {
        memcpy(larger, *values, used * sizeof *larger);
        *values = larger;
    }
    return larger != NULL;
}

static bool reserve(bridger *b, int more)
{
    sn_fragments *f = b->fragments;
    const size_t cells = (size_t)f->cell_count, fragments = (size_t)f->fragment_count;
    if (f->cell_count + more > b->cell_capacity) {
        b->cell_capacity = 2 * (f->cell_count + more);
        const size_t capacity = (size_t)b->cell_capacity;
        if (!enlarge(b->arena, &f->cells, cells, capacity) || !enlarge(b->arena, &f->nodes, 4 * cells, 4 * capacity)) {
            return false;
        }
    }
    if (f->fragment_count + more > b->fragment_capacity) {
        b->fragment_capacity = 2 * (f->fragment_count + more);
        const size_t capacity = (size_t)b->fragment_capacity;
        return enlarge(b->arena, &f->fragment_cells, fragments, capacity) &&
               enlarge(b->arena, &f->component_sets, fragments, capacity) &&
               enlarge(b->arena, &f->corner_sets, 4 * fragments, 4 * capacity);
    }
    return true;
}

static int32_t slot_of(bridger *b, int32_t cell)
{
    sn_fragments *f = b->fragments;
    if (f->positions[cell] < 0) {
        sn_lattice_nodes(f->lattice, cell, f->nodes + 4 * (size_t)f->cell_count);
        f->cells[f->cell_count] = cell;
        f->positions[cell] = f->cell_count++;
    }
    return f->positions[cell];
}

/* Adds one new fragment per cell and links it to its neighbours in the bar. */
static void add_bar(bridger *b, int count)
{
    sn_fragments *f = b->fragments;
    const int32_t base = f->fragment_count;
    for (int i = 0; i < count; ++i) {
        const int32_t fragment = f->fragment_count++;
        f->fragment_cells[fragment] = slot_of(b, b->bar[i]);
        f->component_sets[fragment] = fragment;
        for (int k = 0; k < 4; ++k) {
            f->corner_sets[4 * fragment + k] = 4 * fragment + k;
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 4; ++k) {
            const int32_t cell = sn_lattice_neighbour(f->lattice, b->bar[i], k);
            if (cell >= 0 && b->stamps[cell]) {
                sn_fragments_link(f, base + i, k, base + b->stamps[cell] - 1);
            }
        }
    }
}

/* Returns the existing fragment that a cell of the bar is merged with: an end, or the fragment of the only one of the
 * two components that is present in the cell. Returns -1 if there is none. */
static int32_t find_fragment_to_merge(bridger *b, int32_t slot, const bridge *at)
{
    sn_fragments *f = b->fragments;
    int32_t own[2] = {-1, -1};
    for (int32_t x = f->fragment_starts[slot]; x < f->fragment_starts[slot + 1]; ++x) {
        const int32_t root = sn_sets_find(f->component_sets, x);
        if (x == f->element_fragments[at->a] || x == f->element_fragments[at->b]) {
            return x;
        }
        own[0] = root == component_of(b, at->a) ? x : own[0];
        own[1] = root == component_of(b, at->b) ? x : own[1];
    }
    return own[0] < 0 ? own[1] : own[1] < 0 ? own[0] : -1;
}

/* Finds all fragments to merge before the first merge joins the two components. */
static void merge_bar(bridger *b, int32_t base, int count, int old_cell_count, const bridge *at)
{
    for (int i = 0; i < count; ++i) {
        const int32_t slot = b->fragments->fragment_cells[base + i];
        b->bar[i] = slot < old_cell_count ? find_fragment_to_merge(b, slot, at) : -1;
    }
    for (int i = 0; i < count; ++i) {
        if (b->bar[i] >= 0) {
            sn_fragments_merge(b->fragments, b->bar[i], base + i);
        }
    }
}

static bool build_bridge(bridger *b, const bridge *at)
{
    sn_fragments *f = b->fragments;
    const int32_t fragment_a = f->element_fragments[at->a], fragment_b = f->element_fragments[at->b];
    if (f->fragment_cells[fragment_a] == f->fragment_cells[fragment_b]) {
        sn_fragments_merge(f, fragment_a, fragment_b);
        return true;
    }
    const int32_t first = f->cells[f->fragment_cells[fragment_a]], last = f->cells[f->fragment_cells[fragment_b]];
    double from[3], to[3];
    sn_lattice_from_unit(f->lattice, f->elements[at->a].centre, from);
    sn_lattice_from_unit(f->lattice, f->elements[at->b].centre, to);
    int count = 0;
    for (double radius = BAR_RADIUS; !walk_bar(b, first, last, from, to, radius, &count); radius *= 1.5) {
        clear_stamps(b, count);
    }
    if (!reserve(b, count)) {
        return false;
    }
    const int32_t base = f->fragment_count;
    add_bar(b, count);
    clear_stamps(b, count);
    merge_bar(b, base, count, b->old_cell_count, at);
    return true;
}

static int by_cost(const void *left, const void *right)
{
    const bridge *x = left, *y = right;
    if (x->cost != y->cost) {
        return x->cost < y->cost ? -1 : 1;
    }
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* Counts the components, including those of bars. */
static int count_components(sn_fragments *f)
{
    int count = 0;
    for (int32_t i = 0; i < f->fragment_count; ++i) {
        count += f->component_sets[i] == i;
    }
    return count;
}

/* Runs one round. Every component except the last finds a partner, so at least half of the sampled components
 * disappear. */
static bool join_round(bridger *b, int component_count, int *bridge_count)
{
    sn_fragments *f = b->fragments;
    sn_arena scratch = {0};
    sample *samples = SN_NEW(&scratch, sample, SAMPLE_LIMIT);
    bridge *best_bridges = SN_NEW(&scratch, bridge, f->fragment_count);
    bridge *candidates = SN_NEW(&scratch, bridge, SAMPLE_LIMIT);
    bool is_ok = samples && best_bridges && candidates && list_members(b, &scratch);
    if (is_ok) {
        const int count = choose_samples(b, component_count, samples);
        int candidate_count = 0;
        find_best_bridges(b, samples, count, best_bridges);
        for (int i = 0; i < count; ++i) {
            bridge *best = &best_bridges[samples[i].component];
            if (best->a >= 0) {
                candidates[candidate_count++] = *best;
                best->a = -1; /* use each bridge once */
            }
        }
        qsort(candidates, (size_t)candidate_count, sizeof *candidates, by_cost);
        for (int i = 0; i < candidate_count && is_ok; ++i) {
            if (component_of(b, candidates[i].a) != component_of(b, candidates[i].b)) {
                refine_bridge(b, &candidates[i]);
                is_ok = build_bridge(b, &candidates[i]);
                ++*bridge_count;
            }
        }
    }
    sn_arena_finish(&scratch);
    return is_ok;
}

sn_result sn_connect_bridges(sn_fragments *fragments, sn_arena *arena, int *bridge_count)
{
    int component_count = count_components(fragments);
    if (component_count < 2) {
        return SN_OK;
    }
    const sn_mesher_context *context = fragments->context;
    bridger b = {.fragments = fragments,
                 .arena = arena,
                 .motion = context->clips.pose_count > 0 ? &context->clips : &context->tests,
                 .old_cell_count = fragments->cell_count};
    b.moved = SN_NEW(&b.scratch, float *, fragments->element_count);
    b.stamps = SN_NEW(&b.scratch, int32_t, fragments->lattice->cell_count);
    b.bar = SN_NEW(&b.scratch, int32_t, fragments->lattice->cell_count);
    bool is_ok = b.moved && b.stamps && b.bar;
    const sn_mesher_input *input = context->surface.input;
    while (is_ok && component_count > 1 && !(input->is_cancelled && input->is_cancelled(input->cancel_user))) {
        is_ok = join_round(&b, component_count, bridge_count);
        component_count = count_components(fragments);
    }
    sn_arena_finish(&b.scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
