/* SPDX-License-Identifier: MIT */
/* Builds a rig from its description: checks it, stores its weights in blocks, and computes the Gram matrix of its
 * functions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/coupled/solver.h"

#define MIN_WEIGHT 1e-6
#define SUM_TOLERANCE 1e-3
#define MIN_MASS_FRACTION 1e-9 /* of the mass: a handle that affects less has no effect */

/* ---- handles ---- */

static sn_result check_handles(const sn_coupled_rig_desc *desc)
{
    for (int k = 0; k < desc->handle_count; ++k) {
        const sn_coupled_handle *h = &desc->handles[k];
        if ((unsigned)h->type > SN_HANDLE_TRANSLATION) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "coupled rig: handle %d: unknown type %d", k, (int)h->type);
        }
        if (h->parent == k) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "coupled rig: handle %d: it is its own parent", k);
        }
        if (h->parent < -1 || h->parent >= desc->handle_count) {
            return sn_fail_within(SN_ERROR_ARGUMENT,
                                  "coupled rig: handle %d: parent %d does not exist; there are %d handles", k,
                                  h->parent, desc->handle_count);
        }
        if (!(fabs(h->pivot[0]) + fabs(h->pivot[1]) + fabs(h->pivot[2]) < 1e18)) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "coupled rig: handle %d: its pivot is not finite or exceeds 1e18",
                                  k);
        }
    }
    return SN_OK;
}

/* Sorts parents before children, in passes over all handles. */
static sn_result order_handles(sn_coupled_rig *rig)
{
    int ordered = 0, before = -1;
    for (int k = 0; k < rig->handle_count; ++k) {
        rig->roots[k] = -1;
    }
    while (ordered < rig->handle_count && ordered > before) {
        before = ordered;
        for (int k = 0; k < rig->handle_count; ++k) {
            const int32_t parent = rig->handles[k].parent;
            if (rig->roots[k] < 0 && (parent < 0 || rig->roots[parent] >= 0)) {
                rig->roots[k] = parent < 0 ? rig->root_count++ : rig->roots[parent];
                rig->order[ordered++] = k;
            }
        }
    }
    for (int k = 0; k < rig->handle_count; ++k) {
        if (rig->roots[k] < 0) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "coupled rig: handle %d: its parents form a cycle", k);
        }
    }
    return SN_OK;
}

static void number_functions(sn_coupled_rig *rig)
{
    rig->basis_count = rig->root_count;
    for (int k = 0; k < rig->handle_count; ++k) {
        rig->rotation_column[k] = -1;
        if (rig->handles[k].type != SN_HANDLE_TRANSLATION) {
            rig->rotation_column[k] = rig->basis_count;
            rig->basis_count += rig->dimension;
            ++rig->rotating_count;
        }
    }
}

static sn_result copy_handles(sn_coupled_rig *rig, const sn_coupled_rig_desc *desc)
{
    rig->handles = SN_NEW(&rig->arena, sn_coupled_handle, rig->handle_count);
    rig->order = SN_NEW(&rig->arena, int32_t, rig->handle_count);
    rig->roots = SN_NEW(&rig->arena, int32_t, rig->handle_count);
    rig->rotation_column = SN_NEW(&rig->arena, int32_t, rig->handle_count);
    if (!rig->handles || !rig->order || !rig->roots || !rig->rotation_column) {
        return SN_ERROR_MEMORY;
    }
    for (int k = 0; k < rig->handle_count; ++k) {
        rig->handles[k] = desc->handles[k];
        rig->handles[k].name = NULL; /* owned by the caller */
        for (int d = 0; d < 3; ++d) {
            rig->handles[k].pivot[d] = d < rig->dimension ? desc->handles[k].pivot[d] - rig->model->centre[d] : 0;
        }
    }
    const sn_result result = order_handles(rig);
    number_functions(rig);
    return result;
}

/* ---- weights ---- */

/* A vertex's weights without the small ones, scaled to sum 1. */
static sn_result normalize_weights(const sn_coupled_rig_desc *desc, int vertex, float *weights)
{
    const double *input = desc->weights + (size_t)vertex * (size_t)desc->handle_count;
    double sum = 0, retained = 0;
    for (int k = 0; k < desc->handle_count; ++k) {
        sum += input[k];
        retained += fabs(input[k]) >= MIN_WEIGHT ? input[k] : 0;
    }
    if (!(fabs(sum - 1) <= SUM_TOLERANCE)) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "coupled rig: vertex %d: its weights sum to %g", vertex, sum);
    }
    for (int k = 0; k < desc->handle_count; ++k) {
        if (!(fabs(input[k]) < 1e6)) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "coupled rig: vertex %d: handle %d: weight %g is out of range",
                                  vertex, k, input[k]);
        }
        weights[k] = fabs(input[k]) >= MIN_WEIGHT ? (float)(input[k] / retained) : 0;
    }
    return SN_OK;
}

