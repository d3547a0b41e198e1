/* SPDX-License-Identifier: MIT */
/* Mass and stiffness products of the basis V and the rig's columns Jc = [g_b x, g_b y, g_b z, g_b]. They are
 * accumulated while L V is available (reduced_basis.c), before V is rotated: V^T L Jc = (L V)^T Jc. A vertex has few
 * bones, so a block of rows of Jc has only the columns of the bones that occur in it. */
#include "author/modes/reduced/reduced_parts.h"

#include <string.h>

static bool allocate_bones(sn_arena *arena, size_t bone_count, sn_reduced_bones *block)
{
    block->slots = SN_NEW(arena, int32_t, bone_count);
    block->bones = SN_NEW(arena, int32_t, bone_count);
    block->rows = SN_NEW(arena, double, SN_REDUCED_BLOCK * 4 * bone_count);
    for (size_t b = 0; b < bone_count && block->slots; ++b) {
        block->slots[b] = -1;
    }
    return block->slots && block->bones && block->rows;
}

sn_result sn_reduced_cross_init(const sn_reduced_scratch_pool *work, sn_arena *arena, sn_reduced_cross *c)
{
    const size_t p = work->p, q = work->q;
    *c = (sn_reduced_cross){.mass_rows = SN_NEW(arena, double, SN_REDUCED_BLOCK *p),
                            .block_product = SN_NEW(arena, double, (q > p ? q : p) * p),
                            .mass = SN_NEW(arena, double, q *p),
                            .stiffness = SN_NEW(arena, double, q *p),
                            .mass_bone = SN_NEW(arena, double, p *p),
                            .stiffness_bone = SN_NEW(arena, double, p *p),
                            .mass_of_basis = SN_NEW(arena, double, q)};
    const bool is_ok = c->mass_rows && c->block_product && c->mass && c->stiffness && c->mass_bone &&
                       c->stiffness_bone && c->mass_of_basis && allocate_bones(arena, p / 4, &c->rig) &&
                       allocate_bones(arena, p / 4, &c->image);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

static void add_bones(const sn_reduced_rows *rig, size_t vertex, sn_reduced_bones *block)
{
    for (int32_t at = rig->starts[vertex]; at < rig->starts[vertex + 1]; ++at) {
        const int32_t bone = rig->indices[at];
        if (block->slots[bone] < 0) {
            block->slots[bone] = block->count;
            block->bones[block->count++] = bone;
        }
    }
}

static void clear_bones(sn_reduced_bones *block)
{
    for (int i = 0; i < block->count; ++i) {
        block->slots[block->bones[i]] = -1;
    }
    block->count = 0;
}

/* row += factor Jc[vertex]. */
static inline void add_rig_row(const sn_reduced_scratch_pool *work, size_t vertex, double factor, const int32_t *slots,
                               double *row)
{
    typedef double lanes __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));
    const lanes x = factor * *(const lanes *)(work->places + 4 * vertex);
    for (int32_t at = work->rig.starts[vertex]; at < work->rig.starts[vertex + 1]; ++at) {
        *(lanes *)(row + 4 * (size_t)slots[work->rig.indices[at]]) += work->rig.values[at] * x;
    }
}

static void build_rig_rows(const sn_reduced_scratch_pool *work, size_t first, size_t count, sn_reduced_cross *c)
{
    clear_bones(&c->rig);
    for (size_t v = first; v < first + count; ++v) {
        add_bones(&work->rig, v, &c->rig);
    }
    const size_t width = 4 * (size_t)c->rig.count;
    memset(c->rig.rows, 0, count * width * sizeof(double));
    memset(c->mass_rows, 0, count * width * sizeof(double));
    for (size_t v = first; v < first + count; ++v) {
        add_rig_row(work, v, 1, c->rig.slots, c->rig.rows + (v - first) * width);
        add_rig_row(work, v, work->in->mass[v], c->rig.slots, c->mass_rows + (v - first) * width);
    }
}

/* The part of L Jc from entries of L below the diagonal and half of the diagonal: its product with Jc, plus the
 * transpose, is the complete product. */
