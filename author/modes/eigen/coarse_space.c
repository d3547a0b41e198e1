/* SPDX-License-Identifier: MIT */
/* A coarse space for the modes of large meshes. A lattice function that spans a gap, such as from an arm to the trunk,
 * would couple separate parts of the mesh. So the parts of its support that mesh edges connect become separate
 * functions. */
#include <math.h>
#include <string.h>

#include "author/modes/eigen/node_support.h"
#include "host/base/disjoint_sets.h"

#define SPACING_ATTEMPTS 6
#define MAX_LATTICE_NODES ((size_t)1 << 25) /* of the bounding box */
/* of a node: squared weights. With smaller ones, functions that cancel on the mesh would be mistaken for slow modes */
#define MIN_NODE_WEIGHT 0.5

typedef struct lattice {
    double low[3], spacing;
    size_t counts[3]; /* nodes */
} lattice;

typedef struct builder {
    const sn_mode_problem *problem;
    const double *positions;
    const sn_matrix_rows *k;
    sn_coarse_space *space;
    lattice lattice;
    sn_arena scratch;
} builder;

static bool init_lattice(builder *b, double spacing)
{
    const sn_mode_unknowns *u = &b->problem->unknowns;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * u->count; ++i) {
        const double x = b->positions[3 * (size_t)u->vertices[i / 3] + i % 3];
        low[i % 3] = fmin(low[i % 3], x);
        high[i % 3] = fmax(high[i % 3], x);
    }
    double total = 1;
    for (size_t d = 0; d < 3; ++d) {
        const double cells = floor((high[d] - low[d]) / spacing) + 1;
        b->lattice.low[d] = low[d];
        b->lattice.counts[d] = (size_t)fmin(cells, 1e9) + 1;
        total *= cells + 1;
    }
    b->lattice.spacing = spacing;
    return total <= (double)MAX_LATTICE_NODES;
}

