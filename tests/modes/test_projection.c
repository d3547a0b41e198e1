/* SPDX-License-Identifier: MIT */
/* What modes are solved with: factors of sparse matrices, and the operator of the constrained problem. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/constraint/projection.h"
#include "author/sparse/laplacian.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

typedef struct grid {
    sn_arena arena;
    sn_tet_mesh mesh;
    double *gradients, *volumes, *mass;
} grid;

static void make_grid(grid *m)
{
    *m = (grid){0};
    m->mesh = sn_test_bar(&m->arena, 9, 8, 7, .1);
    m->gradients = SN_NEW(&m->arena, double, 12 * m->mesh.tet_count);
    m->mass = SN_NEW(&m->arena, double, m->mesh.vertex_count);
    m->volumes = SN_NEW(&m->arena, double, m->mesh.tet_count);
    sn_tet_gradients(&m->mesh, m->gradients, m->volumes);
    sn_tet_lumped_mass(&m->mesh, m->volumes, NULL, m->mass);
}

static double largest_difference(size_t count, const double *a, const double *b)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

/* The sparse operator is what its formula says. */
static void projected_operator(void **state)
{
    (void)state;
    for (int bones = 1; bones <= 24; bones += 23) { /* K^-1 Q kept, and a second solve */
        grid m;
        make_grid(&m);
        const size_t n = (size_t)m.mesh.vertex_count, size = n;
        sn_sparse matrix;
        assert_int_equal(sn_laplacian_build(&m.mesh, m.gradients, m.volumes, NULL, m.mass, &m.arena, &matrix), SN_OK);
        sn_column_block blocks[24];
        const int columns = bones == 1 ? 4 : 20;
        const size_t values = 40 * (size_t)columns;
        for (size_t b = 0; b < (size_t)bones; b++) {
            blocks[b] = (sn_column_block){columns, 40, SN_NEW(&m.arena, int32_t, 40), SN_NEW(&m.arena, double, values)};
            for (size_t i = 0; i < values; i++) {
                blocks[b].rows[i % 40] = (int32_t)(29 * b + i % 40);
                blocks[b].values[i] = sin((double)(i * i + b));
            }
        }
        sn_projected_problem problem = {.size = (int)n, .constraints = {columns * bones, bones, blocks}};
        assert_int_equal(sn_factor_create(&matrix, "grid", &problem.factor), SN_OK);
        sn_projection op;
        assert_int_equal(sn_projection_init(&problem, 3, &m.arena, &op), SN_OK);
        assert_int_equal(op.solved != NULL, bones == 1);

        const size_t rows = (size_t)(columns * bones);
        double *dense = SN_NEW(&m.arena, double, n *rows), *solved = SN_NEW(&m.arena, double, n *rows);
        double *schur = SN_NEW(&m.arena, double, rows *rows), *products = SN_NEW(&m.arena, double, 3 * rows);
        double *x = SN_NEW(&m.arena, double, 3 * n), *y = SN_NEW(&m.arena, double, 3 * n);
        sn_columns_expand(&problem.constraints, (int)n, dense);
        memcpy(solved, dense, sizeof(double) * n * rows);
        assert_int_equal(sn_factor_solve(problem.factor, (int)rows, solved), SN_OK);
        sn_dense_gram(dense, solved, (int)n, (int)rows, schur);
        assert_true(sn_dense_cholesky((int)rows, schur));
        for (size_t i = 0; i < 3 * size; i++) {
            x[i] = cos((double)(i * i % 1009));
        }
        assert_int_equal(sn_projection_apply(&op, 3, x, y), SN_OK);
        for (size_t k = 0; k < 3; k++) { /* K^-1 x - C S^-1 C^T x */
            double *column = x + k * n;
            sn_dense_multiply(&(sn_gemm){true, false, (int)rows, 1, (int)n, 1, 0, solved, (int)n, column, (int)n,
                                         products + k * rows, (int)rows});
            assert_int_equal(sn_factor_solve(problem.factor, 1, column), SN_OK);
        }
        sn_dense_cholesky_solve((int)rows, schur, 3, products);
        sn_dense_multiply(
            &(sn_gemm){false, false, (int)n, 3, (int)rows, -1, 1, solved, (int)n, products, (int)rows, x, (int)n});
        double largest = 0;
        for (size_t i = 0; i < 3 * n; i++) {
            largest = fmax(largest, fabs(x[i]));
        }
        assert_true(largest_difference(3 * n, x, y) < 1e-9 * largest);
        sn_factor_destroy(&problem.factor);
        sn_arena_finish(&m.arena);
    }
}

