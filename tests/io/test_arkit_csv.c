/* SPDX-License-Identifier: MIT */
/* Recorded faces: columns by name, time codes, values beyond their range, and what is refused, with its place. */
#include "author/io/motion/arkit_csv.h"

#include <math.h>

#include "tests/io/io_test.h"

static sn_arena arena;
static sn_arkit_csv csv;

static sn_result read_text(const char *text)
{
    const sn_source source = {.name = "f.csv", .bytes = (const uint8_t *)text, .size = strlen(text)};
    sn_arena_finish(&arena);
    begin_log();
    return sn_arkit_csv_read(&source, &arena, &csv);
}

static float value_of(int row, const char *name)
{
    return csv.values[row * SN_ARKIT_COLUMNS + sn_arkit_find(name, strlen(name))];
}

static void columns_have_any_order(void **state)
{
    (void)state;
    assert_int_equal(read_text("jawopen, TIMECODE ,BlendShapeCount,Mystery,EyeBlinkLeft,RightEyePitch\r\n"
                               ".5,1:2:3:40.5,52,what,0.25,-.5\r\n"
                               "1,1:2:3:41.5,52,,1e-1,+0.5\r\n\r\n"),
                     SN_OK);
    assert_int_equal(logged.lines, 0);
    assert_int_equal(csv.row_count, 2);
    assert_true(value_of(0, "jawOpen") == .5F && value_of(1, "eyeBlinkLeft") == .1F);
    assert_true(csv.values[SN_ARKIT_RIGHT_EYE_PITCH] == -.5F);
    assert_true(csv.seconds[0] == 0 && fabs(csv.seconds[1] - 1 / 60.) < 1e-9);
    assert_true(csv.has[SN_ARKIT_RIGHT_EYE_PITCH] && !csv.has[SN_ARKIT_HEAD_YAW] && csv.is_tracked[0]);
}

static void time_codes(void **state)
{
    (void)state;
    assert_int_equal(read_text("Timecode,JawOpen\n23:59:59:29,0\n0:0:0:0,0\n0:0:1:15.5,0\n"), SN_OK);
    assert_true(fabs(csv.seconds[1] - 1 / 30.) < 1e-9); /* no frame is 30 or more; and midnight */
    assert_true(fabs(csv.seconds[2] - 1 / 30. - 1 - 15.5 / 30) < 1e-9);
}

/* The recorder writes on where it sees no face. */
static void rows_without_a_face(void **state)
{
    (void)state;
    assert_int_equal(read_text("Timecode,BlendshapeCount,JawOpen\n0:0:0:0,0\n0:0:0:1,0,\n0:0:0:2,52,1\n"), SN_OK);
    assert_true(!csv.is_tracked[0] && !csv.is_tracked[1] && csv.is_tracked[2] && csv.row_count == 3);
}

static void values_beyond_their_range(void **state)
{
    (void)state;
    assert_int_equal(read_text("Timecode,JawOpen,HeadYaw\n0:0:0:0,0,0\n0:0:0:1,-3,7\n0:0:0:2,1e999,-1e999\n"), SN_OK);
    assert_one_warning("f.csv: line 3, column 2: this value and others are out of range and clamped");
    assert_true(value_of(1, "jawOpen") == 0 && value_of(2, "jawOpen") == 1);
    assert_true(fabsf(csv.values[2 * SN_ARKIT_COLUMNS + SN_ARKIT_HEAD_YAW] + 3.14159265F) < 1e-6F);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "line 1: there is no column 'Timecode'"},
        {"JawOpen\n1\n", "there is no column 'Timecode'"},
        {"Timecode,HeadYaw\n0:0:0:0,1\n", "there is no column with a blend shape of ARKit"},
        {"Timecode,JawOpen,jawOPEN\n", "line 1: column 3: the name 'jawOPEN' occurs twice"},
        {"Timecode,JawOpen\n", "has no rows"},
        {"Timecode,JawOpen\n0:0:0:0\n", "line 2: the row ends before column 2 of 2"},
        {"Timecode,JawOpen\n0:0:0:0,1,2\n", "line 2: the row has more than the 2 columns"},
        {"Timecode,JawOpen\n0:0:0:0,\n", "line 2: column 2: '' is not a number"},
        {"Timecode,JawOpen\n0:0:0:0,nan\n", "line 2: column 2: 'nan' is not a number"},
        {"Timecode,JawOpen\n0:0:0:0,1 2\n", "line 2: column 2: '1 2' is not a number"},
        {"Timecode,JawOpen\n0:0:0:0,1\n0:0:0,1\n", "line 3: column 1: '0:0:0' is not a time code"},
        {"Timecode,JawOpen\n0:0:.5:0,1\n", "'0:0:.5:0' is not a time code"},
        {"Timecode,JawOpen\n0:0:-1:0,1\n", "is not a time code"},
        {"Timecode,JawOpen\n0:0:2:0,1\n0:0:1:0,1\n", "row 2: its time code is earlier than the previous one"},
        {"Timecode,JawOpen\n0:0:0:0,1\n11:0:0:0,1\n", "too long"},
        {"BlendshapeCount,JawOpen,Timecode\n0,\n", "ends before column 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_not_equal(read_text(cases[i].text), SN_OK);
        assert_one_error("f.csv: ");
        assert_one_error(cases[i].words);
    }
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(sn_arkit_name(0), "eyeBlinkLeft");
    assert_string_equal(sn_arkit_name(SN_ARKIT_COUNT - 1), "tongueOut");
    for (int i = 0; i < SN_ARKIT_COUNT; ++i) {
        assert_int_equal(sn_arkit_find(sn_arkit_name(i), strlen(sn_arkit_name(i))), i);
    }
    assert_int_equal(sn_arkit_find("jaw", 3), -1);
}

/* Real ones, whole and damaged. */
static void recordings(void **state)
{
    (void)state;
    static const char *const paths[] = {SN_SHARED_DATA "/puppet/arkit_sad_167.csv",
                                        SN_SHARED_DATA "/bad/derived/arkit_missing_columns.csv",
                                        SN_SHARED_DATA "/bad/derived/arkit_out_of_range.csv"};
    sn_source source;
    for (int i = 0; i < 3; ++i) {
        sn_arena_finish(&arena);
        begin_log();
        skip_without(paths[i]);
        assert_int_equal(sn_source_read(paths[i], &arena, &source), SN_OK);
        assert_int_equal(sn_arkit_csv_read(&source, &arena, &csv), i == 1 ? SN_ERROR_FORMAT : SN_OK);
        if (i == 0) {
            assert_true(csv.row_count == 1825 && logged.lines == 0);
            assert_true(fabs(csv.seconds[1824] - 30.448) < 1e-3);
        } else if (i == 1) {
            assert_one_error("line 4: the row ends before column 11 of 63");
        } else {
            assert_one_warning("line 3, column 3: this value and others");
        }
    }
}

static int finish(void **state)
{
    (void)state;
    sn_arena_finish(&arena);
    sn_set_log(NULL, NULL);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

int test_arkit_csv(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_any_order),
        cmocka_unit_test(time_codes),
        cmocka_unit_test(rows_without_a_face),
        cmocka_unit_test(values_beyond_their_range),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(names),
        cmocka_unit_test(recordings),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
