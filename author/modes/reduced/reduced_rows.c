/* SPDX-License-Identifier: MIT */
/* The Laplacian and the rig's weights by rows, for loops over blocks of vertices. */
#include "author/modes/reduced/reduced_parts.h"

static bool allocate_rows(sn_arena *arena, size_t row_count, size_t entry_count, sn_reduced_rows *rows)
{
    rows->starts = SN_NEW(arena, int32_t, row_count + 1);
    rows->indices = SN_NEW(arena, int32_t, entry_count);
    rows->values = SN_NEW(arena, double, entry_count);
    return rows->starts && rows->indices && rows->values;
}

/* Expands `scale` times a lower triangle to both triangles. Each row's entries ascend, since those left of the diagonal
 * come from earlier columns. */
static sn_result expand_symmetric(const sn_sparse *lower, double scale, sn_arena *arena, sn_reduced_rows *rows)
{
    const size_t n = (size_t)lower->size;
    int32_t *next = SN_NEW(arena, int32_t, n);
    if (!allocate_rows(arena, n, 2 * (size_t)lower->column_starts[n] - n, rows) || !next) {
        return SN_ERROR_MEMORY;
    }
    for (size_t column = 0; column < n; ++column) {
        rows->starts[column + 1] += lower->column_starts[column + 1] - lower->column_starts[column];
        for (int32_t at = lower->column_starts[column] + 1; at < lower->column_starts[column + 1]; ++at) {
            ++rows->starts[lower->rows[at] + 1];
        }
    }
    for (size_t v = 0; v < n; ++v) {
        rows->starts[v + 1] += rows->starts[v];
        next[v] = rows->starts[v];
    }
    for (size_t column = 0; column < n; ++column) {
        for (int32_t at = lower->column_starts[column]; at < lower->column_starts[column + 1]; ++at) {
            const int32_t row = lower->rows[at];
            const double value = scale * lower->values[at];
            rows->indices[next[column]] = row;
            rows->values[next[column]++] = value;
            if (row != (int32_t)column) {
                rows->indices[next[row]] = (int32_t)column;
                rows->values[next[row]++] = value;
            }
        }
    }
    return SN_OK;
}

static sn_result list_bones(const sn_reduced_input *in, sn_arena *arena, sn_reduced_rows *rows)
{
    const size_t n = (size_t)in->mesh->vertex_count, bones = (size_t)in->bone_count;
    size_t count = 0;
    for (size_t i = 0; i < n * bones; ++i) {
        count += in->rig_weights[i] != 0;
    }
    if (!allocate_rows(arena, n, count, rows)) {
        return SN_ERROR_MEMORY;
    }
    int32_t at = 0;
    for (size_t v = 0; v < n; ++v) {
        for (size_t b = 0; b < bones; ++b) {
            if (in->rig_weights[v * bones + b] != 0) {
                rows->indices[at] = (int32_t)b;
                rows->values[at++] = in->rig_weights[v * bones + b];
            }
        }
        rows->starts[v + 1] = at;
    }
    return SN_OK;
}

sn_result sn_reduced_rows_build(sn_reduced_scratch_pool *work)
{
    const sn_reduced_input *in = work->in;
    work->places = SN_NEW(&work->arena, double, 4 * work->n);
    if (!work->places) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 4 * work->n; ++i) {
        work->places[i] = i % 4 < 3 ? in->mesh->positions[i / 4 * 3 + i % 4] : 1;
    }
    sn_sparse lower;
    if (!in->laplacian) {
        SN_TRY(sn_laplacian_build(in->mesh, in->gradients, in->volumes, in->tet_mu, NULL, &work->arena, &lower));
    }
    SN_TRY(expand_symmetric(in->laplacian ? in->laplacian : &lower, in->laplacian ? in->laplacian_scale : 1,
                            &work->arena, &work->laplacian));
    return list_bones(in, &work->arena, &work->rig);
}
