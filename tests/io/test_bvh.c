/* SPDX-License-Identifier: MIT */
/* Motion capture in .bvh: what is read of it, where its joints are, and one message for each thing that can be wrong.
 */
#include <math.h>

#include "author/io/motion/bvh.h"
#include "tests/io/drawing_test.h"

#define MOCAP SN_SHARED_DATA "/mocap/"
#define DERIVED SN_SHARED_DATA "/bad/derived/"

/* Two joints and an end, on any text between the frame count and the rows. */
#define HEAD                                                                                                           \
    "HIERARCHY\nROOT Hips\n{\n OFFSET 1 2 3\n CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation "           \
    "Xrotation\n"                                                                                                      \
    " JOINT Leg\n {\n  OFFSET 0 -4 0\n  CHANNELS 3 Yrotation Xrotation Zrotation\n  End Site\n  {\n   OFFSET 0 -5 0\n" \
    "  }\n }\n}\nMOTION\n"
#define ROW "0 10 0 90 0 0 0 0 90\n"

static sn_result read_bvh(const char *text, sn_arena *arena, sn_bvh_file *file)
{
    const sn_source source = source_text("a.bvh", text);
    begin_log();
    return sn_bvh_read(&source, arena, file);
}

static void assert_place(const double *world, double x, double y, double z)
{
    assert_true(fabs(world[3] - x) < 1e-12 && fabs(world[7] - y) < 1e-12 && fabs(world[11] - z) < 1e-12);
}

static void joints_channels_and_rows_are_read(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_bvh_file f;
    assert_int_equal(read_bvh(HEAD "Frames: 2\nFrame Time: .0083333\n" ROW ROW, &arena, &f), SN_OK);
    assert_int_equal(f.joint_count, 2);
    assert_int_equal(f.channel_count, 9);
    assert_int_equal(f.frame_count, 2);
    assert_true(f.frame_seconds == .0083333);
    assert_string_equal(f.joints[1].name, "Leg");
    assert_int_equal(f.joints[1].parent, 0);
    assert_int_equal(f.joints[1].channels[1], SN_BVH_X_ROTATION);
    assert_true(f.joints[1].has_end && f.joints[1].end[1] == -5 && !f.joints[0].has_end);
    double world[24];
    sn_bvh_pose(&f, 0, world);
    assert_place(world, 0, 10, 0);
    assert_place(world + 12, 4, 10, 0); /* a quarter about z takes -y to x */
    sn_bvh_zero_pose(&f, world);
    assert_place(world, 1, 2, 3);
    assert_place(world + 12, 1, -2, 3);
    sn_arena_finish(&arena);
}

/* R = R_1 R_2 R_3 in the file's order: for Z then X, the x axis turns with z alone. */
static void channels_turn_in_their_own_order(void **state)
{
    (void)state;
    static const char *const orders[] = {"Zrotation Xrotation", "Xrotation Zrotation"};
    static const double columns[2][3] = {{0, 1, 0}, {0, 0, 1}}; /* where x goes */
    for (int i = 0; i < 2; ++i) {
        char text[512];
        sn_arena arena = {0};
        sn_bvh_file f;
        double world[12];
        snprintf(text, sizeof text,
                 "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 2 %s }\nMOTION\nFrames: 1\nFrame Time: 1\n90 90\n",
                 orders[i]);
        assert_int_equal(read_bvh(text, &arena, &f), SN_OK);
        sn_bvh_pose(&f, 0, world);
        for (int d = 0; d < 3; ++d) {
            assert_true(fabs(world[4 * d] - columns[i][d]) < 1e-12);
        }
        sn_arena_finish(&arena);
    }
}