/* r -= matrix x */
static void subtract_product(const sn_sparse *matrix, const double *x, double *r)
{
    for (int column = 0; column < matrix->size; column++) {
        for (int32_t i = matrix->column_starts[column]; i < matrix->column_starts[column + 1]; i++) {
            const int32_t row = matrix->rows[i];
            r[row] -= matrix->values[i] * x[column];
            r[column] -= row == column ? 0 : matrix->values[i] * x[row];
        }
    }
}

/* The most columns of the test below: beyond a pass of either way to solve. */
#define MOST_COLUMNS 42

/* For every number of columns, within a pass and beyond one. */
static void solves(void **state)
{
    (void)state;
    grid m;
    make_grid(&m);
    const size_t n = (size_t)m.mesh.vertex_count;
    sn_sparse matrix;
    sn_factor *factor = NULL;
    assert_int_equal(sn_laplacian_build(&m.mesh, m.gradients, m.volumes, NULL, m.mass, &m.arena, &matrix), SN_OK);
    assert_int_equal(sn_factor_create(&matrix, "grid", &factor), SN_OK);
    double *right = SN_NEW(&m.arena, double, MOST_COLUMNS *n), *x = SN_NEW(&m.arena, double, MOST_COLUMNS *n);
    for (int width = 0; width <= MOST_COLUMNS; width++) {
        for (size_t i = 0; i < MOST_COLUMNS * n; i++) {
            right[i] = x[i] = cos((double)(i * i % 1013));
        }
        assert_int_equal(sn_factor_solve(factor, width, x), SN_OK);
        for (size_t k = 0; k < MOST_COLUMNS; k++) {
            if (k >= (size_t)width) {
                assert_memory_equal(x + k * n, right + k * n, sizeof(double) * n);
                continue;
            }
            subtract_product(&matrix, x + k * n, right + k * n);
            for (size_t v = 0; v < n; v++) {
                assert_near(right[k * n + v], 0, 1e-9);
            }
        }
    }
    sn_factor_destroy(&factor);
    sn_arena_finish(&m.arena);
}

static void indefinite_matrix(void **state)
{
    (void)state;
    int32_t starts[3] = {0, 2, 3}, rows[3] = {0, 1, 1};
    double values[3] = {1, 2, 1};
    const sn_sparse matrix = {2, starts, rows, values};
    sn_factor *factor = NULL;
    begin_log();
    assert_int_equal(sn_factor_create(&matrix, "saddle", &factor), SN_ERROR_NUMERIC);
    assert_null(factor);
    assert_one_error("saddle: the matrix of size 2 is not positive definite");
    sn_set_log(NULL, NULL);
    values[1] = .5;
    assert_int_equal(sn_factor_create(&matrix, "plain", &factor), SN_OK);
    double x[4] = {1.5, 1.5, 1, .5};
    assert_int_equal(sn_factor_solve(factor, 2, x), SN_OK);
    const double expected[4] = {1, 1, 1, 0};
    assert_true(largest_difference(4, x, expected) < 1e-15);
    sn_factor_destroy(&factor);
    sn_factor_destroy(&factor);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_projection(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projected_operator),
        cmocka_unit_test(solves),
        cmocka_unit_test(indefinite_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
