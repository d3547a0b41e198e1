/* SPDX-License-Identifier: MIT */
#include "author/modes/constraint/problem.h"

#include <math.h>

#define SIGN_TIE 1e-6 /* relative difference below which entries count as equally large */

sn_result sn_mode_unknowns_list(const bool *is_pinned, size_t vertex_count, const double *mass, sn_arena *scratch,
                                sn_mode_unknowns *u)
{
    *u = (sn_mode_unknowns){0, SN_NEW(scratch, int32_t, vertex_count), SN_NEW(scratch, int32_t, vertex_count),
                            SN_NEW(scratch, double, vertex_count)};
    if (!u->vertices || !u->slots || !u->mass) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < vertex_count; v++) {
        u->slots[v] = -1;
        if (!is_pinned || !is_pinned[v]) {
            u->vertices[u->count] = (int32_t)v;
            u->mass[u->count] = mass[v];
            u->slots[v] = (int32_t)u->count++;
        }
    }
    return SN_OK;
}

/* Replaces H by K. */
static void scale_hessian(const sn_sparse *hessian, const double *mass, double unit)
{
    for (int column = 0; column < hessian->size; column++) {
        for (int32_t i = hessian->column_starts[column]; i < hessian->column_starts[column + 1]; i++) {
            hessian->values[i] *= unit / sqrt(mass[column] * mass[hessian->rows[i]]);
            hessian->values[i] += hessian->rows[i] == column ? 1 : 0;
        }
    }
}

/* ---- the constraint's columns ---- */

static int count_filled(const sn_mode_unknowns *u, const double *row)
{
    int count = 0;
    for (size_t i = 0; i < u->count; i++) {
        count += row[u->vertices[i]] != 0;
    }
    return count;
}

static bool has_pattern(const sn_mode_unknowns *u, const double *row, int filled, const sn_column_block *block)
{
    bool is_same = filled == block->row_count;
    for (int i = 0; is_same && i < filled; i++) {
        is_same = row[u->vertices[block->rows[i]]] != 0;
    }
    return is_same;
}

static sn_result start_block(const sn_mode_unknowns *u, const double *row, int filled, sn_arena *scratch,
                             sn_column_block *block)
{
    *block = (sn_column_block){.row_count = filled, .rows = SN_NEW(scratch, int32_t, filled)};
    for (size_t i = 0, next = 0; block->rows && i < u->count; i++) {
        if (row[u->vertices[i]] != 0) {
            block->rows[next++] = (int32_t)i;
        }
    }
    return block->rows ? SN_OK : SN_ERROR_MEMORY;
}

/* Fills the block's values from its rows of A, each of length vertex_count. */
static sn_result fill_block(const sn_mode_unknowns *u, const double *rows, size_t vertex_count, sn_arena *scratch,
                            sn_column_block *block)
{
    const size_t filled = (size_t)block->row_count, count = filled * (size_t)block->column_count;
    block->values = SN_NEW(scratch, double, count);
    for (size_t i = 0; block->values && i < count; i++) {
        const size_t unknown = (size_t)block->rows[i % filled];
        block->values[i] = rows[i / filled * vertex_count + (size_t)u->vertices[unknown]] / sqrt(u->mass[unknown]);
    }
    return block->values ? SN_OK : SN_ERROR_MEMORY;
}

/* Q = M^-1/2 A^T. Consecutive rows of A with the same non-zero vertices, such as a bone's, form a block. */
static sn_result list_columns(const sn_constraint *constraint, size_t n, const sn_mode_unknowns *u, sn_arena *scratch,
                              sn_sparse_columns *columns)
{
    const size_t count = (size_t)constraint->row_count;
    sn_column_block *blocks = SN_NEW(scratch, sn_column_block, count);
    *columns = (sn_sparse_columns){.column_count = constraint->row_count, .blocks = blocks};
    sn_result result = blocks ? SN_OK : SN_ERROR_MEMORY;
    for (size_t r = 0; r < count && result == SN_OK; r++) {
        const double *row = constraint->rows + r * n;
        const int filled = count_filled(u, row);
        if (r == 0 || !has_pattern(u, row, filled, &blocks[columns->block_count - 1])) {
            result = start_block(u, row, filled, scratch, &blocks[columns->block_count++]);
        }
        blocks[columns->block_count - 1].column_count++;
    }
    const double *rows = constraint->rows;
    for (int b = 0; b < columns->block_count && result == SN_OK; b++) {
        result = fill_block(u, rows, n, scratch, &blocks[b]);
        rows += (size_t)blocks[b].column_count * n;
    }
    return result;
}