static void other_ways_to_write_it(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_bvh_file f;
    double world[24];
    /* CR LF, tabs, other case, positions of a joint, one of them alone, a name with a space, two roots */
    assert_int_equal(read_bvh("hierarchy\r\nRoot left  arm {\r\n\tOFFSET\t0 0 0\r\n\tCHANNELS\t0\r\n\tJOINT b\r\n{\r\n"
                              "CHANNELS 1 YPOSITION\r\nOFFSET 7 8 9\r\nEnd site { OFFSET 1 1 1 }\r\n}\r\n}\r\n"
                              "ROOT c { OFFSET 0 0 0 CHANNELS 1 xRotation }\r\nMotion\r\nFrames:\t1\r\n"
                              "Frame Time:\t1e-2\r\n\r\n\t5\t 0 \r\n\r\n",
                              &arena, &f),
                     SN_OK);
    assert_string_equal(f.joints[0].name, "left  arm");
    assert_int_equal(f.joints[2].parent, -1);
    double three[36];
    sn_bvh_pose(&f, 0, three);
    assert_place(three + 12, 7, 5, 9);
    /* between frames: rotations go the short way around, also over a whole turn */
    assert_int_equal(read_bvh(HEAD "Frames: 2\nFrame Time: 1\n0 0 0 0 0 0 0 0 350\n2 0 0 0 0 0 0 0 370\n", &arena, &f),
                     SN_OK);
    sn_bvh_pose(&f, .5, world);
    assert_place(world, 1, 0, 0);
    assert_true(fabs(world[12] - 1) < 1e-12);
    sn_bvh_pose(&f, 7, world);
    assert_place(world, 2, 0, 0);
    sn_arena_finish(&arena);
}

static void bad_bvh_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1: the file ends before 'HIERARCHY'"},
        {"x", "line 1: 'x' found where 'HIERARCHY' was expected"},
        {"HIERARCHY\n", "line 2: the file ends before the word ROOT"},
        {"HIERARCHY\nMOTION\n", "line 2: 'MOTION' found where ROOT was expected"},
        {"HIERARCHY\nROOT\n{\n", "line 2: a joint has no name"},
        {"HIERARCHY\nROOT a\nOFFSET", "line 3: 'OFFSET' found where '{' was expected"},
        {"HIERARCHY\nROOT a {\n}", "line 3: the joint 'a' has no OFFSET"},
        {"HIERARCHY\nROOT a {\nOFFSET 0 0 0\n}", "line 4: the joint 'a' has no CHANNELS"},
        {"HIERARCHY\nROOT a {\nOFFSET 0 0 0\nOFFSET 0 0 0\n}", "line 4: there is a second OFFSET"},
        {"HIERARCHY\nROOT a {\nOFFSET 0 0 nan\n}", "line 3: the offset 'nan' is not a finite decimal number"},
        {"HIERARCHY\nROOT a {\nOFFSET 0 0 1e300\n}", "line 3: the offset 1e+300 exceeds the range of a float"},
        {"HIERARCHY\nROOT a {\nOFFSET 0 0 0\nCHANNELS 7 Xposition\n", "line 4: 7 channels; a joint can have 0 to 6"},
        {"HIERARCHY\nROOT a {\nCHANNELS 1 Wrotation\n", "line 3: 'Wrotation' is not a channel"},
        {"HIERARCHY\nROOT a {\nCHANNELS 2 Xrotation Xrotation\n", "line 3: the channel Xrotation is defined twice"},
        {"HIERARCHY\nROOT a {\nCHANNELS 0\nCHANNELS 0\n", "line 4: there is a second CHANNELS"},
        {"HIERARCHY\nROOT a {\nEnd Site\n{\nCHANNELS 0\n", "line 5: an End Site cannot have CHANNELS"},
        {"HIERARCHY\nROOT a {\nEnd Site\n{\n}\n", "line 5: an End Site has no OFFSET"},
        {"HIERARCHY\nROOT a {\nEnd Site\n{\nJOINT b\n", "line 5: 'JOINT' found where OFFSET, CHANNELS or }"},
        {"HIERARCHY\nROOT a {\nJOINT b { OFFSET 0 0 0 CHANNELS 0 }\nCHANNELS 0\n", "line 4: the joint 'a' has its"},
        {"HIERARCHY\nROOT a {\nOFFSET 0 0 0\n", "line 4: the file ends before the closing brace of a joint"},
        {"HIERARCHY\nROOT a {\nOFFSET 0 0 0\nCHANNELS 0\nMOTION\n", "line 5: 'MOTION' found where OFFSET, CHANNELS"},
        {"HIERARCHY\nROOT a {\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\nFrames: 1\n", "line 7: no joint has a channel"},
        {"HIERARCHY\nROOT a {\nOFFSET 0 0 0\nCHANNELS 0\n}\n}", "line 6: '}' found where MOTION was expected"},
        {HEAD "Frames: 2147483647\nFrame Time: 1\n" ROW, "line 20: the file ends before frame 2 of 2147483647"},
        {HEAD "Frames: 0\n", "line 17: the number of frames is 0; it must be from 1 to 2147483647"},
        {HEAD "Frames: -3\n", "line 17: the number of frames is -3"},
        {HEAD "Frames: 2147483647\n" ROW, "line 18: '0' found where 'Frame' was expected"},
        {HEAD "Frames: 1\nFrame Time: 0\n" ROW, "line 18: the frame time is 0 s"},
        {HEAD "Frames: 1\nFrame Time: -1\n" ROW, "line 18: the frame time is -1 s"},
        {HEAD "Frames: 1\nTime: 1\n" ROW, "line 18: 'Time:' found where 'Frame' was expected"},
        {HEAD "Frames: 1\nFrame Time: 1\n1 2 3 4 5 6 7 8\n", "line 19: frame 1 has 8 values for 9 channels"},
        {HEAD "Frames: 2\nFrame Time: 1\n1 2 3 4 5 6 7 8 9 10\n" ROW, "line 19: frame 1 has more values than the 9"},
        {HEAD "Frames: 1\nFrame Time: 1\n1 2 3 4 5 6 7 8 inf\n", "line 19: the value 'inf' is not a finite"},
        {HEAD "Frames: 2\nFrame Time: 1\n" ROW, "line 20: the file ends before frame 2 of 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_arena arena = {0};
        sn_bvh_file f;
        assert_int_equal(read_bvh(cases[i].text, &arena, &f), SN_ERROR_FORMAT);
        assert_one_error("a.bvh: ");
        if (!strstr(logged.last, cases[i].message)) {
            fail_msg("'%s' where '%s' was expected", logged.last, cases[i].message);
        }
        sn_arena_finish(&arena);
    }
}

