/* SPDX-License-Identifier: MIT */
/* The factor in float against the residual, in double, of what it solves, and where it has to be in double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "author/sparse/laplacian.h"
#include "author/sparse/sparse.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

#define MOST_COLUMNS 60 /* more than a pass takes */

/* L + shift M of a bar. */
static sn_sparse make_matrix(sn_arena *arena, int nx, int ny, int nz, double shift)
{
    const sn_tet_mesh mesh = sn_test_bar(arena, nx, ny, nz, 1);
    double *gradients = SN_NEW(arena, double, 12 * mesh.tet_count), *volumes = SN_NEW(arena, double, mesh.tet_count);
    double *mass = SN_NEW(arena, double, mesh.vertex_count);
    sn_sparse matrix;
    sn_tet_gradients(&mesh, gradients, volumes);
    sn_tet_lumped_mass(&mesh, volumes, NULL, mass);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        mass[v] *= shift;
    }
    assert_int_equal(sn_laplacian_build(&mesh, gradients, volumes, NULL, mass, arena, &matrix), SN_OK);
    return matrix;
}

/* r -= matrix x, (size x columns) row-major */
static void subtract_product(const sn_sparse *matrix, int columns, const double *x, double *r)
{
    for (int column = 0; column < matrix->size; column++) {
        for (int32_t i = matrix->column_starts[column]; i < matrix->column_starts[column + 1]; i++) {
            const int32_t row = matrix->rows[i];
            for (int k = 0; k < columns; k++) {
                r[row * columns + k] -= matrix->values[i] * x[column * columns + k];
                r[column * columns + k] -= row == column ? 0 : matrix->values[i] * x[row * columns + k];
            }
        }
    }
}

