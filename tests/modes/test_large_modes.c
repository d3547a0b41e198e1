/* SPDX-License-Identifier: MIT */
/* Modes without a factor of the mesh's matrix, against those with one; the lattice's parts; conjugate gradients. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/large.h"
#include "author/modes/order.h"
#include "author/modes/two_grid.h"
#include "host/base/random.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"
#include "tests/support/two_bones.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

typedef struct body {
    sn_arena arena;
    sn_tet_mesh mesh;
    double *gradients, *volumes, *mass;
    sn_constraint constraint;
    sn_mode_problem problem;
} body;

static void prepare(body *b)
{
    b->gradients = SN_NEW(&b->arena, double, 12 * b->mesh.tet_count);
    b->volumes = SN_NEW(&b->arena, double, b->mesh.tet_count);
    b->mass = SN_NEW(&b->arena, double, b->mesh.vertex_count);
    sn_tet_gradients(&b->mesh, b->gradients, b->volumes);
    sn_tet_lumped_mass(&b->mesh, b->volumes, NULL, b->mass);
}

/* A bar whose every tet that touches the slot is left out: a horseshoe whose arms are close together. */
static void cut_slot(body *b, double x, double low, double high)
{
    int kept = 0;
    for (int t = 0; t < b->mesh.tet_count; ++t) {
        const int32_t *tet = b->mesh.tets + 4 * t;
        double centre[3] = {0};
        for (int i = 0; i < 12; ++i) {
            centre[i % 3] += 0.25 * b->mesh.positions[3 * tet[i / 3] + i % 3];
        }
        if (!(centre[0] > x && centre[1] > low && centre[1] < high)) {
            memmove(b->mesh.tets + 4 * kept++, tet, 4 * sizeof *tet);
        }
    }
    b->mesh.tet_count = kept;
}

static void pose_problem(body *b)
{
    const sn_mode_elements e = {.mesh = &b->mesh, .gradients = b->gradients, .volumes = b->volumes};
    assert_int_equal(sn_mode_problem_build(&e, b->mass, &b->constraint, &b->arena, &b->problem), SN_OK);
}

