/* SPDX-License-Identifier: MIT */
/* Rows of the constraint J^T M D B(W) = 0 for morph targets: a column e of theirs on one axis asks for { M D e q }, q
 * in 1, x, y, z. Targets are many and alike. So the rows are not taken one by one, as those of bones are, but by the
 * principal directions of all, from the eigenvectors of their Gram matrix. */
#include <math.h>

#include "author/modes/modes.h"

#define MONOMIAL_COUNT 4
#define BLOCK 128

/* Of the diagonal: over so much the displacements of the smoothest modes vary. Monomials are taken about a column's own
 * centre in this unit, so that of a small target the first row, what a mode does to it as a whole, comes before the
 * others. */
#define MODE_LENGTH 0.25

/* Of the largest eigenvalue: the square of 1e-4, the part of a row that counts as independent (extra_rows.c). */
#define DROP_TOLERANCE 1e-8

typedef struct morph_rows {
    const sn_tet_mesh *mesh;
    const double *mass, *leak, *columns;
    size_t column_count, row_count;
    double scale;        /* of monomials */
    double *centers;     /* (column_count x 3) the monomials' */
    double *block;       /* (BLOCK x row_count) row-major: M^1/2 D e q */
    double *gram;        /* (row_count x row_count), then its eigenvectors */
    double *eigenvalues; /* (row_count) ascending */
} morph_rows;

/* (M^1/2 D e)^2 */
static double square_at(const morph_rows *r, size_t v, size_t column)
{
    const double e = r->leak[v] * r->columns[v * r->column_count + column];
    return r->mass[v] * e * e;
}

static void find_center(const morph_rows *r, size_t column, double *center)
{
    double total = 0;
    center[0] = center[1] = center[2] = 0;
    for (size_t v = 0; v < (size_t)r->mesh->vertex_count; ++v) {
        const double square = square_at(r, v, column);
        total += square;
        for (size_t d = 0; d < 3; ++d) {
            center[d] += square * r->mesh->positions[3 * v + d];
        }
    }
    for (size_t d = 0; d < 3 && total > 0; ++d) {
        center[d] /= total;
    }
}

static void fill_block(const morph_rows *r, size_t first, size_t count)
{
    double *value = r->block;
    for (size_t v = first; v < first + count; ++v) {
        const double weight = sqrt(r->mass[v]) * r->leak[v], *x = r->mesh->positions + 3 * v;
        for (size_t c = 0; c < r->column_count; ++c, value += MONOMIAL_COUNT) {
            value[0] = weight * r->columns[v * r->column_count + c];
            for (size_t d = 0; d < 3; ++d) {
                value[1 + d] = value[0] * r->scale * (x[d] - r->centers[3 * c + d]);
            }
        }
    }
}

static size_t block_rows(const morph_rows *r, size_t first)
{
    const size_t left = (size_t)r->mesh->vertex_count - first;
    return left < BLOCK ? left : BLOCK;
}

static void sum_gram(const morph_rows *r)
{
    const int n = (int)r->row_count;
    for (size_t first = 0; first < (size_t)r->mesh->vertex_count; first += BLOCK) {
        fill_block(r, first, block_rows(r, first));
        sn_dense_multiply(&(sn_gemm){.transpose_b = true,
                                     .m = n,
                                     .n = n,
                                     .k = (int)block_rows(r, first),
                                     .alpha = 1,
                                     .beta = 1,
                                     .a = r->block,
                                     .lda = n,
                                     .b = r->block,
                                     .ldb = n,
                                     .c = r->gram,
                                     .ldc = n});
    }
}

/* How many directions count. */
static size_t count_main(const morph_rows *r)
{
    const double largest = r->eigenvalues[r->row_count - 1];
    size_t count = 0;
    while (count < r->row_count && count < SN_CONSTRAINT_MORPH_CAP && largest > 0 &&
           r->eigenvalues[r->row_count - 1 - count] > DROP_TOLERANCE * largest) {
        ++count;
    }
    return count;
}

/* rows (count x vertex_count) = M^1/2 times the main directions; products is (BLOCK x count). */
static void write_rows(const morph_rows *r, size_t count, double *products, double *rows)
{
    const size_t n = (size_t)r->mesh->vertex_count;
    const double *main_vectors = r->gram + (r->row_count - count) * r->row_count;
    for (size_t first = 0; first < n && count > 0; first += BLOCK) {
        fill_block(r, first, block_rows(r, first));
        sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                     .m = (int)count,
                                     .n = (int)block_rows(r, first),
                                     .k = (int)r->row_count,
                                     .alpha = 1,
                                     .a = main_vectors,
                                     .lda = (int)r->row_count,
                                     .b = r->block,
                                     .ldb = (int)r->row_count,
                                     .c = products,
                                     .ldc = (int)count});
        for (size_t i = 0; i < count * block_rows(r, first); ++i) {
            const size_t v = first + i / count;
            rows[i % count * n + v] = sqrt(r->mass[v]) * products[i];
        }
    }
}

static sn_result find_main(morph_rows *r, sn_arena *scratch)
{
    double low[3], high[3];
    r->scale = 1 / (MODE_LENGTH * sn_tet_mesh_box(r->mesh, low, high));
    r->centers = SN_NEW(scratch, double, 3 * r->column_count);
    r->block = SN_NEW(scratch, double, BLOCK * r->row_count);
    r->gram = SN_NEW(scratch, double, r->row_count * r->row_count);
    r->eigenvalues = SN_NEW(scratch, double, r->row_count);
    if (!r->centers || !r->block || !r->gram || !r->eigenvalues) {
        return SN_ERROR_MEMORY;
    }
    for (size_t c = 0; c < r->column_count; ++c) {
        find_center(r, c, r->centers + 3 * c);
    }
    sum_gram(r);
    return sn_symmetric_eigen((int)r->row_count, r->gram, r->eigenvalues);
}

sn_result sn_constraint_add_morphs(const sn_tet_mesh *mesh, const double *mass, const double *leak,
                                   const double *columns, int column_count, sn_arena *arena, sn_constraint *constraint)
{
    sn_arena scratch = {0};
    morph_rows r = {.mesh = mesh,
                    .mass = mass,
                    .leak = leak,
                    .columns = columns,
                    .column_count = (size_t)column_count,
                    .row_count = MONOMIAL_COUNT * (size_t)column_count};
    sn_result result = column_count > 0 ? find_main(&r, &scratch) : SN_OK;
    const size_t count = result == SN_OK && column_count > 0 ? count_main(&r) : 0;
    double *rows = SN_NEW(&scratch, double, count *(size_t)mesh->vertex_count);
    double *products = SN_NEW(&scratch, double, count *BLOCK);
    if (result == SN_OK && (!rows || !products)) {
        result = SN_ERROR_MEMORY;
    }
    if (result == SN_OK && count > 0) {
        write_rows(&r, count, products, rows);
        result = sn_constraint_add(mesh->vertex_count, mass, rows, (int)count, arena, constraint);
    }
    sn_arena_finish(&scratch);
    return result;
}
