/* SPDX-License-Identifier: MIT */
/* Segments faces into parts by random walks (Lai, Hu, Martin and Rosin 2008, "Fast mesh segmentation using random
 * walks"). A face belongs to the seed that a random walker from the face most likely reaches first. The probability of
 * crossing an edge is proportional to |edge| e^{-d}, d = eta |N_a - N_b|^2 / 2 divided by its mean, with eta = 1 across
 * concave and 0.2 across convex edges. The paper solves with I - P, whose rows are normalized; without normalization
 * the matrix is symmetric: a graph Laplacian with fixed seeds, one right-hand side per seed, factored once. Then parts
 * are merged in the order of boundaries that are weakly creased and long relative to the smaller part's area. The
 * remaining parts are limbs, which have short boundaries, and regions bounded by creases. */
#include <math.h>
#include <string.h>

#include "author/fourier/topology.h"
#include "author/sparse/sparse.h"
#include "host/math/vec3.h"

#define CONVEX 0.2
#define MIN_WEIGHT 1e-9    /* fraction of the mean edge; connects seeds to every face of their component */
#define SMOOTH_CREASE 0.5  /* crease of a smooth boundary; the mean of all edges is 1 */
#define MAX_CREASE 2.0     /* max. crease, because folds and fins have long boundaries */
#define MIN_MERGE_COST 0.6 /* pairs with a smaller merge cost are merged */
#define OUTLINE_COST 0.25  /* max. additional cost of a neighbour that shares only a small fraction of the outline */
#define MAX_PARTS 16
#define MIN_FACES 24 /* a part with fewer faces is merged with a neighbour */

typedef struct segmenter {
    const sn_fit_topology *topology;
    double *differences; /* (edge_count) d */
    int32_t *unknowns;   /* (triangle_count) index of the unknown, or -1 for seeds */
    int32_t *labels;     /* (triangle_count) */
    sn_arena arena;
} segmenter;

/* Computes d of the first two faces at an edge. */
static double find_difference(const sn_fit_topology *t, int edge)
{
    const int first = t->face_starts[edge];
    if (t->face_starts[edge + 1] - first < 2) {
        return 0;
    }
    const double *na = t->normals + 3 * t->faces[first], *nb = t->normals + 3 * t->faces[first + 1];
    double across[3];
    sn_subtract3(t->centers + 3 * t->faces[first + 1], t->centers + 3 * t->faces[first], across);
    const double distance = sn_distance3(na, nb);
    return (sn_dot3(across, na) > 0 ? 1 : CONVEX) * distance * distance / 2;
}

static void find_differences(segmenter *s)
{
    const sn_fit_topology *t = s->topology;
    double sum = 0;
    for (int e = 0; e < t->edge_count; ++e) {
        s->differences[e] = find_difference(t, e);
        sum += s->differences[e];
    }
    for (int e = 0; e < t->edge_count && sum > 0; ++e) {
        s->differences[e] *= t->edge_count / sum;
    }
}

static double edge_weight(const segmenter *s, int edge)
{
    const double length = sn_fit_edge_length(s->topology, edge);
    return fmax(length * exp(-s->differences[edge]), MIN_WEIGHT * s->topology->mean_edge);
}

/* A neighbour of a face across one of its edges. */
typedef struct neighbour {
    int32_t face;
    double weight;
} neighbour;

#define MAX_NEIGHBOURS 64 /* further ones, at edges with many faces, are ignored */

static int find_neighbours(const segmenter *s, int face, neighbour *to)
{
    const sn_fit_topology *t = s->topology;
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        const int edge = t->face_edges[3 * face + k], first = t->face_starts[edge];
        const int end = t->face_starts[edge + 1];
        for (int i = first; i < end && count < MAX_NEIGHBOURS && end - first <= MAX_NEIGHBOURS / 3; ++i) {
            if (t->faces[i] != face) {
                to[count++] = (neighbour){t->faces[i], edge_weight(s, edge)};
            }
        }
    }
    return count;
}