static void finish(body *b)
{
    sn_arena_finish(&b->arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Both ways: values, vectors' span, constraint. */
static void compare(body *b, int wanted)
{
    sn_pair_list large, direct;
    sn_projected_problem projected = {.size = (int)b->problem.unknowns.count, .constraints = b->problem.constraints};
    const size_t n = b->problem.unknowns.count, count = (size_t)wanted;
    bool is_found = false;
    assert_int_equal(sn_modes_of_large(&b->problem, b->mesh.positions, wanted, &b->arena, &large, &is_found), SN_OK);
    assert_true(is_found);
    assert_int_equal(sn_factor_create(&b->problem.matrix, "test", &projected.factor), SN_OK);
    assert_int_equal(sn_lanczos_largest(&projected, wanted, &b->arena, &direct), SN_OK);
    sn_factor_destroy(&projected.factor);
    const size_t rows = (size_t)projected.constraints.column_count;
    double *q = SN_NEW(&b->arena, double, n *rows);
    sn_columns_expand(&projected.constraints, (int)n, q);
    for (size_t i = 0; i < count; ++i) {
        const double *x = large.vectors + i * n;
        double inside = 0, square = 0;
        assert_near(large.values[i], direct.values[i], 1e-6 * direct.values[i]);
        for (size_t j = 0; j < count; ++j) {
            double dot = 0;
            for (size_t v = 0; v < n; ++v) {
                dot += x[v] * direct.vectors[j * n + v];
            }
            inside += dot * dot;
        }
        for (size_t v = 0; v < n; ++v) {
            square += x[v] * x[v];
        }
        assert_near(square, 1, 1e-9);
        assert_near(inside, 1, 1e-5); /* but for what mixes with the modes after the last */
        for (size_t r = 0; r < rows; ++r) {
            double along = 0;
            for (size_t v = 0; v < n; ++v) {
                along += x[v] * q[r * n + v];
            }
            assert_near(along, 0, 1e-10);
        }
    }
}

static void test_bar(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.mesh = sn_test_bar(&b.arena, 48, 14, 14, 0.25);
    prepare(&b);
    pose_problem(&b);
    compare(&b, 5);
    finish(&b);
}

static void test_rig(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.mesh = sn_test_bar(&b.arena, 40, 16, 14, 25);
    prepare(&b);
    sn_test_constrain_two_bones(&b.mesh, b.mass, 1000, &b.arena, &b.constraint);
    pose_problem(&b);
    compare(&b, 6);
    finish(&b);
}

/* The arms are one cell apart, closer than lattice nodes: functions over both would stop the iteration early. */
static void test_horseshoe(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.mesh = sn_test_bar(&b.arena, 60, 13, 12, 0.25);
    cut_slot(&b, 1, 1.5, 1.75);
    assert_int_equal(sn_tet_mesh_validate(&b.mesh, "horseshoe", &b.arena, NULL), SN_OK);
    prepare(&b);
    pose_problem(&b);
    compare(&b, 6);

    sn_matrix_rows k;
    sn_coarse_space space;
    assert_int_equal(sn_matrix_rows_build(&b.problem.matrix, &b.arena, &k), SN_OK);
    assert_int_equal(
        sn_coarse_space_build(&b.problem, b.mesh.positions, &k, b.problem.unknowns.count / 22, &b.arena, &space),
        SN_OK);
    bool *has_low = SN_NEW(&b.arena, bool, space.coarse_size), *has_high = SN_NEW(&b.arena, bool, space.coarse_size);
    for (size_t i = 0; i < space.size * SN_CORNERS; ++i) {
        const double *x = b.mesh.positions + 3 * (size_t)b.problem.unknowns.vertices[i / SN_CORNERS];
        if (x[0] > 3 && space.weights[i] != 0) {
            (x[1] < 1.6 ? has_low : has_high)[space.nodes[i]] = true;
        }
    }
    for (size_t i = 0; i < space.coarse_size; ++i) {
        assert_true(!(has_low[i] && has_high[i]));
    }
    finish(&b);
}

/* As files have them after refinement: in no order. */
static void shuffle(sn_tet_mesh *mesh, sn_arena *arena)
{
    const size_t count = (size_t)mesh->vertex_count;
    int32_t *places = SN_NEW(arena, int32_t, count);
    double *positions = SN_NEW(arena, double, 3 * count);
    uint64_t random = 11;
    for (size_t i = 0; i < count; ++i) {
        const size_t other = (size_t)(sn_random_unit(&random) * (double)(i + 1));
        places[i] = places[other];
        places[other] = (int32_t)i;
    }
    for (size_t i = 0; i < 3 * count; ++i) {
        positions[3 * (size_t)places[i / 3] + i % 3] = mesh->positions[i];
    }
    memcpy(mesh->positions, positions, 3 * count * sizeof *positions);
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i) {
        mesh->tets[i] = places[mesh->tets[i]];
    }
}

/* The constraint's rows follow, and the modes come back to their vertices. */
static void test_a_shuffled_mesh(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.mesh = sn_test_bar(&b.arena, 40, 16, 14, 25);
    shuffle(&b.mesh, &b.arena);
    prepare(&b);
    sn_test_constrain_two_bones(&b.mesh, b.mass, 1000, &b.arena, &b.constraint);
    pose_problem(&b);
    compare(&b, 6);
    finish(&b);
}

/* Entry by entry, and how far apart the numbers are of unknowns that an edge joins. */
static void test_an_order(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.mesh = sn_test_bar(&b.arena, 48, 14, 14, 0.25);
    sn_matrix_rows k, rows;
    sn_mode_problem ordered;
    int32_t *order = NULL;
    prepare(&b);
    pose_problem(&b);
    assert_int_equal(sn_matrix_rows_build(&b.problem.matrix, &b.arena, &k), SN_OK);
    assert_int_equal(sn_mode_order_find(&b.problem, b.mesh.positions, &k, &b.arena, &order), SN_OK);
    assert_null(order); /* it is as good */

    shuffle(&b.mesh, &b.arena);
    prepare(&b);
    pose_problem(&b);
    assert_int_equal(sn_matrix_rows_build(&b.problem.matrix, &b.arena, &k), SN_OK);
    assert_int_equal(sn_mode_order_find(&b.problem, b.mesh.positions, &k, &b.arena, &order), SN_OK);
    assert_non_null(order);
    assert_int_equal(sn_mode_order_apply(order, &b.problem, &k, &b.arena, &ordered, &rows), SN_OK);
    bool *is_met = SN_NEW(&b.arena, bool, k.size);
    for (size_t i = 0; i < k.size; ++i) {
        const size_t old = (size_t)order[i];
        assert_false(is_met[old]);
        is_met[old] = true;
        assert_int_equal(ordered.unknowns.vertices[i], b.problem.unknowns.vertices[old]);
        assert_true(ordered.unknowns.mass[i] == b.problem.unknowns.mass[old]);
        assert_true(rows.inverse_diagonal[i] == k.inverse_diagonal[old]);
        assert_int_equal(rows.starts[i + 1] - rows.starts[i], k.starts[old + 1] - k.starts[old]);
        for (size_t e = rows.starts[i]; e < rows.starts[i + 1]; ++e) {
            size_t of = k.starts[old];
            while (of < k.starts[old + 1] && k.columns[of] != order[rows.columns[e]]) {
                ++of;
            }
            assert_true(of < k.starts[old + 1] && rows.values[e] == k.values[of]);
            assert_true(e == rows.starts[i] || rows.columns[e] > rows.columns[e - 1]);
            assert_true(labs((long)rows.columns[e] - (long)i) <= 4 * 15 * 15); /* a slab has two layers at most */
        }
    }
    finish(&b);
}

/* In another unit of mass, the same problem to the bit. */
static void test_a_unit_of_mass(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.mesh = sn_test_bar(&b.arena, 12, 5, 4, 0.25);
    prepare(&b);
    pose_problem(&b);
    const sn_mode_problem one = b.problem;
    for (int v = 0; v < b.mesh.vertex_count; ++v) {
        b.mass[v] *= 1024;
    }
    pose_problem(&b);
    assert_true(one.density == 1 && b.problem.density == 1024 && b.problem.unit == 1024 * one.unit);
    assert_memory_equal(one.matrix.values, b.problem.matrix.values,
                        (size_t)one.matrix.column_starts[one.matrix.size] * sizeof(double));
    finish(&b);
}

/* A box's diagonal, thinner than any lattice of that box: it is found, or left to the direct way, without a word. */
static void test_filament(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    sn_pair_list pairs;
    bool is_found = false;
    b.mesh = sn_test_bar(&b.arena, 4000, 1, 1, 0.25);
    for (int v = 0; v < b.mesh.vertex_count; ++v) { /* shear keeps volumes */
        double *x = b.mesh.positions + 3 * v;
        x[1] += x[0];
        x[2] += x[0];
    }
    prepare(&b);
    pose_problem(&b);
    assert_int_equal(sn_modes_of_large(&b.problem, b.mesh.positions, 4, &b.arena, &pairs, &is_found), SN_OK);
    assert_int_equal(logged.lines, 0);
    finish(&b);
}

/* A row of zeros has no Schur complement: left to the direct way, without a word. */
static void test_a_singular_constraint(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    sn_pair_list pairs;
    bool is_found = false;
    b.mesh = sn_test_bar(&b.arena, 48, 14, 14, 0.25);
    prepare(&b);
    const size_t n = (size_t)b.mesh.vertex_count;
    b.constraint = (sn_constraint){.row_count = 1, .rows = SN_NEW(&b.arena, double, 2 * n)};
    memcpy(b.constraint.rows, b.mass, n * sizeof *b.mass);
    pose_problem(&b);
    assert_int_equal(sn_modes_of_large(&b.problem, b.mesh.positions, 4, &b.arena, &pairs, &is_found), SN_OK);
    assert_true(is_found);
    b.constraint.row_count = 2;
    pose_problem(&b);
    assert_int_equal(sn_modes_of_large(&b.problem, b.mesh.positions, 4, &b.arena, &pairs, &is_found), SN_OK);
    assert_false(is_found);
    assert_int_equal(logged.lines, 0);
    finish(&b);
}

typedef struct two_grid {
    body b;
    sn_matrix_rows k;
    sn_coarse_space space;
    sn_sparse coarse;
    sn_factor *factor;
    sn_two_grid grid;
    double *x, *y; /* (unknowns x 4) */
} two_grid;

static void make_two_grid(two_grid *g)
{
    *g = (two_grid){.factor = NULL};
    body *b = &g->b;
    b->mesh = sn_test_bar(&b->arena, 20, 12, 9, 0.25);
    prepare(b);
    pose_problem(b);
    const size_t n = b->problem.unknowns.count;
    assert_int_equal(sn_matrix_rows_build(&b->problem.matrix, &b->arena, &g->k), SN_OK);
    assert_int_equal(sn_coarse_space_build(&b->problem, b->mesh.positions, &g->k, n / 22, &b->arena, &g->space), SN_OK);
    assert_int_equal(sn_coarse_space_matrix(&g->space, &g->k, &b->arena, &g->coarse), SN_OK);
    assert_int_equal(sn_factor_create(&g->coarse, "test", &g->factor), SN_OK);
    assert_int_equal(sn_two_grid_init(&g->k, &g->space, g->factor, 8, &b->arena, &g->grid), SN_OK);
    g->x = SN_NEW(&b->arena, double, 4 * n);
    g->y = SN_NEW(&b->arena, double, 4 * n);
}

static void finish_two_grid(two_grid *g)
{
    sn_factor_destroy(&g->factor);
    finish(&g->b);
}

static void fill_randomly(size_t count, uint64_t random, double *values)
{
    for (size_t i = 0; i < count; ++i) {
        values[i] = 2 * sn_random_unit(&random) - 1;
    }
}

/* T x, of four columns beside four others. */
static void apply_cycle(two_grid *g)
{
    const size_t n = g->b.problem.unknowns.count;
    for (size_t i = 0; i < 8 * n; ++i) {
        g->grid.residual[i] = (float)(i % 8 < 4 ? g->x[i / 8 * 4 + i % 8] : 3);
    }
    assert_int_equal(sn_two_grid_apply(&g->grid, 8), SN_OK);
    for (size_t i = 0; i < 4 * n; ++i) {
        g->y[i] = (double)g->grid.solution[i / 4 * 8 + i % 4];
    }
}

static void test_a_cycle_is_symmetric_and_positive(void **state)
{
    (void)state;
    two_grid g;
    make_two_grid(&g);
    const size_t n = g.b.problem.unknowns.count;
    fill_randomly(4 * n, 3, g.x);
    apply_cycle(&g);
    for (size_t i = 0; i < 4; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            double one = 0, two = 0, square = 0;
            for (size_t v = 0; v < n; ++v) {
                one += g.x[4 * v + i] * g.y[4 * v + j];
                two += g.x[4 * v + j] * g.y[4 * v + i];
                square += g.x[4 * v + i] * g.y[4 * v + i];
            }
            assert_near(one, two, 1e-6 * square); /* but for a float's rounding */
            assert_true(i != j || one > 0);
        }
    }
    finish_two_grid(&g);
}

