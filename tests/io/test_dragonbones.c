/* SPDX-License-Identifier: MIT */
/* DragonBones put together: slots, animations, constraints, and one message for each thing that can be wrong. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "tests/io/drawing_test.h"

/* A 4 x 4 atlas: left half red, right half green. */
static uint8_t atlas_pixels[64];
static const sn_image atlas_image = {4, 4, atlas_pixels};
#define ATLAS                                                                                                          \
    "{\"imagePath\": \"a.png\", \"SubTexture\": [{\"name\": \"red\", \"x\": 0, \"y\": 0, \"width\": 2, \"height\": "   \
    "4},"                                                                                                              \
    "{\"name\": \"green\", \"x\": 2, \"y\": 0, \"width\": 2, \"height\": 4}]}"

static sn_result read_bones(const char *skeleton, const char *atlas, sn_arena *arena, sn_drawing *drawing)
{
    for (int i = 0; i < 16; ++i) {
        atlas_pixels[4 * i + (i % 4 < 2 ? 0 : 1)] = 255;
        atlas_pixels[4 * i + 3] = 255;
    }
    const sn_source bones = source_text("x_ske.json", skeleton), regions = source_text("x_tex.json", atlas);
    begin_log();
    *drawing = (sn_drawing){.pixel_size = 1};
    return sn_dragonbones_read(&bones, &regions, &atlas_image, arena, arena, drawing);
}

/* Two slots, turned by a quarter; the second is drawn over the first. */
static void slots_are_drawn_in_their_order(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_drawing d;
    assert_int_equal(
        read_bones("{\"armature\": [{\"name\": \"a\", \"bone\": [{\"name\": \"ground\"}, {\"name\": \"b\", \"parent\": "
                   "\"ground\","
                   "\"length\": 4, \"transform\": {\"x\": 10, \"y\": 20, \"skX\": 90, \"skY\": 90}}, {\"name\": \"c\","
                   "\"parent\": \"b\", \"transform\": {\"x\": 2}}, {\"name\": \"effect\"}],"
                   "\"slot\": [{\"name\": \"one\", \"parent\": \"b\"}, {\"name\": \"two\", \"parent\": \"c\"},"
                   "{\"name\": \"three\", \"parent\": \"effect\", \"displayIndex\": -1}],"
                   "\"skin\": [{\"slot\": [{\"name\": \"one\", \"display\": [{\"name\": \"red\"}]},"
                   "{\"name\": \"two\", \"display\": [{\"name\": \"green\"}]}]}]}]}",
                   ATLAS, &arena, &d),
        SN_OK);
    /* one: 4 wide, 2 high around (10, 20); two around (10, 22); half a pixel of filtering and two of margin around */
    assert_int_equal(d.image.width, 4 + 2 + 4);
    assert_int_equal(d.image.height, 4 + 2 + 4);
    assert_int_equal(pixel(&d, 5, 4)[0], 255);
    assert_int_equal(pixel(&d, 5, 4)[1], 0);
    assert_int_equal(pixel(&d, 5, 6)[1], 255);
    assert_int_equal(pixel(&d, 5, 6)[3], 255);
    assert_int_equal(pixel(&d, 0, 0)[3], 0);
    assert_int_equal(d.handles.count, 2); /* neither the ground nor the effect */
    assert_string_equal(d.handles.handles[0].name, "b");
    assert_int_equal(d.handles.handles[0].parent, -1);
    assert_int_equal(d.handles.handles[1].parent, 0);
    assert_int_equal(d.handles.handles[1].type, SN_RIG_POINT);
    /* the bone runs down the picture */
    const double *p = d.handles.handles[0].points;
    assert_true(fabs(p[0] - 5) < 1e-9 && fabs(p[3] - 5) < 1e-9 && fabs(p[4] - p[1] - 4) < 1e-9);
    sn_arena_finish(&arena);
}

/* Of a handle in a frame: where it puts a place of the picture. */
static void move(const sn_drawing *d, int clip, int frame, int handle, double x, double y, double *to)
{
    const sn_drawing_clip *c = &d->clips[clip];
    const double *m = c->transforms + 12 * (frame * d->handles.count + handle);
    assert_true(frame < c->frame_count);
    to[0] = m[0] * x + m[1] * y + m[3];
    to[1] = m[4] * x + m[5] * y + m[7];
}

