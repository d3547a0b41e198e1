/* SPDX-License-Identifier: MIT */
/* Weights of a motion file for another face: what meets what by name, what comes of it over time, what is left over. */
#include "author/import/face_motion.h"

#include <math.h>

#include "tests/io/io_test.h"

enum { TARGETS = 6, EXPRESSIONS = 4, FRAMES = 5 };

/* The face: "sad" is of two nodes. */
static const char *const morph_names[TARGETS] = {"mouth", "cheek", "lid", "sad", "sad", ""};
static const float morph_default_weights[TARGETS] = {0, .25F, 0, .5F, 0, 0};
static const char *const expression_names[EXPRESSIONS] = {"happy", "aa", "blinkLeft", "Frown"};
static const sn_expression expressions[EXPRESSIONS] = {
    {0, 2, .is_binary = 0}, {2, 1, .is_binary = 0}, {3, 1, .is_binary = 1}, {4, 1, .is_binary = 0}};
static const sn_expression_bind binds[] = {{0, .5F}, {1, 1}, {0, 1}, {2, 1}, {0, -1}};
static sn_face face = {TARGETS, EXPRESSIONS, morph_names, morph_default_weights, expression_names, expressions, binds};

/* A clip of a second, all of whose values go from 0 at 0 s to their ends. */
typedef struct file {
    sn_scene_file scene;
    sn_scene_node nodes[8];
    sn_scene_mesh meshes[4];
    sn_scene_channel channels[8];
    sn_scene_expression_track tracks[4];
    sn_scene_clip clip;
    float values[8][8];
} file;

static float times[2] = {0, 1};

static void begin(file *f)
{
    *f = (file){.scene.clip_count = 1, .clip.seconds = 1};
    f->scene.nodes = f->nodes;
    f->scene.meshes = f->meshes;
    f->scene.channels = f->channels;
    f->scene.clips = &f->clip;
    f->scene.expression_tracks = f->tracks;
}

static void add_channel(file *f, int32_t node, sn_scene_path path, int width)
{
    const int c = f->scene.channel_count++;
    f->channels[c] = (sn_scene_channel){node, path, SN_KEYS_LINEAR, 2, width, times, f->values[c]};
    f->clip.channel_count = f->scene.channel_count;
}

static void add_expression(file *f, const char *name, float end)
{
    const int32_t node = f->scene.node_count++;
    f->nodes[node] = (sn_scene_node){.name = name, .parent = -1, .mesh = -1, .skin = -1};
    f->tracks[f->scene.expression_track_count++] = (sn_scene_expression_track){name, node};
    add_channel(f, node, SN_PATH_TRANSLATION, 3);
    float *values = f->values[f->scene.channel_count - 1];
    values[3] = end;
    values[4] = 7; /* y says nothing */
}

/* A node with `count` targets; without `ends` nothing moves them. */
static void add_targets(file *f, const char **names, int count, const float *ends)
{
    const int32_t node = f->scene.node_count++, mesh = f->scene.mesh_count++;
    f->nodes[node] = (sn_scene_node){.name = "face", .parent = -1, .mesh = mesh, .skin = -1};
    f->meshes[mesh] = (sn_scene_mesh){.name = "", .morph_count = count, .morph_names = names};
    if (ends) {
        add_channel(f, node, SN_PATH_WEIGHTS, count);
        memcpy(f->values[f->scene.channel_count - 1] + count, ends, (size_t)count * sizeof *ends);
    }
}

/* Rows of the clip, at 4 frames a second. */
static void read_rows(const file *f, sn_arena *arena, sn_character_clip *clip)
{
    sn_face_motion motion;
    *clip = (sn_character_clip){.frame_count = FRAMES, .frame_rate = FRAMES - 1};
    begin_log();
    assert_int_equal(sn_face_motion_init(&f->scene, "m.vrma", &face, arena, &motion), SN_OK);
    assert_int_equal(sn_face_motion_plan(&motion, 0, arena, clip), SN_OK);
    assert_int_equal(sn_face_motion_sample(&motion, 0, arena, clip), SN_OK);
    sn_face_motion_report(&motion, "a head");
    assert_int_equal(logged.errors, 0);
}

static void expect_weight(const sn_character_clip *clip, int frame, int morph, double weight)
{
    for (int i = 0; i < clip->track_count; ++i) {
        if (clip->tracks[i] == morph) {
            const double found = (double)clip->morphs[frame * clip->track_count + i];
            if (fabs(found - weight) > 1e-6) {
                fail_msg("frame %d, target %d: %g, not %g", frame, morph, found, weight);
            }
            return;
        }
    }
    fail_msg("target %d is not moved", morph);
}

