/* SPDX-License-Identifier: MIT */
/* Shapes at keys and what is between them: a bending arm whose true shapes are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/bake/playback.h"
#include "author/io/gltf/gltf_write.h"
#include "author/io/usd/usd_write.h"
#include "research/figures/bending_arm.h"
#include "tests/bake/usd_check.h"
#include "tests/fourier/fourier_test.h"
#include "tests/support/log.h"

#define BEND (100 * ARM_PI / 180)
#define SIZE (3 * ARM_VERTICES)

static bending_arm arm;

/* Keys at equal distances over a second, with true shapes, and checks in the middle between them. */
typedef struct arm_run {
    sn_shape_key keys[5];
    sn_shape_check checks[4];
    double shapes[9][SIZE];
    sn_shapes_desc desc;
    sn_arena arena;
    sn_scene_file scene;
    sn_shapes_report report;
} arm_run;

static void prepare(int segment_count, arm_run *r)
{
    make_bending_arm(BEND, &arm);
    memset(r, 0, sizeof *r);
    for (int i = 0; i <= 2 * segment_count; ++i) {
        const double fraction = i / (2.0 * segment_count);
        bend_arm(&arm, fraction, r->shapes[i]);
        if (i % 2) {
            r->checks[i / 2] = (sn_shape_check){fraction, r->shapes[i]};
        } else {
            r->keys[i / 2] = (sn_shape_key){fraction, 0, fraction, NULL, r->shapes[i]};
        }
    }
    r->desc = (sn_shapes_desc){.scene = &arm.scene,
                               .name = "arm",
                               .character = "arm's file",
                               .key_count = segment_count + 1,
                               .check_count = segment_count,
                               .keys = r->keys,
                               .checks = r->checks,
                               .material = sn_default_fourier_material(),
                               .fit = sn_default_fourier_fit_desc(),
                               .frame_rate = 30,
                               .key_error = 1e-3};
}

static void build(arm_run *r)
{
    assert_int_equal(sn_shapes_build(&r->desc, &r->arena, &r->scene, &r->report), SN_OK);
}

static double farthest(const arm_run *r)
{
    double most = 0;
    for (int i = 0; i < r->desc.check_count; ++i) {
        most = fmax(most, r->report.checks[i].fourier);
    }
    return most;
}

static arm_run run;

static void test_keys_are_met_and_checks_are_near(void **state)
{
    (void)state;
    prepare(1, &run);
    run.desc.material = (sn_fourier_material){.damping = 1}; /* viscous: gamma = t^2 */
    build(&run);
    const sn_shape_errors *middle = &run.report.checks[0];
    print_message("one segment: off by %.4f (linear %.4f, rig %.4f, dual quaternions %.4f), %d curves, %d keys\n",
                  middle->fourier, middle->linear, middle->rig, middle->dual, run.report.curve_count,
                  run.report.key_count);
    assert_true(run.report.at_keys < 1e-6);
    assert_true(run.report.curve_count > 8 && run.report.target_count == 10 && run.report.flattened == 0);
    assert_near(middle->fourier, 0.0286, 0.00005);
    assert_near(middle->linear, 0.123, 0.0005);
    assert_near(middle->rig, 0.117, 0.0005);
    assert_near(middle->dual, 0.0948, 0.00005);
    sn_arena_finish(&run.arena);
}

static void test_more_keys_lead_nearer(void **state)
{
    (void)state;
    prepare(1, &run);
    build(&run);
    const double one = farthest(&run);
    sn_arena_finish(&run.arena);
    prepare(4, &run);
    build(&run);
    print_message("default material: one segment %.4f, four %.4f (gain %.3f, %d frames)\n", one, farthest(&run),
                  run.report.gain, run.report.frame_count);
    assert_near(one, 0.0286, 0.00005);
    assert_near(farthest(&run), 0.0171, 0.00005);
    assert_true(run.report.at_keys < 1e-6 && run.report.target_count == 40);
    sn_arena_finish(&run.arena);
}

/* The scene's clip without the keys that were left out stays near that with all frames. */
static void test_left_out_keys_stay_within_the_bound(void **state)
{
    (void)state;
    static double coarse[SIZE], fine[SIZE];
    sn_playback playback;
    prepare(1, &run);
    run.desc.material = (sn_fourier_material){1, 4, 900, 0.5, SN_FOURIER_MEMBRANE, SN_FOURIER_SECOND};
    run.desc.key_error = 2e-3;
    build(&run);
    arm_run *exact = calloc(1, sizeof *exact);
    assert_non_null(exact);
    prepare(1, exact);
    exact->desc.material = run.desc.material;
    exact->desc.frame_rate = 400;
    exact->desc.key_error = 1e-4;
    build(exact);
    assert_true(run.report.key_count < exact->report.key_count / 4);
    double most = 0;
    for (int i = 0; i <= 100; ++i) {
        assert_int_equal(sn_playback_init(&run.scene, 1, &run.arena, &playback), SN_OK);
        sn_playback_evaluate(&playback, i / 100.0, coarse);
        assert_int_equal(sn_playback_init(&exact->scene, 1, &run.arena, &playback), SN_OK);
        sn_playback_evaluate(&playback, i / 100.0, fine);
        for (int k = 0; k < SIZE; ++k) {
            most = fmax(most, fabs(coarse[k] - fine[k]));
        }
    }
    assert_true(most > 1e-5 && most < 2e-3);
    sn_arena_finish(&exact->arena);
    free(exact);
    sn_arena_finish(&run.arena);
}