#define TWO_BONES(animation)                                                                                           \
    "{\"frameRate\": 30, \"armature\": [{\"name\": \"a\", \"bone\": [{\"name\": \"b\", \"length\": 4, \"transform\": " \
    "{\"x\": 10, \"y\": 20}}, {\"name\": \"c\", \"parent\": \"b\", \"inheritScale\": false, \"transform\": {\"x\": "   \
    "4}}],"                                                                                                            \
    "\"slot\": [{\"name\": \"one\", \"parent\": \"b\"}, {\"name\": \"two\", \"parent\": \"c\"}],"                      \
    "\"skin\": [{\"slot\": [{\"name\": \"one\", \"display\": [{\"name\": \"red\"}]},"                                  \
    "{\"name\": \"two\", \"display\": [{\"name\": \"green\"}]}]}], \"animation\": [" animation "]}]}"

/* b stands at (10, 20) and c 4 to its right; the picture begins at (6, 15). Three poses lie between two of the file's
 * frames. */
static void animations_of_bones_are_clips(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_drawing d;
    double at[2];
    assert_int_equal(
        read_bones(
            TWO_BONES("{\"name\": \"turn\", \"duration\": 20, \"bone\": [{\"name\": \"b\", \"rotateFrame\": ["
                      "{\"duration\": 10, \"tweenEasing\": 0}, {\"duration\": 10, \"rotate\": 90}]},"
                      "{\"name\": \"c\", \"translateFrame\": [{\"duration\": 20, \"tweenEasing\": 1},"
                      "{\"duration\": 0, \"x\": 8}]}]},"
                      "{\"duration\": 10, \"playTimes\": 0, \"bone\": [{\"name\": \"b\", \"scaleFrame\": ["
                      "{\"duration\": 5, \"curve\": [0, 0, 1, 1]}, {\"duration\": 5, \"tweenEasing\": 0, \"x\": 3}],"
                      "\"rotateFrame\": [{\"duration\": 5, \"tweenEasing\": 0, \"clockwise\": 2},"
                      "{\"duration\": 5, \"rotate\": 0}]}]}"),
            ATLAS, &arena, &d),
        SN_OK);
    assert_int_equal(d.clip_count, 2);
    assert_int_equal(d.handles.count, 2);
    assert_string_equal(d.clips[0].name, "turn");
    assert_string_equal(d.clips[1].name, "clip 1");
    assert_int_equal(d.clips[0].frame_count, 41);
    assert_true(d.clips[0].frame_rate == 60);
    const double *head = d.handles.handles[0].points, *child = d.handles.handles[1].points;
    /* at rest in the first pose; halfway through the key an eighth of a turn, then a quarter, which the last key holds
     */
    move(&d, 0, 0, 0, 3, 5, at);
    assert_true(fabs(at[0] - 3) < 1e-9 && fabs(at[1] - 5) < 1e-9);
    move(&d, 0, 10, 0, head[0] + 4, head[1], at);
    assert_true(fabs(at[0] - head[0] - 4 * sqrt(0.5)) < 1e-9 && fabs(at[1] - head[1] - 4 * sqrt(0.5)) < 1e-9);
    move(&d, 0, 40, 0, head[0] + 4, head[1], at);
    assert_true(fabs(at[0] - head[0]) < 1e-9 && fabs(at[1] - head[1] - 4) < 1e-9);
    /* the child goes along, and out by 8 (1 - (1 - t)^2) */
    move(&d, 0, 20, 1, child[0], child[1], at);
    assert_true(fabs(at[0] - head[0]) < 1e-9 && fabs(at[1] - head[1] - 4 - 6) < 1e-9);
    /* a straight curve: after half of the key twice as wide; then back to the first key, as the clip repeats */
    move(&d, 1, 5, 0, head[0] + 1, head[1], at);
    assert_true(fabs(hypot(at[0] - head[0], at[1] - head[1]) - 2) < 1e-6);
    move(&d, 1, 15, 0, head[0] + 1, head[1], at);
    assert_true(fabs(at[0] - head[0] - 2) < 1e-6);
    /* once around, clockwise, on the way: after half of the key half a turn */
    move(&d, 1, 5, 0, head[0] + 1, head[1], at);
    assert_true(fabs(at[0] - head[0] + 2) < 1e-6 && fabs(at[1] - head[1]) < 1e-6);
    sn_arena_finish(&arena);
}