static void expressions_add_up_by_their_binds(void **state)
{
    (void)state;
    file f;
    sn_arena arena = {0};
    sn_character_clip clip;
    begin(&f);
    add_expression(&f, "Joy", 2); /* the preset of 0.x; held within 1 */
    add_expression(&f, "aa", .5F);
    add_expression(&f, "blink_l", 1);
    read_rows(&f, &arena, &clip);
    assert_int_equal(logged.lines, 0);
    assert_int_equal(clip.track_count, 3);
    expect_weight(&clip, 0, 0, 0);
    expect_weight(&clip, 0, 1, .25); /* at rest */
    expect_weight(&clip, 1, 0, .25 + .125);
    expect_weight(&clip, 1, 1, .25 + .5);
    expect_weight(&clip, 4, 0, .5 + .5);
    expect_weight(&clip, 4, 1, 1.25);
    expect_weight(&clip, 2, 2, 0); /* binary: from .5 on, not at it */
    expect_weight(&clip, 3, 2, 1);
    sn_arena_finish(&arena);
}

/* "happy" closes the eyes by itself: the lids of the motion count less by as much. */
static void expressions_suppress_others(void **state)
{
    (void)state;
    static const sn_expression smiling[EXPRESSIONS] = {{.bind_count = 2, .blended_groups = SN_EXPRESSION_BLINK},
                                                       {.first_bind = 2, .bind_count = 1, .group = SN_EXPRESSION_MOUTH},
                                                       {.first_bind = 3, .bind_count = 1, .group = SN_EXPRESSION_BLINK},
                                                       {.first_bind = 4, .bind_count = 1}};
    file f;
    sn_arena arena = {0};
    sn_character_clip clip;
    begin(&f);
    add_expression(&f, "happy", 1);
    add_expression(&f, "blinkLeft", 1);
    add_expression(&f, "aa", 1);
    face.expressions = smiling;
    read_rows(&f, &arena, &clip);
    face.expressions = expressions;
    expect_weight(&clip, 1, 2, .25 * .75);
    expect_weight(&clip, 4, 2, 0);
    expect_weight(&clip, 4, 0, .5 + 1);
    sn_arena_finish(&arena);
}

/* Of as many as there are, one each; of fewer, the last goes on. */
static void targets_take_weights_by_name(void **state)
{
    (void)state;
    file f;
    sn_arena arena = {0};
    sn_character_clip clip;
    const char *one[2] = {"sad", "mouth"}, *other[1] = {"sad"};
    begin(&f);
    add_targets(&f, one, 2, (float[]){1, -2});
    add_targets(&f, other, 1, (float[]){.5F});
    read_rows(&f, &arena, &clip);
    assert_int_equal(logged.lines, 0);
    assert_int_equal(clip.track_count, 3);
    expect_weight(&clip, 0, 3, 0); /* in place of what it rests at */
    expect_weight(&clip, 4, 3, 1);
    expect_weight(&clip, 4, 4, .5);
    expect_weight(&clip, 4, 0, -2); /* as the file says */
    begin(&f);
    add_targets(&f, other, 1, (float[]){.5F});
    read_rows(&f, &arena, &clip);
    assert_int_equal(clip.track_count, 2);
    expect_weight(&clip, 4, 3, .5);
    expect_weight(&clip, 4, 4, .5);
    sn_arena_finish(&arena);
}

static void what_has_none_of_its_kind_takes_the_other(void **state)
{
    (void)state;
    file f;
    sn_arena arena = {0};
    sn_character_clip clip;
    const char *names[1] = {"Frown"};
    begin(&f);
    add_expression(&f, "lid", 1);
    add_targets(&f, names, 1, (float[]){1});
    read_rows(&f, &arena, &clip);
    assert_int_equal(logged.lines, 0);
    expect_weight(&clip, 2, 2, .5);
    expect_weight(&clip, 2, 0, -.5);
    /* but not where its own kind has taken it: "happy" is no mouth then */
    const char *happy[1] = {"happy"};
    begin(&f);
    add_expression(&f, "happy", 1);
    add_targets(&f, happy, 1, (float[]){0});
    read_rows(&f, &arena, &clip);
    assert_one_warning(
        "m.vrma: 1 of 2 animated expressions and morph targets have no counterpart of the same name in a head: happy");
    expect_weight(&clip, 4, 0, .5);
    sn_arena_finish(&arena);
}

static void one_line_says_what_is_left_over(void **state)
{
    (void)state;
    file f;
    sn_arena arena = {0};
    sn_character_clip clip;
    const char *names[4] = {"mouth", "ear", "", "sad"}, *still[1] = {"wing"};
    begin(&f);
    add_expression(&f, "surprised", 1);
    add_targets(&f, names, 4, (float[]){1, 1, 1, 1});
    add_targets(&f, still, 1, NULL); /* what is not animated is not missed */
    read_rows(&f, &arena, &clip);
    assert_int_equal(logged.lines, 1);
    assert_one_warning("m.vrma: 3 of 5 animated expressions and morph targets have no counterpart of the same name in "
                       "a head: surprised, ear, "
                       "target 2 of node 1");
    assert_int_equal(clip.track_count, 3);
    sn_arena_finish(&arena);
}

