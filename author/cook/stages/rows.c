/* SPDX-License-Identifier: MIT */
/* Adds the user's constraint rows, converted from the input's vertices to those that tets use. */
#include <math.h>

#include "author/cook/stages/stages.h"

static sn_result check_rows(const sn_cook_context *cook, const char *name)
{
    const sn_cook_desc *desc = cook->desc;
    if (desc->row_length != (size_t)cook->file_vertex_count) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: rows of %zu entries for the %d vertices of %s", name, desc->row_length,
                       cook->file_vertex_count, cook->path);
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

sn_result sn_cook_context_add_rows(sn_cook_context *cook)
{
    const sn_cook_desc *desc = cook->desc;
    const size_t n = (size_t)cook->mesh.vertex_count;
    const sn_result result = check_rows(cook, desc->rows_name ? desc->rows_name : "rows");
    if (result != SN_OK) {
        return result;
    }
    double *used = cook->old_index ? SN_NEW(&cook->arena, double, desc->row_count *n) : NULL;
    if (cook->old_index && !used) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; used && i < desc->row_count * n; ++i) {
        used[i] = desc->rows[i / n * desc->row_length + (size_t)cook->old_index[i % n]];
    }
    return sn_constraint_add(cook->mesh.vertex_count, cook->mass, used ? used : desc->rows, (int)desc->row_count,
                             &cook->arena, &cook->constraint);
}