/* Each column by itself, in blocks of any width, to the bit. */
static void test_a_cycle_keeps_columns_apart(void **state)
{
    (void)state;
    two_grid g;
    make_two_grid(&g);
    const size_t n = g.b.problem.unknowns.count;
    sn_two_grid wide;
    assert_int_equal(sn_two_grid_init(&g.k, &g.space, g.factor, 28, &g.b.arena, &wide), SN_OK);
    fill_randomly(4 * n, 9, g.x);
    for (size_t i = 0; i < 4 * n; ++i) {
        g.grid.residual[i] = (float)g.x[i];
    }
    assert_int_equal(sn_two_grid_apply(&g.grid, 4), SN_OK);
    for (size_t width = 8; width <= 28; width += 4) {
        for (size_t i = 0; i < width * n; ++i) {
            wide.residual[i] = (float)g.x[i / width * 4 + i % width % 4] * (i % width < 4 ? 1 : 2);
        }
        assert_int_equal(sn_two_grid_apply(&wide, width), SN_OK);
        for (size_t i = 0; i < width * n; ++i) {
            const float one = g.grid.solution[i / width * 4 + i % width % 4];
            assert_true(wide.solution[i] == one * (i % width < 4 ? 1 : 2));
        }
    }
    finish_two_grid(&g);
}