/* Sorts the weights by row: (row_count x handle_count). */
static sn_result sort_weights(const sn_coupled_rig *rig, const sn_coupled_rig_desc *desc, float *weights)
{
    for (int vertex = 0; vertex < rig->model->vertex_count; ++vertex) {
        const size_t row = (size_t)rig->model->rows[vertex];
        SN_TRY(normalize_weights(desc, vertex, weights + row * (size_t)rig->handle_count));
    }
    return SN_OK;
}

static bool affects_block(const float *weights, int handle_count, int block, int handle)
{
    for (int i = 0; i < SN_BATCH; ++i) {
        if (weights[(size_t)(SN_BATCH * block + i) * (size_t)handle_count + (size_t)handle] != 0) {
            return true;
        }
    }
    return false;
}

static void count_slots(sn_coupled_blocks *b, const float *weights)
{
    for (int block = 0; block < b->block_count; ++block) {
        b->starts[block + 1] = b->starts[block];
        for (int k = 0; k < b->handle_count; ++k) {
            const bool has_weight = affects_block(weights, b->handle_count, block, k);
            b->starts[block + 1] += has_weight;
            b->handle_starts[k + 1] += has_weight;
        }
    }
    for (int k = 0; k < b->handle_count; ++k) {
        b->handle_starts[k + 1] += b->handle_starts[k];
    }
    b->slot_count = b->starts[b->block_count];
}

static void fill_slots(sn_coupled_blocks *b, const float *weights)
{
    int slot = 0;
    for (int block = 0; block < b->block_count; ++block) {
        for (int k = 0; k < b->handle_count; ++k) {
            if (affects_block(weights, b->handle_count, block, k)) {
                for (int i = 0; i < SN_BATCH; ++i) {
                    b->weights[SN_BATCH * (size_t)slot + (size_t)i] =
                        weights[(size_t)(SN_BATCH * block + i) * (size_t)b->handle_count + (size_t)k];
                }
                b->handles[slot++] = k;
            }
        }
    }
    for (int k = 0, at = 0; k < b->handle_count; ++k) {
        for (int block = 0; block < b->block_count; ++block) {
            for (int s = b->starts[block]; s < b->starts[block + 1]; ++s) {
                if (b->handles[s] == k) {
                    b->slots[at] = s;
                    b->slot_blocks[at++] = block;
                }
            }
        }
    }
}

static sn_result block_weights(sn_coupled_rig *rig, const float *weights)
{
    sn_coupled_blocks *b = &rig->blocks;
    *b = (sn_coupled_blocks){.dimension = rig->dimension,
                             .handle_count = rig->handle_count,
                             .block_count = rig->model->row_count / SN_BATCH};
    b->positions = SN_NEW(&rig->arena, float, 4 * (size_t)rig->model->row_count);
    b->starts = SN_NEW(&rig->arena, int32_t, b->block_count + 1);
    b->handle_starts = SN_NEW(&rig->arena, int32_t, b->handle_count + 1);
    if (!b->positions || !b->starts || !b->handle_starts) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 4 * (size_t)rig->model->row_count; ++i) {
        const size_t row = i / 4;
        b->positions[4 * SN_BATCH * (row / SN_BATCH) + SN_BATCH * (i % 4) + row % SN_BATCH] = rig->model->rest[i];
    }
    count_slots(b, weights);
    b->weights = SN_NEW(&rig->arena, float, SN_BATCH *(size_t)b->slot_count);
    b->handles = SN_NEW(&rig->arena, int32_t, b->slot_count);
    b->slots = SN_NEW(&rig->arena, int32_t, b->slot_count);
    b->slot_blocks = SN_NEW(&rig->arena, int32_t, b->slot_count);
    if (!b->weights || !b->handles || !b->slots || !b->slot_blocks) {
        return SN_ERROR_MEMORY;
    }
    fill_slots(b, weights);
    return SN_OK;
}

/* ---- functions ---- */

/* With U a handle's sum of w and V that of w x: along the tree, U of a child's tree is added to the parent, V loses U
 * pivot and the parent's gains it: V = sum w (x - pivot) + sum over children U_j (pivot_j - pivot). */
