/* SPDX-License-Identifier: MIT */
/* The products of the basis V and the rig's columns Jc = [g_b x, g_b y, g_b z, g_b] in mass and in stiffness. A vertex
 * has few bones: Jc's blocks of rows have only the columns of the bones that are there. */
#include "author/modes/reduced_parts.h"

#include <string.h>

/* The bones of a block of rows. */
typedef struct block_bones {
    int count;
    int32_t *slots; /* (bone_count) place of a bone in `bones`, or -1 */
    int32_t *bones; /* (bone_count) */
    double *rows;   /* (block x 4 count) */
} block_bones;

typedef struct products {
    sn_reduced_work *work;
    block_bones rig;                      /* Jc, and its product with the mass in `massive` */
    block_bones image;                    /* L Jc, whose rows have the bones of their neighbours too */
    double *massive;                      /* (block x p) */
    double *small;                        /* (most of q and p x p) */
    double *mass_cross, *stiffness_cross; /* (p x q) row-major: the transposes of what is wanted */
} products;

static void add_bones(const sn_reduced_rows *rig, size_t vertex, block_bones *block)
{
    for (int32_t at = rig->starts[vertex]; at < rig->starts[vertex + 1]; ++at) {
        const int32_t bone = rig->indices[at];
        if (block->slots[bone] < 0) {
            block->slots[bone] = block->count;
            block->bones[block->count++] = bone;
        }
    }
}

static void clear_bones(block_bones *block)
{
    for (int i = 0; i < block->count; ++i) {
        block->slots[block->bones[i]] = -1;
    }
    block->count = 0;
}

/* row += factor Jc[vertex] */
static void add_rig_row(const sn_reduced_work *work, size_t vertex, double factor, const block_bones *block,
                        double *row)
{
    double x[4];
    sn_reduced_position(work, vertex, x);
    for (int32_t at = work->rig.starts[vertex]; at < work->rig.starts[vertex + 1]; ++at) {
        const double w = factor * work->rig.values[at];
        double *column = row + 4 * (size_t)block->slots[work->rig.indices[at]];
        for (size_t k = 0; k < 4; ++k) {
            column[k] += w * x[k];
        }
    }
}

static void build_rig_rows(products *m, size_t first, size_t count)
{
    const sn_reduced_work *work = m->work;
    clear_bones(&m->rig);
    for (size_t v = first; v < first + count; ++v) {
        add_bones(&work->rig, v, &m->rig);
    }
    const size_t width = 4 * (size_t)m->rig.count;
    memset(m->rig.rows, 0, count * width * sizeof(double));
    memset(m->massive, 0, count * width * sizeof(double));
    for (size_t v = first; v < first + count; ++v) {
        add_rig_row(work, v, 1, &m->rig, m->rig.rows + (v - first) * width);
        add_rig_row(work, v, work->in->mass[v], &m->rig, m->massive + (v - first) * width);
    }
}

static void build_image_rows(products *m, size_t first, size_t count)
{
    const sn_reduced_work *work = m->work;
    const sn_reduced_rows *l = &work->laplacian;
    clear_bones(&m->image);
    for (int32_t e = l->starts[first]; e < l->starts[first + count]; ++e) {
        add_bones(&work->rig, (size_t)l->indices[e], &m->image);
    }
    const size_t width = 4 * (size_t)m->image.count;
    memset(m->image.rows, 0, count * width * sizeof(double));
    for (size_t v = first; v < first + count; ++v) {
        for (int32_t e = l->starts[v]; e < l->starts[v + 1]; ++e) {
            add_rig_row(work, (size_t)l->indices[e], l->values[e], &m->image, m->image.rows + (v - first) * width);
        }
    }
}

/* sum (p x p) += small (4 rows' bones x 4 columns' bones, column-major), each bone in its place. */
static void scatter_bones(const double *small, const block_bones *rows, const block_bones *columns, size_t p,
                          double *sum)
{
    for (size_t j = 0; j < 4 * (size_t)columns->count; ++j) {
        const size_t column = 4 * (size_t)columns->bones[j / 4] + j % 4;
        for (size_t i = 0; i < 4 * (size_t)rows->count; ++i) {
            sum[(4 * (size_t)rows->bones[i / 4] + i % 4) * p + column] += *small++;
        }
    }
}

