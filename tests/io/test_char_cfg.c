/* SPDX-License-Identifier: MIT */
/* Skeletons of drawings in char_cfg.yaml, and one message for each thing that can be wrong. */
#include <math.h>

#include "tests/io/drawing_test.h"

#define JOINTS                                                                                                         \
    "height: 60\nskeleton:\n- loc:\n  - 30\n  - 40\n  name: root\n  parent: null\n- loc: [30, 40]\n  name: hip\n"      \
    "  parent: root\n- {name: torso, loc: [30.5, 20], parent: hip}\n- {name: head, loc: [31, 5], parent: "             \
    "torso}\nwidth: 50\n"

static sn_result read_cfg(const char *text, sn_arena *arena, sn_rig_handles *handles)
{
    const sn_source source = source_text("char_cfg.yaml", text);
    begin_log();
    return sn_char_cfg_read(&source, arena, handles);
}

static void char_cfg_is_a_skeleton(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_rig_handles h;
    assert_int_equal(read_cfg(JOINTS, &arena, &h), SN_OK);
    assert_int_equal(h.count, 3); /* the hip is the root */
    assert_string_equal(h.handles[0].name, "root");
    assert_int_equal(h.handles[0].type, SN_RIG_BONE);
    assert_true(h.handles[0].points[0] == 30 && h.handles[0].points[4] == 20);
    assert_string_equal(h.handles[1].name, "torso");
    assert_int_equal(h.handles[1].parent, 0);
    assert_int_equal(h.handles[2].type, SN_RIG_POINT);
    assert_int_equal(h.handles[2].parent, 1);
    sn_arena_finish(&arena);
}

static void bad_char_cfg_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1"},
        {"skeleton: [", "line"},
        {"- 1\n", "must be a mapping"},
        {"width: 3\n", "the list has no joints"},
        {"skeleton: 3\n", "must be a list of joints"},
        {"skeleton: [3]\n", "must be a list of joints"},
        {"skeleton: []\n", "the list has no joints"},
        {"skeleton: []\nskeleton: []\n", "line 2: skeleton: defined twice"},
        {"skeleton:\n- name: a\n", "must have a name and a loc"},
        {"skeleton:\n- loc: [1, 2]\n", "must have a name and a loc"},
        {"skeleton:\n- {name: a, loc: [1]}\n", "loc: must be two numbers"},
        {"skeleton:\n- {name: a, loc: [1, 2, 3]}\n", "loc: must be two numbers"},
        {"skeleton:\n- {name: a, loc: [1, x]}\n", "line 2: "},
        {"skeleton:\n- {name: a, loc: [1, .inf]}\n", "line 2: "},
        {"skeleton:\n- {name: a, loc: 5}\n", "loc: must be two numbers"},
        {"skeleton:\n- {name: [a], loc: [1, 2]}\n", "a name is expected"},
        {"skeleton:\n- {name: a, loc: [1, 2], loc: [1, 2]}\n", "loc: defined twice"},
        {"skeleton:\n- {name: a, loc: [1, 2], parent: b}\n", "parent does not exist"},
        {"skeleton:\n- {name: a, loc: [1, 2], parent: a}\n", "form a cycle"},
        {"skeleton:\n- {name: a, loc: [1, 2]}\n- {name: a, loc: [9, 9]}\n", "the name 'a' is used twice"},
        {"a: &x [1]\nb: *x\n", "aliases are not supported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_arena arena = {0};
        sn_rig_handles h;
        assert_int_equal(read_cfg(cases[i].text, &arena, &h), SN_ERROR_FORMAT);
        assert_one_error("char_cfg.yaml: ");
        if (!strstr(logged.last, cases[i].message)) {
            fail_msg("%s: %s", cases[i].text, logged.last);
        }
        sn_arena_finish(&arena);
    }
}

static sn_result cfg_function(const sn_source *source, sn_arena *arena)
{
    sn_rig_handles h;
    return sn_char_cfg_read(source, arena, &h);
}

static void changed_char_cfg_is_safe(void **state)
{
    (void)state;
    bytes good = {0};
    put_text(&good, JOINTS);
    mutate(&good, 5, 2000, cfg_function);
}

int test_char_cfg(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(char_cfg_is_a_skeleton),
        cmocka_unit_test(bad_char_cfg_is_refused),
        cmocka_unit_test(changed_char_cfg_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