/* As where slivers are: a chain, whose eigenvalues end at 1.9, and in it four unknowns that pull each other, which
 * alone have one of 2.5. */
static void test_an_eigenvalue_of_few_unknowns(void **state)
{
    (void)state;
    enum { SIZE = 20000, FIRST = 1000, LAST = 1003 };
    sn_arena arena = {0};
    sn_sparse lower = {.size = SIZE,
                       .column_starts = SN_NEW(&arena, int32_t, SIZE + 1),
                       .rows = SN_NEW(&arena, int32_t, 4 * SIZE),
                       .values = SN_NEW(&arena, double, 4 * SIZE)};
    int32_t filled = 0;
    for (int32_t j = 0; j < SIZE; ++j) {
        const bool is_strong = j >= FIRST && j <= LAST;
        for (int32_t i = j; i < SIZE && i <= (is_strong && j < LAST ? LAST : j + 1); ++i, ++filled) {
            lower.rows[filled] = i;
            lower.values[filled] = i == j ? 1 : is_strong && i <= LAST ? 0.5 : -0.45;
        }
        lower.column_starts[j + 1] = filled;
    }
    sn_matrix_rows k;
    sn_two_grid grid;
    const sn_coarse_space space = {.size = SIZE, .coarse_size = 1};
    assert_int_equal(sn_matrix_rows_build(&lower, &arena, &k), SN_OK);
    assert_int_equal(sn_two_grid_init(&k, &space, NULL, 4, &arena, &grid), SN_OK);
    assert_true(grid.high > 2.5 && grid.high < 3);
    sn_arena_finish(&arena);
}

