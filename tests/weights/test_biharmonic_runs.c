/* SPDX-License-Identifier: MIT */
/* Bounded biharmonic weights: what is refused, and how a run goes. */
#include "tests/weights/biharmonic_test.h"

static void expect_error(sn_result expected, const char *part)
{
    begin_log();
    assert_int_equal(build(), expected);
    assert_int_equal(logged.lines, 1);
    assert_non_null(strstr(logged.last, "bar: "));
    assert_non_null(strstr(logged.last, part));
}

static void test_bad_handles_are_refused(void **state)
{
    (void)state;
    static const int32_t edge[2] = {0, 1};
    make_bar(6, 2, 2, 1);
    expect_error(SN_ERROR_ARGUMENT, "no handle");
    add_handle(SN_WEIGHT_HANDLE_POINT, 0, NAN, 0);
    expect_error(SN_ERROR_ARGUMENT, "handle 0: position is not finite");
    r.handles[0].start[1] = -5;
    expect_error(SN_ERROR_ARGUMENT, "handle 0: lies outside");
    r.handles[0].start[1] = 0;
    add_handle(SN_WEIGHT_HANDLE_POINT, 0.2, 0.1, 0);
    expect_error(SN_ERROR_ARGUMENT, "handle 0 and handle 1: have the same nearest vertex 0");
    r.handles[1].type = SN_WEIGHT_HANDLE_CAGE;
    r.input.handles.cage_edge_count = 1;
    r.input.handles.cage_edges = edge;
    expect_error(SN_ERROR_ARGUMENT, "cage edge 0 uses handle 0");
    r.input.handles.cage_edge_count = 0;
    r.input.handles.count = 1;
    add_bone(20, 25, 1, 1, 0);
    expect_error(SN_ERROR_ARGUMENT, "handle 1: lies outside");
    r.input.handles.count = 1;
    add_bone(0, 0.2, 0, 0, 0);
    expect_error(SN_ERROR_ARGUMENT, "handle 1: has no vertex of its own");
    r.handles[1].radius = -1;
    expect_error(SN_ERROR_ARGUMENT, "radius is -1; it must be finite and not negative");
}

static void test_bad_meshes_are_refused(void **state)
{
    (void)state;
    make_bar(3, 2, 2, 1);
    add_handle(SN_WEIGHT_HANDLE_POINT, 0, 0, 0);
    add_handle(SN_WEIGHT_HANDLE_POINT, 3, 2, 2);
    r.tets.positions[3 * 20] = NAN;
    expect_error(SN_ERROR_FORMAT, "has no size or is not finite");
    r.tets.positions[3 * 20] = r.tets.positions[3 * 19];
    expect_error(SN_ERROR_FORMAT, "has no size or is not finite");
    make_bar(3, 2, 2, 1);
    r.tets.vertex_count--; /* the arrays stay */
    r.tets.tet_count = 0;
    expect_error(SN_ERROR_FORMAT, "no element");
    make_bar(3, 2, 2, 1);
    r.tets.tet_count -= 12;
    expect_error(SN_ERROR_FORMAT, "belongs to no element");
}

/* ---- runs ---- */

static void test_same_input_same_bytes(void **state)
{
    (void)state;
    make_bar(10, 5, 5, 0.3);
    for (int j = 0; j < MOST_HANDLES - 1; ++j) {
        add_handle(SN_WEIGHT_HANDLE_POINT, 0.3 * (j * 7 % 11), 0.3 * (j * 3 % 6), 0.3 * (j % 6));
    }
    build_well();
    const double *first = r.weights;
    build_well();
    assert_memory_equal(first, r.weights, sizeof(double) * (size_t)vertex_count() * (size_t)r.input.handles.count);
    assert_true(r.report.iteration_count <= 30);
}

static bool count_down(void *user)
{
    int *left = user;
    return (*left)-- == 0;
}

static void test_cancel(void **state)
{
    (void)state;
    make_bar(6, 2, 2, 1);
    add_handle(SN_WEIGHT_HANDLE_POINT, 0, 0, 0);
    add_handle(SN_WEIGHT_HANDLE_POINT, 6, 2, 2);
    r.input.is_cancelled = count_down;
    for (int calls = 0; calls < 4; ++calls) {
        int left = calls;
        r.input.cancel_user = &left;
        expect_error(SN_ERROR_CANCELLED, "cancelled");
        assert_int_equal(left, -1);
    }
}

int test_biharmonic_runs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bad_handles_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_meshes_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_input_same_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