static void weights_alone_move_no_joint(void **state)
{
    (void)state;
    file f;
    sn_arena arena = {0};
    sn_face_motion motion;
    const char *names[1] = {"mouth"};
    begin(&f);
    add_expression(&f, "happy", 1);
    add_targets(&f, names, 1, (float[]){1});
    assert_int_equal(sn_face_motion_init(&f.scene, "m.vrma", &face, &arena, &motion), SN_OK);
    assert_false(sn_face_motion_animates_joints(&motion, 0));
    add_channel(&f, 1, SN_PATH_ROTATION, 4);
    assert_true(sn_face_motion_animates_joints(&motion, 0));
    sn_arena_finish(&arena);
}

/* Weights of the file are finite; what a cubic makes between them may not be. */
static void weights_are_finite(void **state)
{
    (void)state;
    file f;
    sn_arena arena = {0};
    sn_face_motion motion;
    sn_character_clip clip = {.frame_count = FRAMES, .frame_rate = FRAMES - 1};
    const char *names[1] = {"mouth"};
    begin(&f);
    add_targets(&f, names, 1, (float[]){1});
    f.channels[0].interpolation = SN_KEYS_CUBIC;
    memcpy(f.values[0], (float[]){0, 3e38F, 3e38F, -3e38F, 3e38F, 0}, 6 * sizeof(float));
    begin_log();
    assert_int_equal(sn_face_motion_init(&f.scene, "m.glb", &face, &arena, &motion), SN_OK);
    assert_int_equal(sn_face_motion_plan(&motion, 0, &arena, &clip), SN_OK);
    assert_int_equal(sn_face_motion_sample(&motion, 0, &arena, &clip), SN_ERROR_FORMAT);
    assert_one_error("m.glb: animations[0]: a weight of a morph target is not finite");
    sn_arena_finish(&arena);
}

static void presets_have_two_names(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool is_same;
    } cases[] = {{"joy", "happy", true},          {"Joy", "happy", true}, {"fun", "relaxed", true},
                 {"sorrow", "sad", true},         {"A", "aa", true},      {"blink_l", "blinkLeft", true},
                 {"Blink_R", "BLINKRIGHT", true}, {"Grin", "Grin", true}, {"Grin", "grin", false},
                 {"happy", "relaxed", false},     {"", "happy", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(sn_vrm_expressions_match(cases[i].a, cases[i].b), cases[i].is_same);
        assert_int_equal(sn_vrm_expressions_match(cases[i].b, cases[i].a), cases[i].is_same);
    }
}

static void rows_hold_what_any_clip_moves(void **state)
{
    (void)state;
    sn_arena arena = {0};
    sn_face_tracks all;
    const int32_t a[2] = {1, 4}, b[2] = {0, 4};
    float a_rows[4] = {.1F, .2F, .3F, .4F}, b_rows[2] = {.5F, .6F}, rows[6];
    const sn_character_clip clips[3] = {{.frame_count = 2, .track_count = 2, .tracks = a, .morphs = a_rows},
                                        {.frame_count = 1, .track_count = 2, .tracks = b, .morphs = b_rows},
                                        {.frame_count = 1, .track_count = 2, .tracks = b}};
    assert_int_equal(sn_face_tracks_init(clips, 3, TARGETS, "m", &arena, &all), SN_OK);
    assert_int_equal(all.count, 3);
    assert_memory_equal(all.tracks, ((int32_t[]){0, 1, 4}), sizeof(int32_t[3]));
    sn_face_fill_weights(&clips[0], &all, morph_default_weights, rows);
    assert_memory_equal(rows, ((float[]){0, .1F, .2F, 0, .3F, .4F}), sizeof rows);
    sn_face_fill_weights(&clips[1], &all, morph_default_weights, rows);
    assert_memory_equal(rows, ((float[]){.5F, .25F, .6F}), sizeof(float[3]));
    sn_face_fill_weights(&clips[2], &all, morph_default_weights, rows);
    assert_memory_equal(rows, ((float[]){0, .25F, 0}), sizeof(float[3]));
    const sn_character_clip long_clip = {.frame_count = 1 << 29, .track_count = 2, .tracks = a, .morphs = a_rows};
    begin_log();
    assert_int_equal(sn_face_tracks_init(&long_clip, 1, TARGETS, "m", &arena, &all), SN_ERROR_UNSUPPORTED);
    assert_one_error("m: with this clip, the weights of 536870912 frames and 2 morph targets exceed 2048 MiB");
    sn_arena_finish(&arena);
}

int test_face_motion(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_add_up_by_their_binds),
        cmocka_unit_test(expressions_suppress_others),
        cmocka_unit_test(targets_take_weights_by_name),
        cmocka_unit_test(what_has_none_of_its_kind_takes_the_other),
        cmocka_unit_test(one_line_says_what_is_left_over),
        cmocka_unit_test(weights_alone_move_no_joint),
        cmocka_unit_test(weights_are_finite),
        cmocka_unit_test(presets_have_two_names),
        cmocka_unit_test(rows_hold_what_any_clip_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