/* What remains of a solution's error after a cycle is less than a third, in the norm of K. */
static void test_a_cycle_converges(void **state)
{
    (void)state;
    two_grid g;
    make_two_grid(&g);
    const size_t n = g.b.problem.unknowns.count;
    double *error = SN_NEW(&g.b.arena, double, 4 * n), before = 0, after = 0;
    fill_randomly(4 * n, 7, error);
    sn_matrix_rows_multiply(&g.k, 0, n, 4, error, 4, g.x);
    for (size_t i = 0; i < 4 * n; ++i) {
        before += error[i] * g.x[i];
    }
    apply_cycle(&g);
    for (size_t i = 0; i < 4 * n; ++i) {
        error[i] -= g.y[i];
    }
    sn_matrix_rows_multiply(&g.k, 0, n, 4, error, 4, g.x);
    for (size_t i = 0; i < 4 * n; ++i) {
        after += error[i] * g.x[i];
    }
    assert_true(after > 0 && after < before / 9);
    finish_two_grid(&g);
}

/* p^T (K - 1) p + 1 */
static void test_the_matrix_of_the_lattice(void **state)
{
    (void)state;
    two_grid g;
    make_two_grid(&g);
    const size_t n = g.b.problem.unknowns.count, coarse_count = 8 * g.space.coarse_size;
    double *small = SN_NEW(&g.b.arena, double, coarse_count), *product = SN_NEW(&g.b.arena, double, coarse_count);
    fill_randomly(coarse_count, 5, small);
    float *fine = SN_NEW(&g.b.arena, float, 8 * n);
    double *x = SN_NEW(&g.b.arena, double, 8 * n), *y = SN_NEW(&g.b.arena, double, 8 * n);
    sn_coarse_space_prolong(&g.space, 8, small, fine);
    for (size_t i = 0; i < 8 * n; ++i) {
        x[i] = (double)fine[i];
    }
    sn_matrix_rows_multiply(&g.k, 0, n, 8, x, 8, y);
    for (size_t i = 0; i < 8 * n; ++i) {
        fine[i] = (float)(y[i] - x[i]);
    }
    sn_coarse_space_restrict(&g.space, 8, fine, product);
    for (int j = 0; j < g.coarse.size; ++j) {
        for (int32_t e = g.coarse.column_starts[j]; e < g.coarse.column_starts[j + 1]; ++e) {
            const size_t i = (size_t)g.coarse.rows[e], other = (size_t)j;
            for (size_t c = 0; c < 8; ++c) {
                product[8 * i + c] -= g.coarse.values[e] * small[8 * other + c];
                product[8 * other + c] -= i != other ? g.coarse.values[e] * small[8 * i + c] : 0;
            }
        }
    }
    for (size_t i = 0; i < coarse_count; ++i) {
        assert_near(product[i] + small[i], 0, 1e-5 * g.coarse.values[0]);
    }
    finish_two_grid(&g);
}

