/* SPDX-License-Identifier: MIT */
/* Mass products of the morph targets' columns E with V, with Jc and with themselves. */
#include "author/modes/reduced/reduced_parts.h"

typedef struct products {
    const sn_reduced_scratch_pool *work;
    double *mass_rows; /* (block x m) rows of E times mass */
    double *cross;     /* (q x m) column-major */
    double *square;    /* (m x m) */
} products;

/* Row i of morph_mass, columns of Jc: += E[v, i] M Jc[v]. */
static void add_bones(const products *s, size_t v, const double *mass_rows, double *morph_mass)
{
    const sn_reduced_scratch_pool *work = s->work;
    const double *x = work->places + 4 * v;
    for (int32_t at = work->rig.starts[v]; at < work->rig.starts[v + 1]; ++at) {
        for (size_t i = 0; i < work->m; ++i) {
            const double factor = work->rig.values[at] * mass_rows[i];
            double *row = morph_mass + i * (work->p + work->m) + 4 * (size_t)work->rig.indices[at];
            for (size_t k = 0; k < 4; ++k) {
                row[k] += factor * x[k];
            }
        }
    }
}

static void add_block(const products *s, size_t first, size_t count, sn_reduced_matrices *out)
{
    const sn_reduced_scratch_pool *work = s->work;
    const double *rows = work->in->morph_columns + first * work->m;
    for (size_t i = 0; i < count * work->m; ++i) {
        s->mass_rows[i] = work->in->mass[first + i / work->m] * rows[i];
    }
    sn_row_gram_add(count, work->basis + first * work->q, work->q, s->mass_rows, work->m, s->cross);
    sn_row_gram_add(count, rows, work->m, s->mass_rows, work->m, s->square);
    for (size_t v = first; v < first + count; ++v) {
        add_bones(s, v, s->mass_rows + (v - first) * work->m, out->morph_mass);
    }
}

sn_result sn_reduced_morphs_build(sn_reduced_scratch_pool *work, sn_reduced_matrices *out)
{
    const size_t q = work->q, m = work->m;
    const products s = {.work = work,
                        .mass_rows = SN_NEW(&work->arena, double, SN_REDUCED_BLOCK *m),
                        .cross = SN_NEW(&work->arena, double, q *m),
                        .square = SN_NEW(&work->arena, double, m *m)};
    if (!s.mass_rows || !s.cross || !s.square) {
        return SN_ERROR_MEMORY;
    }
    for (size_t first = 0; first < work->n && m > 0; first += SN_REDUCED_BLOCK) {
        add_block(&s, first, sn_reduced_block_rows(work, first), out);
    }
    for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < q; ++j) {
            out->morph_cross[j * m + i] = s.cross[i * q + j];
        }
        for (size_t j = 0; j < m; ++j) {
            out->morph_mass[i * (work->p + m) + work->p + j] = s.square[j * m + i];
        }
    }
    return SN_OK;
}