#define SLOT(name) "{\"name\": \"" name "\", \"parent\": \"" name "\"}"
#define SHOWS(name) "{\"name\": \"" name "\", \"display\": [{\"name\": \"red\"}]}"
/* A leg of twice 10 that hangs down from (0, 0), bends and reaches for a foot at (0, 16); a pointer. */
#define LEG(bend)                                                                                                      \
    "{\"frameRate\": 60, \"armature\": [{\"name\": \"a\", \"bone\": ["                                                 \
    "{\"name\": \"thigh\", \"length\": 10, \"transform\": {\"skX\": 90, \"skY\": 90}},"                                \
    "{\"name\": \"foot\", \"length\": 1, \"transform\": {\"y\": 16}},"                                                 \
    "{\"name\": \"calf\", \"parent\": \"thigh\", \"length\": 10, \"transform\": {\"x\": 10}},"                         \
    "{\"name\": \"knee\", \"parent\": \"calf\", \"length\": 2, \"transform\": {\"x\": 1}},"                            \
    "{\"name\": \"pointer\", \"length\": 5}],"                                                                         \
    "\"ik\": [{\"name\": \"leg\", \"bone\": \"calf\", \"target\": \"foot\", \"chain\": 1" bend "},"                    \
    "{\"bone\": \"pointer\", \"target\": \"foot\", \"weight\": 0.5}],"                                                 \
    "\"slot\": [" SLOT("thigh") "," SLOT("foot") "," SLOT("calf") "," SLOT("knee") "," SLOT(                           \
        "pointer") "],"                                                                                                \
                   "\"skin\": [{\"slot\": [" SHOWS("thigh") "," SHOWS("foot") "," SHOWS("calf") "," SHOWS(             \
                       "knee") "," SHOWS("pointer") "]}],"                                                             \
                                                    "\"animation\": [{\"name\": \"step\", \"duration\": 3, \"bone\": " \
                                                    "[{\"name\": \"foot\", \"translateFrame\": ["                      \
                                                    "{}, {\"y\": 100}, {\"x\": 12, \"y\": -16}]}]}]}]}"

static const double *head_of(const sn_drawing *d, const char *name, int *handle)
{
    for (*handle = 0; *handle < d->handles.count; ++*handle) {
        if (strcmp(d->handles.handles[*handle].name, name) == 0) {
            return d->handles.handles[*handle].points;
        }
    }
    fail_msg("there is no handle '%s'", name);
    return NULL;
}

/* Where bones begin at rest and in the poses of the clip, from the thigh's beginning: by the law of cosines, with
 * cosines of .8 and .6. */
static void bones_reach_for_others(void **state)
{
    (void)state;
    static const char *const legs[] = {LEG(""), LEG(", \"bendPositive\": false")};
    for (int k = 0; k < 2; ++k) {
        const double side = k == 0 ? 1 : -1;
        const double knees[][2] = {{6 * side, 8}, {0, 10}, {6, -8 * side}};
        const double ends[][2] = {{0, 16}, {0, 20}, {12, 0}};
        sn_arena arena = {0};
        sn_drawing d;
        int calf, pointer, thigh, knee;
        assert_int_equal(read_bones(legs[k], ATLAS, &arena, &d), SN_OK);
        const double *origin = head_of(&d, "thigh", &thigh), *head = head_of(&d, "calf", &calf);
        const double *points = head_of(&d, "pointer", &pointer), *carried = head_of(&d, "knee", &knee);
        for (int i = 0; i < 3; ++i) {
            double at[2], end[2], child[2];
            move(&d, 0, i, calf, head[0], head[1], at);
            move(&d, 0, i, calf, head[3], head[4], end);
            move(&d, 0, i, knee, carried[0], carried[1], child);
            for (int j = 0; j < 2; ++j) {
                assert_true(fabs(at[j] - origin[j] - knees[i][j]) < 1e-9);
                assert_true(fabs(end[j] - origin[j] - ends[i][j]) < 1e-9);
                assert_true(fabs(child[j] - (0.9 * at[j] + 0.1 * end[j])) < 1e-9);
            }
        }
        /* half of the quarter between its own direction and that of the foot */
        assert_true(fabs(points[3] - points[0] - 5 * sqrt(0.5)) < 1e-9);
        assert_true(fabs(points[4] - points[1] - 5 * sqrt(0.5)) < 1e-9);
        assert_int_equal(logged.warnings, 0);
        sn_arena_finish(&arena);
    }
}

/* An animation that shows `display` in slot `name`. */
#define SHOWN(name, frames) "{\"slot\": [{\"name\": \"" name "\", \"displayFrame\": [" frames "]}]}"