void sn_coupled_to_basis(const sn_coupled_rig *rig, double *handle_sums, int component_count, double *sums)
{
    const size_t n = (size_t)component_count, dimension = (size_t)rig->dimension, basis = (size_t)rig->basis_count;
    for (int i = rig->handle_count - 1; i >= 0; --i) {
        const int k = rig->order[i], parent = rig->handles[k].parent, rotation_column = rig->rotation_column[k];
        double *own = handle_sums + (dimension + 1) * n * (size_t)k;
        double *parent_sums = parent >= 0 ? handle_sums + (dimension + 1) * n * (size_t)parent : NULL;
        for (size_t c = 0; c < n; ++c) {
            for (size_t e = 0; e < dimension; ++e) {
                const double pivot_moment = own[c] * rig->handles[k].pivot[e];
                if (rotation_column >= 0) {
                    sums[basis * c + (size_t)rotation_column + e] = (own[n * (e + 1) + c] - pivot_moment) / rig->length;
                }
                if (parent_sums) {
                    parent_sums[n * (e + 1) + c] += pivot_moment;
                }
            }
            if (parent_sums) {
                parent_sums[c] += own[c];
            } else {
                sums[basis * c + (size_t)rig->roots[k]] = own[c];
            }
        }
    }
}

void sn_coupled_basis_functions(const sn_coupled_rig *rig, int row, double *handle_sums, double *functions)
{
    const sn_coupled_blocks *b = &rig->blocks;
    const int block = row / SN_BATCH, lane = row % SN_BATCH, stride = rig->dimension + 1;
    memset(handle_sums, 0, (size_t)(stride * rig->handle_count) * sizeof *handle_sums);
    for (int slot = b->starts[block]; slot < b->starts[block + 1]; ++slot) {
        const double weight = (double)b->weights[SN_BATCH * slot + lane];
        double *own = handle_sums + stride * b->handles[slot];
        own[0] = weight;
        for (int e = 0; e < rig->dimension; ++e) {
            own[e + 1] = weight * (double)rig->model->rest[4 * row + e];
        }
    }
    sn_coupled_to_basis(rig, handle_sums, 1, functions);
}

void sn_coupled_from_basis(const sn_coupled_rig *rig, const double *y, double *changes)
{
    const int dimension = rig->dimension, stride = (dimension + 1) * dimension;
    for (int i = 0; i < rig->handle_count; ++i) {
        const int k = rig->order[i], parent = rig->handles[k].parent, rotation_column = rig->rotation_column[k];
        double *own = changes + stride * k;
        for (int d = 0; d < dimension; ++d) {
            const double *of_axis = y + rig->basis_count * d;
            own[d] = parent < 0 ? of_axis[rig->roots[k]] : changes[stride * parent + d];
            for (int e = 0; e < dimension; ++e) {
                own[dimension * (e + 1) + d] = rotation_column >= 0 ? of_axis[rotation_column + e] / rig->length : 0;
                if (parent >= 0) {
                    own[d] += changes[stride * parent + dimension * (e + 1) + d] *
                              (rig->handles[k].pivot[e] - rig->handles[parent].pivot[e]);
                }
            }
        }
    }
}

/* ---- the Gram matrix ---- */

/* Adds sum m w_k w_l (1, x) (1, x)^T to handle_sums, ((handle_count (dimension + 1))^2); is_single: sum m w_k of each
 * handle alone. */
static void add_block(const sn_coupled_rig *rig, int block, bool is_single, double *handle_sums)
{
    const sn_coupled_blocks *b = &rig->blocks;
    const int stride = rig->dimension + 1, width = stride * rig->handle_count;
    for (int s = b->starts[block]; s < b->starts[block + 1]; ++s) {
        for (int t = is_single ? s : b->starts[block]; t < (is_single ? s + 1 : b->starts[block + 1]); ++t) {
            double *to = handle_sums + (size_t)width * (size_t)(stride * b->handles[s]) + stride * b->handles[t];
            for (int lane = 0; lane < SN_BATCH; ++lane) {
                const float *rest = rig->model->rest + 4 * (SN_BATCH * block + lane);
                const double x[4] = {1, (double)rest[0], (double)rest[1], (double)rest[2]};
                const double other = is_single ? 1 : (double)b->weights[SN_BATCH * t + lane];
                const double m = (double)rest[3] * (double)b->weights[SN_BATCH * s + lane] * other;
                for (int i = 0; i < stride && m != 0; ++i) {
                    for (int j = 0; j < stride; ++j) {
                        to[width * i + j] += m * x[i] * x[j];
                    }
                }
            }
        }
    }
}

/* Whether a handle has no children. Skeletons have joints without flesh of their own whose children have some. */
static bool is_leaf(const sn_coupled_rig *rig, int handle)
{
    bool is_parent = false;
    for (int k = 0; k < rig->handle_count && !is_parent; ++k) {
        is_parent = rig->handles[k].parent == handle;
    }
    return !is_parent;
}