/* Numbers and lines after the last frame. */
static void test_surplus_is_ignored_with_a_warning(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {HEAD "Frames: 1\nFrame Time: 1\n1 2 3 4 5 6 7 8 9 10\n", "a.bvh: line 19: the file continues after the 1 "},
        {HEAD "Frames: 1\nFrame Time: 1\n1 2 3 4 5 6 7 8 9\n" ROW ROW, "a.bvh: line 20: the file continues"},
        {HEAD "Frames: 1\nFrame Time: 1\n1 2 3 4 5 6 7 8 9\n\nend", "a.bvh: line 21: the file continues"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_arena arena = {0};
        sn_bvh_file f;
        begin_log();
        assert_int_equal(read_bvh(cases[i].text, &arena, &f), SN_OK);
        assert_true(f.frame_count == 1 && f.values[0] == 1 && f.values[8] == 9);
        assert_true(logged.lines == 1 && logged.warnings == 1);
        assert_non_null(strstr(logged.last, cases[i].message));
        sn_arena_finish(&arena);
    }
}

/* As deep as there may be joints, and one deeper: a stack of our own holds it. */
static void depth_is_bounded(void **state)
{
    (void)state;
    for (int extra = 0; extra < 2; ++extra) {
        const int count = SN_BVH_JOINT_LIMIT + extra;
        static const char open[] = "JOINT a { OFFSET 0 0 0 CHANNELS 0 ";
        char *text = malloc((size_t)count * (sizeof open + 2) + 200);
        assert_non_null(text);
        char *at = text + sprintf(text, "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation ");
        for (int i = 1; i < count; ++i) {
            at += sprintf(at, "%s", open);
        }
        memset(at, '}', (size_t)count);
        for (int i = 0; i < count; ++i) {
            at += sprintf(at, " }");
        }
        sprintf(at, "\nMOTION\nFrames: 1\nFrame Time: 1\n0\n");
        sn_arena arena = {0};
        sn_bvh_file f;
        assert_int_equal(read_bvh(text, &arena, &f), extra ? SN_ERROR_FORMAT : SN_OK);
        assert_true(extra == 0 || strstr(logged.last, "there are more than 4096 joints"));
        sn_arena_finish(&arena);
        free(text);
    }
}