/* Builds the lower triangle of the Laplacian over the unknowns, with ascending and merged rows. */
static sn_result assemble(segmenter *s, int unknown_count, sn_sparse *matrix)
{
    const int face_count = s->topology->mesh->triangle_count;
    size_t capacity = (size_t)unknown_count;
    for (int f = 0; f < face_count; ++f) {
        neighbour neighbours[MAX_NEIGHBOURS];
        capacity += s->unknowns[f] >= 0 ? (size_t)find_neighbours(s, f, neighbours) : 0;
    }
    *matrix = (sn_sparse){.size = unknown_count,
                          .column_starts = SN_NEW(&s->arena, int32_t, unknown_count + 1),
                          .rows = SN_NEW(&s->arena, int32_t, capacity),
                          .values = SN_NEW(&s->arena, double, capacity)};
    if (!matrix->column_starts || !matrix->rows || !matrix->values) {
        return SN_ERROR_MEMORY;
    }
    int32_t at = 0;
    for (int f = 0; f < face_count; ++f) {
        const int32_t column = s->unknowns[f];
        neighbour neighbours[MAX_NEIGHBOURS];
        if (column < 0) {
            continue;
        }
        const int count = find_neighbours(s, f, neighbours);
        const int32_t diagonal = at++;
        matrix->column_starts[column] = diagonal;
        matrix->rows[diagonal] = column;
        matrix->values[diagonal] = MIN_WEIGHT * MIN_WEIGHT * s->topology->mean_edge;
        for (int k = 0; k < count; ++k) {
            const int32_t row = s->unknowns[neighbours[k].face];
            matrix->values[diagonal] += neighbours[k].weight;
            int32_t slot = at;
            while (row > column && slot > diagonal + 1 && matrix->rows[slot - 1] > row) {
                --slot;
            }
            if (row > column && matrix->rows[slot - 1] == row) {
                matrix->values[slot - 1] -= neighbours[k].weight;
            } else if (row > column) {
                memmove(matrix->rows + slot + 1, matrix->rows + slot, (size_t)(at - slot) * sizeof(int32_t));
                memmove(matrix->values + slot + 1, matrix->values + slot, (size_t)(at - slot) * sizeof(double));
                matrix->rows[slot] = row;
                matrix->values[slot] = -neighbours[k].weight;
                ++at;
            }
        }
    }
    matrix->column_starts[unknown_count] = at;
    return SN_OK;
}

/* Computes x (unknown_count): the probability that each face's walker reaches this seed first. */
static sn_result walk_to(segmenter *s, int32_t seed, sn_factor *factor, int unknown_count, double *x)
{
    neighbour neighbours[MAX_NEIGHBOURS];
    memset(x, 0, (size_t)unknown_count * sizeof *x);
    const int count = find_neighbours(s, seed, neighbours);
    for (int k = 0; k < count; ++k) {
        if (s->unknowns[neighbours[k].face] >= 0) {
            x[s->unknowns[neighbours[k].face]] += neighbours[k].weight;
        }
    }
    return sn_factor_solve(factor, 1, x);
}

/* Numbers the unknowns. Components with a single seed need no walks. */
static int number_unknowns(segmenter *s, const int32_t *seeds, int seed_count, const int32_t *components)
{
    const int face_count = s->topology->mesh->triangle_count;
    int count = 0;
    int32_t *owners = SN_NEW(&s->arena, int32_t, face_count + 1),
            *seed_counts = SN_NEW(&s->arena, int32_t, face_count + 1);
    if (!owners || !seed_counts) {
        return -1;
    }
    for (int k = 0; k < seed_count; ++k) {
        ++seed_counts[components[seeds[k]]];
        owners[components[seeds[k]]] = k;
    }
    for (int f = 0; f < face_count; ++f) {
        s->labels[f] = seed_counts[components[f]] == 1 ? owners[components[f]] : -1;
    }
    for (int k = 0; k < seed_count; ++k) {
        s->labels[seeds[k]] = k;
    }
    for (int f = 0; f < face_count; ++f) {
        s->unknowns[f] = s->labels[f] < 0 ? count++ : -1;
    }
    return count;
}