/* sum (p x q) += small (q x 4 bones, column-major) */
static void scatter_cross(const double *small, const block_bones *bones, size_t q, double *sum)
{
    for (size_t i = 0; i < 4 * (size_t)bones->count; ++i) {
        sn_reduced_add_scaled(1, small + i * q, q, sum + (4 * (size_t)bones->bones[i / 4] + i % 4) * q);
    }
}

static void multiply_block(const double *a, size_t a_columns, const double *b, size_t b_columns, size_t rows,
                           double *small)
{
    memset(small, 0, a_columns * b_columns * sizeof *small);
    sn_row_gram_add(rows, a, a_columns, b, b_columns, small);
}

static void add_block(products *m, size_t first, size_t count, sn_reduced_matrices *out)
{
    const sn_reduced_work *work = m->work;
    const size_t q = work->q;
    build_rig_rows(m, first, count);
    build_image_rows(m, first, count);
    const size_t width = 4 * (size_t)m->rig.count, image_width = 4 * (size_t)m->image.count;
    multiply_block(work->basis + first * q, q, m->massive, width, count, m->small);
    scatter_cross(m->small, &m->rig, q, m->mass_cross);
    multiply_block(work->basis + first * q, q, m->image.rows, image_width, count, m->small);
    scatter_cross(m->small, &m->image, q, m->stiffness_cross);
    multiply_block(m->rig.rows, width, m->massive, width, count, m->small);
    scatter_bones(m->small, &m->rig, &m->rig, work->p, out->mass_bone);
    multiply_block(m->rig.rows, width, m->image.rows, image_width, count, m->small);
    scatter_bones(m->small, &m->rig, &m->image, work->p, out->stiffness_bone);
}

/* cross (q x p) row-major = rows (p x q) row-major transposed */
static void transpose(const double *rows, size_t p, size_t q, double *cross)
{
    for (size_t i = 0; i < q; ++i) {
        for (size_t j = 0; j < p; ++j) {
            cross[i * p + j] = rows[j * q + i];
        }
    }
}

static void sum_mass(const sn_reduced_work *work, double *coordinate_mass)
{
    for (size_t v = 0; v < work->n; ++v) {
        sn_reduced_add_scaled(work->in->mass[v], work->basis + v * work->q, work->q, coordinate_mass);
    }
}

static bool allocate_bones(sn_arena *arena, size_t bone_count, block_bones *block)
{
    block->slots = SN_NEW(arena, int32_t, bone_count);
    block->bones = SN_NEW(arena, int32_t, bone_count);
    block->rows = SN_NEW(arena, double, SN_REDUCED_BLOCK * 4 * bone_count);
    for (size_t b = 0; b < bone_count && block->slots; ++b) {
        block->slots[b] = -1;
    }
    return block->slots && block->bones && block->rows;
}

sn_result sn_reduced_products_build(sn_reduced_work *work, sn_reduced_matrices *out)
{
    const size_t q = work->q, p = work->p;
    products m = {.work = work,
                  .massive = SN_NEW(&work->arena, double, SN_REDUCED_BLOCK *p),
                  .small = SN_NEW(&work->arena, double, (q > p ? q : p) * p),
                  .mass_cross = SN_NEW(&work->arena, double, p *q),
                  .stiffness_cross = SN_NEW(&work->arena, double, p *q)};
    if (!m.massive || !m.small || !m.mass_cross || !m.stiffness_cross || !allocate_bones(&work->arena, p / 4, &m.rig) ||
        !allocate_bones(&work->arena, p / 4, &m.image)) {
        return SN_ERROR_MEMORY;
    }
    for (size_t first = 0; first < work->n; first += SN_REDUCED_BLOCK) {
        add_block(&m, first, sn_reduced_block_rows(work, first), out);
    }
    transpose(m.mass_cross, p, q, out->mass_cross);
    transpose(m.stiffness_cross, p, q, out->stiffness_cross);
    sum_mass(work, out->coordinate_mass);
    return SN_OK;
}
