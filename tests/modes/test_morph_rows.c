/* SPDX-License-Identifier: MIT */
/* The rows of the constraint that morph targets ask for: all of what one asks, the main part of what many do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "author/modes/modes.h"
#include "tests/support/bar.h"

#define MODES 5
#define MANY 40

typedef struct fixture {
    sn_arena arena;
    sn_tet_mesh mesh;
    double *gradients, *volumes, *mass, *leak, *bone, *columns; /* columns (n x 3 MANY) */
} fixture;

static fixture f;

static int setup(void **state)
{
    (void)state;
    f.mesh = sn_test_bar(&f.arena, 8, 4, 4, 0.25);
    const size_t n = (size_t)f.mesh.vertex_count, tets = (size_t)f.mesh.tet_count;
    f.gradients = SN_NEW(&f.arena, double, 12 * tets);
    f.volumes = SN_NEW(&f.arena, double, tets);
    f.mass = SN_NEW(&f.arena, double, n);
    f.leak = SN_NEW(&f.arena, double, n);
    f.bone = SN_NEW(&f.arena, double, n);
    f.columns = SN_NEW(&f.arena, double, n * 3 * MANY);
    assert_true(f.gradients && f.volumes && f.mass && f.leak && f.bone && f.columns);
    sn_tet_gradients(&f.mesh, f.gradients, f.volumes);
    sn_tet_lumped_mass(&f.mesh, f.volumes, NULL, f.mass);
    assert_int_equal(sn_momentum_leak(&f.mesh, f.gradients, f.volumes, f.mass, &f.arena, f.leak), SN_OK);
    for (size_t v = 0; v < n; ++v) {
        const double *x = f.mesh.positions + 3 * v;
        f.bone[v] = 1;
        for (size_t i = 0; i < 3 * MANY; ++i) {
            /* targets of many shapes, the later the smaller */
            f.columns[v * 3 * MANY + i] =
                sin((double)(i / 3 + 2) * (x[i % 3] + 0.7 * x[(i + 1) % 3]) + (double)i) / (double)(1 + i);
        }
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sn_arena_finish(&f.arena);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

/* The rig's rows, and those of the first `count` columns. */
static sn_constraint constrain(int count)
{
    sn_constraint constraint;
    const size_t n = (size_t)f.mesh.vertex_count;
    double *columns = SN_NEW(&f.arena, double, n *(size_t)count);
    for (size_t i = 0; i < n * (size_t)count; ++i) {
        columns[i] = f.columns[i / (size_t)count * 3 * MANY + i % (size_t)count];
    }
    assert_int_equal(
        sn_constraint_build(&f.mesh, f.mass, f.leak, &(sn_constraint_rig){1, f.bone, NULL}, &f.arena, &constraint),
        SN_OK);
    assert_int_equal(sn_constraint_add_morphs(&f.mesh, f.mass, f.leak, columns, count, &f.arena, &constraint), SN_OK);
    return constraint;
}

/* The largest |sum m D e x~_k w| over its terms' sizes, of a column and all modes. */
static double overlap(const sn_modes *modes, size_t column)
{
    double largest = 0;
    for (size_t i = 0; i < 4 * (size_t)modes->mode_count; ++i) {
        double sum = 0, size = 0;
        for (size_t v = 0; v < (size_t)f.mesh.vertex_count; ++v) {
            const double x = i % 4 < 3 ? f.mesh.positions[3 * v + i % 4] : 1;
            const double term = f.mass[v] * f.leak[v] * f.columns[v * 3 * MANY + column] * x *
                                modes->weights[v * (size_t)modes->mode_count + i / 4];
            sum += term;
            size += fabs(term);
        }
        largest = fmax(largest, fabs(sum) / size);
    }
    return largest;
}

static sn_modes find_modes(const sn_constraint *constraint)
{
    sn_modes modes;
    assert_int_equal(sn_modes_build(&f.mesh, f.gradients, f.volumes, f.mass, NULL, constraint, MODES, &f.arena, &modes),
                     SN_OK);
    return modes;
}

static void test_one_target_is_not_undone(void **state)
{
    (void)state;
    const sn_constraint constraint = constrain(3);
    const sn_modes modes = find_modes(&constraint);
    assert_int_equal(constraint.row_count, 10 + 12);
    for (size_t column = 0; column < 3; ++column) {
        assert_true(overlap(&modes, column) < 1e-9);
    }
    assert_true(overlap(&modes, 3) > 1e-3); /* what nobody asked for */
}

/* The cap is kept, and modes are not undone what the largest does, but for a part. */
static void test_many_targets_share_their_rows(void **state)
{
    (void)state;
    const sn_constraint few = constrain(3), many = constrain(3 * MANY);
    const sn_modes modes = find_modes(&many), none = find_modes(&few);
    assert_true(many.row_count > 10 && many.row_count <= 10 + SN_CONSTRAINT_MORPH_CAP);
    assert_true(overlap(&modes, 0) < 0.2);
    assert_true(modes.eigenvalues[0] < 2 * none.eigenvalues[0]); /* no stiffer than one target makes them, nearly */
}

static void test_nothing_moved_asks_for_nothing(void **state)
{
    (void)state;
    sn_constraint constraint;
    double *columns = SN_NEW(&f.arena, double, 3 * (size_t)f.mesh.vertex_count);
    assert_int_equal(
        sn_constraint_build(&f.mesh, f.mass, f.leak, &(sn_constraint_rig){1, f.bone, NULL}, &f.arena, &constraint),
        SN_OK);
    assert_int_equal(sn_constraint_add_morphs(&f.mesh, f.mass, f.leak, columns, 3, &f.arena, &constraint), SN_OK);
    assert_int_equal(constraint.row_count, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_target_is_not_undone),
        cmocka_unit_test(test_many_targets_share_their_rows),
        cmocka_unit_test(test_nothing_moved_asks_for_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