static sn_result walk(segmenter *s, const int32_t *seeds, int seed_count, const int32_t *components)
{
    const int face_count = s->topology->mesh->triangle_count;
    const int unknown_count = number_unknowns(s, seeds, seed_count, components);
    sn_sparse matrix;
    sn_factor *factor = NULL;
    double *x = SN_NEW(&s->arena, double, unknown_count < 0 ? 0 : unknown_count);
    double *best = SN_NEW(&s->arena, double, unknown_count < 0 ? 0 : unknown_count);
    sn_result result = unknown_count < 0 || !x || !best ? SN_ERROR_MEMORY : SN_OK;
    if (result != SN_OK || unknown_count == 0) {
        return result;
    }
    result = assemble(s, unknown_count, &matrix);
    if (result == SN_OK) {
        result = sn_factor_create(&matrix, "walks over the faces", &factor);
    }
    for (int k = 0; k < seed_count && result == SN_OK; ++k) {
        result = walk_to(s, seeds[k], factor, unknown_count, x);
        for (int f = 0; f < face_count && result == SN_OK; ++f) {
            const int32_t u = s->unknowns[f];
            if (u >= 0 && (x[u] > best[u] || s->labels[f] < 0) && components[f] == components[seeds[k]]) {
                best[u] = x[u];
                s->labels[f] = k;
            }
        }
    }
    sn_factor_destroy(&factor);
    return result;
}

/* Boundaries between parts, with their length and crease. */
typedef struct boundaries {
    int count;
    double *lengths, *creases;    /* (count x count) */
    double *areas, *outlines;     /* (count) */
    int32_t *faces, *merged_into; /* (count) number of faces of each part, and the part that it was merged into */
} boundaries;

static int32_t part_of(const boundaries *b, int32_t label)
{
    while (b->merged_into[label] != label) {
        label = b->merged_into[label];
    }
    return label;
}

static void measure_boundaries(const segmenter *s, boundaries *b)
{
    const sn_fit_topology *t = s->topology;
    for (int f = 0; f < t->mesh->triangle_count; ++f) {
        ++b->faces[s->labels[f]];
        b->areas[s->labels[f]] += t->areas[f];
    }
    for (int e = 0; e < t->edge_count; ++e) {
        const int first = t->face_starts[e];
        if (t->face_starts[e + 1] - first == 1) {
            b->outlines[s->labels[t->faces[first]]] += sn_fit_edge_length(t, e);
        }
        for (int i = first + 1; i < t->face_starts[e + 1]; ++i) {
            const int32_t p = s->labels[t->faces[first]], q = s->labels[t->faces[i]];
            const double length = sn_fit_edge_length(t, e);
            for (int k = 0; k < 2 && p != q; ++k) {
                const size_t at = (size_t)(k ? q : p) * (size_t)b->count + (size_t)(k ? p : q);
                b->lengths[at] += length;
                b->outlines[k ? q : p] += length;
                b->creases[at] += length * s->differences[e];
            }
        }
    }
}

/* Merges q into p. */
static void merge(boundaries *b, int32_t p, int32_t q)
{
    const size_t n = (size_t)b->count;
    b->merged_into[q] = p;
    b->faces[p] += b->faces[q];
    b->areas[p] += b->areas[q];
    b->outlines[p] += b->outlines[q] - 2 * b->lengths[(size_t)p * n + (size_t)q];
    for (size_t k = 0; k < n; ++k) {
        double *const matrices[2] = {b->lengths, b->creases};
        for (int i = 0; i < 2; ++i) {
            matrices[i][(size_t)p * n + k] += matrices[i][(size_t)q * n + k];
            matrices[i][k * n + (size_t)p] = matrices[i][(size_t)p * n + k];
            matrices[i][(size_t)q * n + k] = matrices[i][k * n + (size_t)q] = 0;
        }
    }
    b->lengths[(size_t)p * n + (size_t)p] = b->creases[(size_t)p * n + (size_t)p] = 0;
}

/* Returns the cost of merging two adjacent parts; negative if one of them is small. */
static double merge_cost(const boundaries *b, int32_t i, int32_t j)
{
    const int32_t small = b->areas[i] < b->areas[j] ? i : j;
    const size_t at = (size_t)i * (size_t)b->count + (size_t)j;
    const double crease = SMOOTH_CREASE + fmin(b->creases[at] / b->lengths[at], MAX_CREASE),
                 outline = fmax(b->outlines[small], b->lengths[at]);
    const double outline_factor = 1 + OUTLINE_COST * (1 - b->lengths[at] / outline);
    const double cost = crease * outline_factor * sqrt(b->areas[small]) / outline;
    return b->faces[i] < MIN_FACES || b->faces[j] < MIN_FACES ? cost - 1e6 : cost;
}

