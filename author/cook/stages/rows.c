/* SPDX-License-Identifier: MIT */
/* Adds the user's constraint rows, converted from the input's vertices to those that tets use. */
#include <math.h>

#include "author/cook/stages/stages.h"

static sn_result check_rows(const sn_cooking *k, const char *name)
{
    const sn_cook_desc *desc = k->desc;
    if (desc->row_length != (size_t)k->file_vertex_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: rows of %zu entries for the %d vertices of %s", name, desc->row_length,
                       k->file_vertex_count, k->path);
    }
    if (desc->row_count > SN_CONSTRAINT_ROW_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: %zu rows, more than %d; to fix vertices, pin them", name,
                       desc->row_count, SN_CONSTRAINT_ROW_LIMIT);
    }
    for (size_t i = 0; i < desc->row_count * desc->row_length; ++i) {
        if (!isfinite(desc->rows[i])) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: row %zu, entry %zu: is not finite", name, i / desc->row_length,
                           i % desc->row_length);
        }
    }
    return SN_OK;
}

sn_result sn_cooking_add_rows(sn_cooking *k)
{
    const sn_cook_desc *desc = k->desc;
    const size_t n = (size_t)k->mesh.vertex_count;
    const sn_result result = check_rows(k, desc->rows_name ? desc->rows_name : "rows");
    if (result != SN_OK) {
        return result;
    }
    double *used = k->old_index ? SN_NEW(&k->arena, double, desc->row_count *n) : NULL;
    if (k->old_index && !used) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; used && i < desc->row_count * n; ++i) {
        used[i] = desc->rows[i / n * desc->row_length + (size_t)k->old_index[i % n]];
    }
    return sn_constraint_add(k->mesh.vertex_count, k->mass, used ? used : desc->rows, (int)desc->row_count, &k->arena,
                             &k->constraint);
}