/* K of the unknowns. */
static sn_result build_matrix(const sn_mode_elements *e, const sn_mode_unknowns *u, double unit, sn_arena *scratch,
                              sn_sparse *matrix)
{
    const sn_result result =
        e->hessian ? sn_sparse_copy(e->hessian, scratch, matrix)
                   : sn_laplacian_build(e->mesh, e->gradients, e->volumes, e->stiffness, NULL, scratch, matrix);
    if (result == SN_OK) {
        sn_sparse_select(matrix, u->slots);
        scale_hessian(matrix, u->mass, unit);
    }
    return result;
}

double sn_mode_mean_density(const sn_tet_mesh *mesh, const double *volumes, const double *mass)
{
    double total = 0, volume = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        total += mass[v];
    }
    for (int t = 0; t < mesh->tet_count; t++) {
        volume += volumes[t];
    }
    return total / volume;
}

/* The mean, rounded to a power of two, so that a division by it is exact. */
static double density_of(const sn_mode_elements *e, const double *mass)
{
    const double log2_density = round(log2(sn_mode_mean_density(e->mesh, e->volumes, mass)));
    return isfinite(log2_density) ? exp2(log2_density) : 1;
}

sn_result sn_mode_problem_build(const sn_mode_elements *e, const double *mass, const sn_constraint *constraint,
                                sn_arena *scratch, sn_mode_problem *problem)
{
    const size_t n = (size_t)e->mesh->vertex_count;
    double low[3], high[3];
    const double diagonal = sn_tet_mesh_box(e->mesh, low, high), density = density_of(e, mass);
    *problem = (sn_mode_problem){.name = constraint->name ? constraint->name : "modes",
                                 .vertex_count = e->mesh->vertex_count,
                                 .density = density,
                                 .unit = diagonal * diagonal * density,
                                 .is_flat = e->mesh->is_flat,
                                 .axis_count = 1};
    SN_TRY(sn_mode_unknowns_list(constraint->is_pinned, n, mass, scratch, &problem->unknowns));
    SN_TRY(list_columns(constraint, n, &problem->unknowns, scratch, &problem->constraints));
    return build_matrix(e, &problem->unknowns, problem->unit, scratch, &problem->matrix);
}

static double weight_at(const sn_mode_unknowns *u, const double *x, double square, size_t i)
{
    return x[i] / sqrt(square * u->mass[i]);
}

/* The sign of the first of the largest weights. */
static double sign_of_max_weight(const sn_mode_unknowns *u, const double *x, double square)
{
    double max_weight = 0;
    size_t first = 0;
    for (size_t i = 0; i < u->count; i++) {
        max_weight = fmax(max_weight, fabs(weight_at(u, x, square, i)));
    }
    while (first + 1 < u->count && fabs(weight_at(u, x, square, first)) < (1 - SIGN_TIE) * max_weight) {
        first++;
    }
    return x[first] < 0 ? -1 : 1;
}

/* w = M^-1/2 x */
void sn_mode_write(const sn_mode_problem *problem, const double *x, const sn_modes *modes, int mode)
{
    const sn_mode_unknowns *u = &problem->unknowns;
    const size_t stride = (size_t)modes->mode_count;
    double *w = modes->weights + mode, square = 0;
    for (size_t i = 0; i < u->count; i++) {
        square += x[i] * x[i];
    }
    const double sign = sign_of_max_weight(u, x, square);
    for (size_t i = 0; i < u->count; i++) {
        w[(size_t)u->vertices[i] * stride] = sign * weight_at(u, x, square, i);
    }
}