/* The eight nodes around a vertex, as indices in the whole box, and its trilinear weights. */
static void find_corners(const builder *b, size_t i, size_t *nodes, double *weights)
{
    const lattice *l = &b->lattice;
    const double *x = b->positions + 3 * (size_t)b->problem->unknowns.vertices[i];
    size_t cell[3];
    double at[3];
    for (size_t d = 0; d < 3; ++d) {
        const double along = fmax(0, (x[d] - l->low[d]) / l->spacing);
        cell[d] = (size_t)fmin(floor(along), (double)(l->counts[d] - 2));
        at[d] = fmin(along - (double)cell[d], 1);
    }
    for (size_t corner = 0; corner < SN_CORNERS; ++corner) {
        const size_t step[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
        nodes[corner] = ((cell[2] + step[2]) * l->counts[1] + cell[1] + step[1]) * l->counts[0] + cell[0] + step[0];
        weights[corner] = 1;
        for (size_t d = 0; d < 3; ++d) {
            weights[corner] *= step[d] ? at[d] : 1 - at[d];
        }
    }
}

/* Numbers the nodes that vertices use, in the order of the lattice. */
static sn_result number_nodes(builder *b, size_t *node_count)
{
    const size_t size = b->space->size, total = b->lattice.counts[0] * b->lattice.counts[1] * b->lattice.counts[2];
    int32_t *numbers = SN_NEW(&b->scratch, int32_t, total);
    if (!numbers) {
        return SN_ERROR_MEMORY;
    }
    size_t nodes[SN_CORNERS];
    for (size_t i = 0; i < size; ++i) {
        find_corners(b, i, nodes, b->space->weights + SN_CORNERS * i);
        for (size_t c = 0; c < SN_CORNERS; ++c) {
            numbers[nodes[c]] = 1;
        }
    }
    *node_count = 0;
    for (size_t i = 0; i < total; ++i) {
        numbers[i] = numbers[i] ? (int32_t)(*node_count)++ : -1;
    }
    for (size_t i = 0; i < size; ++i) {
        find_corners(b, i, nodes, b->space->weights + SN_CORNERS * i);
        for (size_t c = 0; c < SN_CORNERS; ++c) {
            b->space->nodes[SN_CORNERS * i + c] = numbers[nodes[c]];
        }
    }
    return SN_OK;
}

/* Chooses a lattice with about `target_count` nodes in the body. */
static sn_result choose_lattice(builder *b, size_t target_count, size_t *node_count)
{
    *node_count = 0;
    double volume = 0;
    for (size_t i = 0; i < b->space->size; ++i) {
        volume += b->problem->unknowns.mass[i] / b->problem->density;
    }
    double spacing = cbrt(volume / (double)target_count);
    for (int attempt = 0; attempt < SPACING_ATTEMPTS; ++attempt) {
        sn_arena_finish(&b->scratch);
        if (!init_lattice(b, spacing)) {
            spacing *= 2;
            continue;
        }
        const sn_result result = number_nodes(b, node_count);
        const double count_ratio = (double)*node_count / (double)target_count;
        if (result != SN_OK || (count_ratio < 1.2 && count_ratio > 0.6)) {
            return result;
        }
        spacing *= cbrt(count_ratio);
    }
    return SN_OK;
}

/* Connected parts of a node's support. list_index (size): index in the list, -1 elsewhere; parents: space for the list.
 */
static void connect_support(const builder *b, const int32_t *list, int32_t count, int32_t *list_index, int32_t *parents)
{
    const size_t axes = (size_t)b->problem->axis_count;
    for (int32_t i = 0; i < count; ++i) {
        list_index[list[i] / SN_CORNERS] = i;
        parents[i] = i;
    }
    for (int32_t i = 0; i < count; ++i) {
        const size_t v = (size_t)(list[i] / SN_CORNERS);
        for (size_t k = b->k->starts[axes * v]; (size_t)b->k->columns[k] < axes * v; ++k) {
            const int32_t other = list_index[(size_t)b->k->columns[k] / axes];
            if (other >= 0) {
                sn_sets_merge(parents, i, other);
            }
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        list_index[list[i] / SN_CORNERS] = -1;
    }
}

/* Makes a node of the space from each part with enough weight. */
static sn_result split_nodes(builder *b, size_t node_count)
{
    sn_coarse_space *space = b->space;
    sn_node_support support;
    int32_t *list_index = SN_NEW(&b->scratch, int32_t, space->size);
    sn_result result = list_index ? sn_node_support_list(space, node_count, &b->scratch, &support) : SN_ERROR_MEMORY;
    size_t max_support = 0;
    for (size_t node = 0; node < node_count && result == SN_OK; ++node) {
        const size_t count = support.starts[node + 1] - support.starts[node];
        max_support = count > max_support ? count : max_support;
    }
    int32_t *parents = SN_NEW(&b->scratch, int32_t, max_support), *numbers = SN_NEW(&b->scratch, int32_t, max_support);
    double *node_weights = SN_NEW(&b->scratch, double, max_support);
    if (result != SN_OK || !parents || !numbers || !node_weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < space->size; ++i) {
        list_index[i] = -1;
    }
    for (size_t node = 0; node < node_count; ++node) {
        const int32_t *list = support.vertices + support.starts[node];
        const int32_t count = (int32_t)(support.starts[node + 1] - support.starts[node]);
        connect_support(b, list, count, list_index, parents);
        memset(node_weights, 0, (size_t)count * sizeof *node_weights);
        for (int32_t i = 0; i < count; ++i) {
            node_weights[sn_sets_root(parents, i)] += space->weights[list[i]] * space->weights[list[i]];
        }
        for (int32_t i = 0; i < count; ++i) {
            const bool is_part = parents[i] == i && node_weights[i] > MIN_NODE_WEIGHT;
            numbers[i] = is_part ? (int32_t)space->coarse_size++ : -1;
        }
        for (int32_t i = 0; i < count; ++i) {
            space->nodes[list[i]] = numbers[sn_sets_root(parents, i)];
        }
    }
    return SN_OK;
}

/* For a vertex that lost all of its nodes: uses a node of a neighbour. */
static void copy_neighbour_node(const builder *b, size_t v)
{
    sn_coarse_space *space = b->space;
    const size_t axes = (size_t)b->problem->axis_count;
    for (size_t k = b->k->starts[axes * v]; k < b->k->starts[axes * v + 1]; ++k) {
        const size_t other = SN_CORNERS * ((size_t)b->k->columns[k] / axes);
        for (size_t c = other; c < other + SN_CORNERS; ++c) {
            if (space->nodes[c] >= 0 && space->weights[c] > 0) {
                space->nodes[SN_CORNERS * v] = space->nodes[c];
                space->weights[SN_CORNERS * v] = 1;
                return;
            }
        }
    }
}

/* Normalises the weights of each vertex's remaining nodes to a sum of 1, so that the space contains smooth functions.
 */
static void normalise_weights(const builder *b)
{
    sn_coarse_space *space = b->space;
    for (size_t v = 0; v < space->size; ++v) {
        double sum = 0;
        for (size_t c = SN_CORNERS * v; c < SN_CORNERS * (v + 1); ++c) {
            sum += space->nodes[c] >= 0 ? space->weights[c] : 0;
        }
        for (size_t c = SN_CORNERS * v; c < SN_CORNERS * (v + 1) && sum > 0; ++c) {
            space->weights[c] /= sum;
        }
        if (!(sum > 0)) {
            copy_neighbour_node(b, v);
        }
    }
}

/* p = M^1/2 weight Mc^-1/2, with the lattice's lumped mass Mc; removed nodes get weight 0. */
static sn_result scale_weights(builder *b)
{
    sn_coarse_space *space = b->space;
    double *lumped = SN_NEW(&b->scratch, double, space->coarse_size);
    if (!lumped) {
        return SN_ERROR_MEMORY;
    }
    const double *mass = b->problem->unknowns.mass;
    for (size_t i = 0; i < SN_CORNERS * space->size; ++i) {
        if (space->nodes[i] >= 0) {
            lumped[space->nodes[i]] += mass[i / SN_CORNERS] * space->weights[i];
        }
    }
    for (size_t i = 0; i < SN_CORNERS * space->size; ++i) {
        const bool is_retained = space->nodes[i] >= 0;
        const double scale = is_retained ? sqrt(mass[i / SN_CORNERS] / lumped[space->nodes[i]]) : 0;
        space->weights[i] *= scale;
        space->nodes[i] = is_retained ? space->nodes[i] : 0;
    }
    return SN_OK;
}

/* Repeats each function of vertices on every axis. */
static sn_result repeat_on_axes(size_t axes, const sn_coarse_space *of_vertices, sn_arena *arena,
                                sn_coarse_space *space)
{
    const size_t size = axes * of_vertices->size;
    *space = (sn_coarse_space){.size = size,
                               .coarse_size = axes * of_vertices->coarse_size,
                               .axis_count = axes,
                               .nodes = SN_NEW(arena, int32_t, SN_CORNERS * size),
                               .weights = SN_NEW(arena, double, SN_CORNERS *size)};
    if (!space->nodes || !space->weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < SN_CORNERS * size; ++i) {
        const size_t axis = i / SN_CORNERS % axes, from = i / (SN_CORNERS * axes) * SN_CORNERS + i % SN_CORNERS;
        space->nodes[i] = (int32_t)(axes * (size_t)of_vertices->nodes[from] + axis);
        space->weights[i] = of_vertices->weights[from];
    }
    return SN_OK;
}

static sn_result build_of_vertices(const sn_mode_problem *problem, const double *positions, const sn_matrix_rows *k,
                                   size_t target_count, sn_arena *arena, sn_coarse_space *space)
{
    const size_t size = problem->unknowns.count;
    *space = (sn_coarse_space){.size = size,
                               .axis_count = 1,
                               .nodes = SN_NEW(arena, int32_t, SN_CORNERS * size),
                               .weights = SN_NEW(arena, double, SN_CORNERS *size)};
    builder b = {.problem = problem, .positions = positions, .k = k, .space = space};
    size_t node_count = 0;
    sn_result result = space->nodes && space->weights ? SN_OK : SN_ERROR_MEMORY;
    result = result == SN_OK ? choose_lattice(&b, target_count, &node_count) : result;
    result = result == SN_OK && node_count > 0 ? split_nodes(&b, node_count) : result;
    if (result == SN_OK && space->coarse_size > 0) {
        normalise_weights(&b);
        result = scale_weights(&b);
    }
    sn_arena_finish(&b.scratch);
    return result;
}

sn_result sn_coarse_space_build(const sn_mode_problem *problem, const double *positions, const sn_matrix_rows *k,
                                size_t target_count, sn_arena *arena, sn_coarse_space *space)
{
    const size_t axes = (size_t)problem->axis_count;
    sn_arena scratch = {0};
    sn_coarse_space of_vertices;
    if (axes == 1) {
        return build_of_vertices(problem, positions, k, target_count, arena, space);
    }
    *space = (sn_coarse_space){.size = axes * problem->unknowns.count};
    sn_result result = build_of_vertices(problem, positions, k, target_count, &scratch, &of_vertices);
    if (result == SN_OK && of_vertices.coarse_size > 0) {
        result = repeat_on_axes(axes, &of_vertices, arena, space);
    }
    sn_arena_finish(&scratch);
    return result;
}
