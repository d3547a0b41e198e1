/* SPDX-License-Identifier: MIT */
/* The modes' problem in its coordinates. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/modes/large_body.h"

/* In another unit of mass, the same problem to the bit. */
static void test_a_unit_of_mass(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.model.mesh = sn_test_bar(&b.model.arena, 12, 5, 4, 0.25);
    prepare(&b.model);
    pose_problem(&b);
    const sn_mode_problem one = b.problem;
    for (int v = 0; v < b.model.mesh.vertex_count; ++v) {
        b.model.mass[v] *= 1024;
    }
    pose_problem(&b);
    assert_true(one.density == 1 && b.problem.density == 1024 && b.problem.unit == 1024 * one.unit);
    assert_memory_equal(one.matrix.values, b.problem.matrix.values,
                        (size_t)one.matrix.column_starts[one.matrix.size] * sizeof(double));
    finish(&b.model);
}

int test_problem(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_unit_of_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