static sn_result bvh_function(const sn_source *source, sn_arena *arena)
{
    sn_bvh_file f;
    return sn_bvh_read(source, arena, &f);
}

static void changed_bvh_is_safe(void **state)
{
    (void)state;
    bytes good = {0};
    put_text(&good, HEAD "Frames: 2\nFrame Time: .1\n" ROW ROW);
    mutate(&good, 5, 2000, bvh_function);
    fail_each_allocation(&good, bvh_function);
}

static sn_result read_path(const char *path, sn_arena *arena, sn_bvh_file *file)
{
    sn_source source;
    begin_log();
    const sn_result result = sn_source_read(path, arena, &source);
    return result == SN_OK ? sn_bvh_read(&source, arena, file) : result;
}

static void captures_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int joints, frames;
        double step;
    } files[] = {{MOCAP "cmu_01_01.bvh", 31, 2752, .0083333},
                 {MOCAP "cmu1_jumping_jacks.bvh", 31, 125, .03333},
                 {MOCAP "fair1_dab.bvh", 27, 339, .0333333},
                 {MOCAP "fair1_wave_hello.bvh", 27, 839, .008342},
                 {MOCAP "rokoko_jesse_dance.bvh", 60, 1007, .01}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        sn_arena arena = {0};
        sn_bvh_file f;
        skip_without(files[i].path);
        assert_int_equal(read_path(files[i].path, &arena, &f), SN_OK);
        assert_int_equal(f.frame_count, files[i].frames);
        assert_true(f.frame_seconds == files[i].step);
        assert_int_equal(f.joint_count, files[i].joints);
        sn_arena_finish(&arena);
    }
}

static void damaged_captures_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *path, *message;
    } files[] = {
        {DERIVED "bvh_truncated_header.bvh", ".bvh: line 92: the file ends before the closing brace of a joint"},
        {DERIVED "bvh_short_row.bvh", ".bvh: line 188: frame 1 has 20 values for 96 channels"},
        {DERIVED "bvh_nan_value.bvh", ".bvh: line 188: the value 'nan' is not a finite decimal number"},
        {DERIVED "bvh_zero_frame_time.bvh", ".bvh: line 187: the frame time is 0 s"},
        {DERIVED "bvh_huge_frames.bvh", "the file ends before frame "},
        {DERIVED "bvh_unclosed_brace.bvh", ".bvh: line 182: 'MOTION' found where OFFSET, CHANNELS"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        sn_arena arena = {0};
        sn_bvh_file f;
        skip_without(files[i].path);
        assert_int_equal(read_path(files[i].path, &arena, &f), SN_ERROR_FORMAT);
        assert_one_error(files[i].path);
        if (!strstr(logged.last, files[i].message)) {
            fail_msg("'%s' where '%s' was expected", logged.last, files[i].message);
        }
        sn_arena_finish(&arena);
    }
}

int test_bvh(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_channels_and_rows_are_read),
        cmocka_unit_test(channels_turn_in_their_own_order),
        cmocka_unit_test(other_ways_to_write_it),
        cmocka_unit_test(bad_bvh_is_refused),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(changed_bvh_is_safe),
        cmocka_unit_test(captures_are_read),
        cmocka_unit_test(damaged_captures_are_refused),
        cmocka_unit_test(test_surplus_is_ignored_with_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