static void slots_that_change_their_pictures_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *animations, *warning; /* null: none */
    } cases[] = {
        {SHOWN("one", "{}, {\"value\": -1}, {\"value\": 0}") "," SHOWN("other", "{\"value\": 1}"), NULL},
        {SHOWN("one", "{\"value\": 0}") "," SHOWN("one", "{\"value\": 2}"), "1 slots change their picture"},
        {SHOWN("two", "{\"value\": 1}, {\"value\": 2}") "," SHOWN("one", "{\"value\": 1}"),
         "2 slots change their picture"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[2048];
        snprintf(text, sizeof text, TWO_BONES("%s"), cases[i].animations);
        sn_arena arena = {0};
        sn_drawing d;
        assert_int_equal(read_bones(text, ATLAS, &arena, &d), SN_OK);
        assert_int_equal(logged.warnings, cases[i].warning ? 1 : 0);
        assert_true(!cases[i].warning || strstr(logged.last, cases[i].warning));
        sn_arena_finish(&arena);
    }
}

#define MANY 50000

/* {"name": "s0", ...}, {"name": "s1", ...}, and so on. */
static char *list_many(char *to, const char *rest)
{
    for (int i = 0; i < MANY; ++i) {
        to += sprintf(to, "%s{\"name\": \"s%d\"%s}", i > 0 ? "," : "", i, rest);
    }
    return to;
}

/* Each of the slots is looked for among the skin's, the armature's and an animation's, each of the pictures in the
 * atlas: one by one that takes a minute. */
static void long_lists_take_no_time(void **state)
{
    (void)state;
    char *text = malloc((size_t)MANY * 256), *to = text;
    assert_non_null(text);
    to += sprintf(to, "{\"armature\": [{\"name\": \"a\", \"bone\": [{\"name\": \"b\"}], \"slot\": [");
    to = list_many(to, ", \"parent\": \"b\"");
    to += sprintf(to, ",{\"name\": \"s%d\", \"parent\": \"b\"}], \"skin\": [{\"slot\": [", MANY);
    to = list_many(to, "");
    to +=
        sprintf(to, ",{\"name\": \"s%d\", \"display\": [{\"name\": \"red\"}]}]}], \"animation\": [{\"slot\": [", MANY);
    to = list_many(to, ", \"displayFrame\": [{\"value\": 1}]");
    sprintf(to, "]}]}]}");
    sn_arena arena = {0};
    sn_drawing d;
    const clock_t start = clock();
    assert_int_equal(read_bones(text, ATLAS, &arena, &d), SN_OK);
    assert_non_null(strstr(logged.last, "50000 slots change their picture"));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 20);
    sn_arena_finish(&arena);
    free(text);
}

#define ONE_SLOT(display)                                                                                              \
    "{\"armature\": [{\"name\": \"a\", \"bone\": [{\"name\": \"b\"}], \"slot\": [{\"name\": \"s\", \"parent\": "       \
    "\"b\"}],"                                                                                                         \
    "\"skin\": [{\"slot\": [{\"name\": \"s\", \"display\": [" display "]}]}]}]}"

static void bad_dragonbones_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *skeleton, *atlas, *message;
    } cases[] = {
        {"{", ATLAS, "x_ske.json: line 1"},
        {"{}", ATLAS, "x_ske.json: armature: must be"},
        {"{\"armature\": [{\"name\": \"a\"}]}", ATLAS, "x_ske.json: armature 'a': bone: must be a list"},
        {ONE_SLOT(""), ATLAS, "none of its slots has a picture"},
        {ONE_SLOT("{\"name\": \"blue\"}"), ATLAS, "x_tex.json: SubTexture: the picture 'blue' does not exist"},
        {ONE_SLOT("{\"name\": \"b\\nlue\"}"), ATLAS, "x_tex.json: SubTexture: the picture 'b?lue' does not exist"},
        {ONE_SLOT("{\"name\": \"red\"}"), "[", "x_tex.json: line 1"},
        {ONE_SLOT("{\"name\": \"red\"}"),
         "{\"SubTexture\": [{\"name\": \"red\", \"x\": 3, \"y\": 0, \"width\": 2, \"height\": 2}]}",
         "x_tex.json: SubTexture 'red': not within the 4 x 4 pixels"},
        {ONE_SLOT("{\"name\": \"red\", \"transform\": {\"x\": 1e9}}"), ATLAS, "out of range"},
        {ONE_SLOT("{\"name\": \"red\", \"transform\": {\"scX\": 5000}}"), ATLAS, "more than 4096 pixels"},
        {ONE_SLOT("{\"name\": \"a\", \"type\": \"armature\"}"), ATLAS, "contains itself"},
        {ONE_SLOT("{\"name\": \"q\", \"type\": \"armature\"}"), ATLAS, "the armature 'q' of a slot does not exist"},
        {"{\"armature\": [{\"name\": \"a\", \"bone\": [{\"name\": \"b\", \"parent\": \"c\"}]}]}", ATLAS,
         "the bone 'c' does not exist or does not precede it"},
        {"{\"armature\": [{\"name\": \"a\", \"bone\": [{\"name\": \"\"}]}]}", ATLAS, "bone[0].name"},
        {"{\"armature\": [{\"name\": \"a\", \"bone\": [{\"name\": \"b\"}], \"slot\": [{\"name\": \"s\", \"parent\": "
         "\"x\"}]}]}",
         ATLAS, "slot[0].parent: the bone 'x' does not exist"},
        {"{\"armature\": [{\"name\": \"a\", \"bone\": [{\"name\": \"b\"}], \"ik\": [{\"bone\": \"b\", \"target\": "
         "\"x\"}]}]}",
         ATLAS, "armature 'a': ik[0].target: the bone 'x' does not exist"},
        {TWO_BONES("{\"name\": \"w\", \"duration\": 1e9}"), ATLAS, "animation 'w': duration: out of range"},
        {TWO_BONES("{\"duration\": 300000}, {\"duration\": 300000}"), ATLAS,
         "animation[1].duration: the animations up to this one are too long"},
        {TWO_BONES("{\"bone\": [{\"name\": \"b\", \"translateFrame\": [{}, {\"duration\": -1}]}]}"), ATLAS,
         "animation '': bone 'b': translateFrame[1]: a number is out of range"},
        {TWO_BONES("{\"bone\": [{\"name\": \"c\", \"rotateFrame\": [{\"rotate\": 1e99}]}]}"), ATLAS,
         "rotateFrame[0]: a number is out of range"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_arena arena = {0};
        sn_drawing d;
        assert_int_not_equal(read_bones(cases[i].skeleton, cases[i].atlas, &arena, &d), SN_OK);
        if (logged.errors != 1 || !strstr(logged.last, cases[i].message)) {
            fail_msg("%s: %d lines, the last: %s", cases[i].skeleton, logged.errors, logged.last);
        }
        sn_arena_finish(&arena);
    }
}