static sn_result build_gram(sn_coupled_rig *rig, bool is_single, double **gram)
{
    const int width = (rig->dimension + 1) * rig->handle_count;
    sn_arena scratch = {0};
    double *handle_sums = SN_NEW(&scratch, double, (size_t)width *(size_t)width);
    double *half = SN_NEW(&scratch, double, (size_t)width *(size_t)rig->basis_count);
    *gram = SN_NEW(&rig->arena, double, (size_t)rig->basis_count *(size_t)rig->basis_count);
    const sn_result result = handle_sums && half && *gram ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        for (int block = 0; block < rig->blocks.block_count; ++block) {
            add_block(rig, block, is_single, handle_sums);
        }
        sn_coupled_to_basis(rig, handle_sums, width, half);
        sn_coupled_to_basis(rig, half, rig->basis_count, *gram);
    }
    sn_arena_finish(&scratch);
    return result;
}

/* Logs one warning for all handles that affect no vertex. */
static void warn_of_ineffective(const sn_coupled_rig *rig, const sn_coupled_rig_desc *desc)
{
    int first = -1, count = 0;
    char others[32] = "", number[16];
    for (int k = 0; k < rig->handle_count; ++k) {
        const sn_coupled_blocks *b = &rig->blocks;
        double affected_mass = 0;
        for (int at = b->handle_starts[k]; at < b->handle_starts[k + 1]; ++at) {
            for (int lane = 0; lane < SN_BATCH; ++lane) {
                affected_mass += fabs((double)b->weights[SN_BATCH * b->slots[at] + lane]) *
                                 (double)rig->model->rest[4 * (SN_BATCH * b->slot_blocks[at] + lane) + 3];
            }
        }
        if (!(affected_mass > MIN_MASS_FRACTION * rig->mass) && is_leaf(rig, k)) {
            first = first < 0 ? k : first;
            ++count;
        }
    }
    if (count == 0) {
        return;
    }
    if (count > 1) {
        snprintf(others, sizeof others, " (and %d more)", count - 1);
    }
    snprintf(number, sizeof number, "%d", first);
    sn_log(SN_LOG_WARNING, "coupled rig: handle %s: affects no vertex%s",
           desc->handles[first].name ? desc->handles[first].name : number, others);
}

/* ---- the rig ---- */

static sn_result build(sn_coupled_rig *rig, const sn_coupled_rig_desc *desc)
{
    const size_t count = (size_t)rig->model->row_count * (size_t)rig->handle_count;
    sn_result result = copy_handles(rig, desc);
    float *weights = result == SN_OK ? sn_alloc(count, sizeof *weights) : NULL;
    if (result == SN_OK) {
        result = weights ? sort_weights(rig, desc, weights) : SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        result = block_weights(rig, weights);
    }
    sn_free(weights, count, sizeof *weights);
    if (result == SN_OK) {
        result = build_gram(rig, false, &rig->gram);
    }
    if (result == SN_OK) {
        result = build_gram(rig, true, &rig->single_gram);
    }
    return result;
}

sn_result sn_coupled_rig_create(const sn_coupled_rig_desc *desc, sn_coupled_rig **rig)
{
    *rig = NULL;
    if (desc->handle_count < 1 || desc->handle_count > 4096) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "coupled rig: handle count %d is not within 1 to 4096",
                              desc->handle_count);
    }
    sn_result result = check_handles(desc);
    if (result != SN_OK) {
        return result;
    }
    sn_coupled_rig *created = sn_alloc(1, sizeof *created);
    if (!created) {
        return SN_ERROR_MEMORY;
    }
    created->model = desc->model;
    created->dimension = desc->model->dimension;
    created->handle_count = desc->handle_count;
    created->length = desc->model->diagonal > 0 ? desc->model->diagonal : 1;
    for (int row = 0; row < created->model->vertex_count; ++row) {
        created->mass += (double)created->model->rest[4 * row + 3];
    }
    result = build(created, desc);
    if (result != SN_OK) {
        sn_coupled_rig_destroy(&created);
        return result;
    }
    warn_of_ineffective(created, desc);
    *rig = created;
    return SN_OK;
}

void sn_coupled_rig_destroy(sn_coupled_rig **rig)
{
    if (*rig) {
        sn_arena_finish(&(*rig)->arena);
        sn_free(*rig, 1, sizeof **rig);
        *rig = NULL;
    }
}

int sn_coupled_rig_handle_count(const sn_coupled_rig *rig)
{
    return rig->handle_count;
}