static double largest_of(const double *x, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

/* Every number of columns; what is left over falls by the digits of float with each solve. */
static void solves(void **state)
{
    (void)state;
    sn_arena arena = {0};
    const sn_sparse matrix = make_matrix(&arena, 11, 9, 8, 0.5);
    sn_factor *factors[2];
    assert_int_equal(sn_factor_create_f32(&matrix, "bar", &factors[0]), SN_OK);
    assert_int_equal(sn_factor_create(&matrix, "bar", &factors[1]), SN_OK);
    assert_true(sn_factor_is_f32(factors[0]) && !sn_factor_is_f32(factors[1]));
    assert_int_equal(sn_factor_value_count(factors[0]), sn_factor_value_count(factors[1]));
    double *x = SN_NEW(&arena, double, MOST_COLUMNS *matrix.size),
           *r = SN_NEW(&arena, double, MOST_COLUMNS *matrix.size);
    for (int i = 0; i < 2 * MOST_COLUMNS; i++) {
        const int columns = i / 2 + 1, count = columns * matrix.size;
        for (int k = 0; k < count; k++) {
            r[k] = cos((double)((int64_t)k * k % 1013));
        }
        for (int pass = 0; pass < 2; pass++) {
            const double former = largest_of(r, count);
            memcpy(x, r, sizeof *x * (size_t)count);
            assert_int_equal(sn_factor_solve_rows(factors[i % 2], columns, x), SN_OK);
            subtract_product(&matrix, columns, x, r);
            assert_true(largest_of(r, count) < (i % 2 ? 1e-12 : 1e-5) * former);
            if (i % 2) {
                break; /* nothing is left to correct */
            }
            assert_true(pass > 0 || largest_of(r, count) > 1e-9); /* float it is */
        }
    }
    sn_factor_destroy(&factors[0]);
    sn_factor_destroy(&factors[1]);
    sn_arena_finish(&arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* One matrix, columns and rows of right-hand sides. */
static void columns_are_rows(void **state)
{
    (void)state;
    sn_arena arena = {0};
    enum { COLUMNS = 13 };
    const sn_sparse matrix = make_matrix(&arena, 7, 5, 4, 1);
    double *rows = SN_NEW(&arena, double, COLUMNS *matrix.size),
           *columns = SN_NEW(&arena, double, COLUMNS *matrix.size);
    for (int is_f32 = 0; is_f32 < 2; is_f32++) {
        sn_factor *factor;
        assert_int_equal((is_f32 ? sn_factor_create_f32 : sn_factor_create)(&matrix, "bar", &factor), SN_OK);
        for (int i = 0; i < COLUMNS * matrix.size; i++) {
            rows[i] = columns[i % COLUMNS * matrix.size + i / COLUMNS] = sin(i);
        }
        assert_int_equal(sn_factor_solve_rows(factor, COLUMNS, rows), SN_OK);
        assert_int_equal(sn_factor_solve(factor, COLUMNS, columns), SN_OK);
        for (int i = 0; i < COLUMNS * matrix.size; i++) {
            assert_true(rows[i] == columns[i % COLUMNS * matrix.size + i / COLUMNS]);
        }
        sn_factor_destroy(&factor);
    }
    sn_arena_finish(&arena);
}

/* Positive definite by less than float can tell; not at all; nothing. */
static void where_float_does_not_suffice(void **state)
{
    (void)state;
    int32_t starts[3] = {0, 2, 3}, rows[3] = {0, 1, 1};
    double values[3] = {1, 1 - 1e-9, 1};
    sn_sparse matrix = {2, starts, rows, values};
    sn_factor *factor;
    assert_int_equal(sn_factor_create_f32(&matrix, "nearly", &factor), SN_OK);
    assert_false(sn_factor_is_f32(factor));
    double x[2] = {2 - 1e-9, 2 - 1e-9};
    assert_int_equal(sn_factor_solve_rows(factor, 1, x), SN_OK);
    assert_true(fabs(x[0] - 1) < 1e-6 && fabs(x[1] - 1) < 1e-6);
    sn_factor_destroy(&factor);
    values[1] = 2;
    begin_log();
    assert_int_equal(sn_factor_create_f32(&matrix, "saddle", &factor), SN_ERROR_NUMERIC);
    sn_set_log(NULL, NULL);
    assert_null(factor);
    assert_one_error("saddle: the matrix of size 2 is not positive definite");
    matrix.size = 0;
    starts[0] = 0;
    assert_int_equal(sn_factor_create_f32(&matrix, "nothing", &factor), SN_OK);
    assert_int_equal(sn_factor_solve_rows(factor, 3, x), SN_OK);
    sn_factor_destroy(&factor);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* One that is not, in any of its columns: none of a supernode's is taken for a pivot, be the supernode small or large
 * enough for BLAS. */
static void what_is_no_number_is_not_positive(void **state)
{
    (void)state;
    enum { MOST = 100 };
    static const double pivots[4] = {NAN, INFINITY, 0, -1};
    int32_t starts[MOST + 1] = {0}, rows[MOST * MOST];
    double values[MOST * MOST];
    begin_log();
    for (int i = 0; i < 48; i++) {
        const int size = i % 2 ? MOST : 10, place = i / 8 * (size - 1) / 5;
        int count = 0;
        for (int column = 0; column < size; column++) {
            for (int row = column; row < size; row++, count++) {
                rows[count] = row;
                values[count] = row > column ? 0.5 : column == place ? pivots[i / 2 % 4] : size;
            }
            starts[column + 1] = count;
        }
        const sn_sparse matrix = {size, starts, rows, values};
        sn_factor *factor;
        assert_int_equal(sn_factor_create(&matrix, "none", &factor), SN_ERROR_NUMERIC);
        assert_int_equal(sn_factor_create_f32(&matrix, "none", &factor), SN_ERROR_NUMERIC);
    }
    sn_set_log(NULL, NULL);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_factor_f32(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves),
        cmocka_unit_test(columns_are_rows),
        cmocka_unit_test(where_float_does_not_suffice),
        cmocka_unit_test(what_is_no_number_is_not_positive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
