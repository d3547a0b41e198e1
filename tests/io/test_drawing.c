/* SPDX-License-Identifier: MIT */
/* Skeletons of drawings as text, pictures with masks, DragonBones put together: every kind, and one message for each
 * thing that can be wrong. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "author/io/drawing.h"
#include "tests/io/io_test.h"

static sn_source source_text(const char *name, const char *text)
{
    return (sn_source){name, (const uint8_t *)text, strlen(text)};
}

/* ---- .tgf ---- */

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
    assert_int_equal(h.handles[0].kind, SN_RIG_POINT);
    assert_string_equal(h.bone_names[0], "point9");
    assert_int_equal(h.handles[1].kind, SN_RIG_BONE);
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
    assert_int_equal(h.handles[0].kind, SN_RIG_CAGE);
    assert_int_equal(h.bone_count, 3);
    assert_int_equal(h.handles[0].edge_count, 3);
    assert_string_equal(h.bone_names[2], "cage.2");
    /* without flags, and no loop: bones */
    assert_int_equal(read_tgf("1 0 0\n2 1 0\n3 0 1\n#\n1 2\n2 3\n", &arena, &h), SN_OK);
    assert_int_equal(h.handles[1].kind, SN_RIG_BONE);
    sn_arena_finish(&arena);
}

static void bad_tgf_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1: there is no handle"},
        {"#\n", "line 1: there is no handle"},
        {"1 2\n", "line 1: a handle must have a number and a place"},
        {"1 0 0\n1 1 1\n", "line 2: the handle 1 is given twice"},
        {"1 0 x\n", "line 1: "},
        {"1 0 nan\n", "line 1: "},
        {"1 0 1e999\n", "line 1: "},
        {"1 0 0\n2 1 0\n#\n1\n", "line 4: an edge must have two handles"},
        {"1 0 0\n2 1 0\n#\n1 3\n", "line 4: there is no handle 3"},
        {"1 0 0\n2 1 0\n#\n1 1\n", "line 4: an edge from a handle to itself"},
        {"1 0 0\n2 1 0\n#\n1 2\n2 1\n", "line 5: the edge is given twice"},
        {"1 0 0\n2 1 0\n#\n1 2 0 0 1\n", "1 edges of a cage: a cage must be closed"},
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

/* ---- char_cfg.yaml ---- */

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
    assert_int_equal(h.handles[0].kind, SN_RIG_BONE);
    assert_true(h.handles[0].points[0] == 30 && h.handles[0].points[4] == 20);
    assert_string_equal(h.handles[1].name, "torso");
    assert_int_equal(h.handles[1].parent, 0);
    assert_int_equal(h.handles[2].kind, SN_RIG_POINT);
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
        {"width: 3\n", "there is no joint"},
        {"skeleton: 3\n", "must be a list of joints"},
        {"skeleton: [3]\n", "must be a list of joints"},
        {"skeleton: []\n", "there is no joint"},
        {"skeleton: []\nskeleton: []\n", "line 2: skeleton: given twice"},
        {"skeleton:\n- name: a\n", "must have a name and a loc"},
        {"skeleton:\n- loc: [1, 2]\n", "must have a name and a loc"},
        {"skeleton:\n- {name: a, loc: [1]}\n", "loc: must be two numbers"},
        {"skeleton:\n- {name: a, loc: [1, 2, 3]}\n", "loc: must be two numbers"},
        {"skeleton:\n- {name: a, loc: [1, x]}\n", "line 2: "},
        {"skeleton:\n- {name: a, loc: [1, .inf]}\n", "line 2: "},
        {"skeleton:\n- {name: a, loc: 5}\n", "loc: must be two numbers"},
        {"skeleton:\n- {name: [a], loc: [1, 2]}\n", "a name is expected"},
        {"skeleton:\n- {name: a, loc: [1, 2], loc: [1, 2]}\n", "loc: given twice"},
        {"skeleton:\n- {name: a, loc: [1, 2], parent: b}\n", "parent is no joint"},
        {"skeleton:\n- {name: a, loc: [1, 2], parent: a}\n", "form a cycle"},
        {"skeleton:\n- {name: a, loc: [1, 2]}\n- {name: a, loc: [9, 9]}\n", "the name 'a' is given twice"},
        {"a: &x [1]\nb: *x\n", "aliases are not read"},
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

/* ---- DragonBones ---- */

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