/* Finds the pair with the smallest merge cost. Returns the cost, or INFINITY if there is no pair. */
static double find_pair(const boundaries *b, int32_t *p, int32_t *q)
{
    double min_cost = INFINITY;
    for (int32_t i = 0; i < b->count; ++i) {
        for (int32_t j = 0; j < i; ++j) {
            const bool is_pair = b->merged_into[i] == i && b->merged_into[j] == j &&
                                 b->lengths[(size_t)i * (size_t)b->count + (size_t)j] > 0;
            const double cost = is_pair ? merge_cost(b, i, j) : INFINITY;
            if (cost < min_cost) {
                min_cost = cost;
                *p = j;
                *q = i;
            }
        }
    }
    return min_cost;
}

static sn_result merge_parts(segmenter *s, int seed_count, int part_count)
{
    const size_t n = (size_t)seed_count;
    boundaries b = {.count = seed_count,
                    .lengths = sn_arena_alloc(&s->arena, n, n * sizeof(double)),
                    .creases = sn_arena_alloc(&s->arena, n, n * sizeof(double)),
                    .areas = SN_NEW(&s->arena, double, n),
                    .outlines = SN_NEW(&s->arena, double, n),
                    .faces = SN_NEW(&s->arena, int32_t, n),
                    .merged_into = SN_NEW(&s->arena, int32_t, n)};
    if (!b.lengths || !b.creases || !b.areas || !b.outlines || !b.faces || !b.merged_into) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < seed_count; ++k) {
        b.merged_into[k] = k;
    }
    measure_boundaries(s, &b);
    int remaining_count = seed_count;
    int32_t p = 0, q = 0;
    for (double min_cost = find_pair(&b, &p, &q); isfinite(min_cost); min_cost = find_pair(&b, &p, &q)) {
        const bool is_target_met =
            part_count > 0 ? remaining_count <= part_count : remaining_count <= MAX_PARTS && min_cost >= MIN_MERGE_COST;
        if (is_target_met && min_cost >= 0) {
            break;
        }
        merge(&b, p, q);
        --remaining_count;
    }
    for (int f = 0; f < s->topology->mesh->triangle_count; ++f) {
        s->labels[f] = part_of(&b, s->labels[f]);
    }
    return SN_OK;
}

static int renumber(segmenter *s, int seed_count, int32_t *parts)
{
    int32_t *numbers = s->unknowns; /* reused; there are more faces than seeds */
    int number_count = 0;
    for (int k = 0; k < seed_count; ++k) {
        numbers[k] = -1;
    }
    for (int f = 0; f < s->topology->mesh->triangle_count; ++f) {
        int32_t *number = &numbers[s->labels[f]];
        *number = *number < 0 ? number_count++ : *number;
        parts[f] = *number;
    }
    return number_count;
}

sn_result sn_fit_segment(const sn_fit_topology *t, int part_count, int32_t *parts, int *number_count)
{
    const int face_count = t->mesh->triangle_count;
    segmenter s = {.topology = t};
    int32_t *seeds = NULL, *components = SN_NEW(&s.arena, int32_t, face_count);
    int seed_count = 0;
    s.differences = SN_NEW(&s.arena, double, t->edge_count);
    s.unknowns = SN_NEW(&s.arena, int32_t, face_count);
    s.labels = SN_NEW(&s.arena, int32_t, face_count);
    sn_result result = s.differences && s.unknowns && s.labels && components ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_fit_find_seeds(t, &s.arena, &seeds, &seed_count, components);
    }
    if (result == SN_OK) {
        find_differences(&s);
        result = walk(&s, seeds, seed_count, components);
    }
    if (result == SN_OK) {
        result = merge_parts(&s, seed_count, part_count);
    }
    if (result == SN_OK) {
        *number_count = renumber(&s, seed_count, parts);
    }
    sn_arena_finish(&s.arena);
    return result;
}
