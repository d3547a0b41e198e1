/* SPDX-License-Identifier: MIT */
/* An order of the unknowns in which a matrix is read nearly in a row. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/modes/eigen/cache_order.h"
#include "tests/modes/large_body.h"

/* Entry by entry, and how far apart the numbers are of unknowns that an edge joins. */
static void test_an_order(void **state)
{
    (void)state;
    body b = {.problem = {0}};
    b.model.mesh = sn_test_bar(&b.model.arena, 48, 14, 14, 0.25);
    sn_matrix_rows k, rows;
    sn_mode_problem ordered;
    int32_t *order = NULL;
    prepare(&b.model);
    pose_problem(&b);
    assert_int_equal(sn_matrix_rows_build(&b.problem.matrix, &b.model.arena, &k), SN_OK);
    assert_int_equal(sn_mode_order_find(&b.problem, b.model.mesh.positions, &k, &b.model.arena, &order), SN_OK);
    assert_null(order); /* it is as good */

    shuffle(&b.model);
    prepare(&b.model);
    pose_problem(&b);
    assert_int_equal(sn_matrix_rows_build(&b.problem.matrix, &b.model.arena, &k), SN_OK);
    assert_int_equal(sn_mode_order_find(&b.problem, b.model.mesh.positions, &k, &b.model.arena, &order), SN_OK);
    assert_non_null(order);
    assert_int_equal(sn_mode_order_apply(order, &b.problem, &k, &b.model.arena, &ordered, &rows), SN_OK);
    bool *is_met = SN_NEW(&b.model.arena, bool, k.size);
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
    finish(&b.model);
}

int test_order(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