/* An arm that points down and a hand on it that points right: what the hand reaches for waits for what turns the arm,
 * in whichever order the file has them; a bone that reaches for one below it waits for nothing. */
static void above_is_turned_before_below(void **state)
{
    (void)state;
    static const char *const reaches[] = {
        "{\"bone\": \"hand\", \"target\": \"right\"}, {\"bone\": \"arm\", \"target\": \"down\"}",
        "{\"bone\": \"arm\", \"target\": \"down\"}, {\"bone\": \"hand\", \"target\": \"right\"}",
        ("{\"bone\": \"hand\", \"target\": \"right\"}, {\"bone\": \"arm\", \"target\": \"down\"},"
         "{\"bone\": \"ring\", \"target\": \"stone\"}")};
    for (int i = 0; i < 3; ++i) {
        char text[2048];
        sn_arena arena = {0};
        sn_drawing d;
        int arm, hand;
        snprintf(text, sizeof text,
                 "{\"armature\": [{\"name\": \"a\", \"bone\": [{\"name\": \"arm\", \"length\": 10},"
                 "{\"name\": \"hand\", \"parent\": \"arm\", \"length\": 10, \"transform\": {\"x\": 10}},"
                 "{\"name\": \"down\", \"transform\": {\"y\": 20}},"
                 "{\"name\": \"right\", \"transform\": {\"x\": 30, \"y\": 10}},"
                 "{\"name\": \"ring\", \"parent\": \"right\"}, {\"name\": \"stone\", \"parent\": \"ring\"}],"
                 "\"ik\": [%s], \"slot\": [" SLOT("arm") "," SLOT("hand") "],"
                                                                          "\"skin\": [{\"slot\": [" SHOWS(
                                                                              "arm") "," SHOWS("hand") "]}]}]}",
                 reaches[i]);
        assert_int_equal(read_bones(text, ATLAS, &arena, &d), SN_OK);
        const double *from = head_of(&d, "arm", &arm), *points = head_of(&d, "hand", &hand);
        const double expected[] = {0, 10, 0, 10, 10, 0};
        for (int k = 0; k < 6; ++k) {
            assert_true(k % 3 == 2 || fabs(points[k] - from[k % 3] - expected[k]) < 1e-9);
        }
        sn_arena_finish(&arena);
    }
}

int test_dragonbones(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_drawn_in_their_order),
        cmocka_unit_test(animations_of_bones_are_clips),
        cmocka_unit_test(bones_reach_for_others),
        cmocka_unit_test(above_is_turned_before_below),
        cmocka_unit_test(slots_that_change_their_pictures_are_counted),
        cmocka_unit_test(long_lists_take_no_time),
        cmocka_unit_test(bad_dragonbones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