static void build_image_rows(const sn_reduced_scratch_pool *work, size_t first, size_t count, sn_reduced_cross *c)
{
    const sn_reduced_rows *l = &work->laplacian;
    clear_bones(&c->image);
    for (size_t v = first; v < first + count; ++v) {
        for (int32_t e = l->starts[v]; (size_t)l->indices[e] < v; ++e) {
            add_bones(&work->rig, (size_t)l->indices[e], &c->image);
        }
        add_bones(&work->rig, v, &c->image);
    }
    const size_t width = 4 * (size_t)c->image.count;
    memset(c->image.rows, 0, count * width * sizeof(double));
    for (size_t v = first; v < first + count; ++v) {
        double *row = c->image.rows + (v - first) * width;
        int32_t e = l->starts[v];
        for (; (size_t)l->indices[e] < v; ++e) {
            add_rig_row(work, (size_t)l->indices[e], l->values[e], c->image.slots, row);
        }
        add_rig_row(work, v, 0.5 * l->values[e], c->image.slots, row);
    }
}

/* sum (p x p) += block_product (4 rows' bones x 4 columns' bones, column-major), scattered to the bones' columns. */
static void scatter_bones(const double *block_product, const sn_reduced_bones *rows, const sn_reduced_bones *columns,
                          size_t p, double *sum)
{
    for (size_t j = 0; j < 4 * (size_t)columns->count; ++j) {
        const size_t column = 4 * (size_t)columns->bones[j / 4] + j % 4;
        for (size_t i = 0; i < 4 * (size_t)rows->count; ++i) {
            sum[(4 * (size_t)rows->bones[i / 4] + i % 4) * p + column] += *block_product++;
        }
    }
}

static void multiply_block(const double *a, size_t a_columns, const double *b, size_t b_columns, size_t rows,
                           double *block_product)
{
    memset(block_product, 0, a_columns * b_columns * sizeof *block_product);
    sn_row_gram_add(rows, a, a_columns, b, b_columns, block_product);
}

/* sum (q x p, column-major) += v^T jc over a block; jc has the columns of the block's bones. */
static void add_cross(const sn_reduced_cross *c, size_t count, size_t q, const double *v, const double *jc, double *sum)
{
    const size_t width = 4 * (size_t)c->rig.count;
    multiply_block(v, q, jc, width, count, c->block_product);
    for (size_t i = 0; i < width; ++i) {
        sn_reduced_add_scaled(1, c->block_product + i * q, q, sum + (4 * (size_t)c->rig.bones[i / 4] + i % 4) * q);
    }
}

void sn_reduced_cross_add(const sn_reduced_scratch_pool *work, size_t first, size_t count, const double *image,
                          sn_reduced_cross *c)
{
    const double *basis = work->basis + first * work->q;
    build_rig_rows(work, first, count, c);
    build_image_rows(work, first, count, c);
    const size_t width = 4 * (size_t)c->rig.count, image_width = 4 * (size_t)c->image.count;
    add_cross(c, count, work->q, basis, c->mass_rows, c->mass);
    add_cross(c, count, work->q, image, c->rig.rows, c->stiffness);
    multiply_block(c->rig.rows, width, c->mass_rows, width, count, c->block_product);
    scatter_bones(c->block_product, &c->rig, &c->rig, work->p, c->mass_bone);
    multiply_block(c->rig.rows, width, c->image.rows, image_width, count, c->block_product);
    scatter_bones(c->block_product, &c->rig, &c->image, work->p, c->stiffness_bone);
    for (size_t i = 0; i < count; ++i) {
        sn_reduced_add_scaled(work->in->mass[first + i], basis + i * work->q, work->q, c->mass_of_basis);
    }
}

/* rotated (q x columns) row-major = rotation^T sum, for sums (q x columns, column-major) with V before the rotation. */
static void rotate_sums(const sn_reduced_scratch_pool *work, const double *sum, size_t columns, double *rotated)
{
    for (size_t i = 0; i < work->q; ++i) {
        for (size_t j = 0; j < columns; ++j) {
            for (size_t k = 0; k < work->q; ++k) {
                rotated[i * columns + j] += work->rotation[i * work->q + k] * sum[j * work->q + k];
            }
        }
    }
}

void sn_reduced_cross_write(const sn_reduced_scratch_pool *work, sn_reduced_matrices *out)
{
    const sn_reduced_cross *c = &work->cross;
    const size_t p = work->p;
    rotate_sums(work, c->mass, p, out->mass_cross);
    rotate_sums(work, c->stiffness, p, out->stiffness_cross);
    rotate_sums(work, c->mass_of_basis, 1, out->coordinate_mass);
    memcpy(out->mass_bone, c->mass_bone, p * p * sizeof *c->mass_bone);
    for (size_t i = 0; i < p; ++i) {
        for (size_t j = 0; j < p; ++j) {
            out->stiffness_bone[i * p + j] = c->stiffness_bone[i * p + j] + c->stiffness_bone[j * p + i];
        }
    }
}