static void test_what_is_written_is_what_was_built(void **state)
{
    (void)state;
    char folder[] = "/tmp/sinew_shapes_XXXXXX", path[64], layer[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/arm.glb", folder);
    snprintf(layer, sizeof layer, "%s/arm.usda", folder);
    prepare(2, &run);
    build(&run);
    sn_scene_file read;
    sn_shapes_report report = {.checks = SN_NEW(&run.arena, sn_shape_errors, 2)};
    assert_int_equal(sn_gltf_write(path, &run.scene), SN_OK);
    assert_int_equal(sn_scene_file_read(path, &run.arena, &read), SN_OK);
    assert_int_equal(sn_shapes_measure(&run.desc, &read, path, &report), SN_OK);
    assert_true(report.at_keys < 1e-6);
    assert_near(report.checks[1].fourier, run.report.checks[1].fourier, 1e-6);
    assert_int_equal(sn_usd_write(layer, &run.scene, 30), SN_OK);
    sn_source source;
    static usd_checker checker;
    assert_int_equal(sn_source_read(layer, &run.arena, &source), SN_OK);
    usd_check((const char *)source.bytes, &checker);
    run.scene.primitives[0].morph_positions[3][9] = NAN; /* the layer of before stays */
    begin_log();
    assert_int_equal(sn_usd_write(layer, &run.scene, 30), SN_ERROR_NUMERIC);
    sn_set_log(NULL, NULL);
    assert_one_error("target 3: the offset of vertex 3");
    sn_source after;
    assert_int_equal(sn_source_read(layer, &run.arena, &after), SN_OK);
    assert_int_equal(after.size, source.size);
    unlink(path);
    unlink(layer);
    rmdir(folder);
    sn_arena_finish(&run.arena);
}

/* Without a rig, turned and moved as a whole, and bent besides. */
static void test_surfaces_without_a_rig_follow_a_rigid_fit(void **state)
{
    (void)state;
    prepare(1, &run);
    assert_true(sn_shapes_default_material(&run.desc).stretch == sn_default_fourier_material().stretch);
    arm.scene.skin_count = 0;
    arm.scene.clip_count = arm.scene.channel_count = 0;
    arm.nodes[2].skin = -1;
    arm.primitive.influence_count = 0;
    run.keys[0].clip = run.keys[1].clip = -1;
    assert_true(sn_shapes_default_material(&run.desc).stretch > sn_default_fourier_material().stretch);
    for (int v = 0; v < ARM_VERTICES; ++v) {
        double *x = run.shapes[2] + 3 * v;
        const double turned[3] = {5 + x[2], x[1], -x[0]};
        memcpy(x, turned, sizeof turned);
    }
    build(&run);
    assert_true(run.report.at_keys < 2e-6);
    assert_int_equal(run.scene.skin_count, 1);
    double largest = 0; /* targets hold the bend, not the turn */
    for (int m = 0; m < 10; ++m) {
        for (int i = 0; i < SIZE; ++i) {
            largest = fmax(largest, fabs((double)run.scene.primitives[0].morph_positions[m][i]));
        }
    }
    assert_true(largest > 0.05 && largest < 1);
    sn_arena_finish(&run.arena);
}

/* What the report compares with where no key has a shape is the rig. */
static void test_keys_without_shapes_are_compared_with_the_rig(void **state)
{
    (void)state;
    prepare(1, &run);
    run.keys[0].shape = run.keys[1].shape = NULL;
    run.desc.key_error = 1e-2;
    build(&run);
    assert_true(run.report.at_keys < 1e-5);
    assert_true(run.report.diagonal > 2.2 && run.report.diagonal < 2.4);
    /* Another clip than the rig's is seen. */
    for (int i = 0; i < run.scene.channel_count; ++i) {
        sn_scene_channel *c = &run.scene.channels[i];
        for (int k = 0; k < c->key_count && c->path == SN_PATH_ROTATION; ++k) {
            memcpy(c->values + 4 * k, (const float[4]){0, 0, 0, 1}, 4 * sizeof(float));
        }
    }
    assert_int_equal(sn_shapes_measure(&run.desc, &run.scene, "arm", &run.report), SN_OK);
    assert_true(run.report.at_keys > 0.5);
    sn_arena_finish(&run.arena);
}

/* Tangents are of the places that were; what a node that draws with a skin does itself is left out by programs. */
static void test_what_is_drawn_is_clean(void **state)
{
    (void)state;
    static float tangents[4 * ARM_VERTICES];
    prepare(1, &run);
    arm.scene.skin_count = 0;
    arm.scene.clip_count = arm.scene.channel_count = 0;
    arm.nodes[2].skin = -1;
    arm.nodes[2].parent = 1;
    arm.nodes[2].translation[0] = arm.nodes[2].local[3] = 3;
    arm.primitive.influence_count = 0;
    arm.primitive.tangents = tangents;
    run.keys[0].clip = run.keys[1].clip = -1;
    for (int i = 0; i < 3; ++i) {
        for (int v = 0; v < ARM_VERTICES; ++v) {
            run.shapes[i][3 * v] += 3;
        }
    }
    build(&run);
    assert_true(run.report.at_keys < 2e-6);
    int drawn = 0;
    for (int i = 0; i < run.scene.node_count; ++i) {
        const sn_scene_node *node = &run.scene.nodes[i];
        drawn += node->mesh >= 0;
        assert_true(node->mesh < 0 || (node->skin == 0 && node->parent < 0 && node->local[3] == 0));
    }
    assert_int_equal(drawn, 1);
    assert_null(run.scene.primitives[0].tangents);
    sn_arena_finish(&run.arena);
}

static void refuse(const char *cause)
{
    begin_log();
    assert_int_not_equal(sn_shapes_build(&run.desc, &run.arena, &run.scene, &run.report), SN_OK);
    sn_set_log(NULL, NULL);
    assert_one_error(cause);
    sn_arena_finish(&run.arena);
}

static void test_bad_sequences_are_refused(void **state)
{
    (void)state;
    prepare(2, &run);
    run.keys[2].seconds = run.keys[1].seconds;
    refuse("keys[2]");
    prepare(1, &run);
    run.desc.material.damping = -1;
    refuse("neither may be negative");
    prepare(1, &run);
    run.shapes[2][7] = NAN;
    refuse("keys[1]: vertex 2");
    prepare(1, &run);
    arm.nodes[0].mesh = 0;
    refuse("arm's file: nodes[2]: uses mesh 0, which another node also uses");
    prepare(1, &run);
    arm.nodes[2].mesh = arm.nodes[2].skin = -1;
    refuse("arm's file: no node has a mesh");
    prepare(1, &run);
    run.desc.material.time = SN_FOURIER_SECOND;
    run.keys[1].seconds = 1e-200;
    refuse("arm: keys[1].seconds: in the 1e-200 s since the previous key, harmonic 0 of the material");
    prepare(2, &run);
    run.keys[2].seconds = 9e4;
    refuse("arm: keys[2].seconds: frames up to 90000 s exceed the limit of 65536");
    prepare(2, &run);
    for (int k = 1; k < 3; ++k) {
        run.keys[k].seconds = 99998 + 0.01 * k;
    }
    run.keys[0].seconds = 99998;
    refuse("arm: keys[1].seconds: frames up to 99998 s have equal times");
}

/* Before any target is made. */
static void test_more_than_fits_is_refused(void **state)
{
    (void)state;
    static sn_shape_key keys[SN_FOURIER_SEGMENT_LIMIT + 1];
    prepare(1, &run);
    for (int k = 0; k <= SN_FOURIER_SEGMENT_LIMIT; ++k) {
        keys[k] = (sn_shape_key){.seconds = k, .clip = -1};
    }
    run.desc.keys = keys;
    run.desc.key_count = SN_FOURIER_SEGMENT_LIMIT + 1;
    run.desc.check_count = 0;
    run.desc.fit.harmonic_count = SN_FOURIER_HARMONIC_LIMIT;
    run.desc.frame_rate = 1000;
    refuse("arm: keys[5].seconds: 5001 frames of 16640 weights");
    arm.primitive.vertex_count = 5000;
    refuse("arm: keys: 257 keys of 64 harmonics give 16640 targets of 5000 vertices");
}

int test_shape_sequence(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys_are_met_and_checks_are_near),
                                       cmocka_unit_test(test_more_keys_lead_nearer),
                                       cmocka_unit_test(test_left_out_keys_stay_within_the_bound),
                                       cmocka_unit_test(test_what_is_written_is_what_was_built),
                                       cmocka_unit_test(test_surfaces_without_a_rig_follow_a_rigid_fit),

                                       cmocka_unit_test(test_keys_without_shapes_are_compared_with_the_rig),
                                       cmocka_unit_test(test_what_is_drawn_is_clean),
                                       cmocka_unit_test(test_more_than_fits_is_refused),
                                       cmocka_unit_test(test_bad_sequences_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