static void test_conjugate_gradients(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.mesh = sn_test_bar(&b.arena, 20, 10, 10, 0.25);
    prepare(&b);
    pose_problem(&b);
    const sn_sparse *matrix = &b.problem.matrix;
    const size_t n = (size_t)matrix->size;
    double *x = SN_NEW(&b.arena, double, n), *y = SN_NEW(&b.arena, double, n);
    uint64_t random = 5;
    for (size_t i = 0; i < n; ++i) {
        x[i] = y[i] = 2 * sn_random_unit(&random) - 1;
    }
    sn_factor *factor = NULL;
    bool is_solved = true;
    assert_int_equal(sn_factor_create(matrix, "test", &factor), SN_OK);
    assert_int_equal(sn_factor_solve(factor, 1, x), SN_OK);
    sn_factor_destroy(&factor);
    double *z = SN_NEW(&b.arena, double, n);
    memcpy(z, y, n * sizeof *z);
    assert_int_equal(sn_sparse_solve(matrix, 1e-12, 3, z, &is_solved), SN_OK);
    assert_false(is_solved);
    assert_int_equal(sn_sparse_solve(matrix, 1e-12, 500, y, &is_solved), SN_OK);
    assert_true(is_solved);
    for (size_t i = 0; i < n; ++i) {
        assert_near(x[i], y[i], 1e-10);
    }
    finish(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bar),
        cmocka_unit_test(test_rig),
        cmocka_unit_test(test_horseshoe),
        cmocka_unit_test(test_a_shuffled_mesh),
        cmocka_unit_test(test_an_order),
        cmocka_unit_test(test_a_unit_of_mass),
        cmocka_unit_test(test_filament),
        cmocka_unit_test(test_a_singular_constraint),
        cmocka_unit_test(test_a_cycle_is_symmetric_and_positive),
        cmocka_unit_test(test_a_cycle_keeps_columns_apart),
        cmocka_unit_test(test_an_eigenvalue_of_few_unknowns),
        cmocka_unit_test(test_a_cycle_converges),
        cmocka_unit_test(test_the_matrix_of_the_lattice),
        cmocka_unit_test(test_conjugate_gradients),
    };
    begin_log();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