static const uint8_t *pixel(const sn_drawing *d, int x, int y)
{
    return d->image.pixels + 4 * (y * d->image.width + x);
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
    assert_int_equal(d.handles.handles[1].kind, SN_RIG_POINT);
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
        {SHOWN("one", "{\"value\": 0}") "," SHOWN("one", "{\"value\": 2}"), "1 slots show other pictures"},
        {SHOWN("two", "{\"value\": 1}, {\"value\": 2}") "," SHOWN("one", "{\"value\": 1}"),
         "2 slots show other pictures"},
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
    assert_non_null(strstr(logged.last, "50000 slots show other pictures"));
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
        {ONE_SLOT(""), ATLAS, "none of its slots shows a picture"},
        {ONE_SLOT("{\"name\": \"blue\"}"), ATLAS, "x_tex.json: SubTexture: there is no picture 'blue'"},
        {ONE_SLOT("{\"name\": \"b\\nlue\"}"), ATLAS, "x_tex.json: SubTexture: there is no picture 'b?lue'"},
        {ONE_SLOT("{\"name\": \"red\"}"), "[", "x_tex.json: line 1"},
        {ONE_SLOT("{\"name\": \"red\"}"),
         "{\"SubTexture\": [{\"name\": \"red\", \"x\": 3, \"y\": 0, \"width\": 2, \"height\": 2}]}",
         "x_tex.json: SubTexture 'red': not within the 4 x 4 pixels"},
        {ONE_SLOT("{\"name\": \"red\", \"transform\": {\"x\": 1e9}}"), ATLAS, "out of range"},
        {ONE_SLOT("{\"name\": \"red\", \"transform\": {\"scX\": 5000}}"), ATLAS, "more than 4096 pixels"},
        {ONE_SLOT("{\"name\": \"a\", \"type\": \"armature\"}"), ATLAS, "is within itself"},
        {ONE_SLOT("{\"name\": \"q\", \"type\": \"armature\"}"), ATLAS, "the armature 'q' of a slot is missing"},
        {"{\"armature\": [{\"name\": \"a\", \"bone\": [{\"name\": \"b\", \"parent\": \"c\"}]}]}", ATLAS,
         "'c' is no bone before it"},
        {"{\"armature\": [{\"name\": \"a\", \"bone\": [{\"name\": \"\"}]}]}", ATLAS, "bone[0].name"},
        {"{\"armature\": [{\"name\": \"a\", \"bone\": [{\"name\": \"b\"}], \"slot\": [{\"name\": \"s\", \"parent\": "
         "\"x\"}]}]}",
         ATLAS, "slot[0].parent: 'x' is no bone"},
        {"{\"armature\": [{\"name\": \"a\", \"bone\": [{\"name\": \"b\"}], \"ik\": [{\"bone\": \"b\", \"target\": "
         "\"x\"}]}]}",
         ATLAS, "armature 'a': ik[0].target: 'x' is no bone"},
        {TWO_BONES("{\"name\": \"w\", \"duration\": 1e9}"), ATLAS, "animation 'w': duration: out of range"},
        {TWO_BONES("{\"duration\": 300000}, {\"duration\": 300000}"), ATLAS,
         "animation[1].duration: they are too long"},
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

/* ---- parents in rig JSON ---- */

static void parents_are_names_of_handles(void **state)
{
    (void)state;
    static const struct {
        const char *handles, *message;
    } cases[] = {
        {"{\"name\": \"a\", \"parent\": \"b\", \"point\": [1, 2]}, {\"name\": \"b\", \"bone\": [[0, 0], [1, 0]]}",
         NULL},
        {"{\"name\": \"a\", \"parent\": \"c\", \"point\": [1, 2]}",
         "handles[0].parent: must be the name of another point or bone"},
        {"{\"name\": \"a\", \"parent\": 3, \"point\": [1, 2]}",
         "handles[0].parent: must be the name of another point or bone"},
        {"{\"name\": \"a\", \"parent\": \"a\", \"point\": [1, 2]}",
         "handles[0].parent: must be the name of another point or bone"},
        {"{\"name\": \"a\", \"point\": [1]}", "handles[0].point: must be three numbers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[512];
        snprintf(text, sizeof text, "{\"handles\": [%s]}", cases[i].handles);
        const sn_source source = source_text("rig.json", text);
        sn_arena arena = {0};
        sn_rig_file rig;
        begin_log();
        const sn_result result = sn_rig_read(&source, &arena, &rig);
        assert_int_equal(result, cases[i].message ? SN_ERROR_FORMAT : SN_OK);
        if (cases[i].message) {
            assert_one_error("rig.json");
            assert_non_null(strstr(logged.last, cases[i].message));
        } else {
            assert_int_equal(rig.handles.handles[0].parent, i == 0 ? 1 : -1);
            assert_true(rig.handles.handles[0].points[2] == 0);
        }
        sn_arena_finish(&arena);
    }
}

/* ---- files ---- */

static char folder[] = "/tmp/sinew-drawing-XXXXXX";

static const char *in_folder(const char *name)
{
    static char paths[4][256];
    static int next;
    next = (next + 1) % 4;
    snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
    return paths[next];
}

static void write_picture(const char *name, int width, int height, uint8_t value, uint8_t alpha)
{
    uint8_t *data = malloc((size_t)(4 * width * height));
    assert_non_null(data);
    for (int i = 0; i < width * height; ++i) {
        memset(data + 4 * i, i % width < width / 2 ? value : 0, 3);
        data[4 * i + 3] = alpha;
    }
    const sn_image image = {width, height, data};
    assert_int_equal(sn_png_write(in_folder(name), &image, false), SN_OK);
    free(data);
}

static void masks_are_alpha(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_drawing d;
    assert_non_null(mkdtemp(folder));
    write_picture("texture.png", 8, 4, 200, 255);
    begin_log();
    assert_int_equal(sn_drawing_read(in_folder("texture.png"), NULL, &arena, &arena, &d), SN_OK);
    assert_int_equal(pixel(&d, 7, 0)[3], 255);
    write_picture("mask.png", 8, 4, 255, 255); /* found beside the texture */
    assert_int_equal(sn_drawing_read(in_folder("texture.png"), NULL, &arena, &arena, &d), SN_OK);
    assert_int_equal(pixel(&d, 0, 0)[3], 255);
    assert_int_equal(pixel(&d, 7, 0)[3], 0);
    assert_int_equal(pixel(&d, 0, 0)[0], 200);
    write_picture("other.png", 8, 5, 255, 255);
    begin_log();
    assert_int_equal(sn_drawing_read(in_folder("texture.png"), in_folder("other.png"), &arena, &arena, &d),
                     SN_ERROR_FORMAT);
    assert_one_error("other.png: header: 8 x 5 pixels, but ");
    write_picture("half.png", 8, 4, 255, 128);
    assert_int_equal(sn_drawing_read(in_folder("texture.png"), in_folder("half.png"), &arena, &arena, &d), SN_OK);
    assert_int_equal(pixel(&d, 0, 0)[3], 128);
    sn_arena_finish(&arena);
    unlink(in_folder("texture.png"));
    unlink(in_folder("mask.png"));
    unlink(in_folder("other.png"));
    unlink(in_folder("half.png"));
}

/* Larger pictures are halved, with their colours. */
static void wide_pictures_are_halved(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_drawing d;
    write_picture("wide.png", 8193, 3, 100, 255);
    begin_log();
    assert_int_equal(sn_drawing_read(in_folder("wide.png"), NULL, &arena, &arena, &d), SN_OK);
    assert_int_equal(d.image.width, 2049);
    assert_int_equal(d.image.height, 1);
    assert_true(d.pixel_size == 4 && d.height == 3);
    assert_int_equal(pixel(&d, 0, 0)[0], 100);
    assert_int_equal(pixel(&d, 2048, 0)[3], 255);
    sn_arena_finish(&arena);
    unlink(in_folder("wide.png"));
    assert_int_equal(rmdir(folder), 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tgf_has_points_bones_and_cages),
        cmocka_unit_test(bad_tgf_is_refused),
        cmocka_unit_test(changed_tgf_is_safe),
        cmocka_unit_test(char_cfg_is_a_skeleton),
        cmocka_unit_test(bad_char_cfg_is_refused),
        cmocka_unit_test(changed_char_cfg_is_safe),
        cmocka_unit_test(slots_are_drawn_in_their_order),
        cmocka_unit_test(animations_of_bones_are_clips),
        cmocka_unit_test(bones_reach_for_others),
        cmocka_unit_test(above_is_turned_before_below),
        cmocka_unit_test(slots_that_change_their_pictures_are_counted),
        cmocka_unit_test(long_lists_take_no_time),
        cmocka_unit_test(bad_dragonbones_are_refused),
        cmocka_unit_test(parents_are_names_of_handles),
        cmocka_unit_test(masks_are_alpha),
        cmocka_unit_test(wide_pictures_are_halved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
