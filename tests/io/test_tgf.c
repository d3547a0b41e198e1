/* SPDX-License-Identifier: MIT */
/* Skeletons of drawings in .tgf: points, bones and cages, and one message for each thing that can be wrong. */
#include <math.h>

#include "tests/io/drawing_test.h"

static sn_result read_tgf(const char *text, sn_arena *arena, sn_rig_handles *handles)
{
    const sn_source source = source_text("rig.tgf", text);
    begin_log();
    return sn_tgf_read(&source, arena, handles);
}

static void tgf_has_points_bones_and_cages(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_rig_handles h;
    assert_int_equal(read_tgf("1 0 1 0\n2 2 3.5\n7 -4 5 6\n9 1 1\n#\n1 2 1 0 0 0\n2 7 1\n1 7 0 1 0\n", &arena, &h),
                     SN_OK);
    assert_int_equal(h.count, 3);
    assert_int_equal(h.handles[0].type, SN_RIG_POINT);
    assert_string_equal(h.bone_names[0], "point9");
    assert_int_equal(h.handles[1].type, SN_RIG_BONE);
    assert_string_equal(h.bone_names[1], "bone1-2");
    assert_int_equal(h.handles[1].parent, -1);
    assert_true(h.handles[1].points[4] == 3.5);
    assert_int_equal(h.handles[2].parent, 1);
    assert_true(h.handles[2].points[3] == -4 && h.handles[2].points[5] == 6);
    assert_int_equal(
        read_tgf("1 0 0\r\n2 1 0\r\n\r\n3 0 1\r\n#\r\n1 2\r\n2 3\r\n3 1\r\n#\r\nwhat stands here is not read", &arena,
                 &h),
        SN_OK);
    assert_int_equal(h.count, 1);
    assert_int_equal(h.handles[0].type, SN_RIG_CAGE);
    assert_int_equal(h.bone_count, 3);
    assert_int_equal(h.handles[0].edge_count, 3);
    assert_string_equal(h.bone_names[2], "cage.2");
    /* without flags, and no loop: bones */
    assert_int_equal(read_tgf("1 0 0\n2 1 0\n3 0 1\n#\n1 2\n2 3\n", &arena, &h), SN_OK);
    assert_int_equal(h.handles[1].type, SN_RIG_BONE);
    sn_arena_finish(&arena);
}

static void bad_tgf_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1: the file has no handles"},
        {"#\n", "line 1: the file has no handles"},
        {"1 2\n", "line 1: a handle must have a number and a position"},
        {"1 0 0\n1 1 1\n", "line 2: the handle 1 is defined twice"},
        {"1 0 x\n", "line 1: "},
        {"1 0 nan\n", "line 1: "},
        {"1 0 1e999\n", "line 1: "},
        {"1 0 0\n2 1 0\n#\n1\n", "line 4: an edge must have two handles"},
        {"1 0 0\n2 1 0\n#\n1 3\n", "line 4: handle 3 does not exist"},
        {"1 0 0\n2 1 0\n#\n1 1\n", "line 4: the edge joins a handle to itself"},
        {"1 0 0\n2 1 0\n#\n1 2\n2 1\n", "line 5: the edge is defined twice"},
        {"1 0 0\n2 1 0\n#\n1 2 0 0 1\n", "1 cage edges instead of 2; a cage must be a closed loop"},
        {"1 0 0\n2 1 0\n3 1 1\n#\n1 2 1\n2 3 1\n3 1 1\n", "the bones form a cycle"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_arena arena = {0};
        sn_rig_handles h;
        assert_int_equal(read_tgf(cases[i].text, &arena, &h), SN_ERROR_FORMAT);
        assert_one_error("rig.tgf: ");
        assert_non_null(strstr(logged.last, cases[i].message));
        sn_arena_finish(&arena);
    }
}

static sn_result tgf_function(const sn_source *source, sn_arena *arena)
{
    sn_rig_handles h;
    return sn_tgf_read(source, arena, &h);
}

static void changed_tgf_is_safe(void **state)
{
    (void)state;
    bytes good = {0};
    put_text(&good, "1 0 0 0\n2 1 0\n3 1 1\n4 5 5\n5 6 6\n#\n1 2\n2 3\n3 1\n4 5 1 0 0 0\n#\n");
    mutate(&good, 3, 2000, tgf_function);
}

int test_tgf(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tgf_has_points_bones_and_cages),
        cmocka_unit_test(bad_tgf_is_refused),
        cmocka_unit_test(changed_tgf_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
